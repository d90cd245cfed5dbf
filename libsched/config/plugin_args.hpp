// Arguments of plugins: one plain struct per in-tree plugin with arguments, defaulted and
// converted (upstream's internal types); raw JSON for unknown plugins.
//
// Str and Span members live in the arena of the SchedulerConfig that holds the arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "libsched/objects/pod.hpp"

namespace libsched {

struct ResourceSpec {
  std::string name;
  int64_t weight = 0;
};

struct UtilizationShapePoint {
  int32_t utilization = 0;  // percent
  int32_t score = 0;        // 0..10
};

struct DefaultPreemptionArgs {
  int32_t min_candidate_nodes_percentage = 0;
  int32_t min_candidate_nodes_absolute = 0;
};

// Absent if upstream's pointer is nil, because the feature gate of the field is off.
struct DynamicResourcesArgs {
  std::optional<int64_t> filter_timeout_ns;
  std::optional<int64_t> binding_timeout_ns;
};

struct InterPodAffinityArgs {
  int32_t hard_pod_affinity_weight = 0;
  bool ignore_preferred_terms_of_existing_pods = false;
};

struct NodeAffinityArgs {
  NodeAffinity added_affinity;  // .present is false when there is none
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceSpec> resources;
};

// The type is kept as text: like upstream, libsched checks it only when the plugin is built
// (validate_plugin_construction).
struct ScoringStrategy {
  std::string type;  // LeastAllocated | MostAllocated | RequestedToCapacityRatio
  std::vector<ResourceSpec> resources;
  std::optional<std::vector<UtilizationShapePoint>> shape;  // of requestedToCapacityRatio
};

struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategy scoring_strategy;
  // [] is not null in messages.
  bool ignored_resources_present = false, ignored_resource_groups_present = false;
};

struct PodTopologySpreadArgs {
  Span<TopologySpreadConstraint> default_constraints;
  std::string defaulting_type;               // System | List
  bool default_constraints_present = false;  // [] is not null in messages
};

struct VolumeBindingArgs {
  int64_t bind_timeout_seconds = 0;
  std::optional<std::vector<UtilizationShapePoint>> shape;  // gate StorageCapacityScoring
};

// Arguments of an unknown type: the value from the document, as JSON.
struct RawArgs {
  std::string json;
};

struct PluginArgs {
  std::string plugin;
  // monostate: the entry has no args (out-of-tree plugins only).
  std::variant<std::monostate, RawArgs, DefaultPreemptionArgs, DynamicResourcesArgs,
               InterPodAffinityArgs, NodeAffinityArgs, NodeResourcesBalancedAllocationArgs,
               NodeResourcesFitArgs, PodTopologySpreadArgs, VolumeBindingArgs>
      value;
};

}  // namespace libsched
