// The wording of field errors and the checks that several objects share.
#include "libsched/ingest/field_issues.hpp"

#include "libsched/base/quote.hpp"
#include "libsched/objects/label_syntax.hpp"

namespace libsched {
namespace {

std::string with_detail(std::string what, Str detail) {
  return detail.empty() ? what : what.append(": ").append(detail);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out.append(out.empty() ? "" : ";").append(part);
  return out;
}

bool is_integer_resource(Str name) {
  constexpr Str kNames[] = {"pods",
                            "resourcequotas",
                            "services",
                            "replicationcontrollers",
                            "secrets",
                            "configmaps",
                            "persistentvolumeclaims",
                            "services.nodeports",
                            "services.loadbalancers"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         is_extended_resource_name(name);
}

}  // namespace

std::string FieldPath::text() const {
  std::string out = parent_ != nullptr ? parent_->text() : "";
  switch (part_) {
    case Part::kName: return out.append(out.empty() ? "" : ".").append(name_);
    case Part::kIndex: return out.append("[").append(std::to_string(index_)).append("]");
    case Part::kKey: return out.append("[").append(name_).append("]");
  }
  return out;
}

void FieldIssues::required(const FieldPath& path, Str why) {
  report(path, with_detail("Required value", why));
}
void FieldIssues::forbidden(const FieldPath& path, Str why) {
  report(path, with_detail("Forbidden", why));
}
void FieldIssues::invalid(const FieldPath& path, Str value, Str why) {
  report(path, with_detail("Invalid value: " + go_quote(value), why));
}
void FieldIssues::invalid(const FieldPath& path, int64_t value, Str why) {
  report(path, with_detail("Invalid value: " + std::to_string(value), why));
}
void FieldIssues::duplicate(const FieldPath& path, Str value) {
  report(path, "Duplicate value: " + go_quote(value));
}
void FieldIssues::unsupported(const FieldPath& path, Str value, Str supported) {
  report(path, with_detail("Unsupported value: " + go_quote(value),
                           "supported values: " + std::string(supported)));
}

void FieldIssues::label_name(const FieldPath& path, Str key) {
  if (is_qualified_name(key)) return;
  for (const std::string& why : qualified_name_errors(key)) invalid(path, key, why);
}

void FieldIssues::label_value(const FieldPath& path, Str value) {
  if (!is_label_value(value)) invalid(path, value, joined(label_value_errors(value)));
}

void FieldIssues::labels(const FieldPath& path, Labels labels) {
  for (const Label& label : labels) {
    label_name(path, label.key);
    label_value(path, label.value);
  }
}

void FieldIssues::dns_label(const FieldPath& path, Str value) {
  if (value.size() > kMaxLabel) invalid(path, value, "must be no more than 63 bytes");
  if (!is_dns1123_subdomain(value.substr(0, kMaxLabel)) || value.find('.') != Str::npos) {
    invalid(path, value, kLabelRule);
  }
}

void FieldIssues::dns_subdomain(const FieldPath& path, Str value) {
  if (value.size() > kMaxSubdomain) {
    invalid(path, value, "must be no more than 253 bytes");
  } else if (!is_dns1123_subdomain(value)) {
    invalid(path, value, kSubdomainRule);
  }
}

void FieldIssues::label_selector(const FieldPath& path, const LabelSelector& selector) {
  labels(FieldPath(path, "matchLabels"), selector.match_labels);
  const FieldPath expressions(path, "matchExpressions");
  for (size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const Requirement& r = selector.match_expressions[i];
    const FieldPath here(expressions, i);
    const FieldPath values(here, "values");
    switch (r.op) {
      case SelectorOp::kIn:
      case SelectorOp::kNotIn:
        if (r.values.empty()) {
          required(values, "must be specified when `operator` is 'In' or 'NotIn'");
        }
        break;
      case SelectorOp::kExists:
      case SelectorOp::kDoesNotExist:
        if (!r.values.empty()) {
          forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        break;
      default: invalid(FieldPath(here, "operator"), r.op_text, "not a valid selector operator");
    }
    label_name(FieldPath(here, "key"), r.key);
    for (size_t k = 0; k < r.values.size(); ++k) label_value(FieldPath(values, k), r.values[k]);
  }
}

void FieldIssues::preemption_policy(const FieldPath& path, Str policy) {
  if (policy.empty() || policy == "PreemptLowerPriority" || policy == "Never") return;
  unsupported(path, policy, R"("PreemptLowerPriority", "Never")");
}

void FieldIssues::taint_effect(const FieldPath& path, TaintEffect effect, Str text) {
  if (effect == TaintEffect::kOther) {
    unsupported(path, text, R"("NoSchedule", "PreferNoSchedule", "NoExecute")");
  }
}

void FieldIssues::quantity(const FieldPath& path, Str resource, const Quantity& q) {
  if (q.sign() < 0) invalid(path, q.to_string(), "must be greater than or equal to 0");
  if (is_integer_resource(resource) && q.milli_value() % 1000 != 0) {
    invalid(path, q.to_string(), "must be an integer");
  }
}

}  // namespace libsched
