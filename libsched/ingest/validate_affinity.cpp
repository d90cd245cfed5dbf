// spec.affinity and spec.topologySpreadConstraints.
#include <unordered_set>

#include "libsched/base/hash.hpp"
#include "libsched/ingest/field_issues.hpp"

namespace libsched {
namespace {

constexpr Str kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr Str kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void check_weight(FieldIssues& issues, const FieldPath& path, int32_t weight) {
  if (weight <= 0 || weight > 100) {
    issues.invalid(FieldPath(path, "weight"), weight, "must be in the range 1-100");
  }
}

void check_expression(FieldIssues& issues, const FieldPath& path, const Requirement& r,
                      bool check_values) {
  const FieldPath values(path, "values");
  switch (r.op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      if (r.values.empty()) {
        issues.required(values, "must be specified when `operator` is 'In' or 'NotIn'");
      }
      break;
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist:
      if (!r.values.empty()) {
        issues.forbidden(values,
                         "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      if (r.values.size() != 1) {
        issues.required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    case SelectorOp::kUnknown:
      issues.invalid(FieldPath(path, "operator"), r.op_text, "not a valid selector operator");
  }
  issues.label_name(FieldPath(path, "key"), r.key);
  for (size_t i = 0; check_values && i < r.values.size(); ++i) {
    issues.label_value(FieldPath(values, i), r.values[i]);
  }
}

void check_field(FieldIssues& issues, const FieldPath& path, const Requirement& r) {
  const FieldPath values(path, "values");
  if (r.op != SelectorOp::kIn && r.op != SelectorOp::kNotIn) {
    issues.invalid(FieldPath(path, "operator"), r.op_text, "not a valid selector operator");
  } else if (r.values.size() != 1) {
    issues.required(values,
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                    "selector");
  }
  if (r.key != "metadata.name") {
    issues.invalid(FieldPath(path, "key"), r.key, "not a valid field selector key");
    return;
  }
  for (size_t i = 0; i < r.values.size(); ++i) {
    issues.dns_subdomain(FieldPath(values, i), r.values[i]);
  }
}

void check_term(FieldIssues& issues, const FieldPath& path, const NodeSelectorTerm& term,
                bool check_values) {
  const FieldPath expressions(path, "matchExpressions");
  for (size_t i = 0; i < term.match_expressions.size(); ++i) {
    check_expression(issues, FieldPath(expressions, i), term.match_expressions[i], check_values);
  }
  const FieldPath fields(path, "matchFields");
  for (size_t i = 0; i < term.match_fields.size(); ++i) {
    check_field(issues, FieldPath(fields, i), term.match_fields[i]);
  }
}

void check_node_affinity(FieldIssues& issues, const FieldPath& path, const NodeAffinity& affinity) {
  if (affinity.required.present) {
    check_node_selector(issues, FieldPath(path, kRequired), affinity.required);
  }
  const FieldPath preferred(path, kPreferred);
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    const FieldPath here(preferred, i);
    check_weight(issues, here, affinity.preferred[i].weight);
    check_term(issues, FieldPath(here, "preference"), affinity.preferred[i].preference,
               /*check_values=*/false);
  }
}

// matchLabelKeys and the like.
void check_label_keys(FieldIssues& issues, const FieldPath& path, Span<Str> keys,
                      const LabelSelector& selector) {
  if (keys.empty()) return;
  if (!selector.present) {
    issues.forbidden(path, "must not be specified when labelSelector is not set");
    return;
  }
  for (size_t i = 0; i < keys.size(); ++i) issues.label_name(FieldPath(path, i), keys[i]);
}

void check_pod_term(FieldIssues& issues, const FieldPath& path, const PodAffinityTerm& term) {
  issues.label_selector(FieldPath(path, "labelSelector"), term.selector);
  issues.label_selector(FieldPath(path, "namespaceSelector"), term.namespace_selector);
  for (const Str ns : term.namespaces) issues.dns_label(FieldPath(path, "namespace"), ns);
  check_label_keys(issues, FieldPath(path, "matchLabelKeys"), term.match_label_keys, term.selector);
  check_label_keys(issues, FieldPath(path, "mismatchLabelKeys"), term.mismatch_label_keys,
                   term.selector);
  const FieldPath topology(path, "topologyKey");
  if (term.topology_key.empty()) issues.required(topology, "can not be empty");
  issues.label_name(topology, term.topology_key);
}

void check_pod_affinity(FieldIssues& issues, const FieldPath& path, const PodAffinity& affinity) {
  const FieldPath required(path, kRequired);
  for (size_t i = 0; i < affinity.required.size(); ++i) {
    check_pod_term(issues, FieldPath(required, i), affinity.required[i]);
  }
  const FieldPath preferred(path, kPreferred);
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    const FieldPath here(preferred, i);
    check_weight(issues, here, affinity.preferred[i].weight);
    check_pod_term(issues, FieldPath(here, "podAffinityTerm"), affinity.preferred[i]);
  }
}

// The kind of a constraint: at most one of each is allowed.
std::string kind_of(const TopologySpreadConstraint& c) {
  std::string kind = "{";
  return kind.append(c.topology_key).append(", ").append(c.when_unsatisfiable).append("}");
}

// Tells for each constraint whether another of its kind follows.
std::vector<bool> find_repeats(Span<TopologySpreadConstraint> constraints) {
  std::vector<bool> repeats(constraints.size());
  std::unordered_set<std::string, StrHash> seen;
  for (size_t i = constraints.size(); i-- > 0;)
    repeats[i] = !seen.insert(kind_of(constraints[i])).second;
  return repeats;
}

void check_policy(FieldIssues& issues, const FieldPath& path, const std::optional<Str>& policy) {
  if (!policy || policy == "Honor" || policy == "Ignore") return;
  issues.unsupported(path, *policy, R"("Honor", "Ignore")");
}

}  // namespace

void check_node_selector(FieldIssues& issues, const FieldPath& path, const NodeSelector& selector) {
  const FieldPath terms(path, "nodeSelectorTerms");
  if (selector.terms.empty()) issues.required(terms, "must have at least one node selector term");
  for (size_t i = 0; i < selector.terms.size(); ++i) {
    check_term(issues, FieldPath(terms, i), selector.terms[i], /*check_values=*/true);
  }
}

void check_affinity(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  if (!pod.affinity_present) return;
  const FieldPath path(spec, "affinity");
  check_node_affinity(issues, FieldPath(path, "nodeAffinity"), pod.node_affinity);
  check_pod_affinity(issues, FieldPath(path, "podAffinity"), pod.pod_affinity);
  check_pod_affinity(issues, FieldPath(path, "podAntiAffinity"), pod.pod_anti_affinity);
}

void check_spread(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  if (pod.spread.empty()) return;
  const FieldPath path(spec, "topologySpreadConstraints");
  const std::vector<bool> repeats = find_repeats(pod.spread);
  for (size_t i = 0; i < pod.spread.size(); ++i) {
    const TopologySpreadConstraint& c = pod.spread[i];
    const FieldPath here(path, i);
    if (c.max_skew <= 0) {
      issues.invalid(FieldPath(here, "maxSkew"), c.max_skew, "must be greater than zero");
    }
    if (c.topology_key.empty()) issues.required(FieldPath(here, "topologyKey"), "can not be empty");
    const Str action = c.when_unsatisfiable;
    if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
      issues.unsupported(FieldPath(here, "whenUnsatisfiable"), action,
                         R"("DoNotSchedule", "ScheduleAnyway")");
    }
    if (repeats[i]) {
      issues.duplicate(FieldPath(here, "{topologyKey, whenUnsatisfiable}"), kind_of(c));
    }
    if (c.min_domains) {
      const FieldPath domains(here, "minDomains");
      if (*c.min_domains <= 0) {
        issues.invalid(domains, *c.min_domains, "must be greater than zero");
      }
      if (action != "DoNotSchedule") {
        issues.invalid(domains, *c.min_domains,
                       "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                           std::string(action));
      }
    }
    check_policy(issues, FieldPath(here, "nodeAffinityPolicy"), c.node_affinity_policy);
    check_policy(issues, FieldPath(here, "nodeTaintsPolicy"), c.node_taints_policy);
    check_label_keys(issues, FieldPath(here, "matchLabelKeys"), c.match_label_keys, c.selector);
    issues.label_selector(FieldPath(here, "labelSelector"), c.selector);
  }
}

}  // namespace libsched
