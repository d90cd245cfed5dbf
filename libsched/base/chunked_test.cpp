// Tests Chunked and its users: copies keep their items, whatever is edited, grown or dropped
// elsewhere.
#include "libsched/base/chunked.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "libsched/base/chunked_pool.hpp"
#include "libsched/base/paged_table.hpp"
#include "libsched/base/roomy_vector.hpp"

namespace libsched {
namespace {

// Counts live objects; memory runs out after a given number of copies (negative: never).
struct Counted {
  static inline int alive = 0, copies_left = -1;
  int value = 0;

  Counted() { ++alive; }
  Counted(const Counted& o) : value(o.value) {
    if (copies_left == 0) throw std::bad_alloc();
    if (copies_left > 0) --copies_left;
    ++alive;
  }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
};

template <size_t N>
using Array = Chunked<Counted, N>;

template <size_t N>
bool equal(const Array<N>& array, const std::vector<int>& model) {
  if (array.room() < model.size()) return false;
  for (size_t i = 0; i < model.size(); ++i)
    if (array[i].value != model[i]) return false;
  return true;
}

template <size_t N>
void change_at_random(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<Array<N>, std::vector<int>>> kept(1);
  for (int step = 0; step < 3000; ++step) {
    const size_t at = random() % kept.size();
    auto& [array, model] = kept[at];
    switch (random() % 8) {
      case 0:
        if (kept.size() < 6) kept.emplace_back(array, model);
        break;
      case 1:
        if (kept.size() > 1) kept.erase(kept.begin() + static_cast<ptrdiff_t>(at));
        break;
      case 2: kept[random() % kept.size()] = kept[at]; break;
      case 3: {
        const size_t n = model.size() + random() % 40;
        array.grow(n);
        model.resize(n);
        break;
      }
      default:
        if (model.empty()) break;
        const size_t i = random() % model.size();
        Counted::copies_left = static_cast<int>(random() % 12) - 4;
        try {
          array.edit(i).value = step;
          model[i] = step;
        } catch (const std::bad_alloc&) {
        }
        Counted::copies_left = -1;
    }
    if (step % 16 != 0) continue;
    for (const auto& [a, m] : kept) REQUIRE(equal(a, m));
  }
}

TEST_CASE("chunked: copies keep their items under random changes, also when memory runs out") {
  change_at_random<1>(1);
  change_at_random<3>(2);
  change_at_random<64>(3);
  CHECK(Counted::alive == 0);
}

TEST_CASE("chunked: an edit copies its own chunk once, and none when nobody shares it") {
  constexpr size_t kItems = 10'000;
  Array<4> array;
  array.grow(kItems);
  const int before = Counted::alive;
  {
    const Array<4> copy = array;
    CHECK(Counted::alive == before);
    for (int i = 0; i < 3; ++i) array.edit(5000 + static_cast<size_t>(i) % 2).value = i;
    CHECK(Counted::alive == before + 4);
    CHECK(copy[5000].value == 0);
    CHECK(!array.shares(copy, 5001));
    CHECK(array.shares(copy, 5004));
    CHECK(array.shares(copy, 4999));
  }
  CHECK(Counted::alive == before);
  const Array<4> second = array;
  array.edit(0).value = 1;
  CHECK(Counted::alive == before + 4);
  array = second;
  CHECK(Counted::alive == before);
  CHECK(array[5000].value == 2);
  CHECK(array[0].value == 0);
}

TEST_CASE("chunked: what a dropped copy shared is edited in place") {
  Array<4> array;
  array.grow(100);
  {
    const Array<4> copy = array;
  }
  Counted::copies_left = 0;
  array.edit(50).value = 7;
  Counted::copies_left = -1;
  CHECK(array[50].value == 7);
}

TEST_CASE("chunked: threads read and drop copies while their owner edits") {
  constexpr size_t kItems = 5000;
  Chunked<uint64_t, 16> array;
  array.grow(kItems);
  for (uint64_t round = 1; round <= 200; ++round) {
    for (size_t i = 0; i < kItems; i += 97) array.edit(i) = round;
    std::thread reader([copy = array, round] {
      for (size_t i = 0; i < kItems; ++i) {
        const uint64_t expected = i % 97 == 0 ? round : 0;
        if (copy[i] != expected) FAIL("a copy changed");
      }
    });
    for (size_t i = 0; i < kItems; i += 97) array.edit(i) = round + 1000;
    if (round % 2 == 0) std::thread([copy = array]() mutable { copy.edit(0) = 5; }).join();
    reader.join();
  }
}

TEST_CASE("chunked pool: ids come back in the order of their return, also in a copy") {
  ChunkedPool<std::string, 4> pool;
  const auto take = [&](const char* text) {
    pool.reserve();
    const uint32_t id = pool.take();
    pool.edit(id) = text;
    return id;
  };
  for (uint32_t i = 0; i < 10; ++i) CHECK(take("first") == i);
  for (const uint32_t id : {3U, 7U, 5U}) {
    pool.own(id);
    pool.give_back(id);
  }
  const ChunkedPool<std::string, 4> copy = pool;
  CHECK(pool.taken() == 7);
  CHECK(take("a") == 5);
  CHECK(take("b") == 7);
  bool from_tail = true;
  pool.reserve();
  CHECK(pool.take(&from_tail) == 3);
  CHECK(!from_tail);
  pool.undo_take(3, from_tail);
  CHECK(take("c") == 3);
  CHECK(take("d") == 10);
  CHECK(copy.taken() == 7);
  CHECK(copy.next() == 5);
  CHECK(copy[5] == "first");
  pool.give_back(10);
  pool.undo_give_back(10);
  CHECK(pool.taken() == 11);
  size_t n = 0;
  for (const std::string& text : copy) n += text == "first" ? 1U : 0U;
  CHECK(n == 10);
}

TEST_CASE("paged table: as a map of random entries, and its copies") {
  std::mt19937_64 random(7);
  using Model = std::multimap<uint64_t, uint32_t>;
  std::vector<std::pair<PagedTable, Model>> kept(1);
  std::vector<uint64_t> hashes;
  for (int i = 0; i < 4000; ++i) hashes.push_back(i % 50 == 0 ? uint64_t{42} : random());
  const auto check = [&](const PagedTable& table, const Model& model) {
    REQUIRE(table.size() == model.size());
    for (const auto& [hash, id] : model)
      REQUIRE(table.find(hash, [want = id](uint32_t i) { return i == want; }) == id);
    for (int i = 0; i < 100; ++i) REQUIRE(table.guess(random()) == kNoId);
  };
  for (int step = 0; step < 20'000; ++step) {
    auto& [table, model] = kept.back();
    const auto id = static_cast<uint32_t>(random() % hashes.size());
    const uint64_t hash = hashes[id];
    const auto range = model.equal_range(hash);
    auto at = range.first;
    while (at != range.second && at->second != id) ++at;
    // First more entries are added than removed, then the reverse.
    if (at == range.second && (step < 10'000 || step % 3 == 0)) {
      table.reserve(hash);
      table.insert(hash, id);
      model.emplace(hash, id);
    } else if (at != range.second && (step >= 10'000 || step % 3 == 0)) {
      table.own(hash);
      table.erase(hash, id);
      model.erase(at);
    }
    if (step % 2000 != 1999) continue;
    for (const auto& [t, m] : kept) check(t, m);
    kept.push_back(kept.back());
  }
}

TEST_CASE("paged table: what was taken out has its room when the table has grown meanwhile") {
  PagedTable table;
  std::vector<uint64_t> hashes;
  std::mt19937_64 random(11);
  for (uint32_t i = 0; i < 79; ++i) {
    hashes.push_back(random());
    table.reserve(hashes[i]);
    table.insert(hashes[i], i);
  }
  for (uint32_t i = 0; i < 79; ++i) table.erase(hashes[i], i);
  for (uint32_t i = 1000; i < 3000; ++i) {
    table.reserve(random());
    const uint64_t hash = random();
    table.reserve(hash);
    table.insert(hash, i);
  }
  const NoSharedEdits none;
  for (uint32_t i = 0; i < 79; ++i) table.insert(hashes[i], i);
  for (uint32_t i = 0; i < 79; ++i)
    CHECK(table.find(hashes[i], [i](uint32_t id) { return id == i; }) == i);
}

TEST_CASE("roomy vector: a copy has the room of what it is copied from") {
  RoomyVector<int> v = {1, 2, 3};
  v.reserve(100);
  RoomyVector<int> copy = v;
  CHECK(copy == v);
  CHECK(copy.capacity() >= 100);
  RoomyVector<int> other;
  other = v;
  CHECK(other.capacity() >= 100);
  CHECK(other.size() == 3);
}

}  // namespace
}  // namespace libsched
