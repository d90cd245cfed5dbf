// AttachedVolumes: a set by "driver/handle", few or many.
#include "libsched/plugins/nodevolumelimits/attached_volumes.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <string>

namespace libsched::attached_volumes_test {

// Comparing all pairs would take ten thousand million comparisons.
TEST_CASE("a hundred thousand volumes, each of them twice") {
  constexpr size_t kMany = 100'000;
  std::deque<std::string> handles;
  AttachedVolumes volumes;
  for (size_t i = 0; i < kMany; ++i) handles.push_back("h" + std::to_string(i));
  for (int round = 0; round < 2; ++round)
    for (const std::string& h : handles) volumes.add("d", h);
  REQUIRE(volumes.items().size() == kMany);
  for (const size_t i : {size_t{0}, size_t{63}, size_t{64}, size_t{65}, kMany - 1}) {
    CHECK(volumes.contains(volumes.items()[i], i + 1));
    CHECK_FALSE(volumes.contains(volumes.items()[i], i));
  }
  // Names are compared as a whole, however they divide into driver and handle.
  volumes.add("d/h1", "x");
  volumes.add("d", "h1/x");
  CHECK(volumes.items().size() == kMany + 1);
  volumes.clear();
  CHECK(volumes.empty());
  volumes.add("d", "h7");
  CHECK(volumes.items().size() == 1);
}

}  // namespace libsched::attached_volumes_test
