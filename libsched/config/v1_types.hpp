// The versioned types of kubescheduler.config.k8s.io/v1 as written in a document, before
// defaulting: optional members are upstream's pointers. Internal to the configuration layer.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "libsched/config/config.hpp"

namespace libsched {

struct V1Plugin {
  std::string name;
  std::optional<int32_t> weight;
};

struct V1PluginSet {
  std::vector<V1Plugin> enabled, disabled;
};

struct V1Plugins {
  std::array<V1PluginSet, kExtensionPointCount> points;
  V1PluginSet multi_point;
};

struct V1Requirement {
  std::string key, op;
  std::vector<std::string> values;
  bool values_present = false;  // [] is not null in messages
};

struct V1NodeSelectorTerm {
  std::vector<V1Requirement> match_expressions, match_fields;
};

struct V1NodeSelector {
  std::vector<V1NodeSelectorTerm> terms;
  bool terms_present = false;
};

struct V1PreferredSchedulingTerm {
  int32_t weight = 0;
  V1NodeSelectorTerm preference;
};

struct V1NodeAffinity {
  std::optional<V1NodeSelector> required;
  std::vector<V1PreferredSchedulingTerm> preferred;
  bool preferred_present = false;
};

struct V1LabelSelector {
  std::vector<std::pair<std::string, std::string>> match_labels;
  std::vector<V1Requirement> match_expressions;
};

struct V1SpreadConstraint {
  int32_t max_skew = 0;
  std::string topology_key, when_unsatisfiable;
  std::optional<V1LabelSelector> selector;
  std::optional<int32_t> min_domains;
  std::optional<std::string> node_affinity_policy, node_taints_policy;
  std::vector<std::string> match_label_keys;
};

struct V1ScoringStrategy {
  struct Ratio {
    std::vector<UtilizationShapePoint> shape;
  };
  std::string type;
  std::vector<ResourceSpec> resources;
  std::optional<Ratio> ratio;
};

struct V1DefaultPreemptionArgs {
  std::optional<int32_t> percentage, absolute;
};
struct V1DynamicResourcesArgs {
  std::optional<int64_t> filter_timeout_ns, binding_timeout_ns;
};
struct V1InterPodAffinityArgs {
  std::optional<int32_t> hard_weight;
  bool ignore_preferred = false;
};
struct V1NodeAffinityArgs {
  std::optional<V1NodeAffinity> added;
};
struct V1BalancedAllocationArgs {
  std::vector<ResourceSpec> resources;
};
struct V1FitArgs {
  std::vector<std::string> ignored_resources, ignored_groups;
  bool ignored_resources_present = false, ignored_groups_present = false;
  std::optional<V1ScoringStrategy> strategy;
};
struct V1SpreadArgs {
  std::vector<V1SpreadConstraint> constraints;
  bool constraints_present = false;
  std::string defaulting_type;
};
struct V1VolumeBindingArgs {
  std::optional<int64_t> timeout_seconds;
  std::vector<UtilizationShapePoint> shape;
  bool shape_present = false;
};

// monostate: no args, or args of a plugin that is not known (see V1PluginConfig::raw).
using V1Args = std::variant<std::monostate, V1DefaultPreemptionArgs, V1DynamicResourcesArgs,
                            V1InterPodAffinityArgs, V1NodeAffinityArgs, V1BalancedAllocationArgs,
                            V1FitArgs, V1SpreadArgs, V1VolumeBindingArgs>;

struct V1PluginConfig {
  std::string name;
  std::string raw;  // the args as JSON; "" where absent or null
  V1Args args;
};

struct V1Profile {
  std::optional<std::string> scheduler_name;
  std::optional<int32_t> percentage;
  std::optional<V1Plugins> plugins;
  std::vector<V1PluginConfig> plugin_config;
};

struct V1LeaderElection {
  std::optional<bool> leader_elect;
  int64_t lease_duration_ns = 0, renew_deadline_ns = 0, retry_period_ns = 0;
  std::string resource_lock, resource_name, resource_namespace;
};

struct V1Config {
  std::optional<int32_t> parallelism, percentage;
  std::optional<int64_t> initial_backoff_seconds, max_backoff_seconds;
  std::optional<bool> enable_profiling, enable_contention_profiling;
  bool delay_cache_until_active = false;
  V1LeaderElection leader_election;
  ClientConnection client_connection;
  std::vector<V1Profile> profiles;
  std::vector<ExtenderConfig> extenders;
};

}  // namespace libsched
