// Default values of the configuration and of plugin arguments.
#include "libsched/config/defaults.hpp"

#include <set>

#include "libsched/config/config_rules.hpp"
#include "libsched/config/decode.hpp"

namespace libsched {
namespace {

constexpr int64_t kSecond = 1000000000;

std::vector<ResourceSpec> default_resources() { return {{"cpu", 1}, {"memory", 1}}; }

void default_weights(std::vector<ResourceSpec>& resources) {
  if (resources.empty()) resources = default_resources();
  for (ResourceSpec& r : resources) {
    if (r.weight == 0) r.weight = 1;
  }
}

template <typename T>
void set_if_absent(std::optional<T>& value, T fallback) {
  if (!value) value = fallback;
}

template <typename T>
void set_if_zero(T& value, T fallback) {
  if (value == T{}) value = std::move(fallback);
}

struct ArgsDefaults {
  const FeatureGates& gates;

  void operator()(std::monostate) const {}
  void operator()(V1NodeAffinityArgs&) const {}
  void operator()(V1DefaultPreemptionArgs& a) const {
    set_if_absent(a.percentage, 10);
    set_if_absent(a.absolute, 100);
  }
  void operator()(V1DynamicResourcesArgs& a) const {
    if (gates.enabled(Gate::kDRASchedulerFilterTimeout))
      set_if_absent(a.filter_timeout_ns, 10 * kSecond);
    if (config_rules(gates.release()).binding_timeout &&
        gates.enabled(Gate::kDRADeviceBindingConditions) &&
        gates.enabled(Gate::kDRAResourceClaimDeviceStatus)) {
      set_if_absent(a.binding_timeout_ns, 600 * kSecond);
    }
  }
  void operator()(V1InterPodAffinityArgs& a) const { set_if_absent(a.hard_weight, 1); }
  void operator()(V1BalancedAllocationArgs& a) const { default_weights(a.resources); }
  void operator()(V1FitArgs& a) const {
    // The type has a default only together with the whole strategy.
    if (!a.strategy) a.strategy = V1ScoringStrategy{"LeastAllocated", {}, {}};
    default_weights(a.strategy->resources);
  }
  void operator()(V1SpreadArgs& a) const { set_if_zero<std::string>(a.defaulting_type, "System"); }
  void operator()(V1VolumeBindingArgs& a) const {
    set_if_absent(a.timeout_seconds, int64_t{600});
    const ConfigRules rules = config_rules(gates.release());
    if (a.shape.empty() && gates.enabled(rules.shape_gate)) {
      a.shape = {{0, rules.shape_scores[0]}, {100, rules.shape_scores[1]}};
      a.shape_present = true;
    }
  }
};

void default_profile(V1Profile& profile, const FeatureGates& gates) {
  profile.plugins = profile.plugins ? merge_plugins(default_plugins(gates), *profile.plugins)
                                    : default_plugins(gates);

  std::set<std::string> configured;
  for (V1PluginConfig& c : profile.plugin_config) {
    configured.insert(c.name);
    set_args_defaults(c.args, gates);
  }
  std::set<std::string> enabled;  // in byte order, which is the order of the appended ones
  for (const V1Plugin& p : profile.plugins->multi_point.enabled) enabled.insert(p.name);
  for (const V1PluginSet& set : profile.plugins->points) {
    for (const V1Plugin& p : set.enabled) enabled.insert(p.name);
  }
  for (const std::string& name : enabled) {
    if (configured.contains(name)) continue;
    V1Args args = make_v1_args(name + "Args", gates.release());
    if (args.index() == 0) continue;  // out-of-tree, or a plugin without arguments
    set_args_defaults(args, gates);
    profile.plugin_config.push_back({name, {}, std::move(args)});
  }
}

}  // namespace

void set_args_defaults(V1Args& args, const FeatureGates& gates) {
  std::visit(ArgsDefaults{gates}, args);
}

void set_defaults(V1Config& c, const FeatureGates& gates) {
  set_if_absent(c.parallelism, 16);
  if (c.profiles.empty()) c.profiles.emplace_back();
  if (c.profiles.size() == 1)
    set_if_absent<std::string>(c.profiles[0].scheduler_name, "default-scheduler");
  for (V1Profile& p : c.profiles) default_profile(p, gates);
  set_if_absent(c.percentage, 0);

  V1LeaderElection& l = c.leader_election;
  set_if_zero<std::string>(l.resource_lock, "leases");
  set_if_zero<std::string>(l.resource_namespace, "kube-system");
  set_if_zero<std::string>(l.resource_name, "kube-scheduler");
  set_if_zero(l.lease_duration_ns, 15 * kSecond);
  set_if_zero(l.renew_deadline_ns, 10 * kSecond);
  set_if_zero(l.retry_period_ns, 2 * kSecond);
  set_if_absent(l.leader_elect, true);

  set_if_zero<std::string>(c.client_connection.content_type, "application/vnd.kubernetes.protobuf");
  set_if_zero(c.client_connection.qps, 50.0F);
  set_if_zero(c.client_connection.burst, 100);

  set_if_absent(c.initial_backoff_seconds, int64_t{1});
  set_if_absent(c.max_backoff_seconds, int64_t{10});
  set_if_absent(c.enable_profiling, true);
  if (*c.enable_profiling) set_if_absent(c.enable_contention_profiling, true);
}

}  // namespace libsched
