// Converts the defaulted versioned types to SchedulerConfig. Objects that plugins read (selectors,
// spread constraints) are copied into the configuration's arena.
#include <algorithm>

#include "libsched/config/defaults.hpp"

namespace libsched {
namespace {

Span<Str> copy_strings(const std::vector<std::string>& from, Arena& arena) {
  std::vector<Str> out;
  for (const std::string& s : from) out.push_back(arena.copy(s));
  return arena.copy(out);
}

SelectorOp selector_op(Str text) {
  if (text == "In") return SelectorOp::kIn;
  if (text == "NotIn") return SelectorOp::kNotIn;
  if (text == "Exists") return SelectorOp::kExists;
  if (text == "DoesNotExist") return SelectorOp::kDoesNotExist;
  if (text == "Gt") return SelectorOp::kGt;
  if (text == "Lt") return SelectorOp::kLt;
  return SelectorOp::kUnknown;
}

Span<Requirement> requirements_of(const std::vector<V1Requirement>& from, Arena& arena) {
  std::vector<Requirement> out;
  for (const V1Requirement& r : from) {
    Requirement to;
    to.key = arena.copy(r.key);
    to.op = selector_op(r.op);
    to.op_text = arena.copy(r.op);
    to.values = copy_strings(r.values, arena);
    to.values_present = r.values_present;
    to.key_hash = hash_str(to.key);
    out.push_back(to);  // valid: invalid ones have been refused before
  }
  return arena.copy(out);
}

NodeSelectorTerm node_term_of(const V1NodeSelectorTerm& from, Arena& arena) {
  return {requirements_of(from.match_expressions, arena),
          requirements_of(from.match_fields, arena)};
}

NodeAffinity node_affinity_of(const V1NodeAffinity& from, Arena& arena) {
  NodeAffinity to;
  to.present = true;
  if (from.required) {
    to.required.present = true;
    std::vector<NodeSelectorTerm> terms;
    for (const V1NodeSelectorTerm& t : from.required->terms)
      terms.push_back(node_term_of(t, arena));
    to.required.terms = arena.copy(terms);
    to.required.terms_present = from.required->terms_present;
  }
  std::vector<PreferredSchedulingTerm> preferred;
  for (const V1PreferredSchedulingTerm& t : from.preferred)
    preferred.push_back({t.weight, node_term_of(t.preference, arena)});
  to.preferred = arena.copy(preferred);
  to.preferred_present = from.preferred_present;
  return to;
}

LabelSelector label_selector(const V1LabelSelector& from, Arena& arena) {
  LabelSelector to;
  to.present = true;
  std::vector<Label> labels;
  for (const auto& [key, value] : from.match_labels)
    labels.push_back(make_label(arena.copy(key), arena.copy(value)));
  std::sort(labels.begin(), labels.end(),
            [](const Label& a, const Label& b) { return a.key < b.key; });
  to.match_labels = arena.copy(labels);
  to.match_expressions = requirements_of(from.match_expressions, arena);
  return to;
}

TopologySpreadConstraint spread_constraint(const V1SpreadConstraint& from, Arena& arena) {
  TopologySpreadConstraint to;
  to.max_skew = from.max_skew;
  to.min_domains = from.min_domains;
  to.topology_key = arena.copy(from.topology_key);
  to.when_unsatisfiable = arena.copy(from.when_unsatisfiable);
  if (from.selector) to.selector = label_selector(*from.selector, arena);
  to.match_label_keys = copy_strings(from.match_label_keys, arena);
  if (from.node_affinity_policy) to.node_affinity_policy = arena.copy(*from.node_affinity_policy);
  if (from.node_taints_policy) to.node_taints_policy = arena.copy(*from.node_taints_policy);
  return to;
}

struct ArgsConverter {
  V1PluginConfig& from;
  Arena& arena;
  PluginArgs& to;

