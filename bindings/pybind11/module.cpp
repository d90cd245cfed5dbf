// libsched._core: the C API as Python classes, one to one. The package libsched builds its public
// classes on these; nothing here is meant for users.
//
// The GIL is released around every call that may run long. Objects for one thread at a time are
// locked (lock.hpp), so neither threads nor os.fork() can corrupt anything.
#include "binding.hpp"

namespace {

void fill(py::module_& module) {
  module.doc() = "The C API of libsched, one to one; use the package libsched instead.";
  libsched::watch_for_fork();

  module.def("version", [] { return libsched_version(); });
  module.def("abi_version", [] { return libsched_abi_version(); });
  module.def("k8s_version", [] { return libsched_k8s_version(); });
  module.attr("ABI_VERSION") = LIBSCHED_ABI_VERSION;  // of the header it was compiled with
  module.def("code_name", [](int32_t code) -> std::optional<std::string_view> {
    const char* name = libsched_code_name(code);
    return name == nullptr ? std::nullopt : std::optional<std::string_view>(name);
  });

  libsched::bind_objects(module);
  libsched::bind_view(module);
  libsched::bind_cluster(module);
  libsched::bind_lent(module);
  libsched::bind_services(module);
  libsched::bind_plugins(module);
  libsched::bind_framework(module);
  libsched::bind_cycle_state(module);
  libsched::bind_decision(module);
  libsched::bind_evaluator(module);
  libsched::bind_schedule(module);
  libsched::bind_scheduling(module);
  libsched::bind_answers(module);
  libsched::bind_queue(module);
  libsched::bind_simulation(module);
  libsched::bind_api_server(module);
  libsched::bind_loop(module);
  libsched::bind_sim(module);
  libsched::bind_cel(module);
}

// Once there is a module, another import gets it again.
PyObject* made = nullptr;

PyObject* create(PyObject* spec, PyModuleDef*) {
  if (made != nullptr) return Py_NewRef(made);
  PyObject* const name = PyObject_GetAttrString(spec, "name");
  PyObject* const module = name == nullptr ? nullptr : PyModule_NewObject(name);
  Py_XDECREF(name);
  return module;
}

int execute(PyObject* object) {
  if (made == object) return 0;
  try {
    PYBIND11_ENSURE_INTERNALS_READY
    auto module = py::reinterpret_borrow<py::module_>(object);
    fill(module);
    made = module.release().ptr();
    return 0;
  }
  // Not PYBIND11_CATCH_INIT_EXCEPTIONS, which returns a null pointer in older releases of pybind11.
  catch (py::error_already_set& e) {
    py::raise_from(e, PyExc_ImportError, "initialization failed");
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_ImportError, e.what());
  }
  return -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_create, reinterpret_cast<void*>(create)},
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, nullptr},
};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", nullptr, 0, nullptr, slots, nullptr, nullptr, nullptr};

}  // namespace

// Not PYBIND11_MODULE: its first step waits for ever in another than the main interpreter.
extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  PYBIND11_CHECK_PYTHON_VERSION
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "libsched can be imported in the main interpreter alone, not in another one of "
                    "the process");
    return nullptr;
  }
  return PyModuleDef_Init(&definition);
}
