// The in-tree plugins. No other place lists them.
#pragma once

#include "libsched/framework/plugin.hpp"

namespace libsched {

// Returns a registry with every plugin of kube-scheduler v1.36.
RegistryRef in_tree_registry();

// The factory of each plugin, defined in the plugin's folder.
Result<std::unique_ptr<Plugin>> make_priority_sort(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_scheduling_gates(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_node_unschedulable(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_node_name(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_taint_toleration(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_node_affinity(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_node_ports(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_image_locality(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_node_resources_fit(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_balanced_allocation(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_node_declared_features(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_volume_restrictions(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_node_volume_limits(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_volume_binding(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_volume_zone(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_pod_topology_spread(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_inter_pod_affinity(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_dynamic_resources(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_default_binder(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_default_preemption(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_gang_scheduling(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_topology_placement(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_pod_group_pods_count(const FactoryCall&);
Result<std::unique_ptr<Plugin>> make_deferred_pod_scheduling(const FactoryCall&);

// Reports whether a DeviceClass of the cluster provides this resource, so that devices are counted.
bool may_be_device_resource(const View& view, Str resource);

// Reports whether the pod requests any resource besides cpu, memory and ephemeral storage.
bool asks_scalars(const Resources& resources);

}  // namespace libsched
