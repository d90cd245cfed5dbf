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

TEST_CASE("hash: every byte counts, at every length") {
  for (size_t n = 0; n < 40; ++n) {
    const std::string text(n, 'x');
    std::set<uint64_t> hashes{hash_str(text)};
    for (size_t i = 0; i < n; ++i) {
      std::string other = text;
      other[i] = 'y';
      hashes.insert(hash_str(other));
    }
    CHECK_MESSAGE(hashes.size() == n + 1, n);
  }
}

TEST_CASE("same_text: equal in length and in every byte") {
  for (size_t n = 0; n < 40; ++n) {
    const std::string text(n, 'x'), copy = text;
    CHECK_MESSAGE(same_text(text, copy), n);
    CHECK_FALSE_MESSAGE(same_text(text, copy + "x"), n);
    for (size_t i = 0; i < n; ++i) {
      std::string other = text;
      other[i] = 'y';
      CHECK_FALSE_MESSAGE(same_text(text, other), n);
    }
  }
}

}  // namespace libsched::hash_test
