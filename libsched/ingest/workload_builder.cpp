// Deployments, StatefulSets, DaemonSets, ReplicaSets, ReplicationControllers, Jobs and CronJobs:
// the pod that they would create. It is named after the workload and lives in its namespace; its
// labels are the template's.
#include <algorithm>
#include <utility>

#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/object_builder.hpp"
#include "libsched/objects/claim_templates.hpp"
#include "libsched/objects/job.hpp"

namespace libsched {
namespace {

constexpr Str kOwnAnnotations = "libsched/";
constexpr int32_t kDefaultBackoffLimit = 6;
constexpr Str kJobController = "kubernetes.io/job-controller";

constexpr KeyTable kWorkload("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kDeployment("replicas", "selector", "template", "strategy", "minReadySeconds",
                               "revisionHistoryLimit", "paused", "progressDeadlineSeconds");
constexpr KeyTable kStatefulSet("replicas", "selector", "template", "volumeClaimTemplates",
                                "serviceName", "podManagementPolicy", "updateStrategy",
                                "revisionHistoryLimit", "minReadySeconds",
                                "persistentVolumeClaimRetentionPolicy", "ordinals");
constexpr KeyTable kDaemonSet("selector", "template", "updateStrategy", "minReadySeconds",
                              "revisionHistoryLimit");
constexpr KeyTable kReplicaSet("replicas", "minReadySeconds", "selector", "template");
constexpr KeyTable kReplicationController("replicas", "minReadySeconds", "selector", "templateRef",
                                          "template");
constexpr KeyTable kJob("parallelism", "completions", "activeDeadlineSeconds", "podFailurePolicy",
                        "successPolicy", "backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes",
                        "selector", "manualSelector", "template", "ttlSecondsAfterFinished",
                        "completionMode", "suspend", "podReplacementPolicy", "managedBy");
constexpr KeyTable kCronJob("schedule", "timeZone", "startingDeadlineSeconds", "concurrencyPolicy",
                            "suspend", "jobTemplate", "successfulJobsHistoryLimit",
                            "failedJobsHistoryLimit");
constexpr KeyTable kTemplate("metadata", "spec");
constexpr KeyTable kOrdinals("start");
constexpr KeyTable kClaim("apiVersion", "kind", "metadata", "spec", "status");

}  // namespace

struct ObjectBuilder::WorkloadParts {
  Workload& workload;
  Ref<Pod> pod;
  int32_t replicas = 1, first_ordinal = 0;
  std::vector<PersistentVolumeClaimRef> claims;  // volumeClaimTemplates
  Ref<JobRules> job;                             // of a Job or CronJob
  ObjectMeta job_meta;                           // of a CronJob's jobTemplate
};

bool ObjectBuilder::pod_template(WorkloadParts& parts) {
  Arena* const outer = arena_;
  Pod& pod = *parts.pod;
  arena_ = &pod.arena;
  const size_t begin = reader_.offset();
  const bool null_template = reader_.is_null();
  const bool ok = object(kTemplate, [&](int field) {
    return field == kTemplate["metadata"] ? metadata(pod.meta) : pod_spec(pod.spec);
  });
  arena_ = outer;
  if (ok && !null_template) remember_document(pod, begin);
  return ok;
}

bool ObjectBuilder::workload_selector(WorkloadParts&) {
  Arena* const outer = arena_;
  arena_ = &controller_->arena;
  LabelSelector& selector = controller_->selector;
  bool ok = true;
  if (controller_->kind == StoredKind::kReplicationController) {
    selector.present = !reader_.is_null();
    ok = labels(selector.match_labels);
  } else {
    ok = label_selector(selector);
  }
  arena_ = outer;
  return ok;
}

// The selector of a ReplicaSet, StatefulSet or ReplicationController is an object of its own, which
// a cluster stores.
void ObjectBuilder::finish_controller(const WorkloadParts& parts, Str api_version) {
  if (!controller_) return;
  Controller& c = *controller_;
  const Workload& w = parts.workload;
  const bool of_template = c.kind == StoredKind::kReplicationController ||
                           (api_version.ends_with("v1beta1") && !c.selector.present);
  if (options_.defaults && of_template) {
    set_controller_defaults(c, parts.pod->meta.labels);
    c.origin = parts.pod;
  }
  c.meta.name = c.arena.copy(w.meta.name);
  c.meta.ns = c.arena.copy(w.meta.ns);
  c.meta.uid = c.arena.copy(w.meta.uid);
  c.meta.created = w.meta.created;
  c.meta.deleted = w.meta.deleted;
  c.meta.key_hash = w.meta.key_hash;
  c.content_hash = w.content_hash;
}

// A claim template is a claim in an arena of its own.
bool ObjectBuilder::claim_template(PersistentVolumeClaim& made) {
  Arena* const outer = std::exchange(arena_, &made.arena);
  const bool kept = std::exchange(keep_annotations_, true);
  const bool mirror = mirror_;
  const bool ok = object(kClaim, [&](int field) {
    if (field == kClaim["metadata"]) return metadata(made.meta);
    return field == kClaim["spec"] ? claim_spec(made) : skip();
  });
  arena_ = outer;
  keep_annotations_ = kept;
  mirror_ = mirror;
  if (ok && options_.defaults) set_claim_defaults(made);
  return ok;
}

// The spec of all kinds but CronJob: which field of `table` is which, -1 for none.
template <typename Table>
bool ObjectBuilder::workload_fields(WorkloadParts& parts, const Table& table, int pod, int count) {
  return object(table, [&](int field) {
    if (field == pod) return pod_template(parts);
    if (controller_ && field == table.find("selector")) return workload_selector(parts);
    return field == count ? int32(parts.replicas) : skip();
  });
}

bool ObjectBuilder::stateful_set_spec(WorkloadParts& parts) {
  Span<Str> names;
  return object(kStatefulSet, [&](int field) {
    switch (field) {
      case kStatefulSet["replicas"]: return int32(parts.replicas);
      case kStatefulSet["selector"]: return workload_selector(parts);
      case kStatefulSet["template"]: return pod_template(parts);
      case kStatefulSet["volumeClaimTemplates"]:
        parts.claims.clear();
        return list(names, [&](Str&) {
          const Ref<PersistentVolumeClaim> made = make_ref<PersistentVolumeClaim>();
          if (!claim_template(*made)) return false;
          parts.claims.push_back(made);
          return true;
        });
      case kStatefulSet["ordinals"]:
        return object(kOrdinals, [&](int) { return int32(parts.first_ordinal); });
      default: return skip();
    }
  });
}

// What decides about failed pods, deadlines or indexes is told by its path, unless it is the
// default.
bool ObjectBuilder::other_job_field(JobRules& job, Str name, std::vector<Str>& others) {
  if (reader_.is_null()) return null();
  bool set = true;
  Str text;
  int32_t number = 0;
  if (name == "backoffLimit") {
    if (!int32(number)) return false;
    set = number != kDefaultBackoffLimit;
  } else if (name == "completionMode" || name == "podReplacementPolicy" || name == "managedBy") {
    if (!string(text)) return false;
    set = name == "managedBy" ? text != kJobController : text == "Indexed" || text == "Failed";
  } else if (!skip()) {
    return false;
  }
  const std::string path = (job.cron ? "spec.jobTemplate.spec." : "spec.") + std::string(name);
  if (set) others.push_back(job.arena.copy(path));
  return true;
}

bool ObjectBuilder::job_spec(WorkloadParts& parts) {
  JobRules& job = *parts.job;
  std::vector<Str> others;
  const bool ok = object(kJob, [&](int field) {
    switch (field) {
      case kJob["parallelism"]: return int32(job.parallelism);
      case kJob["completions"]: return optional_int32(job.completions);
      case kJob["template"]: return pod_template(parts);
      case kJob["suspend"]: return boolean(job.suspend);
      case kJob["selector"]:
      case kJob["manualSelector"]:
      case kJob["ttlSecondsAfterFinished"]: return skip();
      default: return field < 0 ? skip() : other_job_field(job, kJob.names()[field], others);
    }
  });
  job.others = job.arena.copy(others);
  return ok;
}

bool ObjectBuilder::cron_job_spec(WorkloadParts& parts) {
  JobRules& job = *parts.job;
  job.cron = true;
  return object(kCronJob, [&](int field) {
    switch (field) {
      case kCronJob["schedule"]: return string(job.schedule);
      case kCronJob["timeZone"]: return optional_string(job.time_zone);
      case kCronJob["suspend"]: return boolean(job.cron_suspend);
      case kCronJob["concurrencyPolicy"]: return string(job.concurrency_policy);
      case kCronJob["startingDeadlineSeconds"]:
        return reader_.is_null() ? null() : int64(job.starting_deadline_s.emplace());
      case kCronJob["jobTemplate"]:
        return object(kTemplate, [&](int part) {
          return part == kTemplate["spec"] ? job_spec(parts) : job_metadata(parts);
        });
      default: return skip();
    }
  });
}

// Of a jobTemplate: it says nothing of the CronJob's name.
bool ObjectBuilder::job_metadata(WorkloadParts& parts) {
  const bool generated = generate_name_, mirror = mirror_;
  const bool ok = metadata(parts.job_meta);
  generate_name_ = generated;
  mirror_ = mirror;
  return ok;
}

// The library's annotations of a workload are those of its pods, unless the template has its own.
void ObjectBuilder::inherit_annotations(const WorkloadParts& parts) {
  if (!keep_annotations_) return;
  Pod& pod = *parts.pod;
  std::vector<KeyValue> all(pod.meta.annotations.begin(), pod.meta.annotations.end());
  for (const ObjectMeta* meta : {&parts.job_meta, &std::as_const(parts.workload.meta)}) {
    for (const KeyValue& a : meta->annotations) {
      if (!a.key.starts_with(kOwnAnnotations)) continue;
      const auto at = std::lower_bound(all.begin(), all.end(), a.key,
                                       [](const KeyValue& b, Str key) { return b.key < key; });
      if (at == all.end() || at->key != a.key)
        all.insert(at, {pod.arena.copy(a.key), pod.arena.copy(a.value)});
    }
  }
  if (all.size() != pod.meta.annotations.size()) pod.meta.annotations = pod.arena.copy(all);
}

bool ObjectBuilder::workload_spec(WorkloadParts& parts, Str kind) {
  if (kind == "Deployment") {
    return workload_fields(parts, kDeployment, kDeployment["template"], kDeployment["replicas"]);
  }
  if (kind == "ReplicaSet") {
    return workload_fields(parts, kReplicaSet, kReplicaSet["template"], kReplicaSet["replicas"]);
  }
  if (kind == "ReplicationController") {
    return workload_fields(parts, kReplicationController, kReplicationController["template"],
                           kReplicationController["replicas"]);
  }
  if (kind == "DaemonSet") return workload_fields(parts, kDaemonSet, kDaemonSet["template"], -1);
  if (kind == "StatefulSet") return stateful_set_spec(parts);
  return kind == "Job" ? job_spec(parts) : cron_job_spec(parts);
}

Ref<Workload> ObjectBuilder::workload(Str api_version, Str kind) {
  auto workload = make_ref<Workload>();
  start(workload->arena);
  keep_annotations(/*hash=*/false);
  workload->kind = workload->arena.copy(kind);
  if (kind == "ReplicaSet" || kind == "StatefulSet" || kind == "ReplicationController") {
    controller_ = make_ref<Controller>();
    controller_->kind = static_cast<StoredKind>(find_stored_kind(kind));
  }
  const bool job = kind == "Job" || kind == "CronJob";
  WorkloadParts parts{*workload, make_ref<Pod>(arena_estimate_), 1, 0, {}, {}, {}};
  if (job) parts.job = make_ref<JobRules>();
  const size_t begin = reader_.offset();
  const bool ok = object(kWorkload, [&](int field) {
    switch (field) {
      case kWorkload["apiVersion"]: return type_field(api_version);
      case kWorkload["kind"]: return type_field(kind);
      case kWorkload["metadata"]: return metadata(workload->meta);
      case kWorkload["spec"]: return workload_spec(parts, kind);
      default: return skip();
    }
  });
  if (!ok || !finish_meta(workload->meta, /*namespaced=*/true, begin)) return nullptr;

  Pod& pod = *parts.pod;
  pod.meta.name = pod.arena.copy(workload->meta.name);
  pod.meta.ns = pod.arena.copy(workload->meta.ns);
  pod.meta.uid = Str("", 0);
  pod.meta.key_hash = workload->meta.key_hash;
  inherit_annotations(parts);
  mark_annotations(pod.meta);
  if (!parts.claims.empty()) {
    const auto templates = make_ref<ClaimTemplates>();
    templates->set = templates->arena.copy(pod.meta.name);
    templates->first_ordinal = parts.first_ordinal;
    templates->claims = std::move(parts.claims);
    pod.claim_templates = templates;
    name_claims(pod);
  }
  finish_pod(pod);
  workload->replicas = parts.replicas;
  if (job) {
    JobRules& rules = *parts.job;
    workload->replicas = std::min(rules.parallelism, rules.completions.value_or(rules.parallelism));
    rules.schedule = rules.arena.copy(rules.schedule);
    rules.concurrency_policy = rules.arena.copy(rules.concurrency_policy);
    if (rules.time_zone) rules.time_zone = rules.arena.copy(*rules.time_zone);
    pod.job = parts.job;
  }
  remember_document(*workload, begin);
  finish_controller(parts, api_version);
  workload->pod = std::move(parts.pod);
  return workload;
}

}  // namespace libsched
