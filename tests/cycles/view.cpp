// The state of a scheduler and of its API server.
#include "view.hpp"

#include <algorithm>

namespace libsched::cycles {
namespace {

Json keys(const std::vector<QueuedPodInfo*>& pods) {
  Json out = Json::array();
  for (const QueuedPodInfo* p : pods) out.push_back(key_of(p->pod->meta));
  return out;
}

void put(Json& object, const char* key, Json value) {
  if (!value.is_null() && value != 0 && value != "" && value != false &&
      !(value.is_structured() && value.empty()))
    object[key] = std::move(value);
}

Json pod_view(const Pod& pod) {
  Json out = Json::object();
  put(out, "node", pod.spec.node_name);
  put(out, "nominated", pod.status.nominated_node_name);
  put(out, "deleting", pod.meta.terminating());
  for (const PodCondition& c : pod.status.conditions) {
    const Json condition = condition_json(c.type, c.status, c.reason, c.message);
    if (c.type == "PodScheduled") out["condition"] = condition;
    if (c.type == "DisruptionTarget") out["disrupted"] = condition;
  }
  return out;
}

}  // namespace

void Versions::deliver(WatchEvent event) {
  if (event.verb == WatchEvent::Verb::kDeleted) {
    // The last version of an ended pod is one that no watch has seen.
    if (event.kind == WatchEvent::Kind::kPod && static_cast<const Pod&>(*event.before).terminated())
      ++last_;
    return;
  }
  const Object* const object = event.after.get();
  known_[object] = {event.after, ++last_};
}

std::string Versions::of(const Pod& pod) const {
  auto it = known_.find(&pod);
  if (it == known_.end()) it = known_.find(pod.origin.get());  // a copy that a cluster has made
  return it == known_.end() ? "?" : std::to_string(it->second.second);
}

Json StateView::info(const QueuedPodInfo& queued) const {
  Json out = {{"rv", versions_.of(*queued.pod)}, {"timestamp", queued.timestamp_ns - start_}};
  put(out, "attempts", queued.attempts);
  put(out, "unschedulableCount", queued.unschedulable_count);
  put(out, "consecutiveErrorsCount", queued.consecutive_errors_count);
  put(out, "wasFlushed", queued.was_flushed);
  if (queued.initial_attempt_ns != kNoTime)
    out["initialAttempt"] = queued.initial_attempt_ns - start_;
  if (queued.backoff_expiration_ns != kNoTime)
    out["backoffExpiration"] = queued.backoff_expiration_ns - start_;
  for (const auto& [key, set] : {std::pair("unschedulablePlugins", queued.unschedulable),
                                 std::pair("pendingPlugins", queued.pending)}) {
    std::vector<std::string> names;
    set.for_each([&](PluginId id) { names.push_back(queued.names->name(id)); });
    std::sort(names.begin(), names.end());
    put(out, key, names);
  }
  if (queued.gated()) out["gatingPlugin"] = queued.names->name(queued.gating);
  return out;
}

Json StateView::queue(Json& changed) {
  const SchedulingQueue& q = scheduler_.queue();
  Json out = {{"cycle", q.scheduling_cycle()}, {"moveRequest", q.move_request_cycle()}};
  std::map<std::string, Json> infos;
  const auto part = [&](const char* name, const std::vector<QueuedPodInfo*>& pods) {
    put(out, name, keys(pods));
    for (const QueuedPodInfo* p : pods) infos[key_of(p->pod->meta)] = info(*p);
  };
  part("active", q.active());
  part("backoff", q.backing_off());
  part("errorBackoff", q.backing_off_after_errors());
  part("unschedulable", q.unschedulable(false));
  part("gated", q.unschedulable(true));
  Json in_flight = Json::array(), nominated = Json::object();
  q.in_flight().for_each([&](const InFlight::Entry& e) {
    in_flight.push_back(e.pod ? "pod " + key_of(e.pod->meta)
                              : q.metrics().event_label(e.event->label));
  });
  put(out, "inFlight", in_flight);
  scheduler_.services()->nominator().for_each_node(
      [&](const std::string& node, const std::vector<PodRef>& pods) {
        nominated[node] = Json::array();
        for (const PodRef& p : pods) nominated[node].push_back(key_of(p->meta));
      });
  put(out, "nominated", nominated);
  for (const auto& [key, i] : infos)
    if (const auto it = last_infos_.find(key); it == last_infos_.end() || it->second != i)
      changed[key] = i;
  last_infos_ = std::move(infos);
  return out;
}

void StateView::describe(Json& result) {
  Json pods = Json::object(), changed = Json::object(), waiting = Json::object();
  std::map<std::string, Json> now;
  for (const PodRef& p : server_.pods()) now[key_of(p->meta)] = pod_view(*p);
  for (const auto& [key, view] : now)
    if (const auto it = last_pods_.find(key); it == last_pods_.end() || it->second != view)
      pods[key] = view;
  for (const auto& [key, view] : last_pods_)
    if (now.count(key) == 0) pods[key] = {{"gone", true}};
  last_pods_ = std::move(now);
  put(result, "pods", pods);

  std::vector<std::string> assumed;
  const View& view = scheduler_.cluster().view();
  for (uint32_t s = 0; s < view.slot_count(); ++s)
    if (const View::Slot& slot = view.slot(s); slot.pod && slot.assumed)
      assumed.push_back(key_of(slot.pod->meta));
  std::sort(assumed.begin(), assumed.end());
  put(result, "assumed", assumed);
  for (const auto& w : scheduler_.services()->waiting_pods().all())
    waiting[key_of(w->pod().meta)] = w->pending_plugins();
  put(result, "waiting", waiting);
  put(result, "busy", scheduler_.in_cycle());
  result["queue"] = queue(changed);
  put(result, "changed", changed);
}

}  // namespace libsched::cycles
