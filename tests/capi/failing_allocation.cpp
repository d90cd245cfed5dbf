// The allocator of failing_allocation.hpp.
#include "failing_allocation.hpp"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <malloc.h>
#endif

thread_local long left = 0;
thread_local bool for_ever = false;
thread_local long failures = 0;
constinit std::atomic<size_t> bytes_in_use{0};

namespace {

bool fails() {
  if (left == 0 || --left != 0) return false;
  ++failures;
  if (for_ever) left = 1;
  return true;
}

[[maybe_unused]] void* taken(void* p) {
#if defined(__GLIBC__)
  bytes_in_use += malloc_usable_size(p);
#endif
  return p;
}

}  // namespace

// A sanitizer has its own malloc: there C++ code alone runs out of memory. GCC defines a macro for
// each sanitizer, clang has features.
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !HAS_FEATURE(address_sanitizer) && !HAS_FEATURE(thread_sanitizer)
extern "C" {
void* __libc_malloc(size_t);            // NOLINT
void* __libc_calloc(size_t, size_t);    // NOLINT
void* __libc_realloc(void*, size_t);    // NOLINT
void* __libc_memalign(size_t, size_t);  // NOLINT
void __libc_free(void*);                // NOLINT

#pragma GCC visibility push(default)
void* malloc(size_t n) { return fails() ? nullptr : taken(__libc_malloc(n)); }
void* calloc(size_t n, size_t size) { return fails() ? nullptr : taken(__libc_calloc(n, size)); }
void* realloc(void* p, size_t n) {
  if (fails()) return nullptr;
  const size_t had = malloc_usable_size(p);
  void* grown = __libc_realloc(p, n);
  if (grown != nullptr || n == 0) bytes_in_use -= had;
  return taken(grown);
}
void* aligned_alloc(size_t align, size_t n) {
  return fails() ? nullptr : taken(__libc_memalign(align, n));
}
int posix_memalign(void** out, size_t align, size_t n) {
  if (fails()) return 12;  // ENOMEM
  *out = taken(__libc_memalign(align, n));
  return 0;
}
void free(void* p) {
  bytes_in_use -= malloc_usable_size(p);
  __libc_free(p);
}
#pragma GCC visibility pop
}
const bool kOwnMalloc = true;
#else
void* operator new(size_t n) {
  if (!fails())
    if (void* p = std::malloc(n == 0 ? 1 : n)) return p;
  throw std::bad_alloc();
}
void* operator new[](size_t n) { return operator new(n); }
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : std::malloc(n == 0 ? 1 : n);
}
void* operator new[](size_t n, const std::nothrow_t& t) noexcept { return operator new(n, t); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
const bool kOwnMalloc = false;
#endif
