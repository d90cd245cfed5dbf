// The default plugins, their dependence on feature gates, and how custom lists merge into them.
#include <algorithm>
#include <set>

#include "libsched/config/defaults.hpp"

namespace libsched {
namespace {

using R = Release;

struct Default {
  Str name;
  int32_t weight = 0;  // 0: none is given
  ReleaseRange releases = {};
  Gate gate = Gate::kCount;  // without which it is no default; kCount: always
};

// In their order in MultiPoint.
constexpr Default kDefaults[] = {
    {"SchedulingGates"},
    {"PrioritySort"},
    {"NodeUnschedulable", 0, {R::k1_31, R::k1_36}},
    {"NodeName"},
    {"NodeUnschedulable", 0, {R::k1_37, kNewestRelease}},
    {"TaintToleration", 3},
    {"NodeAffinity", 2},
    {"NodePorts"},
    {"DeferredPodScheduling",
     0,
     {R::k1_37, kNewestRelease},
     Gate::kInPlacePodVerticalScalingSchedulerPreemption},
    {"NodeResourcesFit", 1},
    {"VolumeRestrictions"},
    {"NodeVolumeLimits"},
    {"VolumeBinding"},
    {"VolumeZone"},
    {"PodTopologySpread", 2},
    {"InterPodAffinity", 2},
    // Before preemption: freeing an idle claim is the smaller evil.
    {"DynamicResources", 0, {R::k1_31, R::k1_34}, Gate::kDynamicResourceAllocation},
    {"DynamicResources", 2, {R::k1_35, kNewestRelease}, Gate::kDynamicResourceAllocation},
    {"DefaultPreemption"},
    {"NodeResourcesBalancedAllocation", 1},
    {"ImageLocality", 1},
    {"DefaultBinder"},
    {"NodeDeclaredFeatures", 0, {R::k1_35, kNewestRelease}, Gate::kNodeDeclaredFeatures},
    {"GangScheduling", 0, {R::k1_35, R::k1_36}, Gate::kGangScheduling},
    {"GangScheduling", 0, {R::k1_37, kNewestRelease}, Gate::kGenericWorkload},
    {"TopologyPlacementGenerator",
     0,
     {R::k1_36, kNewestRelease},
     Gate::kTopologyAwareWorkloadScheduling},
    {"PodGroupPodsCount", 1, {R::k1_36, kNewestRelease}, Gate::kTopologyAwareWorkloadScheduling},
};

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
    if (!d.releases.has(gates.release())) continue;
    if (d.gate != Gate::kCount && !gates.enabled(d.gate)) continue;
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
