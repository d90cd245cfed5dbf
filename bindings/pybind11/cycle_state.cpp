// _core.CycleState: one scheduling cycle's data, with Python objects in it.
//
// All Python values live in one dict, stored under a key of its own. Cloning a state copies the
// dict inside the library's callback, where no Python code may run, and clones the values after it.
#include "binding.hpp"

namespace libsched {
namespace {

constexpr std::string_view kPythonKey = "libsched/python";

void* clone_dict(void* data) {
  py::gil_scoped_acquire acquired;
  return PyDict_Copy(static_cast<PyObject*>(data));
}

void destroy_dict(void* data) {
  if (data == nullptr || Py_IsInitialized() == 0) return;
  py::gil_scoped_acquire acquired;
  Py_DECREF(static_cast<PyObject*>(data));
}

// The dict of a state, borrowed; NULL if nothing was written yet.
PyObject* dict_of(const CycleState& state) {
  return static_cast<PyObject*>(libsched_cycle_state_read(state.handle.get(), to_str(kPythonKey)));
}

CycleState create_state() {
  libsched_cycle_state* out = nullptr;
  quick([&](libsched_error** error) { return libsched_cycle_state_create(&out, error); });
  return {StateHandle(out)};
}

void write(CycleState& state, const py::str& key, const py::object& value) {
  const Holding holding(state.lock.get());
  if (PyObject* dict = dict_of(state); dict != nullptr) {
    // What the old value does when it goes must not happen under the lock: keep it until then.
    const py::object old = py::reinterpret_borrow<py::object>(PyDict_GetItem(dict, key.ptr()));
    if (PyDict_SetItem(dict, key.ptr(), value.ptr()) != 0) throw py::error_already_set();
    return;
  }
  py::dict dict;
  dict[key] = value;
  quick([&](libsched_error** error) {
    return libsched_cycle_state_write(state.handle.get(), to_str(kPythonKey), dict.release().ptr(),
                                      clone_dict, destroy_dict, error);
  });
}

// (True, value) or (False, None)
py::tuple read(const CycleState& state, const py::str& key) {
  PyObject* dict = dict_of(state);
  PyObject* value = dict == nullptr ? nullptr : PyDict_GetItem(dict, key.ptr());
  if (value == nullptr) return py::make_tuple(false, py::none());
  return py::make_tuple(true, py::reinterpret_borrow<py::object>(value));
}

py::list keys(const CycleState& state) {
  PyObject* dict = dict_of(state);
  return dict == nullptr ? py::list() : py::reinterpret_steal<py::list>(PyDict_Keys(dict));
}

bool erase(CycleState& state, const py::str& key) {
  PyObject* dict = dict_of(state);
  if (dict == nullptr || PyDict_Contains(dict, key.ptr()) != 1) return false;
  return PyDict_DelItem(dict, key.ptr()) == 0;
}

// `clone_value` is called for every value, after the library's part is done.
CycleState clone_state(const CycleState& state, const py::function& clone_value) {
  libsched_cycle_state* out = nullptr;
  {
    const Holding holding(state.lock.get());
    quick([&](libsched_error** error) {
      return libsched_cycle_state_clone(state.handle.get(), &out, error);
    });
  }
  CycleState made{StateHandle(out)};
  if (PyObject* dict = dict_of(made); dict != nullptr) {
    const auto values = py::reinterpret_borrow<py::dict>(dict);
    for (const py::handle key : py::list(values.attr("keys")()))
      values[key] = clone_value(values[key]);
  }
  return made;
}

}  // namespace

void bind_cycle_state(py::module_& module) {
  py::class_<CycleState>(module, "CycleState")
      .def(py::init(&create_state))
      .def("write", write)
      .def("read", read)
      .def("delete", erase)
      .def("keys", keys)
      .def("clone", clone_state)
      .def("skips_filter",
           [](const CycleState& state, std::string_view plugin) {
             const Holding holding(state.lock.get());
             return libsched_cycle_state_skips_filter(state.handle.get(), to_str(plugin));
           })
      .def("skips_score", [](const CycleState& state, std::string_view plugin) {
        const Holding holding(state.lock.get());
        return libsched_cycle_state_skips_score(state.handle.get(), to_str(plugin));
      });
}

}  // namespace libsched
