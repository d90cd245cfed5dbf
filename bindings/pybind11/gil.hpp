// The GIL in calls that may outlive the interpreter.
//
// A daemon thread may be in the library, or in a Python function that the library calls, when the
// interpreter ends. Until Python 3.13, taking the GIL then ends the thread by unwinding its stack,
// which aborts the process at the first C++ frame that lets nothing through, and runs destructors
// without the GIL before. Here such a thread waits for the end of the process instead, as Python
// 3.14 has it.
#pragma once

#include <Python.h>
#include <unistd.h>

#include <exception>
#include <type_traits>

#include "lock.hpp"

namespace libsched {

[[noreturn]] inline void wait_for_exit() noexcept {
  while (true) pause();
}

// Runs code that may take the GIL, and does not return if that ends the thread. Its destructor sees
// the unwinding; a handler would not do, because inside of another handler it ends the process.
template <typename Body>
auto staying(Body&& body) -> decltype(body()) {
  class Stay {
   public:
    Stay() = default;
    ~Stay() {
      if (!returned_ && std::uncaught_exceptions() == exceptions_) wait_for_exit();
    }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    void returned() { returned_ = true; }

   private:
    int exceptions_ = std::uncaught_exceptions();
    bool returned_ = false;
  };
  Stay stay;
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    stay.returned();
  } else {
    decltype(body()) out = body();
    stay.returned();
    return out;
  }
}

// Without the GIL for a scope.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    staying([&] { PyEval_RestoreThread(state_); });
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// Whether Python code can run, and could take the GIL if it is not held.
inline bool python_is_there() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() != 0 && Py_IsFinalizing() == 0;
#else
  return Py_IsInitialized() != 0 && _Py_IsFinalizing() == 0;
#endif
}

// Runs a callback of the library with the GIL, on any thread.
template <typename Body>
auto locked(Body&& body) -> decltype(body()) {
  class Locked {
   public:
    Locked() : state_(staying([] { return PyGILState_Ensure(); })) {}
    ~Locked() { PyGILState_Release(state_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

   private:
    PyGILState_STATE state_;
  };
  if (Py_IsInitialized() == 0 && PyGILState_GetThisThreadState() == nullptr) wait_for_exit();
  const Locked held;
  return staying(body);
}

// Keeps a MemoryError until the end of the call that runs a callback. Needs the GIL.
void keep_no_memory() noexcept;

// The same for one that may run out of memory: it returns `otherwise` then.
template <typename Result, typename Body>
Result locked_or(Result otherwise, Body&& body) noexcept {
  return locked([&]() -> Result {
    try {
      return body();
    } catch (const std::exception&) {
      keep_no_memory();
      return otherwise;
    }
  });
}

// The same for one that may use the objects that its caller holds, such as a plugin's slot.
template <typename Result, typename Body>
Result locked_in_slot(Result otherwise, Body&& body) noexcept {
  return locked_or(otherwise, [&]() -> Result {
    const InSlot in_slot;
    return body();
  });
}

}  // namespace libsched
