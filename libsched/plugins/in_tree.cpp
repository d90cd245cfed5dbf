// The list of kube-scheduler's plugins: those that are implemented, and those that only report
// whether a pod needs them.
#include "libsched/plugins/in_tree.hpp"

#include <algorithm>

#include "libsched/base/mutex.hpp"
#include "libsched/config/expand.hpp"

namespace libsched {

RegistryRef in_tree_registry() {
  const std::map<Str, PluginFactory> factories = {
      {"PrioritySort", make_priority_sort},
      {"SchedulingGates", make_scheduling_gates},
      {"NodeUnschedulable", make_node_unschedulable},
      {"NodeName", make_node_name},
      {"TaintToleration", make_taint_toleration},
      {"NodeAffinity", make_node_affinity},
      {"NodePorts", make_node_ports},
      {"ImageLocality", make_image_locality},
      {"NodeResourcesFit", make_node_resources_fit},
      {"NodeResourcesBalancedAllocation", make_balanced_allocation},
      {"NodeDeclaredFeatures", make_node_declared_features},
      {"VolumeRestrictions", make_volume_restrictions},
      {"NodeVolumeLimits", make_node_volume_limits},
      {"VolumeBinding", make_volume_binding},
      {"VolumeZone", make_volume_zone},
      {"PodTopologySpread", make_pod_topology_spread},
      {"InterPodAffinity", make_inter_pod_affinity},
      {"DynamicResources", make_dynamic_resources},
      {"DefaultBinder", make_default_binder},
      {"DefaultPreemption", make_default_preemption},
      {"GangScheduling", make_gang_scheduling},
      {"TopologyPlacementGenerator", make_topology_placement},
      {"PodGroupPodsCount", make_pod_group_pods_count},
      {"DeferredPodScheduling", make_deferred_pod_scheduling},
  };
  const ForkHeldOff made_whole;
  static const RegistryRef registry = [&] {
    Ref<Registry> r = make_ref<Registry>();
    // A framework takes the points of its own release.
    for (const InTreePlugin& p : in_tree_plugins()) {
      const auto it = factories.find(p.name);
      const bool other = it == factories.end() || in_tree_points(p.name, kDefaultRelease);
      if (!p.releases.has(kDefaultRelease) && other) continue;
      const Result<void> added =
          r->add(p.name, {p.points, it == factories.end() ? PluginFactory() : it->second, true});
      assert(added.ok());
      static_cast<void>(added);
    }
    return RegistryRef(r);
  }();
  return registry;
}

bool may_be_device_resource(const View& view, Str resource) {
  const bool named = is_extended_resource_name(resource) ||
                     resource.starts_with("deviceclass.resource.kubernetes.io/");
  return named && view.objects().device_class_of(resource) != nullptr;
}

bool asks_scalars(const Resources& resources) {
  return std::any_of(resources.scalars.begin(), resources.scalars.end(),
                     [](const ScalarAmount& s) { return s.value != 0; });
}

}  // namespace libsched
