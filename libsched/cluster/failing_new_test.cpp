// The operators new that count and fail; and that they do.
#include "libsched/cluster/failing_new.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

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
namespace {

bool fails(size_t n) {
  if (libsched::allocations_left == 0) return true;
  if (libsched::allocations_left > 0) --libsched::allocations_left;
  libsched::bytes_taken += n;
  return false;
}
void* take(size_t n) { return fails(n) ? nullptr : std::malloc(n == 0 ? 1 : n); }

}  // namespace

// Where one of new and delete is inlined and the other is not, GCC takes the pair for a mistake.
[[gnu::noinline]] void* operator new(size_t n) {
  if (void* p = take(n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new[](size_t n) { return operator new(n); }
void* operator new(size_t n, const std::nothrow_t&) noexcept { return take(n); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return take(n); }
void* operator new(size_t n, std::align_val_t align) {
  const size_t unit = static_cast<size_t>(align);
  void* const p = fails(n) ? nullptr : std::aligned_alloc(unit, (n + unit - 1) / unit * unit);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, size_t) noexcept { std::free(p); }

namespace libsched {
namespace {

TEST_CASE("allocations are counted, and fail when a test says so") {
  const size_t before = bytes_taken;
  const auto one = std::make_unique<char[]>(1000);
  CHECK(bytes_taken - before == 1000);
  allocations_left = 1;
  bool first = true, second = true;  // calls, because compilers may leave out expressions
  try {
    operator delete(operator new(1));
  } catch (const std::bad_alloc&) {
    first = false;
  }
  try {
    operator delete(operator new(2));
  } catch (const std::bad_alloc&) {
    second = false;
  }
  allocations_left = -1;
  CHECK(first);
  CHECK_FALSE(second);
}

TEST_CASE("allocations of another thread are neither counted nor made to fail") {
  size_t taken = 0;
  const size_t before = bytes_taken;
  std::thread other([&] {
    const size_t begin = bytes_taken;
    const auto some = std::make_unique<char[]>(size_t{1} << 20);
    taken = bytes_taken - begin;
    allocations_left = 0;
  });
  other.join();
  CHECK(taken == size_t{1} << 20);
  CHECK(bytes_taken - before < size_t{1} << 20);
  CHECK(allocations_left == -1);
}

}  // namespace
}  // namespace libsched
#endif
