// HugePages: blocks of all sizes are aligned, keep what is written, and run out of memory as usual.
#include "libsched/base/huge_pages.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace libsched::huge_pages_test {

struct alignas(64) Line {
  uint64_t words[8] = {};
};

template <typename T>
void check(size_t bytes) {
  const size_t n = bytes / sizeof(T);
  std::vector<T, HugePages<T>> v(n);
  const size_t alignment = n * sizeof(T) >= HugePages<T>::kLarge ? HugePages<T>::kPage : alignof(T);
  CHECK(reinterpret_cast<uintptr_t>(v.data()) % alignment == 0);
}

TEST_CASE("small and large blocks are aligned") {
  for (const size_t bytes : {size_t{64}, size_t{4096}, HugePages<char>::kLarge - 64,
                             HugePages<char>::kLarge, 5 * HugePages<char>::kPage / 2}) {
    check<uint32_t>(bytes);
    check<Line>(bytes);
  }
}

TEST_CASE("growing into a large block and copying it keeps the items") {
  std::vector<uint32_t, HugePages<uint32_t>> v;
  for (uint32_t i = 0; i < 2'000'000; ++i) v.push_back(i);
  const std::vector<uint32_t, HugePages<uint32_t>> copy = v;
  v.clear();
  v.shrink_to_fit();
  REQUIRE(copy.size() == 2'000'000);
  bool equal = true;
  for (uint32_t i = 0; i < copy.size(); ++i) equal = equal && copy[i] == i;
  CHECK(equal);
}

}  // namespace libsched::huge_pages_test
