// Slots of Python plugins from Reserve to PostBind: all get the pod and a node's name.
#include "plugin.hpp"

namespace libsched {
namespace {

libsched_code reserve(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                      uint32_t, libsched_str node_name, libsched_status* status) {
  return run_slot(instance, Method::kReserve, status, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    return status_from(call(method, lent, python_pod(pod), from_str(node_name)), Method::kReserve,
                       status);
  });
}

void unreserve(void* instance, libsched_cycle_state* state, const libsched_pod* pod, uint32_t,
               libsched_str node_name) {
  run_slot(instance, Method::kUnreserve, nullptr, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    call(method, lent, python_pod(pod), from_str(node_name));
    return LIBSCHED_CODE_SUCCESS;
  });
}

// Permit returns a status, or a tuple of a status and the time for which the pod may wait.
libsched_code permit(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                     libsched_str node_name, int64_t* timeout_ns, libsched_status* status) {
  return run_slot(instance, Method::kPermit, status, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    const py::object result = call(method, lent, python_pod(pod), from_str(node_name));
    if (!PyTuple_Check(result.ptr()) || PyTuple_GET_SIZE(result.ptr()) != 2) {
      return status_from(result, Method::kPermit, status);
    }
    *timeout_ns = nanoseconds_from(PyTuple_GET_ITEM(result.ptr(), 1));
    return status_from(PyTuple_GET_ITEM(result.ptr(), 0), Method::kPermit, status);
  });
}

// PreBindPreFlight returns a status, or a tuple of a status and whether it may run concurrently.
libsched_code pre_bind_pre_flight(void* instance, libsched_cycle_state* state,
                                  const libsched_pod* pod, libsched_str node_name,
                                  bool* allow_parallel, libsched_status* status) {
  return run_slot(
      instance, Method::kPreBindPreFlight, status, [&](const Instance&, PyObject* method) {
        const LentState lent(state);
        const py::object result = call(method, lent, python_pod(pod), from_str(node_name));
        if (!PyTuple_Check(result.ptr()) || PyTuple_GET_SIZE(result.ptr()) != 2) {
          return status_from(result, Method::kPreBindPreFlight, status);
        }
        *allow_parallel = py::bool_(result[py::int_(1)]);
        return status_from(PyTuple_GET_ITEM(result.ptr(), 0), Method::kPreBindPreFlight, status);
      });
}

template <Method which>
libsched_code on_node(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                      libsched_str node_name, libsched_status* status) {
  return run_slot(instance, which, status, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    return status_from(call(method, lent, python_pod(pod), from_str(node_name)), which, status);
  });
}

void post_bind(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
               libsched_str node_name) {
  run_slot(instance, Method::kPostBind, nullptr, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    call(method, lent, python_pod(pod), from_str(node_name));
    return LIBSCHED_CODE_SUCCESS;
  });
}

}  // namespace

void set_binding_slots(const PythonPlugin& plugin, libsched_plugin* slots) {
  if (has(plugin, Method::kReserve)) slots->reserve = reserve;
  if (has(plugin, Method::kUnreserve)) slots->unreserve = unreserve;
  if (has(plugin, Method::kPermit)) slots->permit = permit;
  if (has(plugin, Method::kPreBindPreFlight)) slots->pre_bind_pre_flight = pre_bind_pre_flight;
  if (has(plugin, Method::kPreBind)) slots->pre_bind = on_node<Method::kPreBind>;
  if (has(plugin, Method::kBind)) slots->bind = on_node<Method::kBind>;
  if (has(plugin, Method::kPostBind)) slots->post_bind = post_bind;
}

}  // namespace libsched
