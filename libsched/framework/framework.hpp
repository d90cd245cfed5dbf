// Framework: one profile with its plugins made, as upstream's NewFramework. Immutable and shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched/config/expand.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

class Framework final : public RefCounted {
 public:
  struct Instance {
    std::string name;
    std::unique_ptr<Plugin> plugin;  // null: nothing to run in this version
  };

  // `profile` "": the only one. Errors: kNotFound, upstream's construction errors, kUnsupported.
  static Result<Ref<const Framework>> create(const ConfigRef& config, Str profile,
                                             const RegistryRef& registry,
                                             const FeatureGates& gates);

  const std::string& profile() const { return expanded_.scheduler_name; }
  const ExpandedProfile& expanded() const { return expanded_; }
  const std::vector<Instance>& plugins() const { return plugins_; }
  // Indexes into plugins(), in the order of the point.
  const std::vector<uint32_t>& at(ExtensionPoint p) const {
    return points_[static_cast<size_t>(p)];
  }
  std::string plugins_json() const;

 private:
  Framework() = default;

  ConfigRef config_;
  RegistryRef registry_;
  ExpandedProfile expanded_;
  std::vector<Instance> plugins_;
  std::array<std::vector<uint32_t>, kExtensionPointCount> points_;
};
using FrameworkRef = Ref<const Framework>;

}  // namespace libsched
