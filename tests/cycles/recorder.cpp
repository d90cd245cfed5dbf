// Recorder: faults, calls and events.
#include "recorder.hpp"

#include <algorithm>
#include <mutex>

#include "libsched/base/quote.hpp"
#include "libsched/framework/tasks.hpp"

namespace libsched::cycles {
namespace {

std::string name_of(const ObjectMeta& meta) {
  return meta.ns.empty() ? std::string(meta.name) : key_of(meta);
}
std::string verb_of(ApiVerb verb, StoredKind kind) {
  switch (verb) {
    case ApiVerb::kBind: return "bind";
    case ApiVerb::kDeletePod: return "delete";
    case ApiVerb::kPatchPodStatus: return "patchStatus";
    case ApiVerb::kUpdateObject: break;
  }
  if (kind == StoredKind::kPodGroup) return "patchGroup";
  return kind == StoredKind::kPersistentVolume ? "updatePV" : "updatePVC";
}
Error fault_error(const std::string& error, const std::string& name) {
  if (error == "conflict")
    return {Rc::kExists, "Operation cannot be fulfilled on pods " + go_quote(name) +
                             ": the object has been modified"};
  if (error == "notFound") return {Rc::kNotFound, "pods " + go_quote(name) + " not found"};
  if (error == "timeout") return {Rc::kDeadline, "Timeout: request did not complete"};
  return {Rc::kInternal, error};
}

}  // namespace

Json condition_json(Str type, Str status, Str reason, Str message) {
  Json out = {{"type", type}};
  if (!status.empty()) out["status"] = status;
  if (!reason.empty()) out["reason"] = reason;
  if (!message.empty()) out["message"] = message;
  return out;
}

int64_t Recorder::begin(const ApiRequest& request) {
  const auto call = std::make_shared<Call>();
  const std::string verb = verb_of(request.verb, request.kind), name = name_of(request.about);
  call->json = {{"at", since_start()}, {"verb", verb}, {"name", name}};
  if (!request.node.empty()) call->json["node"] = request.node;
  if (request.patch != nullptr) {
    for (const PodStatusPatch::Condition& c : request.patch->conditions)
      call->json["condition"] =
          condition_json(c.type, c.status, c.reason, c.type == "PodScheduled" ? "" : c.message);
    if (request.patch->set_nominated_node) call->json["nominated"] = request.patch->nominated_node;
  }
  const std::lock_guard lock(mutex_);
  for (World::Rule& f : faults_) {
    const int times = member(f.json, "times", 0);
    if (f.text("verb") != verb || (!f.text("name").empty() && f.text("name") != name) ||
        (times != 0 && f.used >= times))
      continue;
    ++f.used;
    call->fault = f;
    break;
  }
  call->slow = !call->fault.text("slow").empty();
  calls_.push_back(call);
  begun_[maker()] = call;
  return duration(call->fault.text("slow"));
}

Recorder::Maker Recorder::maker() {
  const void* const task = Tasks::current();
  return {task, task == nullptr ? std::this_thread::get_id() : std::thread::id()};
}

std::shared_ptr<Recorder::Call> Recorder::begun() const {
  const std::lock_guard lock(mutex_);
  return begun_.at(maker());
}

bool Recorder::may_wait() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(faults_.begin(), faults_.end(),
                     [](const World::Rule& f) { return !f.text("slow").empty(); });
}

template <typename F>
Result<void> Recorder::end(const ObjectMeta& about, F&& effect) {
  const std::shared_ptr<Call> call = begun();
  const std::string error = call->fault.text("error");
  Result<void> done = error.empty() ? effect() : Result<void>(fault_error(error, name_of(about)));
  const std::lock_guard lock(mutex_);
  if (call->slow) call->json["done"] = since_start();
  if (!done.ok()) call->json["error"] = done.error().message;
  return done;
}

Result<void> Recorder::bind(const Pod& pod, Str node) {
  return end(pod.meta, [&] { return server_->bind(pod, node); });
}
Result<void> Recorder::delete_pod(const Pod& pod) {
  return end(pod.meta, [&] { return server_->delete_pod(pod); });
}
Result<void> Recorder::patch_pod_status(const Pod& pod, const PodStatusPatch& patch) {
  return end(pod.meta, [&] { return server_->patch_pod_status(pod, patch); });
}
// The fields of the condition that change.
Json Recorder::group_change(const PodGroup& group) {
  const PodGroup::Condition& c = group.conditions[group.conditions.size() - 1];
  Json now = {{"status", c.status}, {"reason", c.reason}, {"message", c.message}};
  const Json before = std::exchange(groups_[name_of(group.meta)], now);
  Json out = {{"type", c.type}};
  for (const auto& [field, text] : now.items())
    if (text != "" && (before.is_null() || before[field] != text)) out[field] = text;
  return out;
}

Result<void> Recorder::update_object(StoredKind kind, const ObjectRef& object, Str patch) {
  if (kind == StoredKind::kPodGroup)
    begun()->json["condition"] = group_change(static_cast<const PodGroup&>(*object));
  return end(object->meta, [&]() -> Result<void> {
    LIBSCHED_TRY(server_->update_object(kind, object, patch));
    updated_(kind, object->meta, patch);
    return {};
  });
}

void Recorder::event(const Pod& pod, Str type, Str reason, Str action, Str note) {
  Json event = {{"at", since_start()}, {"about", key_of(pod.meta)}, {"type", type},
                {"reason", reason},    {"action", action},          {"note", note}};
  // "Preempted by pod Pod/NAMESPACE/NAME#N on node ...": the related object, which clients do not
  // get, is that pod, or a PodGroup.
  for (const Str by : {Str("Preempted by pod Pod/"), Str("Preempted by podgroup PodGroup/"),
                       Str("Preempted by compositepodgroup CompositePodGroup/")})
    if (reason == "Preempted" && note.starts_with(by))
      event["related"] = note.substr(by.size(), note.find_first_of("# ", by.size()) - by.size());
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

Json Recorder::take_calls() {
  const std::lock_guard lock(mutex_);
  Json out = Json::array();
  for (const auto& call : std::exchange(calls_, {})) out.push_back(call->json);
  return out;
}

Json Recorder::take_events() {
  const std::lock_guard lock(mutex_);
  std::vector<Json> out = std::exchange(events_, {});
  std::stable_sort(out.begin(), out.end(), [](const Json& a, const Json& b) {
    for (const char* key : {"at", "about", "reason", "note"})
      if (a[key] != b[key]) return a[key] < b[key];
    return false;
  });
  return out;
}

}  // namespace libsched::cycles
