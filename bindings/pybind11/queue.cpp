// _core.Queue, _core.QueuedPod: the scheduling queue.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "queue.hpp"

namespace libsched {
namespace {

// Runs a change of the queue. Plugins go on being asked after one has raised.
template <typename Call>
void change(Queue& queue, Call&& call) {
  const HoldingBoth holding(*queue.locks);
  const AskAfterExceptions asking;
  unlocked([&](libsched_error** error) { return call(queue.handle.get(), error); });
}
template <libsched_rc (*call)(libsched_queue*, libsched_error**)>
void simple_change(Queue& queue) {
  change(queue, call);
}

std::unique_ptr<Queue> create_queue(const std::vector<Evaluator*>& evaluators,
                                    int64_t initial_backoff_ns, int64_t max_backoff_ns,
                                    int64_t max_in_unschedulable_ns) {
  libsched_queue_options options = LIBSCHED_QUEUE_OPTIONS_INIT;
  options.initial_backoff_ns = initial_backoff_ns;
  options.max_backoff_ns = max_backoff_ns;
  options.max_in_unschedulable_ns = max_in_unschedulable_ns;
  std::vector<libsched_evaluator*> profiles;
  auto made = std::make_unique<Queue>();
  for (const Evaluator* evaluator : evaluators) {
    profiles.push_back(evaluator->handle.get());
    *made->locks = {evaluator->lock, evaluator->services_lock};
    made->services.reset(
        libsched_services_ref(libsched_evaluator_services(evaluator->handle.get())));
  }
  const HoldingBoth holding(*made->locks);
  unlocked([&](libsched_error** error) {
    return libsched_queue_create(profiles.data(), profiles.size(), &options, into(made->handle),
                                 error);
  });
  return made;
}

py::object own_queued(const Queue& queue, QueuedPodHandle handle) {
  if (!handle) return py::none();
  return py::cast(std::make_unique<QueuedPod>(QueuedPod{std::move(handle), queue.locks}));
}

// A popped pod is not lost because a plugin has raised: that exception is told as unraisable.
template <typename Call>
py::object popped(Queue& queue, Call&& call) {
  QueuedPodHandle handle;
  try {
    change(queue,
           [&](libsched_queue* q, libsched_error** error) { return call(q, into(handle), error); });
  } catch (py::error_already_set& error) {
    if (!handle) throw;
    error.discard_as_unraisable("Queue.pop");
  }
  return own_queued(queue, std::move(handle));
}
py::object pop(Queue& queue) { return popped(queue, libsched_queue_pop); }
py::object pop_specific(Queue& queue, const Pod& pod) {
  return popped(queue, [&](libsched_queue* q, libsched_queued_pod** out, libsched_error** error) {
    return libsched_queue_pop_specific(q, pod.handle.get(), out, error);
  });
}

std::vector<libsched_str> names_of(const std::vector<std::string_view>& names) {
  std::vector<libsched_str> out;
  for (const std::string_view name : names) out.push_back(to_str(name));
  return out;
}

void add_unschedulable(Queue& queue, QueuedPod& queued, const Pod* pod,
                       const std::vector<std::string_view>& unschedulable,
                       const std::vector<std::string_view>& pending) {
  const std::vector<libsched_str> first = names_of(unschedulable), second = names_of(pending);
  libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
  rejection.unschedulable = first.data();
  rejection.unschedulable_count = first.size();
  rejection.pending = second.data();
  rejection.pending_count = second.size();
  change(queue, [&](libsched_queue* q, libsched_error** error) {
    return libsched_queue_add_unschedulable(
        q, queued.handle.get(), pod == nullptr ? nullptr : pod->handle.get(), &rejection, error);
  });
}

void set_check(libsched_queue_event* event, std::optional<int32_t> max_priority,
               const Pod* except) {
  if (max_priority) {
    event->check = LIBSCHED_MOVE_MAX_PRIORITY;
    event->max_priority = *max_priority;
  } else if (except != nullptr) {
    event->check = LIBSCHED_MOVE_EXCEPT;
    event->except = except->handle.get();
  }
}

// A Pod, Node or Objects, or None.
void set_object(py::handle object, const libsched_pod** pod, const libsched_node** node,
                const libsched_objects** objects) {
  if (object.is_none()) return;
  if (py::isinstance<Pod>(object)) {
    *pod = object.cast<const Pod&>().handle.get();
  } else if (py::isinstance<Node>(object)) {
    *node = object.cast<const Node&>().handle.get();
  } else {
    *objects = object.cast<const Objects&>().handle.get();
  }
}

void move_all(Queue& queue, std::string_view resource, int64_t actions, std::string_view label,
              const py::object& before, const py::object& after,
              std::optional<int32_t> max_priority, const Pod* except) {
  libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
  event.resource = to_str(resource);
  event.actions = actions;
  event.label = to_str(label);
  set_object(before, &event.old_pod, &event.old_node, &event.old_object);
  set_object(after, &event.new_pod, &event.new_node, &event.new_object);
  set_check(&event, max_priority, except);
  change(queue, [&](libsched_queue* q, libsched_error** error) {
    return libsched_queue_move_all(q, &event, error);
  });
}
void node_updated(Queue& queue, const Node& before, const Node& after,
                  std::optional<int32_t> max_priority, const Pod* except) {
  libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
  set_check(&event, max_priority, except);
  change(queue, [&](libsched_queue* q, libsched_error** error) {
    return libsched_queue_node_updated(q, before.handle.get(), after.handle.get(), &event, error);
  });
}

template <libsched_rc (*call)(libsched_queue*, const libsched_pod*, libsched_error**)>
void of_pod(Queue& queue, const Pod& pod) {
  change(queue, [&](libsched_queue* q, libsched_error** error) {
    return call(q, pod.handle.get(), error);
  });
}
template <libsched_rc (*call)(libsched_queue*, const libsched_pod*, const libsched_pod*,
                              libsched_error**)>
void of_pods(Queue& queue, const Pod& before, const Pod& after) {
  change(queue, [&](libsched_queue* q, libsched_error** error) {
    return call(q, before.handle.get(), after.handle.get(), error);
  });
}
void done(Queue& queue, std::string_view uid) {
  change(queue, [&](libsched_queue* q, libsched_error** error) {
    return libsched_queue_done(q, to_str(uid), error);
  });
}
void activate(Queue& queue, const std::vector<Pod*>& pods) {
  std::vector<const libsched_pod*> list;
  for (const Pod* pod : pods) list.push_back(pod->handle.get());
  change(queue, [&](libsched_queue* q, libsched_error** error) {
    return libsched_queue_activate(q, list.data(), list.size(), error);
  });
}

std::optional<int64_t> next_due(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  int64_t due = 0;
  if (!libsched_queue_next_due(queue.handle.get(), &due)) return std::nullopt;
  return due;
}

py::list list(const Queue& queue, uint32_t part) {
  const HoldingBoth holding(*queue.locks);
  std::vector<const libsched_queued_pod*> pods;
  size_t count = 0;
  const auto fill = [&] {
    quick([&](libsched_error** error) {
      return libsched_queue_list(queue.handle.get(), part, pods.data(), pods.size(), &count, error);
    });
  };
  fill();
  pods.resize(count);
  fill();
  py::list out;
  for (const libsched_queued_pod* pod : pods) {
    out.append(own_queued(
        queue, QueuedPodHandle(libsched_queued_pod_ref(const_cast<libsched_queued_pod*>(pod)))));
  }
  return out;
}

// Pods, and labels of events.
py::list in_flight(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  std::vector<libsched_in_flight> entries(libsched_queue_in_flight(queue.handle.get(), nullptr, 0));
  libsched_queue_in_flight(queue.handle.get(), entries.data(), entries.size());
  py::list out;
  for (const libsched_in_flight& entry : entries) {
    out.append(entry.pod != nullptr ? own_pod(entry.pod) : py::object(from_str(entry.event)));
  }
  return out;
}

// [(node, pod)]
py::list nominated(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  std::vector<libsched_nominated_pod> entries(
      libsched_services_nominated_pods(queue.services.get(), nullptr, 0));
  libsched_services_nominated_pods(queue.services.get(), entries.data(), entries.size());
  py::list out;
  for (const libsched_nominated_pod& entry : entries) {
    out.append(py::make_tuple(from_str(entry.node_name), own_pod(entry.pod)));
  }
  return out;
}

// (active, backoff, error backoff, unschedulable, gated, pods and events in flight, scheduling
// cycle, move request cycle, closed)
py::tuple counts(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  libsched_queue_counts c = LIBSCHED_QUEUE_COUNTS_INIT;
  quick([&](libsched_error** error) { return libsched_queue_get(queue.handle.get(), &c, error); });
  return py::make_tuple(c.active, c.backoff, c.error_backoff, c.unschedulable, c.gated,
                        c.in_flight_pods, c.in_flight_events, c.scheduling_cycle,
                        c.move_request_cycle, c.closed);
}

py::str metrics(const Queue& queue) {
  const HoldingBoth holding(*queue.locks);
  TextHandle text;
  quick([&](libsched_error** error) {
    return libsched_queue_metrics_json(queue.handle.get(), into(text), error);
  });
  return from_text(text);
}

libsched_queued_pod_info read(const QueuedPod& queued) {
  libsched_queued_pod_info i = LIBSCHED_QUEUED_POD_INFO_INIT;
  quick([&](libsched_error** error) {
    return libsched_queued_pod_get(queued.handle.get(), &i, error);
  });
  return i;
}

py::object time_of(int64_t ns) {
  return ns == LIBSCHED_NO_TIME ? py::object(py::none()) : py::object(py::int_(ns));
}

// (attempts, timestamp, initial attempt, backoff expiration, unschedulable count, consecutive
// errors, was flushed, gating plugin)
py::tuple info(const QueuedPod& queued) {
  const HoldingBoth holding(*queued.locks);
  const libsched_queued_pod_info i = read(queued);
  return py::make_tuple(i.attempts, i.timestamp_ns, time_of(i.initial_attempt_ns),
                        time_of(i.backoff_expiration_ns), i.unschedulable_count,
                        i.consecutive_errors_count, i.was_flushed, from_str(i.gating_plugin));
}

py::tuple plugins(const QueuedPod& queued, bool pending) {
  const HoldingBoth holding(*queued.locks);
  std::vector<libsched_str> names;
  size_t count = 0;
  const auto fill = [&] {
    quick([&](libsched_error** error) {
      return libsched_queued_pod_plugins(queued.handle.get(), pending, names.data(), names.size(),
                                         &count, error);
    });
  };
  fill();
  names.resize(count);
  fill();
  py::tuple out(count);
  for (size_t i = 0; i < count; ++i) out[i] = from_str(names[i]);
  return out;
}

}  // namespace

void bind_queue(py::module_& module) {
  Class<QueuedPod>(module, "QueuedPod")
      .def_property_readonly("pod",
                             [](const QueuedPod& queued) {
                               const HoldingBoth holding(*queued.locks);
                               return own_pod(read(queued).pod);
                             })
      .def("info", info)
      .def("plugins", plugins);
  Class<Queue>(module, "Queue")
      .def(py::init(&create_queue))
      .def("add", of_pod<libsched_queue_add>)
      .def("update", of_pods<libsched_queue_update>)
      .def("delete", of_pod<libsched_queue_delete>)
      .def("pop", pop)
      .def("pop_specific", pop_specific)
      .def("done", done)
      .def("add_unschedulable", add_unschedulable)
      .def("move_all", move_all)
      .def("node_updated", node_updated)
      .def("assigned_pod_added", of_pod<libsched_queue_assigned_pod_added>)
      .def("assigned_pod_updated", of_pods<libsched_queue_assigned_pod_updated>)
      .def("activate", activate)
      .def("flush_backoff", simple_change<libsched_queue_flush_backoff>)
      .def("flush_unschedulable", simple_change<libsched_queue_flush_unschedulable>)
      .def("run", simple_change<libsched_queue_run>)
      .def("next_due", next_due)
      .def("run_due", simple_change<libsched_queue_run_due>)
      .def("close", simple_change<libsched_queue_close>)
      .def("list", list)
      .def("in_flight", in_flight)
      .def("nominated", nominated)
      .def("counts", counts)
      .def("metrics", metrics);
}

}  // namespace libsched
