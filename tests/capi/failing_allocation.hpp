// Selects the allocations of this thread that fail, of the program and of the library.
#pragma once

#include <atomic>
#include <cstddef>

extern thread_local long left;      // allocations until a failure; 0: none fails
extern thread_local bool for_ever;  // all later allocations fail as well
extern thread_local long failures;  // how many have failed
// With a malloc of its own, which counts what is in use: mallinfo2() reports memory that glibc
// keeps for a thread's next allocations as in use.
extern const bool kOwnMalloc;
extern std::atomic<size_t> bytes_in_use;
