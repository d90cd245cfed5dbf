// See admission.hpp.
#include "libsched/scheduler/control_plane/admission.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/ephemeral_claim.hpp"
#include "libsched/ingest/write/json_text.hpp"
#include "libsched/objects/claim_templates.hpp"
#include "libsched/objects/ephemeral_claims.hpp"
#include "libsched/objects/toleration_index.hpp"
#include "libsched/scheduler/control_plane/limit_ranger.hpp"
#include "libsched/scheduler/control_plane/pod_draft.hpp"
#include "libsched/scheduler/control_plane/runtime_class.hpp"

namespace libsched {
namespace {

constexpr Str kClaim = "PersistentVolumeClaim";
constexpr Str kNotReady = "node.kubernetes.io/not-ready";
constexpr Str kUnreachable = "node.kubernetes.io/unreachable";
constexpr int64_t kTolerationSeconds = 300;

Toleration no_execute(Str key) {
  Toleration t;
  t.key = key;
  t.op = TolerationOp::kExists;
  t.op_text = "Exists";
  t.effect = TaintEffect::kNoExecute;
  t.effect_text = "NoExecute";
  t.seconds = kTolerationSeconds;
  return t;
}

bool tolerates_failure(Span<Toleration> tolerations, Str key) {
  return std::ranges::any_of(tolerations, [&](const Toleration& t) {
    return (t.key == key || t.key.empty()) &&
           (t.effect == TaintEffect::kNoExecute || t.effect == TaintEffect::kNone);
  });
}

// The plugin DefaultTolerationSeconds. Returns what was done.
std::string add_default_tolerations(PodDraft* pod) {
  const Span<Toleration> before = pod->now().spec.tolerations;
  std::vector<Toleration> all(before.begin(), before.end());
  std::vector<std::string> added;
  for (const Str key : {kNotReady, kUnreachable}) {
    if (tolerates_failure(before, key)) continue;
    all.push_back(no_execute(key));
    added.push_back(std::string(key) + ":NoExecute");
  }
  if (added.empty()) return {};
  Pod& made = pod->change();
  made.spec.tolerations = made.arena.copy(all);
  return "DefaultTolerationSeconds adds the toleration of " + joined(added) + " for " +
         std::to_string(kTolerationSeconds) + " s";
}

bool is_failing(const Node& node) {
  return std::ranges::any_of(node.taints, [](const Taint& t) {
    return t.effect == TaintEffect::kNoExecute && (t.key == kNotReady || t.key == kUnreachable);
  });
}

bool tolerates_all(Span<Toleration> tolerations, const Node& node) {
  return std::ranges::all_of(node.taints, [&](const Taint& taint) {
    return taint.effect == TaintEffect::kPreferNoSchedule ||
           std::ranges::any_of(tolerations,
                               [&](const Toleration& t) { return tolerates(t, taint, true); });
  });
}

void write_remarks(JsonText& json, Str name, const std::vector<AdmissionRemark>& remarks) {
  json.key(name);
  json.open('[');
  for (const AdmissionRemark& r : remarks)
    json.object([&] {
      json.field("kind", r.kind);
      json.field("object", r.object);
      json.field("text", r.text);
    });
  json.close(']');
}

// The claims of the set that its pods use get their notes there.
class ClaimNotes {
 public:
  void add(const PersistentVolumeClaim& claim, AdmissionRemark note) {
    notes_.emplace(object_key(claim.meta.ns, claim.meta.name), Note{std::move(note), false});
  }
  void tell(const Pod& pod, Str kind, AdmissionReport* report) {
    if (notes_.empty()) return;
    for (const Str name : pod.claim_names) {
      const auto found = notes_.find(object_key(pod.meta.ns, name));
      if (found == notes_.end()) continue;
      found->second.told = true;
      report->notes.push_back(
          {std::string(kind), pod_key(pod),
           "PersistentVolumeClaim " + std::string(name) + " " + found->second.remark.text});
    }
  }
  void tell_rest(AdmissionReport* report) {
    for (auto& [key, note] : notes_)
      if (!note.told) report->notes.push_back(std::move(note.remark));
  }

