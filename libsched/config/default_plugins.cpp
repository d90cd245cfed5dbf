// The default plugins, their dependence on feature gates, and how custom lists merge into them.
#include <algorithm>
#include <set>

#include "libsched/config/defaults.hpp"

namespace libsched {
namespace {

struct Default {
  Str name;
  int32_t weight = 0;  // 0: none is given
  ReleaseRange releases = {};
};

// In their order in MultiPoint.
constexpr Default kDefaults[] = {
    {"SchedulingGates"},
    {"PrioritySort"},
    {"NodeUnschedulable"},
    {"NodeName"},
    {"TaintToleration", 3},
    {"NodeAffinity", 2},
    {"NodePorts"},
    {"NodeResourcesFit", 1},
    {"VolumeRestrictions"},
    {"NodeVolumeLimits"},
    {"VolumeBinding"},
    {"VolumeZone"},
    {"PodTopologySpread", 2},
    {"InterPodAffinity", 2},
    {"DynamicResources", 2},  // before preemption: freeing an idle claim is the smaller evil
    {"DefaultPreemption"},
    {"NodeResourcesBalancedAllocation", 1},
    {"ImageLocality", 1},
    {"DefaultBinder"},
    {"NodeDeclaredFeatures"},
    {"GangScheduling"},
    {"TopologyPlacementGenerator"},
    {"PodGroupPodsCount", 1},
};

bool is_default(Str name, const FeatureGates& gates) {
  if (name == "DynamicResources") return gates.enabled(Gate::kDynamicResourceAllocation);
  if (name == "NodeDeclaredFeatures") return gates.enabled(Gate::kNodeDeclaredFeatures);
  if (name == "GangScheduling") return gates.enabled(Gate::kGangScheduling);
  if (name == "TopologyPlacementGenerator" || name == "PodGroupPodsCount") {
    return gates.enabled(Gate::kTopologyAwareWorkloadScheduling);
  }
  return true;
}

// A default plugin that is enabled again is replaced in place by its last mention; all other
// custom plugins follow in their order. Disabled lists are united, "*" drops every default.
V1PluginSet merge_set(const V1PluginSet& defaults, const V1PluginSet& custom) {
  V1PluginSet out;
  std::set<std::string> disabled;
  for (const V1PluginSet* set : {&custom, &defaults}) {
    for (const V1Plugin& p : set->disabled) {
      out.disabled.push_back({p.name, {}});
      disabled.insert(p.name);
    }
  }
  std::vector<bool> used(custom.enabled.size());
  if (!disabled.contains("*")) {
    for (const V1Plugin& p : defaults.enabled) {
      if (disabled.contains(p.name)) continue;
      size_t i = custom.enabled.size();
      while (i > 0 && custom.enabled[i - 1].name != p.name) --i;
      if (i > 0) used[i - 1] = true;
      out.enabled.push_back(i > 0 ? custom.enabled[i - 1] : p);
    }
  }
  for (size_t i = 0; i < custom.enabled.size(); ++i) {
    if (!used[i]) out.enabled.push_back(custom.enabled[i]);
  }
  return out;
}

}  // namespace

V1Plugins default_plugins(const FeatureGates& gates) {
  V1Plugins out;
  for (const Default& d : kDefaults) {
    if (!d.releases.has(gates.release()) || !is_default(d.name, gates)) continue;
    V1Plugin p{std::string(d.name), {}};
    if (d.weight != 0) p.weight = d.weight;
    out.multi_point.enabled.push_back(std::move(p));
  }
  return out;
}

V1Plugins merge_plugins(V1Plugins defaults, const V1Plugins& custom) {
  defaults.multi_point = merge_set(defaults.multi_point, custom.multi_point);
  for (size_t i = 0; i < defaults.points.size(); ++i) {
    defaults.points[i] = merge_set(defaults.points[i], custom.points[i]);
  }
  return defaults;
}

}  // namespace libsched
