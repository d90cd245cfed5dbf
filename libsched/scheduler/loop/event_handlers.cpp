// EventHandlers: the order of the changes, as upstream's eventhandlers.go has it.
#include "libsched/scheduler/loop/event_handlers.hpp"

#include "libsched/config/deferred_resize.hpp"
#include "libsched/framework/property_changes.hpp"

namespace libsched {
namespace {

template <typename T>
Ref<const T> as(const ObjectRef& object) {
  return Ref<const T>::share(static_cast<const T*>(object.get()));
}

}  // namespace

Result<void> EventHandlers::handle(const WatchEvent& event) {
  if (!unmoved_.resource.empty()) {
    const Unmoved last = unmoved_;
    LIBSCHED_TRY(move(last.resource, last.action, last.before, last.after));
  }
  switch (event.kind) {
    case WatchEvent::Kind::kPod: return pod(event);
    case WatchEvent::Kind::kNode: return node(event);
    case WatchEvent::Kind::kStored: return stored(event);
  }
  return {};
}

const PodRef* EventHandlers::assumed(const Pod& pod) const {
  const uint32_t slot = cluster_->view().find_pod(pod.meta.ns, pod.meta.name);
  if (slot == kNoId) return nullptr;
  const auto& there = cluster_->view().slot(slot);
  return there.assumed && same_pod(*there.pod, pod) ? &there.pod : nullptr;
}

Result<void> EventHandlers::left_node(const PodRef& pod, const Pod* not_for) {
  SchedulingQueue::PodCheck check;
  if (not_for != nullptr) check = [not_for](const Pod& p) { return !same_pod(p, *not_for); };
  return move(kAssignedPods, kDelete, pod, {}, check);
}

// A nominated pod counts for pods of its priority and below as if it had its node.
Result<void> EventHandlers::left_nomination(const PodRef& pod) {
  return move(kAssignedPods, kDelete, pod, {},
              [limit = pod->priority()](const Pod& p) { return p.priority() <= limit; });
}

Result<void> EventHandlers::pod(const WatchEvent& event) {
  const PodRef given = as<Pod>(event.after ? event.after : event.before);
  // Use the version that the scheduler knows: the source of events may have missed some changes.
  PodRef before = PodRef::share(pods_.find_unassigned(*given));
  if (!before) before = PodRef::share(pods_.find_assigned(given->meta.ns, given->meta.name));
  if (!event.after || given->terminated()) {
    if (!before) return {};
    if (!before->spec.node_name.empty() || !given->spec.node_name.empty()) {
      const Timed timed(*this, assigned_deleted_);
      log_.info(3, "Delete event for scheduled pod", {{"pod", given->meta}});
      pods_.remove(*given);
      if (pods_.find_assigned(given->meta.ns, given->meta.name) != nullptr ||
          assumed(*given) != nullptr)
        LIBSCHED_TRY(cluster_->remove_pod(given->meta.ns, given->meta.name));
      LIBSCHED_TRY(left_node(before));
      return queued_for_resize(*given) ? leave_queue(given) : Result<void>();
    }
    LIBSCHED_TRY(delete_waiting(given));
    return {};
  }
  if (before && !same_pod(*before, *given)) {  // deleted and made again meanwhile
    LIBSCHED_TRY(pod({event.kind, event.stored, WatchEvent::Verb::kDeleted, before, {}}));
    before = nullptr;
  }
  if (before && !before->spec.node_name.empty()) return update_assigned(before, given);
  if (!given->spec.node_name.empty()) {
    if (!before && queued_for_resize(*given)) LIBSCHED_TRY(enter_queue(given));
    LIBSCHED_TRY(assigned(given));
    if (!before) return {};
    pods_.remove(*before);
    if (!responsible(*before)) return {};
    const Timed timed(*this, waiting_deleted_);
    log_.info(3, "Delete event for unscheduled pod", {{"pod", before->meta}});
    return queue_->remove(*before);
  }
  if (before) return update_waiting(before, given);
  pods_.reserve();
  if (responsible(*given)) LIBSCHED_TRY(enter_queue(given));
  pods_.put(given);
  return {};
}

bool EventHandlers::queued_for_resize(const Pod& pod) const {
  return scheduled_for_resize(profiles_[0]->framework().gates(), pod) && responsible(pod);
}

Result<void> EventHandlers::enter_queue(const PodRef& pod) {
  const Timed timed(*this, waiting_added_);
  log_.info(3, "Add event for unscheduled pod", {{"pod", pod->meta}});
  LIBSCHED_TRY(queue_->add(pod));
  const Framework& first = profiles_[0]->framework();
  if (first.gates().enabled(first.behaviours().groups_are_entities ? Gate::kGenericWorkload
                                                                   : Gate::kGangScheduling))
    return move(waiting_, kAdd, {}, pod);
  return {};
}

Result<void> EventHandlers::leave_queue(const PodRef& pod) {
  const Timed timed(*this, waiting_deleted_);
  log_.info(3, "Delete event for unscheduled pod", {{"pod", pod->meta}});
  LIBSCHED_TRY(queue_->remove(*pod));
  if (assumed(*pod) != nullptr) return assumed_deleted(*pod);
  if (!pod->status.nominated_node_name.empty()) return left_nomination(pod);
  return {};
}

Result<void> EventHandlers::assigned(const PodRef& pod) {
  const Timed timed(*this, assigned_added_);
  log_.info(3, "Add event for scheduled pod", {{"pod", pod->meta}});
  LIBSCHED_TRY(cluster_->update_pod(pod, {}));
  return move(kAssignedPods, kAdd, {}, pod);
}

// A pod whose resize is deferred is in the queue, too.
Result<void> EventHandlers::update_resized(const PodRef& before, const PodRef& after) {
  const FeatureGates& gates = profiles_[0]->framework().gates();
  if (!gates.enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption) || !responsible(*after))
    return {};
  const bool was = resize_deferred(*before), is = resize_deferred(*after);
  const LogField about{"pod", after->meta};
  if (!was && is) {
    log_.info(3, "Assigned pod transitioned to deferred resize, adding to scheduling queue",
              {about});
    return enter_queue(after);
  }
  if (was && !is) {
    log_.info(3, "Assigned pod is no longer deferred, removing from scheduling queue", {about});
    return leave_queue(after);
  }
  if (!was) return {};
  log_.info(3, "Assigned pod spec changed while deferred, updating scheduling queue", {about});
  return queue_->update(before, after);
}

