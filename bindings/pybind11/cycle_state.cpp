// _core.CycleState: one scheduling cycle's data, with Python objects in it.
//
// All Python values are in one dict, stored under its own key. Cloning a state from Python
// copies the dict in the library's callback, while the state is locked, and clones the values
// afterwards; if the library clones a state by itself, the callback does both.
#include "calls.hpp"

namespace libsched {
namespace {

constexpr std::string_view kPythonKey = "libsched/python";

thread_local bool copies_only = false;

void clone_values(const py::dict& values, py::handle clone_value) {
  for (const py::handle key : py::list(values.attr("keys")()))
    values[key] = call(clone_value, py::object(values[key]));
}

void* clone_locked_dict(void* data) {
  PyObject* copy = PyDict_Copy(static_cast<PyObject*>(data));
  if (copies_only || copy == nullptr) return copy;
  try {
    const CallsOfSlot calls;
    clone_values(py::reinterpret_borrow<py::dict>(copy),
                 py::module_::import("libsched.state").attr("_clone_value"));
  } catch (py::error_already_set& error) {
    keep_exception(error);
  }
  return copy;
}

void* clone_dict(void* data) {
  return locked_or(static_cast<void*>(nullptr), [&] { return clone_locked_dict(data); });
}

void destroy_dict(void* data) {
  if (data == nullptr || Py_IsInitialized() == 0) return;
  locked([&] { Py_DECREF(static_cast<PyObject*>(data)); });
}

// The dict of a state, borrowed; NULL if nothing was written yet.
PyObject* dict_of(const CycleState& state) {
  return static_cast<PyObject*>(libsched_cycle_state_read(state.get(), to_str(kPythonKey)));
}

void write(CycleState& state, const py::str& key, const py::object& value) {
  const Holding holding(state.lock.get());
  if (PyObject* dict = dict_of(state); dict != nullptr) {
    // The old value's finalizer must not run under the lock, so the value is kept until later.
    const py::object old = py::reinterpret_borrow<py::object>(PyDict_GetItem(dict, key.ptr()));
    if (PyDict_SetItem(dict, key.ptr(), value.ptr()) != 0) throw py::error_already_set();
    return;
  }
  py::dict dict;
  dict[key] = value;
  quick(libsched_cycle_state_write, state.get(), to_str(kPythonKey), dict.release().ptr(),
        clone_dict, destroy_dict);
}

// (True, value) or (False, None)
std::tuple<bool, py::object> read(const CycleState& state, const py::str& key) {
  PyObject* dict = dict_of(state);
  PyObject* value = dict == nullptr ? nullptr : PyDict_GetItem(dict, key.ptr());
  if (value == nullptr) return {false, py::none()};
  return {true, py::reinterpret_borrow<py::object>(value)};
}

std::vector<py::str> keys(const CycleState& state) {
  std::vector<py::str> out;
  if (PyObject* dict = dict_of(state); dict != nullptr)
    for (const py::handle key : py::reinterpret_steal<py::list>(PyDict_Keys(dict)))
      out.push_back(py::reinterpret_borrow<py::str>(key));
  return out;
}

bool erase(CycleState& state, const py::str& key) {
  PyObject* dict = dict_of(state);
  if (dict == nullptr || PyDict_Contains(dict, key.ptr()) != 1) return false;
  return PyDict_DelItem(dict, key.ptr()) == 0;
}

// `clone_value` is called for every value, after the library's part is done.
CycleState clone_state(const CycleState& state, const py::function& clone_value) {
  StateHandle out;
  {
    const Holding holding(state.lock.get());
    quick([&](libsched_error** error) {
      const bool before = std::exchange(copies_only, true);
      const libsched_rc code = libsched_cycle_state_clone(state.get(), into(out), error);
      copies_only = before;
      return code;
    });
  }
  CycleState made;
  made.handle = std::move(out);
  if (PyObject* dict = dict_of(made); dict != nullptr) {
    clone_values(py::reinterpret_borrow<py::dict>(dict), clone_value);
  }
  return made;
}

// [(namespace, name)]
auto take_activations(CycleState& state) {
  const Holding holding(state.lock.get());
  auto pods = collect(libsched_cycle_state_activation_count(state.get()), [&](size_t i) {
    const libsched_pod* pod = libsched_cycle_state_activation(state.get(), i);
    return tuple_of(libsched_pod_namespace(pod), libsched_pod_name(pod));
  });
  libsched_cycle_state_clear_activations(state.get());
  return pods;
}

// Those of the evaluator that runs the slot.
std::optional<Services> services(const CycleState& state) {
  libsched_evaluator* evaluator = libsched_cycle_state_evaluator(state.get());
  if (evaluator == nullptr) return std::nullopt;
  return own(libsched_evaluator_services(evaluator));
}

}  // namespace

void bind_cycle_state(py::module_& module) {
  Class<CycleState>(module, "CycleState")
      .def(py::init(&created<CycleState, libsched_cycle_state_create>))
      .def("write", write)
      .def("read", read)
      .def("delete", erase)
      .def("keys", keys)
      .def("clone", clone_state)
      .def("skips_filter", quick_call<libsched_cycle_state_skips_filter>)
      .def("skips_score", quick_call<libsched_cycle_state_skips_score>)
      .def("skips_pre_bind", quick_call<libsched_cycle_state_skips_pre_bind>)
      .def("parallel_pre_bind", quick_call<libsched_cycle_state_parallel_pre_bind>)
      .def("activate", quick_call<libsched_cycle_state_activate>)
      .def("take_activations", take_activations)
      .def_property_readonly(
          "view_address",  // of the view in a slot
          [](const CycleState& state) {
            return reinterpret_cast<uintptr_t>(libsched_cycle_state_view(state.get()));
          })
      .def_property_readonly("services", services);
}

}  // namespace libsched
