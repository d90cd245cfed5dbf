// IdTable and SmallIdTable: as a map, also of hashes that look equal to the small one.
#include "libsched/base/id_table.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

namespace libsched::id_table_test {

// A hash of which a SmallIdTable keeps the same half: only the rest of its product with the mixer
// differs.
uint64_t looks_like(uint64_t hash, uint32_t difference) {
  constexpr uint64_t kMixer = 0x9e3779b97f4a7c15ULL;
  uint64_t inverse = kMixer;  // of an odd number: each step doubles the number of right bits
  for (int i = 0; i < 6; ++i) inverse *= 2 - kMixer * inverse;
  const uint64_t product = hash * kMixer;
  return (product ^ difference) * inverse;
}

TEST_CASE_TEMPLATE("a table of hashes is a map", Table, IdTable, SmallIdTable) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<uint64_t> hashes;
    for (int i = 0; i < 150; ++i) {
      hashes.push_back(random());
      hashes.push_back(looks_like(hashes.back(), 1 + static_cast<uint32_t>(random() % 1000)));
    }
    Table table;
    std::map<uint64_t, uint32_t> model;
    std::vector<uint64_t> hash_of(hashes.size());
    std::vector<uint32_t> free;
    for (uint32_t i = 0; i < hash_of.size(); ++i) free.push_back(i);
    for (int step = 0; step < 3000; ++step) {
      const uint64_t hash = hashes[random() % hashes.size()];
      const uint32_t found = table.find(hash, [&](uint32_t id) { return hash_of[id] == hash; });
      const auto known = model.find(hash);
      REQUIRE(found == (known == model.end() ? kNoId : known->second));
      REQUIRE(table.size() == model.size());
      if (found != kNoId) {
        table.erase(hash, found);
        model.erase(known);
        free.push_back(found);
      } else {
        const uint32_t id = free.back();
        free.pop_back();
        hash_of[id] = hash;
        table.insert(hash, id);
        model[hash] = id;
      }
    }
  }
}

TEST_CASE("a guess of a small table may be another entry") {
  SmallIdTable table;
  table.insert(12345, 7);
  CHECK(table.guess(12345) == 7);
  CHECK(table.guess(looks_like(12345, 1)) == 7);
  CHECK(table.guess(12346) == kNoId);
  IdTable exact;
  exact.insert(12345, 7);
  CHECK(exact.guess(looks_like(12345, 1)) == kNoId);
}

}  // namespace libsched::id_table_test