  void operator()(std::monostate) const {
    if (!from.raw.empty()) to.value = RawArgs{std::move(from.raw)};
  }
  void operator()(V1DefaultPreemptionArgs& a) const {
    to.value = DefaultPreemptionArgs{*a.percentage, *a.absolute};
  }
  void operator()(V1DynamicResourcesArgs& a) const {
    to.value = DynamicResourcesArgs{a.filter_timeout_ns, a.binding_timeout_ns};
  }
  void operator()(V1InterPodAffinityArgs& a) const {
    to.value = InterPodAffinityArgs{*a.hard_weight, a.ignore_preferred};
  }
  void operator()(V1NodeAffinityArgs& a) const {
    NodeAffinityArgs args;
    if (a.added) args.added_affinity = node_affinity_of(*a.added, arena);
    to.value = args;
  }
  void operator()(V1BalancedAllocationArgs& a) const {
    to.value = NodeResourcesBalancedAllocationArgs{std::move(a.resources)};
  }
  void operator()(V1FitArgs& a) const {
    NodeResourcesFitArgs args;
    args.ignored_resources = std::move(a.ignored_resources);
    args.ignored_resource_groups = std::move(a.ignored_groups);
    args.ignored_resources_present = a.ignored_resources_present;
    args.ignored_resource_groups_present = a.ignored_groups_present;
    args.scoring_strategy.type = std::move(a.strategy->type);
    args.scoring_strategy.resources = std::move(a.strategy->resources);
    if (a.strategy->ratio) args.scoring_strategy.shape = std::move(a.strategy->ratio->shape);
    to.value = std::move(args);
  }
  void operator()(V1SpreadArgs& a) const {
    std::vector<TopologySpreadConstraint> constraints;
    for (const V1SpreadConstraint& c : a.constraints)
      constraints.push_back(spread_constraint(c, arena));
    to.value = PodTopologySpreadArgs{arena.copy(constraints), std::move(a.defaulting_type),
                                     a.constraints_present};
  }
  void operator()(V1VolumeBindingArgs& a) const {
    VolumeBindingArgs args;
    args.bind_timeout_seconds = *a.timeout_seconds;
    if (a.shape_present) args.shape = std::move(a.shape);
    to.value = std::move(args);
  }
};

PluginSet plugin_set_of(V1PluginSet&& from) {
  PluginSet to;
  for (V1Plugin& p : from.enabled) to.enabled.push_back({std::move(p.name), p.weight.value_or(0)});
  for (V1Plugin& p : from.disabled) to.disabled.push_back(std::move(p.name));
  return to;
}

}  // namespace

void convert(V1Config&& from, SchedulerConfig& to) {
  to.parallelism = *from.parallelism;
  to.percentage_of_nodes_to_score = from.percentage;
  to.pod_initial_backoff_seconds = *from.initial_backoff_seconds;
  to.pod_max_backoff_seconds = *from.max_backoff_seconds;
  to.delay_cache_until_active = from.delay_cache_until_active;
  to.enable_profiling = *from.enable_profiling;
  to.enable_contention_profiling = from.enable_contention_profiling.value_or(false);
  V1LeaderElection& l = from.leader_election;
  to.leader_election = {*l.leader_elect,
                        l.lease_duration_ns,
                        l.renew_deadline_ns,
                        l.retry_period_ns,
                        std::move(l.resource_lock),
                        std::move(l.resource_name),
                        std::move(l.resource_namespace)};
  to.client_connection = std::move(from.client_connection);
  to.extenders = std::move(from.extenders);
  for (V1Profile& p : from.profiles) {
    Profile& profile = to.profiles.emplace_back();
    profile.scheduler_name = p.scheduler_name.value_or("");
    profile.percentage_of_nodes_to_score = p.percentage;
    for (size_t i = 0; i < p.plugins->points.size(); ++i) {
      profile.plugins.points[i] = plugin_set_of(std::move(p.plugins->points[i]));
    }
    profile.plugins.multi_point = plugin_set_of(std::move(p.plugins->multi_point));
    for (V1PluginConfig& c : p.plugin_config) {
      PluginArgs& args = profile.plugin_config.emplace_back();
      args.plugin = std::move(c.name);
      std::visit(ArgsConverter{c, to.arena, args}, c.args);
    }
  }
}

Result<void> ignore_managed_resources(const std::vector<ExtenderConfig>& extenders,
                                      Profile* profile) {
  std::vector<std::string> ignored;
  for (const ExtenderConfig& e : extenders)
    for (const ExtenderManagedResource& r : e.managed_resources)
      if (r.ignored_by_scheduler) ignored.push_back(r.name);
  if (ignored.empty()) return {};
  for (PluginArgs& args : profile->plugin_config) {
    auto* fit = std::get_if<NodeResourcesFitArgs>(&args.value);
    if (fit == nullptr) continue;
    fit->ignored_resources = std::move(ignored);
    return {};
  }
  return invalid("profiles", "can't find NodeResourcesFitArgs in plugin config");
}

}  // namespace libsched
