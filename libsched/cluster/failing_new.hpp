// For tests: the operators new of this binary (failing_new_test.cpp) count bytes, and run out of
// memory when a test says so.
#pragma once

#include <cstddef>

namespace libsched {

// Of this thread.
extern thread_local size_t bytes_taken;
extern thread_local long allocations_left;  // negative: there are always more

}  // namespace libsched
