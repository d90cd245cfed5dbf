// Shared by all files of the binding: errors, strings, documents, calls without the GIL.
#pragma once

#include <libsched.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string_view>
#include <utility>

#include "class.hpp"
#include "gil.hpp"
#include "handles.hpp"

namespace py = pybind11;

namespace libsched {

// Raises the exception of libsched.errors for a return code.
[[noreturn]] void raise(libsched_rc code, std::string_view message, std::string_view path = {},
                        std::string_view plugin = {});
// Raises if `code` is not LIBSCHED_OK or a plugin has raised; always takes the error over.
void check(libsched_rc code, libsched_error* error);

// The exception with its traceback, which error_already_set keeps beside it.
py::object value_of(py::error_already_set& error);
// Keeps an exception that left a slot of a plugin until the end of the call that ran it; the first
// exception of a call is kept. check() raises it.
void keep_exception(py::object exception);
void keep_exception(py::error_already_set& error);
// Tells whether the current call has kept an exception.
bool has_kept_exception();

// During its lifetime, calls are made by a slot itself: they raise their own exceptions, and
// never the exception kept for the call that ran the slot. Needs the GIL.
class CallsOfSlot {
 public:
  CallsOfSlot();
  ~CallsOfSlot();
  CallsOfSlot(const CallsOfSlot&) = delete;
  CallsOfSlot& operator=(const CallsOfSlot&) = delete;

 private:
  PyObject* outer_;  // owned
};

inline std::string_view to_view(libsched_str text) {
  return {text.ptr == nullptr ? "" : text.ptr, text.len};
}
inline libsched_str to_str(std::string_view text) { return {text.data(), text.size()}; }
// None becomes {NULL, 0}; an empty text keeps a pointer.
inline libsched_str to_str(const std::optional<std::string_view>& text) {
  return text ? libsched_str{text->data() == nullptr ? "" : text->data(), text->size()}
              : libsched_str{nullptr, 0};
}
// Never fails: bytes that are not UTF-8 become U+FFFD.
py::str from_str(libsched_str text);
py::str from_text(const TextHandle& text);

// Runs a call of the C API without the GIL and raises its error: unlocked(libsched_..., arguments
// but the last), or a function of libsched_error**.
template <typename Call, typename... Arguments>
void unlocked(Call&& call, Arguments&&... arguments) {
  libsched_error* error = nullptr;
  libsched_rc code = LIBSCHED_OK;
  {
    const Unlocked released;
    code = call(std::forward<Arguments>(arguments)..., &error);
  }
  check(code, error);
}
// The same with the GIL held, for calls that take less time than releasing it.
template <typename Call, typename... Arguments>
void quick(Call&& call, Arguments&&... arguments) {
  libsched_error* error = nullptr;
  const libsched_rc code = call(std::forward<Arguments>(arguments)..., &error);
  check(code, error);
}

// An argument that is True or False, or one of these of numpy: not, as bool, anything that has a
// truth.
struct Flag {
  bool on = false;
  operator bool() const { return on; }
};

// The bytes of a str or of any object with a contiguous buffer, without a copy. The buffer stays
// exported during its lifetime; create and destroy it with the GIL.
class Document {
 public:
  explicit Document(py::handle source);
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  libsched_str str() const { return str_; }

 private:
  Py_buffer buffer_{};
  libsched_str str_{nullptr, 0};
};

// An argument that may be None.
template <typename T>
using Maybe = std::optional<T*>;

// Objects whose types the stub of the module shall tell: list[T], tuple[T, ...], dict[Key, Value].
template <typename T>
class List : public py::list {
  using py::list::list;
};
template <typename T>
class Items : public py::tuple {
  using py::tuple::tuple;
};
template <typename Key, typename Value>
class Dict : public py::dict {
  using py::dict::dict;
};

// Calls a Python function.
template <typename... Arguments>
py::object call(py::handle function, const Arguments&... arguments) {
  PyObject* array[] = {nullptr, arguments.ptr()...};
  PyObject* result = staying([&] {
    return PyObject_Vectorcall(function.ptr(), array + 1,
                               sizeof...(arguments) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  });
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

// New references.
Pod own(const libsched_pod* pod);
Node own(const libsched_node* node);
Clock own(libsched_clock* clock);
Services own(libsched_services* services);
// (code, plugin, (reason, ...)), with the error's text as a fourth item if it is not all reasons.
py::tuple status_tuple(const libsched_status* status);
StatusHandle create_status();

void bind_objects(py::module_& module);
void bind_view(py::module_& module);
void bind_cluster(py::module_& module);
void bind_framework(py::module_& module);
void bind_cycle_state(py::module_& module);
void bind_evaluator(py::module_& module);
void bind_decision(py::module_& module);
void bind_lent(py::module_& module);
void bind_plugins(py::module_& module);
void bind_services(py::module_& module);
void bind_schedule(py::module_& module);
void bind_scheduling(py::module_& module);
void bind_answers(py::module_& module);
void bind_queue(py::module_& module);
void bind_simulation(py::module_& module);
void bind_api_server(py::module_& module);
void bind_loop(py::module_& module);
void bind_sim(py::module_& module);
void bind_cel(py::module_& module);
void bind_runtime(py::class_<Evaluator>& evaluator);
void bind_scheduler(py::class_<Evaluator>& evaluator);

}  // namespace libsched

template <typename T>
struct pybind11::detail::handle_type_name<libsched::List<T>> {
  static constexpr auto name = const_name("list[") + make_caster<T>::name + const_name("]");
};
template <typename T>
struct pybind11::detail::handle_type_name<libsched::Items<T>> {
  static constexpr auto name = const_name("tuple[") + make_caster<T>::name + const_name(", ...]");
};
template <typename Key, typename Value>
struct pybind11::detail::handle_type_name<libsched::Dict<Key, Value>> {
  static constexpr auto name = const_name("dict[") + make_caster<Key>::name + const_name(", ") +
                               make_caster<Value>::name + const_name("]");
};
template <>
struct pybind11::detail::type_caster<libsched::Flag> {
  PYBIND11_TYPE_CASTER(libsched::Flag, const_name("bool"));

  bool load(handle source, bool) {
    type_caster<bool> plain;
    if (!plain.load(source, /*convert=*/false)) return false;
    value.on = static_cast<bool>(plain);
    return true;
  }
};
