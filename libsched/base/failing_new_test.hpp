// For tests: the operators new of this binary (failing_new_test.cpp) count bytes, and run out of
// memory when a test says so.
#pragma once

#include <cstddef>
#include <new>

namespace libsched {

// Of this thread.
extern thread_local size_t bytes_taken;
extern thread_local long allocations_left;  // negative: there are always more

// Acts with memory for no allocation, for one, and so on, until act() says that it is done. Returns
// how often memory has run out.
template <typename F>
long run_out_of_memory(F&& act) {
  for (long room = 0;; ++room) {
    bool done = false;
    allocations_left = room;
    try {
      done = act();
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
    if (done) return room;
  }
}

}  // namespace libsched
