// Numbers in and out of calls of catalogs and simulated clusters, without copies: any object with a
// contiguous buffer in, bytearrays out.
#pragma once

#include <cstdint>
#include <string>

#include "calls.hpp"

namespace libsched {

struct Catalog : Holder<SlowlyOwned<libsched_catalog_unref>> {};
Catalog wrapper_of(Of<libsched_catalog>);

// Only one thread may use it at a time: the lock makes threads take turns.
struct Sim : Holder<SlowlyOwned<libsched_sim_unref>> {
  std::shared_ptr<Lock> lock = std::make_shared<Lock>();
};
Sim wrapper_of(Of<libsched_sim>);

// The elements of a buffer. It stays exported during the lifetime of this object; make and destroy
// it with the GIL.
template <typename T>
class Numbers {
 public:
  explicit Numbers(py::handle source) {
    if (source.is_none()) return;
    if (PyObject_GetBuffer(source.ptr(), &buffer_, PyBUF_SIMPLE) != 0)
      throw py::error_already_set();
    if (buffer_.len % sizeof(T) != 0 ||
        (buffer_.len != 0 && reinterpret_cast<uintptr_t>(buffer_.buf) % alignof(T) != 0)) {
      PyBuffer_Release(&buffer_);
      raise(LIBSCHED_ERR_MISUSE,
            "the buffer is no array of numbers of " + std::to_string(8 * sizeof(T)) + " bits");
    }
  }
  ~Numbers() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  const T* data() const { return static_cast<const T*>(buffer_.buf); }
  size_t size() const { return static_cast<size_t>(buffer_.len) / sizeof(T); }
  bool given() const { return buffer_.obj != nullptr; }
  // Raises if the buffer has another number of elements.
  void must_have(size_t count, const char* name) const {
    if (size() != count)
      raise(LIBSCHED_ERR_MISUSE, std::string(name) + " has " + std::to_string(size()) +
                                     " elements where there are " + std::to_string(count));
  }

 private:
  Py_buffer buffer_{};
};

// A new bytearray for an array that a call fills; numpy reads and writes it in place.
template <typename T>
class Filled {
 public:
  explicit Filled(size_t count)
      : bytes_(py::reinterpret_steal<py::bytearray>(
            PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * sizeof(T))))),
        count_(count) {
    if (!bytes_) throw py::error_already_set();
    data_ = reinterpret_cast<T*>(PyByteArray_AS_STRING(bytes_.ptr()));
  }
  T* data() { return data_; }
  size_t size() const { return count_; }
  void shrink(size_t count) {
    if (PyByteArray_Resize(bytes_.ptr(), static_cast<Py_ssize_t>(count * sizeof(T))) != 0)
      throw py::error_already_set();
  }
  py::bytearray take() { return std::move(bytes_); }

 private:
  py::bytearray bytes_;
  T* data_ = nullptr;
  size_t count_;
};

void bind_sim_questions(py::class_<Sim>& sim);
void bind_sim_queries(py::module_& module);

}  // namespace libsched
