// Signals, such as Ctrl-C, during calls that may take long.
#pragma once

#include <chrono>

#include "binding.hpp"

namespace libsched {

// Runs Python's signal handlers, such as that of Ctrl-C, from time to time while the library works
// without the GIL; an exception of a handler ends the call.
class Signals {
 public:
  static bool raised(void* self) { return static_cast<Signals*>(self)->look(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{20};

  bool look() {
    const Clock::time_point now = Clock::now();
    if (now < next_) return false;
    next_ = now + kInterval;
    return locked_or(true, [] {
      if (PyErr_CheckSignals() == 0) return false;
      py::error_already_set error;
      keep_exception(error);
      return true;
    });
  }

  Clock::time_point next_ = Clock::now() + kInterval;
};

}  // namespace libsched
