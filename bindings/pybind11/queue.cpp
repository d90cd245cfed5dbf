// _core.Queue, _core.QueuedPod: the scheduling queue.
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "calls.hpp"
#include "queue.hpp"

namespace libsched {
namespace {

template <typename Call, typename... Arguments>
void change(Queue& queue, Call&& call, Arguments&&... arguments) {
  const Changing changing(queue);
  unlocked(call, queue.handle.get(), std::forward<Arguments>(arguments)...);
}

std::unique_ptr<Queue> create_queue(const std::vector<Evaluator*>& evaluators,
                                    int64_t initial_backoff_ns, int64_t max_backoff_ns,
                                    int64_t max_in_unschedulable_ns) {
  libsched_queue_options options = LIBSCHED_QUEUE_OPTIONS_INIT;
  options.initial_backoff_ns = initial_backoff_ns;
  options.max_backoff_ns = max_backoff_ns;
  options.max_in_unschedulable_ns = max_in_unschedulable_ns;
  const auto profiles = raw(evaluators);
  auto made = std::make_unique<Queue>();
  for (const Evaluator* evaluator : evaluators) {
    *made->locks = {evaluator->lock, evaluator->services_lock};
    made->services.reset(
        libsched_services_ref(libsched_evaluator_services(evaluator->handle.get())));
  }
  const HoldingBoth holding(*made->locks);
  unlocked(libsched_queue_create, profiles.data(), profiles.size(), &options, into(made->handle));
  return made;
}

QueuedPod own_queued(const Queue& queue, QueuedPodHandle handle) {
  return {std::move(handle), queue.locks};
}

// A popped pod is not lost because a plugin has raised: that exception is told as unraisable.
template <typename Call>
std::optional<QueuedPod> popped(Queue& queue, Call&& call) {
  QueuedPodHandle handle;
  try {
    change(queue, call, into(handle));
  } catch (py::error_already_set& error) {
    if (!handle) throw;
    error.discard_as_unraisable("Queue.pop");
  }
  if (!handle) return std::nullopt;
  return own_queued(queue, std::move(handle));
}
auto pop(Queue& queue) { return popped(queue, libsched_queue_pop); }
auto pop_specific(Queue& queue, const Pod& pod) {
  return popped(queue, [&](libsched_queue* q, libsched_queued_pod** out, libsched_error** error) {
    return libsched_queue_pop_specific(q, raw(pod), out, error);
  });
}

void add_unschedulable(Queue& queue, QueuedPod& queued, Maybe<const Pod> pod,
                       const std::vector<std::string_view>& unschedulable,
                       const std::vector<std::string_view>& pending) {
  const std::vector<libsched_str> first = raw(unschedulable), second = raw(pending);
  libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
  rejection.unschedulable = first.data();
  rejection.unschedulable_count = first.size();
  rejection.pending = second.data();
  rejection.pending_count = second.size();
  change(queue, libsched_queue_add_unschedulable, raw(queued), raw(pod), &rejection);
}

void set_check(libsched_queue_event* event, std::optional<int32_t> max_priority,
               Maybe<const Pod> except) {
  if (max_priority) {
    event->check = LIBSCHED_MOVE_MAX_PRIORITY;
    event->max_priority = *max_priority;
  } else if (except) {
    event->check = LIBSCHED_MOVE_EXCEPT;
    event->except = raw(except);
  }
}

using AnyObject = std::variant<const Pod*, const Node*, const Objects*>;

void set_object(const std::optional<AnyObject>& object, const libsched_pod** pod,
                const libsched_node** node, const libsched_objects** objects) {
  if (!object) return;
  if (const auto* given = std::get_if<const Pod*>(&*object)) {
    *pod = raw(**given);
  } else if (const auto* other = std::get_if<const Node*>(&*object)) {
    *node = raw(**other);
  } else {
    *objects = raw(*std::get<const Objects*>(*object));
  }
}

void move_all(Queue& queue, std::string_view resource, int64_t actions, std::string_view label,
              const std::optional<AnyObject>& before, const std::optional<AnyObject>& after,
              std::optional<int32_t> max_priority, Maybe<const Pod> except) {
  libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
  event.resource = to_str(resource);
  event.actions = actions;
  event.label = to_str(label);
  set_object(before, &event.old_pod, &event.old_node, &event.old_object);
  set_object(after, &event.new_pod, &event.new_node, &event.new_object);
  set_check(&event, max_priority, except);
  change(queue, libsched_queue_move_all, &event);
}
void node_updated(Queue& queue, const Node& before, const Node& after,
                  std::optional<int32_t> max_priority, Maybe<const Pod> except) {
  libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
  set_check(&event, max_priority, except);
  change(queue, libsched_queue_node_updated, before.handle.get(), after.handle.get(), &event);
}

void activate(Queue& queue, const std::vector<const Pod*>& pods) {
  const auto list = raw(pods);
  change(queue, libsched_queue_activate, list.data(), list.size());
}

auto pods(const Queue& queue, uint32_t part) {
  const HoldingBoth holding(*queue.locks);
  std::vector<const libsched_queued_pod*> pods;
  size_t count = 0;
  const auto fill = [&] {
    quick(libsched_queue_list, queue.handle.get(), part, pods.data(), pods.size(), &count);
  };
  fill();
  pods.resize(count);
  fill();
  return collect(count, [&](size_t i) {
    auto* const pod = const_cast<libsched_queued_pod*>(pods[i]);
    return own_queued(queue, QueuedPodHandle(libsched_queued_pod_ref(pod)));
  });
}

// Pods, and labels of events.
auto in_flight(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  std::vector<libsched_in_flight> entries(libsched_queue_in_flight(queue.handle.get(), nullptr, 0));
  libsched_queue_in_flight(queue.handle.get(), entries.data(), entries.size());
  using Entry = std::variant<Pod, py::str>;
  return collect(entries.size(), [&](size_t i) {
    return entries[i].pod != nullptr ? Entry(own(entries[i].pod))
                                     : Entry(from_str(entries[i].event));
  });
}

// [(node, pod)]
auto nominated(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  std::vector<libsched_nominated_pod> entries(
      libsched_services_nominated_pods(queue.services.get(), nullptr, 0));
  libsched_services_nominated_pods(queue.services.get(), entries.data(), entries.size());
  return collect(entries.size(),
                 [&](size_t i) { return tuple_of(entries[i].node_name, entries[i].pod); });
}

// (active, backoff, error backoff, unschedulable, gated, pods and events in flight, scheduling
// cycle, move request cycle, closed)
auto counts(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  libsched_queue_counts c = LIBSCHED_QUEUE_COUNTS_INIT;
  quick(libsched_queue_get, queue.handle.get(), &c);
  return tuple_of(c.active, c.backoff, c.error_backoff, c.unschedulable, c.gated, c.in_flight_pods,
                  c.in_flight_events, c.scheduling_cycle, c.move_request_cycle, c.closed);
}

libsched_queued_pod_info read(const QueuedPod& queued) {
  libsched_queued_pod_info i = LIBSCHED_QUEUED_POD_INFO_INIT;
  quick(libsched_queued_pod_get, queued.handle.get(), &i);
  return i;
}

std::optional<int64_t> time_of(int64_t ns) {
  return ns == LIBSCHED_NO_TIME ? std::nullopt : std::optional(ns);
}

// (attempts, timestamp, initial attempt, backoff expiration, unschedulable count, consecutive
// errors, was flushed, gating plugin)
auto info(const QueuedPod& queued) {
  const HoldingBoth holding(*queued.locks);
  const libsched_queued_pod_info i = read(queued);
  return tuple_of(i.attempts, i.timestamp_ns, time_of(i.initial_attempt_ns),
                  time_of(i.backoff_expiration_ns), i.unschedulable_count,
                  i.consecutive_errors_count, i.was_flushed, i.gating_plugin);
}

auto plugins(const QueuedPod& queued, bool pending) {
  const HoldingBoth holding(*queued.locks);
  std::vector<libsched_str> names;
  size_t count = 0;
  const auto fill = [&] {
    quick(libsched_queued_pod_plugins, queued.handle.get(), pending, names.data(), names.size(),
          &count);
  };
  fill();
  names.resize(count);
  fill();
  return collect<Items>(count, [&](size_t i) { return names[i]; });
}

}  // namespace

void bind_queue(py::module_& module) {
  Class<QueuedPod>(module, "QueuedPod")
      .def_property_readonly("pod",
                             [](const QueuedPod& queued) {
                               const HoldingBoth holding(*queued.locks);
                               return own(read(queued).pod);
                             })
      .def("info", info)
      .def("plugins", plugins);
  Class<Queue>(module, "Queue")
      .def(py::init(&create_queue))
      .def("add", unlocked_call<libsched_queue_add>)
      .def("update", unlocked_call<libsched_queue_update>)
      .def("delete", unlocked_call<libsched_queue_delete>)
      .def("pop", pop)
      .def("pop_specific", pop_specific)
      .def("done", unlocked_call<libsched_queue_done>)
      .def("add_unschedulable", add_unschedulable)
      .def("move_all", move_all)
      .def("node_updated", node_updated)
      .def("assigned_pod_added", unlocked_call<libsched_queue_assigned_pod_added>)
      .def("assigned_pod_updated", unlocked_call<libsched_queue_assigned_pod_updated>)
      .def("activate", activate)
      .def("flush_backoff", unlocked_call<libsched_queue_flush_backoff>)
      .def("flush_unschedulable", unlocked_call<libsched_queue_flush_unschedulable>)
      .def("run", unlocked_call<libsched_queue_run>)
      .def("next_due", quick_call<libsched_queue_next_due>)
      .def("run_due", unlocked_call<libsched_queue_run_due>)
      .def("close", unlocked_call<libsched_queue_close>)
      .def("pods", pods)
      .def("in_flight", in_flight)
      .def("nominated", nominated)
      .def("counts", counts)
      .def("metrics", quick_call<libsched_queue_metrics_json>);
}

}  // namespace libsched
