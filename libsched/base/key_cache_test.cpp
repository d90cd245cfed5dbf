// KeyCache: what is found, and what gives way.
#include "libsched/base/key_cache.hpp"

#include <doctest/doctest.h>

#include <string>

namespace libsched::key_cache_test {

TEST_CASE("a key is found until another one takes its place") {
  KeyCache<std::string, 4> cache;
  CHECK(cache.find(1) == nullptr);
  cache.put(1, "a");
  cache.put(2, "b");
  REQUIRE(cache.find(1) != nullptr);
  CHECK(*cache.find(1) == "a");
  CHECK(*cache.find(2) == "b");
  CHECK(cache.find(5) == nullptr);  // of the same place
  cache.put(5, "c");
  CHECK(*cache.find(5) == "c");
  CHECK(cache.find(1) == nullptr);
  cache.put(5, "d");
  CHECK(*cache.find(5) == "d");
  cache.clear();
  CHECK(cache.find(5) == nullptr);
  CHECK(cache.find(2) == nullptr);
}

}  // namespace libsched::key_cache_test
