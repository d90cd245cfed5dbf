// Validation of the arguments of each in-tree plugin.
#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/config/config_rules.hpp"
#include "libsched/config/duration.hpp"
#include "libsched/config/validate.hpp"

namespace libsched {
namespace {

constexpr int64_t kSecond = 1000000000;

void check_range(const std::string& path, int64_t value, int64_t low, int64_t high,
                 FieldErrors& errors) {
  if (value >= low && value <= high) return;
  errors.invalid(path, std::to_string(value),
                 "not in valid range [" + std::to_string(low) + ", " + std::to_string(high) + "]");
}

void check_shape(const std::vector<UtilizationShapePoint>& shape, const std::string& path,
                 const ConfigRules& rules, FieldErrors& errors) {
  if (shape.empty()) return errors.required(path, "at least one point must be specified");
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    errors.invalid(child(item(path, i), "utilization"), std::to_string(shape[i].utilization),
                   rules.unsorted_shape);
    break;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    check_range(child(item(path, i), "utilization"), shape[i].utilization, 0, 100, errors);
    check_range(child(item(path, i), "score"), shape[i].score, 0, 10, errors);
  }
}

// A shape as Go prints the internal type: by %#v, or as JSON.
std::string shape_text(const std::vector<UtilizationShapePoint>& shape, bool go) {
  std::string out;
  for (const UtilizationShapePoint& p : shape) {
    const std::string at = std::to_string(p.utilization), score = std::to_string(p.score);
    if (!out.empty()) out += go ? ", " : ",";
    out += go ? "config.UtilizationShapePoint{Utilization:" + at + ", Score:" + score + "}"
              : "{\"Utilization\":" + at + ",\"Score\":" + score + "}";
  }
  return go ? "[]config.UtilizationShapePoint{" + out + "}" : "[" + out + "]";
}

struct ArgsValidator {
  const std::string& path;
  const FeatureGates& gates;
  bool construction;
  FieldErrors& errors;
  const ConfigRules rules = config_rules(gates.release());

  void operator()(const std::monostate&) const {}
  void operator()(const RawArgs&) const {}

  void operator()(const DefaultPreemptionArgs& a) const {
    const std::string percentage = child(path, "minCandidateNodesPercentage");
    const std::string absolute = child(path, "minCandidateNodesAbsolute");
    check_range(percentage, a.min_candidate_nodes_percentage, 0, 100, errors);
    if (a.min_candidate_nodes_absolute < 0) {
      errors.invalid(absolute, std::to_string(a.min_candidate_nodes_absolute),
                     "not in valid range [0, inf)");
    }
    if (a.min_candidate_nodes_percentage == 0 && a.min_candidate_nodes_absolute == 0) {
      errors.invalid(percentage, "0",
                     "cannot be zero at the same time as minCandidateNodesAbsolute");
      errors.invalid(absolute, "0",
                     "cannot be zero at the same time as minCandidateNodesPercentage");
    }
  }

  void operator()(const DynamicResourcesArgs& a) const {
    const std::string filter = child(path, "filterTimeout");
    if (!gates.enabled(Gate::kDRASchedulerFilterTimeout)) {
      if (a.filter_timeout_ns)
        errors.forbidden(filter, "DRASchedulingFilterTimeout feature gate is disabled");
    } else if (a.filter_timeout_ns.value_or(0) < 0) {
      errors.invalid(filter, json_quote(duration_text(*a.filter_timeout_ns)),
                     "must be zero or positive");
    }
    const std::string binding = child(path, "bindingTimeout");
    if (!gates.enabled(Gate::kDRADeviceBindingConditions) ||
        !gates.enabled(Gate::kDRAResourceClaimDeviceStatus)) {
      if (a.binding_timeout_ns) {
        errors.forbidden(
            binding,
            "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled");
      }
    } else if (a.binding_timeout_ns.value_or(kSecond) < kSecond) {
      errors.invalid(binding, json_quote(duration_text(*a.binding_timeout_ns)),
                     "must be at least 1 second");
    }
  }

  void operator()(const InterPodAffinityArgs& a) const {
    check_range(child(path, "hardPodAffinityWeight"), a.hard_pod_affinity_weight, 0, 100, errors);
  }

  void operator()(const NodeAffinityArgs& a) const {
    validate_added_affinity(a.added_affinity, child(path, "addedAffinity"),
                            {.go_lists = rules.go_values, .older_syntax = rules.older_syntax},
                            errors);
  }

  void operator()(const NodeResourcesBalancedAllocationArgs& a) const {
    const std::string resources = child(path, "resources");
    for (size_t i = 0; i < a.resources.size(); ++i) {
      const ResourceSpec& r = a.resources[i];
      const bool seen =
          std::any_of(a.resources.begin(), a.resources.begin() + static_cast<ptrdiff_t>(i),
                      [&](const ResourceSpec& o) { return o.name == r.name; });
      if (seen) errors.duplicate(child(item(resources, i), "name"), go_quote(r.name));
      if (r.weight != 1)
        errors.invalid(child(item(resources, i), "weight"), std::to_string(r.weight), "must be 1");
    }
  }

