// Requests and limits: names, amounts, and the relation of the two.
#include "libsched/ingest/field_issues.hpp"

namespace libsched {
namespace {

bool is_huge_page(Str name) { return name.starts_with("hugepages-"); }
bool is_native(Str name) {
  return name.find('/') == Str::npos || name.find("kubernetes.io/") != Str::npos;
}
bool is_overcommit_allowed(Str name) { return is_native(name) && !is_huge_page(name); }
bool is_compute(Str name) { return name == "cpu" || name == "memory"; }

void check_name(FieldIssues& issues, const FieldPath& path, Str name, ResourceRules rules) {
  if (!is_qualified_name(name)) {
    issues.label_name(path, name);
  } else if (rules.pod_level) {
    if (!is_compute(name) && !is_huge_page(name)) {
      issues.unsupported(path, name, R"("cpu", "hugepages-", "memory")");
    }
  } else if (name.find('/') == Str::npos) {
    if (!is_compute(name) && name != "ephemeral-storage" && !is_huge_page(name)) {
      issues.invalid(path, name, "must be a standard resource for containers");
    }
  } else if (!is_native(name) && !is_extended_resource_name(name)) {
    issues.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

void check_against_limit(FieldIssues& issues, const FieldPath& path, const FieldPath& limits_path,
                         const NamedQuantity& request, const Quantity* limit) {
  const Str name = request.name;
  const bool overcommit = is_overcommit_allowed(name);
  if (limit == nullptr) {
    if (!overcommit) {
      issues.required(limits_path, "Limit must be set for non overcommitable resources");
    }
    return;
  }
  const int order = request.quantity.compare(*limit);
  if (order == 0 || (order < 0 && overcommit)) return;
  std::string why = overcommit ? "must be less than or equal to " : "must be equal to ";
  why.append(name).append(" limit of ").append(limit->to_string());
  issues.invalid(path, request.quantity.to_string(), why);
}

}  // namespace

void check_resources(FieldIssues& issues, const FieldPath& path, ResourceList requests,
                     ResourceList limits, ResourceRules rules) {
  const FieldPath requests_path(path, "requests");
  const FieldPath limits_path(path, "limits");
  bool compute = false;
  bool huge_pages = false;
  const auto check_list = [&](const FieldPath& list_path, ResourceList list) {
    for (const NamedQuantity& item : list) {
      const FieldPath here = FieldPath::key(list_path, item.name);
      check_name(issues, here, item.name, rules);
      issues.quantity(here, item.name, item.quantity);
      compute |= is_compute(item.name);
      huge_pages |= is_huge_page(item.name);
    }
  };
  check_list(limits_path, limits);
  check_list(requests_path, requests);
  for (const NamedQuantity& request : requests) {
    check_against_limit(issues, requests_path, limits_path, request,
                        find_quantity(limits, request.name));
  }
  if (huge_pages && !compute) issues.forbidden(path, "HugePages require cpu or memory");
}

}  // namespace libsched
