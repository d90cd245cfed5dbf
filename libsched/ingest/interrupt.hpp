// Interrupt: lets a caller end a long call. It is checked on the calling thread, between objects
// and pieces of text.
#pragma once

#include "libsched/base/result.hpp"

namespace libsched {

struct Interrupt {
  bool (*wanted)(void* data) = nullptr;  // null: never
  void* data = nullptr;

  bool operator()() const { return wanted != nullptr && wanted(data); }
};

inline Error interrupted() { return {Rc::kCancelled, "the call was cancelled"}; }

}  // namespace libsched