 private:
  struct Note {
    AdmissionRemark remark;
    bool told;
  };
  std::map<std::string, Note> notes_;
};

}  // namespace

Admission::Admission(const View& view, const ObjectSet* with) : view_(view) {
  const ObjectStore& objects = view.objects();
  const auto add_range = [&](const LimitRange& r) {
    limit_ranges_[r.meta.ns].emplace(r.meta.name, &r);
  };
  objects.for_each<LimitRange>(add_range);
  objects.for_each<StorageClass>([&](const StorageClass& c) { default_class_.offer(c); });
  objects.for_each<PriorityClass>(
      [&](const PriorityClass& c) { priority_classes_.push_back(PriorityClassRef::share(&c)); });
  for (uint32_t r = 0; r < view.row_count(); ++r)
    if (const Node* const node = view.node(r); node != nullptr && is_failing(*node))
      failing_.push_back(node);
  if (with == nullptr) return;
  priority_classes_.insert(priority_classes_.end(), with->priority_classes.begin(),
                           with->priority_classes.end());
  for (const StoredObject& o : with->stored) {
    switch (o.kind) {
      case StoredKind::kRuntimeClass:
        runtime_classes_.emplace(o.object->meta.name,
                                 static_cast<const RuntimeClass*>(o.object.get()));
        break;
      case StoredKind::kLimitRange: add_range(static_cast<const LimitRange&>(*o.object)); break;
      case StoredKind::kStorageClass:
        if (objects.find<StorageClass>(o.object->meta.name) == nullptr)
          default_class_.offer(static_cast<const StorageClass&>(*o.object));
        break;
      default: break;
    }
  }
}

const RuntimeClass* Admission::runtime_class(Str name) const {
  if (name.empty()) return nullptr;
  if (const auto* const found = view_.objects().find<RuntimeClass>(name)) return found;
  const auto at = runtime_classes_.find(name);
  return at == runtime_classes_.end() ? nullptr : at->second;
}

// Pod Security admission refuses pods by a label of their namespace.
void Admission::warn(Str ns, AdmissionReport* report) const {
  const auto* const found = view_.objects().find<Namespace>(ns);
  if (found == nullptr) return;
  const Label* const level = find_label(found->meta.labels, "pod-security.kubernetes.io/enforce");
  if (level == nullptr || level->value == "privileged") return;
  const bool told = std::ranges::any_of(report->warnings,
                                        [&](const AdmissionRemark& w) { return w.object == ns; });
  if (!told)
    report->warnings.push_back({"Namespace", std::string(ns),
                                "Pod Security admission is not imitated: it may refuse pods that "
                                "break the level " +
                                    go_quote(level->value)});
}

PodRef Admission::pod(const PodRef& given, Str kind, AdmissionReport* report) const {
  PodDraft draft(given);
  warn(given->meta.ns, report);
  const auto note = [&](std::string text) {
    if (!text.empty())
      report->notes.push_back({std::string(kind), pod_key(*given), std::move(text)});
  };
  const auto refuse = [&](const std::string& error) {
    if (!error.empty())
      report->refusals.push_back(
          {std::string(kind), pod_key(*given),
           "pods " + go_quote(given->meta.name) + " is forbidden: " + error});
  };
  const auto ranges = limit_ranges_.find(given->meta.ns);
  if (ranges != limit_ranges_.end())
    for (const auto& [name, range] : ranges->second) note(add_limit_defaults(*range, &draft));
  if (!given->spec.priority) {
    const PriorityClasses classes(priority_classes_, {});
    if (!admit_priority(draft.change(), classes))
      refuse("no PriorityClass with name " + std::string(given->spec.priority_class_name) +
             " was found");
  }
  if (kind != "DaemonSet") {  // its controller has added them, without an end
    std::string added = add_default_tolerations(&draft);
    // Nearly every pod gets these tolerations, so a note is made only if they let it onto a node.
    const Span<Toleration> all = draft.now().spec.tolerations;
    const auto takes_it = [&](const Node* node) { return tolerates_all(all, *node); };
    if (!added.empty() && std::ranges::any_of(failing_, takes_it)) note(std::move(added));
  }
  RuntimeClassOutcome outcome =
      apply_runtime_class(runtime_class(given->spec.runtime_class), &draft);
  note(std::move(outcome.note));
  refuse(outcome.error);
  if (ranges != limit_ranges_.end())
    for (const auto& [name, range] : ranges->second) {
      const std::string error = limit_error(*range, draft.now());
      refuse(error);
      if (!error.empty()) break;
    }
  check_claims_of(draft.now(), report);
  return draft.finish(kind == "Pod");
}

void Admission::check_limits(const PersistentVolumeClaim& claim, AdmissionReport* report) const {
  const ObjectMeta& meta = claim.meta;
  const auto ranges = limit_ranges_.find(meta.ns);
  if (ranges == limit_ranges_.end()) return;
  for (const auto& [name, range] : ranges->second) {
    const std::string error = limit_error(*range, claim);
    if (error.empty()) continue;
    report->refusals.push_back(
        {std::string(kClaim), object_key(meta.ns, meta.name),
         "persistentvolumeclaims " + go_quote(meta.name) + " is forbidden: " + error});
    return;
  }
}

// A claim of a set is that of its first pod; those that are there are not created again.
void Admission::check_claims_of(const Pod& pod, AdmissionReport* report) const {
  if (!limit_ranges_.contains(pod.meta.ns)) return;
  const auto check = [&](const PersistentVolumeClaim& claim) {
    const ObjectMeta& meta = claim.meta;
    if (view_.objects().find<PersistentVolumeClaim>(meta.ns, meta.name) == nullptr)
      check_limits(claim, report);
  };
  if (const ClaimTemplates* const templates = claim_templates(pod); templates != nullptr)
    for (const PersistentVolumeClaimRef& like : templates->claims)
      check(*new_claim(*like, pod.meta.ns, claim_name(*templates, *like, pod.meta.name)));
  if (!has_ephemeral_volumes(pod)) return;
  for (const Volume& v : pod.spec.volumes) {
    if (v.kind != VolumeKind::kEphemeral) continue;
    // One that cannot be made is told where it is made.
    if (const Result<Ref<PersistentVolumeClaim>> claim = ephemeral_claim(pod, v); claim.ok())
      check(**claim);
  }
}

PersistentVolumeClaimRef Admission::claim(const PersistentVolumeClaimRef& given,
                                          AdmissionReport* report) const {
  const ObjectMeta& meta = given->meta;
  if (view_.objects().find<PersistentVolumeClaim>(meta.ns, meta.name) != nullptr) return given;
  check_limits(*given, report);
  if (given->has_storage_class() || default_class_.found() == nullptr) return given;
  const Ref<PersistentVolumeClaim> made = copy_claim(*given);
  default_class_.complete(*made);
  report->notes.push_back(
      {std::string(kClaim), object_key(meta.ns, meta.name),
       "gets the default StorageClass " + std::string(*made->storage_class_name)});
  return made;
}

ObjectSet admitted(const View& view, const ObjectSet& set, AdmissionReport* report) {
  const Admission admission(view, &set);
  ObjectSet out = set;
  ClaimNotes of_claims;
  for (StoredObject& o : out.stored) {
    if (o.kind != StoredKind::kPersistentVolumeClaim) continue;
    const auto claim =
        PersistentVolumeClaimRef::share(static_cast<const PersistentVolumeClaim*>(o.object.get()));
    AdmissionReport about;
    o.object = ObjectRef(admission.claim(claim, &about));
    for (AdmissionRemark& note : about.notes) of_claims.add(*claim, std::move(note));
    for (AdmissionRemark& r : about.refusals) report->refusals.push_back(std::move(r));
  }
  for (PodRef& pod : out.pods) {
    pod = admission.pod(pod, "Pod", report);
    of_claims.tell(*pod, "Pod", report);
  }
  for (WorkloadRef& w : out.workloads) {
    const PodRef pod = admission.pod(PodRef(w->pod), w->kind, report);
    of_claims.tell(*pod, w->kind, report);
    if (pod.get() == w->pod.get()) continue;
    const Ref<Workload> made = make_ref<Workload>();
    made->origin = w;
    made->meta = w->meta;
    made->raw = w->raw;
    made->kind = w->kind;
    made->replicas = w->replicas;
    made->pod = Ref<Pod>::share(const_cast<Pod*>(pod.get()));  // made here, and not shared yet
    w = made;
  }
  of_claims.tell_rest(report);
  return out;
}

std::string report_json(const AdmissionReport& report) {
  JsonText json;
  json.object([&] {
    write_remarks(json, "notes", report.notes);
    write_remarks(json, "refusals", report.refusals);
    write_remarks(json, "warnings", report.warnings);
  });
  return json.take();
}

}  // namespace libsched
