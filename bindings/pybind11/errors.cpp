// Errors, strings and documents between C and Python.
//
// The exception classes are Python's (libsched/errors.py); this file only finds the right one.
#include "binding.hpp"

namespace libsched {

void raise(libsched_rc code, std::string_view message, std::string_view path,
           std::string_view plugin) {
  const py::object error = call(py::module_::import("libsched.errors").attr("from_code"),
                                py::int_(static_cast<int>(code)), from_str(to_str(message)),
                                from_str(to_str(path)), from_str(to_str(plugin)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

namespace {

thread_local PyObject* kept = nullptr;  // owned

}  // namespace

py::object value_of(py::error_already_set& error) {
  if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
  return error.value();
}

void keep_exception(py::object exception) {
  if (kept == nullptr) kept = exception.release().ptr();
}

void keep_exception(py::error_already_set& error) { keep_exception(value_of(error)); }

void keep_no_memory() noexcept {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_NoMemory();
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  keep_exception(py::reinterpret_steal<py::object>(value));
}

bool has_kept_exception() { return kept != nullptr; }

CallsOfSlot::CallsOfSlot() : outer_(std::exchange(kept, nullptr)) {}
CallsOfSlot::~CallsOfSlot() {
  if (outer_ == nullptr) return;
  PyObject* inner = std::exchange(kept, outer_);
  Py_XDECREF(inner);
}

void check(libsched_rc code, libsched_error* error) {
  const ErrorHandle owned(error);
  if (kept != nullptr) {
    const auto exception = py::reinterpret_steal<py::object>(std::exchange(kept, nullptr));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    throw py::error_already_set();
  }
  if (code == LIBSCHED_OK) return;
  if (!owned) raise(code, "no details are known");
  raise(code, to_view(libsched_error_message(error)), to_view(libsched_error_path(error)),
        to_view(libsched_error_plugin(error)));
}

py::str from_str(libsched_str text) {
  PyObject* made = PyUnicode_DecodeUTF8(text.len == 0 ? "" : text.ptr,
                                        static_cast<Py_ssize_t>(text.len), "replace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

py::str from_text(const TextHandle& text) { return from_str(libsched_text_get(text.get())); }

Document::Document(py::handle source) {
  if (PyUnicode_Check(source.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (text == nullptr) throw py::error_already_set();
    str_ = {text, static_cast<size_t>(size)};
    return;
  }
  if (PyObject_GetBuffer(source.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  str_ = {static_cast<const char*>(buffer_.buf), static_cast<size_t>(buffer_.len)};
}

Document::~Document() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

py::tuple status_tuple(const libsched_status* status) {
  const size_t count = libsched_status_reason_count(status);
  py::tuple reasons(count);
  for (size_t i = 0; i < count; ++i) reasons[i] = from_str(libsched_status_reason(status, i));
  const libsched_code code = libsched_status_code(status);
  const py::str plugin = from_str(libsched_status_plugin(status));
  libsched_str error{nullptr, 0};
  if (code != LIBSCHED_CODE_SUCCESS && libsched_status_as_error(status, &error)) {
    std::string all;
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) all += ", ";
      all += to_view(libsched_status_reason(status, i));
    }
    if (all != to_view(error)) {
      return py::make_tuple(code, plugin, std::move(reasons), from_str(error));
    }
  }
  return py::make_tuple(code, plugin, std::move(reasons));
}

StatusHandle create_status() {
  StatusHandle status;
  quick(libsched_status_create, into(status));
  return status;
}

}  // namespace libsched
