// expand_profile: from a profile to the plugins of each extension point, as in upstream's
// NewFramework (MultiPoint expansion, overrides, score weights), with its errors.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libsched/config/config.hpp"

namespace libsched {

// Returns the extension points that a plugin implements; nullopt: no such plugin.
using PluginCatalog = std::function<std::optional<PointMask>(Str plugin)>;

struct InTreePlugin {
  Str name;
  PointMask points;
  ReleaseRange releases = {};  // in which it has these points
};
// The plugins of kube-scheduler, by name, whether or not this build contains them. A plugin whose
// points differ between releases has a row for each.
Span<InTreePlugin> in_tree_plugins();
std::optional<PointMask> in_tree_points(Str plugin, Release release);
PluginCatalog in_tree_catalog(Release release = kDefaultRelease);  // of in_tree_points()

struct ExpandedPlugin {
  std::string name;
  int32_t weight = 0;  // at kScore and kPlacementScore, never 0 there
};

struct ExpandedProfile {
  std::string scheduler_name;
  std::array<std::vector<ExpandedPlugin>, kExtensionPointCount> points;
  std::vector<std::string> plugins;  // every plugin that has to be built, by name, each once

  const std::vector<ExpandedPlugin>& at(ExtensionPoint p) const {
    return points[static_cast<size_t>(p)];
  }
};

// Makes a plugin that the profile needs, and returns the plugin's own name, by which weights are
// looked up.
using PluginMaker = std::function<Result<std::string>(const std::string& registered)>;

struct ExpandOptions {
  PluginMaker make;  // none: nothing is made, and plugins go by the names they are registered under
  bool several_queue_sorts = false;  // without it upstream's error
};

// Weights: of the point's own list, else of MultiPoint; 0 becomes 1. Negative ones stay, as
// upstream keeps them. The arguments of in-tree plugins are checked as their factories do
// (`initializing plugin "NodeResourcesFit": ...`) before the lists are expanded; plugins are made,
// in the order of their names, there, too.
Result<ExpandedProfile> expand_profile(const Profile& profile, const PluginCatalog& catalog,
                                       const FeatureGates& gates = {},
                                       const ExpandOptions& options = {});

}  // namespace libsched