Result<void> EventHandlers::update_assigned(const PodRef& before, const PodRef& after) {
  LIBSCHED_TRY(update_resized(before, after));
  const Timed timed(*this, assigned_updated_);
  if (calls_ != nullptr) calls_->sync(after);
  log_.info(4, "Update event for scheduled pod", {{"pod", before->meta}});
  LIBSCHED_TRY(cluster_->update_pod(after, {}));
  for (const ActionType action :
       pod_change_list(*after, *before, profiles_[0]->framework().gates())) {
    const Timed moved(*this, times(kAssignedPods, action));
    LIBSCHED_TRY(move(kAssignedPods, action, before, after));
  }
  return {};
}

Result<void> EventHandlers::update_waiting(const PodRef& before, const PodRef& after) {
  if (before.get() == after.get()) return {};  // upstream compares versions
  if (responsible(*before)) {
    const Timed timed(*this, waiting_updated_);
    if (calls_ != nullptr) calls_->sync(after);
    const int64_t began = services_->clock().now_ns();
    if (assumed(*after) == nullptr) {
      log_.info(4, "Update event for unscheduled pod", {{"pod", after->meta}});
      LIBSCHED_TRY(queue_->update(before, after));
      const Str nominated = before->status.nominated_node_name;
      if (!nominated.empty() && nominated != after->status.nominated_node_name)
        LIBSCHED_TRY(left_nomination(before));
    } else if (after->meta.terminating() && !before->meta.terminating()) {
      LIBSCHED_TRY(assumed_deleted(*after));
    }
    const double seconds = to_seconds(services_->clock().now_ns() - began);
    for (const ActionType action :
         pod_change_list(*after, *before, profiles_[0]->framework().gates()))
      if (action != kUpdate) times(waiting_, action).observe_alone(seconds);
  }
  pods_.put(after);
  return {};
}

Result<void> EventHandlers::delete_waiting(const PodRef& pod) {
  pods_.remove(*pod);
  return responsible(*pod) ? leave_queue(pod) : Result<void>();
}

// The pod frees its room at once. Its binding cycle continues, and fails at the API server.
Result<void> EventHandlers::assumed_deleted(const Pod& pod) {
  const PodRef there = *assumed(pod);
  if (!services_->waiting_pods().reject(there->meta.uid))
    LIBSCHED_TRY(cluster_->forget(there->meta.ns, there->meta.name));
  return left_node(there);
}

Result<void> EventHandlers::node(const WatchEvent& event) {
  if (!event.after) {
    const NodeRef gone = as<Node>(event.before);
    if (cluster_->view().find_node(gone->meta.name) == kNoId) return {};
    const Timed timed(*this, times("Node", kDelete));
    LIBSCHED_TRY(move("Node", kDelete, gone, {}));
    log_.info(3, "Delete event for node", {{"node", gone->meta}});
    return cluster_->remove_node(gone->meta.name);
  }
  const NodeRef after = as<Node>(event.after);
  const uint32_t row = cluster_->view().find_node(after->meta.name);
  const NodeRef before = row == kNoId ? NodeRef() : cluster_->view().row(row).node;
  if (!before) {
    const Timed timed(*this, times("Node", kAdd));
    log_.info(3, "Add event for node", {{"node", after->meta}});
    LIBSCHED_TRY(cluster_->update_node(after));
    return move("Node", kAdd, {}, after);
  }
  const int64_t began = services_->clock().now_ns();
  log_.info(4, "Update event for node", {{"node", after->meta}});
  LIBSCHED_TRY(cluster_->update_node(after));
  LIBSCHED_TRY(queue_->node_updated(before, after, {}));
  const double seconds = to_seconds(services_->clock().now_ns() - began);
  for (const ActionType action :
       node_change_list(*after, *before, profiles_[0]->framework().gates()))
    times("Node", action).observe_alone(seconds);
  return {};
}

Result<void> EventHandlers::stored(const WatchEvent& event) {
  const ObjectRef& given = event.after ? event.after : event.before;
  const ObjectMeta& meta = given->meta;
  const ObjectStore::Entry* const entry =
      cluster_->view().objects().entry(event.stored, meta.ns, meta.name);
  const ObjectRef before = entry == nullptr ? ObjectRef() : entry->api;
  if (!event.after && !before) return {};
  const ActionType action = !event.after ? kDelete : before ? kUpdate : kAdd;
  const Str resource = event_resource(event.stored);
  const int64_t began = services_->clock().now_ns();
  if (event.after)
    LIBSCHED_TRY(cluster_->put_object(event.stored, event.after));
  else
    LIBSCHED_TRY(cluster_->remove_object(event.stored, meta.ns, meta.name));
  LIBSCHED_TRY(move(resource, action, before, event.after));
  // Upstream watches only what a plugin has registered for, and groups that the queue knows.
  if (queue_->concerns_plugins(resource, action) || queue_->has_groups(event.stored))
    times(resource, action).observe_alone(to_seconds(services_->clock().now_ns() - began));
  return {};
}

}  // namespace libsched
