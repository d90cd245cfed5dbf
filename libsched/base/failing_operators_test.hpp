// The operators new that count and fail, for a test binary: one file of it includes this.
#pragma once

#include <cstdlib>
#include <new>

#include "libsched/base/failing_new_test.hpp"

namespace libsched {

thread_local size_t bytes_taken = 0;
thread_local long allocations_left = -1;

}  // namespace libsched

// The run time of clang's ThreadSanitizer has operators of its own, so there memory does not run
// out.
#if !defined(__has_feature)
#define LIBSCHED_FAILING_NEW 1
#elif __has_feature(thread_sanitizer)
#define LIBSCHED_FAILING_NEW 0
#else
#define LIBSCHED_FAILING_NEW 1
#endif

#if LIBSCHED_FAILING_NEW
namespace libsched::failing_operators_test {

inline bool fails(size_t n) {
  if (allocations_left == 0) return true;
  if (allocations_left > 0) --allocations_left;
  bytes_taken += n;
  return false;
}
inline void* take(size_t n) { return fails(n) ? nullptr : std::malloc(n == 0 ? 1 : n); }

}  // namespace libsched::failing_operators_test

// Where one of new and delete is inlined and the other is not, GCC takes the pair for a mistake.
[[gnu::noinline]] void* operator new(size_t n) {
  if (void* p = libsched::failing_operators_test::take(n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new[](size_t n) { return operator new(n); }
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return libsched::failing_operators_test::take(n);
}
void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return libsched::failing_operators_test::take(n);
}
void* operator new(size_t n, std::align_val_t align) {
  const size_t unit = static_cast<size_t>(align);
  void* const p = libsched::failing_operators_test::fails(n)
                      ? nullptr
                      : std::aligned_alloc(unit, (n + unit - 1) / unit * unit);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, size_t) noexcept { std::free(p); }
#endif
