// Tests that names that collide cannot be chosen without knowing the secret.
#include "libsched/base/hash.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace libsched::hash_test {

TEST_CASE("hash: names that collided when the constants were known do not any more") {
  // A block that made a factor of the old product zero, and so forgot what came before it.
  const std::string eraser = "\xdb\x28\xb4\xa0\xd1\x7e\x03\xe7";
  std::set<uint64_t> hashes, low_bits;
  for (int i = 0; i < 10'000; ++i) {
    std::string name = std::to_string(10'000'000 + i) + eraser;
    hashes.insert(hash_str(name));
    low_bits.insert(hash_str(name) & 0xffff);
  }
  CHECK(hashes.size() == 10'000);
  CHECK(low_bits.size() > 9'000);  // 9,280 if they were random
}

TEST_CASE("hash: every process draws a secret of its own") {
  const HashSecret one = draw_hash_secret(), two = draw_hash_secret();
  CHECK(one.a != two.a);
  CHECK(one.b != two.b);
  CHECK(one.a != one.b);
  CHECK(hash_secret.a != one.a);
  CHECK(hash_str("a", 1) != hash_str("a", 2));
  CHECK(StrHash()("a") == hash_str("a"));
}

}  // namespace libsched::hash_test
