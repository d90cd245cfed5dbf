// HugePages: blocks of all sizes are aligned, keep what is written, and run out of memory as usual.
#include "libsched/base/huge_pages.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

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

#if defined(__linux__)
// Whether huge pages are asked for behind the address, as the kernel says.
bool advised(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p);
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> begin >> dash >> end && dash == '-')
      here = begin <= address && address < end;
    if (here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST_CASE("large blocks lie on huge pages, and others do not") {
  constexpr size_t kBytes = 2 * HugePages<char>::kLarge;
  void* const mapped =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED);
  madvise(mapped, kBytes, MADV_HUGEPAGE);
  const bool known = advised(mapped);
  munmap(mapped, kBytes);
  if (!known) {
    MESSAGE("not applicable: this system does not tell which pages are huge");
    return;
  }
  const std::vector<char, HugePages<char>> large(kBytes, 'x');
  CHECK(advised(large.data() + HugePages<char>::kPage));
  const std::vector<char, HugePages<char>> small(HugePages<char>::kLarge - 1, 'x');
  CHECK_FALSE(advised(small.data() + small.size() / 2));
}
#endif

}  // namespace libsched::huge_pages_test
