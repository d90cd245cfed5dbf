// The checks for each kind of object.
#include "libsched/ingest/validate.hpp"

#include <unordered_set>

#include "libsched/base/hash.hpp"
#include "libsched/ingest/field_issues.hpp"

namespace libsched {
namespace {

constexpr int32_t kHighestUserPriority = 1'000'000'000;

void check_taints(FieldIssues& issues, const FieldPath& path, Span<Taint> taints) {
  std::unordered_set<std::string, StrHash> seen;
  for (size_t i = 0; i < taints.size(); ++i) {
    const Taint& t = taints[i];
    const FieldPath here(path, i);
    issues.label_name(FieldPath(here, "key"), t.key);
    issues.label_value(FieldPath(here, "value"), t.value);
    if (t.effect == TaintEffect::kNone) issues.required(FieldPath(here, "effect"));
    issues.taint_effect(FieldPath(here, "effect"), t.effect, t.effect_text);
    if (!seen.insert(std::string(t.key).append(":").append(t.effect_text)).second) {
      issues.invalid(here, t.key, "taints must be unique by key and effect pair");
    }
  }
}

}  // namespace

void check_meta(FieldIssues& issues, const ObjectMeta& meta, bool label) {
  const FieldPath path("metadata");
  const FieldPath name(path, "name");
  if (label) {
    issues.dns_label(name, meta.name);
  } else {
    issues.dns_subdomain(name, meta.name);
  }
  if (!meta.ns.empty()) issues.dns_label(FieldPath(path, "namespace"), meta.ns);
  issues.labels(FieldPath(path, "labels"), meta.labels);
}

void validate(const Pod& pod, const WarningSink& warn) {
  FieldIssues issues(warn);
  check_meta(issues, pod.meta);
  check_pod_spec(issues, FieldPath("spec"), pod.spec);
}

void validate(const Node& node, const WarningSink& warn) {
  FieldIssues issues(warn);
  check_meta(issues, node.meta);
  const FieldPath spec("spec");
  check_taints(issues, FieldPath(spec, "taints"), node.taints);
  const FieldPath status("status");
  const FieldPath allocatable(status, "allocatable");
  for (const NamedQuantity& item : node.allocatable_list) {
    issues.quantity(FieldPath::key(allocatable, item.name), item.name, item.quantity);
  }
}

void validate(const Namespace& ns, const WarningSink& warn) {
  FieldIssues issues(warn);
  check_meta(issues, ns.meta, /*label=*/true);
}

void validate(const PriorityClass& pc, const WarningSink& warn) {
  FieldIssues issues(warn);
  check_meta(issues, pc.meta);
  if (pc.value > kHighestUserPriority && !pc.meta.name.starts_with("system-")) {
    issues.forbidden(FieldPath("value"),
                     "maximum allowed value of a user defined priority is 1000000000");
  }
  issues.preemption_policy(FieldPath("preemptionPolicy"), pc.preemption_policy);
}

void validate(const Workload& workload, const WarningSink& warn) {
  FieldIssues issues(warn);
  check_meta(issues, workload.meta);
  const FieldPath spec("spec");
  const FieldPath job(spec, "jobTemplate");
  const FieldPath job_spec(job, "spec");
  const FieldPath owner(workload.kind == "CronJob" ? job_spec : spec);
  const FieldPath pod(owner, "template");
  const FieldPath pod_meta(pod, "metadata");
  issues.labels(FieldPath(pod_meta, "labels"), workload.pod->meta.labels);
  check_pod_spec(issues, FieldPath(pod, "spec"), workload.pod->spec);
}

}  // namespace libsched
