// Slots of Python plugins around the queue, signatures and events.
#include "plugin.hpp"

namespace libsched {
namespace {

bool less(void* instance, const libsched_pod* a, int64_t a_since_ns, const libsched_pod* b,
          int64_t b_since_ns) {
  bool before = false;
  run_slot(instance, Method::kLess, nullptr, [&](const Instance&, PyObject* method) {
    const Wrappers& wrap = Wrappers::get();
    const py::object one =
        call(wrap.queued, call(wrap.pod, py::cast(own(a))), py::int_(a_since_ns));
    const py::object other =
        call(wrap.queued, call(wrap.pod, py::cast(own(b))), py::int_(b_since_ns));
    before = py::bool_(call(method, one, other));
    return LIBSCHED_CODE_SUCCESS;
  });
  return before;
}

libsched_code pre_enqueue(void* instance, const libsched_pod* pod, libsched_status* status) {
  return run_slot(instance, Method::kPreEnqueue, status, [&](const Instance&, PyObject* method) {
    return status_from(call(method, python_pod(pod)), Method::kPreEnqueue, status);
  });
}

// sign_pod returns a dict of parts, a status, or both as a tuple. _lent makes each part JSON.
libsched_code sign(void* instance, const libsched_pod* pod, libsched_signature* signature,
                   libsched_status* status) {
  return run_slot(instance, Method::kSignPod, status, [&](const Instance&, PyObject* method) {
    const py::object parted = call(Wrappers::get().signature, call(method, python_pod(pod)));
    for (const py::handle part : parted[py::int_(0)]) {
      libsched_signature_add(signature, to_str(part[py::int_(0)].cast<std::string_view>()),
                             to_str(part[py::int_(1)].cast<std::string_view>()));
    }
    return status_from(parted[py::int_(1)], status);
  });
}

libsched_code events_to_register(void* instance, libsched_events* events, libsched_status* status) {
  return run_slot(
      instance, Method::kEventsToRegister, status, [&](const Instance& self, PyObject* method) {
        const bool hints = has(*self.plugin, Method::kQueueingHint);
        const py::list given = call(Wrappers::get().events, call(method));
        for (const py::handle event : given) {
          libsched_events_add(events, to_str(event.attr("resource").cast<std::string_view>()),
                              event.attr("actions").cast<int64_t>(), hints);
        }
        instance_of(instance).events = given;
        return LIBSCHED_CODE_SUCCESS;
      });
}

using LentObjectChange = Loan<LentChange>;

libsched_code queueing_hint(void* instance, size_t index, const libsched_pod* pod,
                            const libsched_object_change* change, bool* queue,
                            libsched_status* status) {
  return run_slot(
      instance, Method::kQueueingHint, status, [&](const Instance& self, PyObject* method) {
        const LentObjectChange lent(Wrappers::get().change,
                                    [&](LentChange& core) { core.handle = change; });
        const py::object event =
            index < self.events.size() ? py::object(self.events[index]) : py::object(py::none());
        *queue = py::bool_(call(method, event, python_pod(pod), lent));
        return LIBSCHED_CODE_SUCCESS;
      });
}

void on_event(void* instance, libsched_services* services, const libsched_view* view,
              const libsched_object_change* change) {
  run_slot(instance, Method::kOnEvent, nullptr, [&](const Instance&, PyObject* method) {
    const LentObjectChange lent(Wrappers::get().change,
                                [&](LentChange& core) { core.handle = change; });
    const py::object handle =
        call(Wrappers::get().handle, py::int_(reinterpret_cast<uintptr_t>(view)),
             py::cast(own(services)));
    call(method, lent, handle);
    return LIBSCHED_CODE_SUCCESS;
  });
}

template <Method which>
void fork_hook(void* instance, const libsched_view* view) {
  run_slot(instance, which, nullptr, [&](const Instance&, PyObject* method) {
    call(method, call(Wrappers::get().view, py::int_(reinterpret_cast<uintptr_t>(view))));
    return LIBSCHED_CODE_SUCCESS;
  });
}

}  // namespace

void set_queue_slots(const PythonPlugin& plugin, libsched_plugin* slots) {
  if (has(plugin, Method::kLess)) slots->less = less;
  if (has(plugin, Method::kPreEnqueue)) slots->pre_enqueue = pre_enqueue;
  if (has(plugin, Method::kSignPod)) slots->sign = sign;
}

void set_event_slots(const PythonPlugin& plugin, libsched_plugin* slots) {
  if (has(plugin, Method::kEventsToRegister)) slots->events_to_register = events_to_register;
  if (has(plugin, Method::kQueueingHint)) slots->queueing_hint = queueing_hint;
  if (has(plugin, Method::kOnEvent)) slots->on_event = on_event;
  if (has(plugin, Method::kForked)) slots->forked = fork_hook<Method::kForked>;
  if (has(plugin, Method::kReverted)) slots->reverted = fork_hook<Method::kReverted>;
  if (has(plugin, Method::kCommitted)) slots->committed = fork_hook<Method::kCommitted>;
}

}  // namespace libsched