  void operator()(const NodeResourcesFitArgs& a) const {
    if (!construction) return;
    for (size_t i = 0; i < a.ignored_resources.size(); ++i) {
      errors.check_label_key(item(child(path, "ignoredResources"), i), a.ignored_resources[i],
                             rules.older_syntax);
    }
    for (size_t i = 0; i < a.ignored_resource_groups.size(); ++i) {
      const std::string& group = a.ignored_resource_groups[i];
      const std::string at = item(child(path, "ignoredResourceGroups"), i);
      if (group.find('/') != std::string::npos) {
        errors.invalid(at, go_quote(group), "resource group name can't contain '/'");
      }
      errors.check_label_key(at, group, rules.older_syntax);
    }
    check_strategy(a.scoring_strategy, child(path, "scoringStrategy"));
  }

  void check_strategy(const ScoringStrategy& s, const std::string& at) const {
    const bool is_ratio = s.type == "RequestedToCapacityRatio";
    if (!is_ratio && s.type != "LeastAllocated" && s.type != "MostAllocated") {
      errors.not_supported(child(at, "type"), json_quote(s.type),
                           {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"});
    }
    for (size_t i = 0; i < s.resources.size(); ++i) {
      const ResourceSpec& r = s.resources[i];
      if (r.weight > 0 && r.weight <= 100) continue;
      errors.invalid(child(item(child(at, "resources"), i), "weight"), std::to_string(r.weight),
                     "resource weight of " + r.name + " not in valid range (0, 100]");
    }
    const std::string ratio = child(at, "requestedToCapacityRatio");
    if (is_ratio && !s.shape) {
      errors.required(ratio, "must be specified when type is RequestedToCapacityRatio");
    } else if (s.shape && rules.ratio_of_any_strategy) {
      check_shape(*s.shape, child(at, "shape"), rules, errors);
    } else if (is_ratio) {
      check_shape(*s.shape, child(ratio, "shape"), rules, errors);
    } else if (s.shape) {
      errors.forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio");
    }
  }

  void operator()(const PodTopologySpreadArgs& a) const {
    const std::string type = child(path, "defaultingType");
    if (a.defaulting_type != "System" && a.defaulting_type != "List") {
      errors.not_supported(type, json_quote(a.defaulting_type), {"System", "List"});
    } else if (a.defaulting_type == "System" && !a.default_constraints.empty()) {
      errors.invalid(type, json_quote(a.defaulting_type), "when .defaultConstraints are not empty");
    }
    for (size_t i = 0; i < a.default_constraints.size(); ++i)
      check_constraint(a.default_constraints, i);
  }

  void check_constraint(Span<TopologySpreadConstraint> all, size_t i) const {
    const TopologySpreadConstraint& c = all[i];
    const std::string at = item(child(path, "defaultConstraints"), i);
    if (c.max_skew <= 0)
      errors.invalid(child(at, "maxSkew"), std::to_string(c.max_skew),
                     "not in valid range (0, inf)");
    if (c.topology_key.empty())
      errors.required(child(at, "topologyKey"), "can not be empty");
    else
      errors.check_label_key(child(at, "topologyKey"), c.topology_key, rules.older_syntax);
    const std::string when = child(at, "whenUnsatisfiable");
    if (c.when_unsatisfiable.empty()) {
      errors.required(when, "can not be empty");
    } else if (c.when_unsatisfiable != "DoNotSchedule" &&
               c.when_unsatisfiable != "ScheduleAnyway") {
      errors.not_supported(when, json_quote(c.when_unsatisfiable),
                           {"DoNotSchedule", "ScheduleAnyway"});
    }
    if (c.selector.present) {
      errors.forbidden(child(at, "labelSelector"),
                       "constraint must not define a selector, as they deduced for each pod");
    }
    for (size_t k = 0; k < i; ++k) {
      if (all[k].topology_key != c.topology_key ||
          all[k].when_unsatisfiable != c.when_unsatisfiable)
        continue;
      errors.duplicate(at, go_quote("{" + std::string(c.topology_key) + ", " +
                                    std::string(c.when_unsatisfiable) + "}"));
      break;
    }
  }

  void operator()(const VolumeBindingArgs& a) const {
    if (a.bind_timeout_seconds < 0) {
      errors.invalid(child(path, "bindTimeoutSeconds"), std::to_string(a.bind_timeout_seconds),
                     "invalid BindTimeoutSeconds, should not be a negative value");
    }
    const std::string shape = child(path, "shape");
    if (gates.enabled(rules.shape_gate)) {
      check_shape(a.shape.value_or(std::vector<UtilizationShapePoint>{}), shape, rules, errors);
    } else if (a.shape) {
      const auto gate = static_cast<size_t>(rules.shape_gate);
      errors.invalid(shape, shape_text(*a.shape, rules.go_values),
                     "unexpected field `shape`, remove it or turn on the feature gate " +
                         std::string(known_gates(gates.release())[gate].name));
    }
  }
};

}  // namespace

void validate_args(const PluginArgs& args, const std::string& path, const FeatureGates& gates,
                   bool construction, FieldErrors& errors) {
  std::visit(ArgsValidator{path, gates, construction, errors}, args.value);
}

}  // namespace libsched
