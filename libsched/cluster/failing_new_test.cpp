// The operators new count, and fail when a test says so.
#include <doctest/doctest.h>

#include <memory>
#include <thread>

#include "libsched/base/failing_operators_test.hpp"

#if LIBSCHED_FAILING_NEW
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
