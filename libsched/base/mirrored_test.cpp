// Mirrored: against a plain vector; snapshots keep what they were, share what has not changed, and
// may be used by other threads.
#include "libsched/base/mirrored.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/rounds.hpp"

namespace libsched::mirrored_test {

template <typename T, size_t N>
std::vector<T> values(const Mirrored<T, N>& from) {
  std::vector<T> out;
  from.for_each([&](size_t i, const T& item) {
    CHECK(&item == &from[i]);
    out.push_back(item);
  });
  size_t seen = 0;
  from.for_each_part([&](std::span<const T> some) {
    CHECK(some.data() == &from[seen]);
    CHECK(some.size() == std::min(N, out.size() - seen));
    seen += some.size();
  });
  CHECK(seen == out.size());
  return out;
}

template <size_t N>
void run(uint32_t seed) {
  std::mt19937 random(seed);
  Mirrored<std::string, N> writer;
  std::vector<std::string> model;
  std::vector<std::pair<Mirrored<std::string, N>, std::vector<std::string>>> kept;
  for (int step = 0; step < 3000; ++step) {
    const std::string text = std::to_string(random());
    switch (random() % 12) {
      case 0:
        writer.resize(model.size() + random() % 40, text);
        model.resize(writer.size(), text);
        break;
      case 1: {
        const size_t n = model.empty() ? 0 : random() % (model.size() + 1);
        writer.truncate(n);
        model.resize(n);
        break;
      }
      case 2: kept.emplace_back(writer.publish(), model); break;
      case 3:
        if (!kept.empty()) kept.erase(kept.begin() + random() % kept.size());
        break;
      case 4: {
        Mirrored<std::string, N> other = writer;
        if (!model.empty()) other.edit(0) = "of another";
        CHECK(values(other.publish()).size() == model.size());
        break;
      }
      case 5:
      case 6:
        writer.push_back(text);
        model.push_back(text);
        break;
      default:
        if (model.empty()) break;
        const size_t i = random() % model.size();
        writer.edit(i) = text;
        model[i] = text;
    }
    REQUIRE(values(writer) == model);
    if (step % 20 == 0)
      for (const auto& [snapshot, was] : kept) REQUIRE(values(snapshot) == was);
  }
  for (auto& [snapshot, was] : kept) {
    snapshot.thaw();
    REQUIRE(values(snapshot) == was);
    snapshot.push_back("more");
    REQUIRE(snapshot.size() == was.size() + 1);
  }
}

TEST_CASE("mirrored: as a vector, and snapshots keep what they were") {
  for (uint32_t seed = 1; seed <= rounds(5); ++seed) {
    run<1>(seed);
    run<3>(seed);
    run<64>(seed);
  }
}

TEST_CASE("mirrored: snapshots share the chunks that have not changed between them") {
  Mirrored<int, 4> writer;
  writer.resize(1000);
  const Mirrored<int, 4> first = writer.publish();
  writer.edit(401) = 7;
  const Mirrored<int, 4> second = writer.publish();
  for (size_t i = 0; i < 1000; ++i) CHECK((&first[i] == &second[i]) == (i / 4 != 100));
  CHECK(first[401] == 0);
  CHECK(second[401] == 7);
}

TEST_CASE("whole: snapshots share a value until it changes") {
  Whole<std::string> writer;
  writer.edit() = "one";
  const Whole<std::string> first = writer.publish(), again = writer.publish();
  CHECK(&*first == &*again);
  writer.edit() = "two";
  const Whole<std::string> second = writer.publish();
  CHECK(*first == "one");
  CHECK(*second == "two");
  CHECK(*writer == "two");
}

TEST_CASE("mirrored: snapshots are read and dropped on threads while the writer goes on") {
  Mirrored<std::string, 8> writer;
  writer.resize(2000, "a long text that stands on the heap");
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int round = 0; round < 40; ++round) {
    threads.emplace_back([snapshot = writer.publish(), round, &wrong]() mutable {
      const std::string last = std::to_string(round - 1);
      snapshot.for_each([&](size_t i, const std::string& s) {
        if (i % 97 == 5 && round != 0 && s != last) ++wrong;
      });
      snapshot = {};
    });
    for (size_t i = 5; i < 2000; i += 97) writer.edit(i) = std::to_string(round);
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("what was moved away is empty, and can be filled anew") {
  Mirrored<int, 4> one;
  for (int i = 0; i < 10; ++i) one.push_back(i);
  Mirrored<int, 4> two = std::move(one);
  CHECK(one.empty());
  CHECK(one.capacity() == 0);
  for (int i = 0; i < 5; ++i) one.push_back(100 + i);
  CHECK(values(one) == std::vector<int>{100, 101, 102, 103, 104});
  CHECK(values(two).size() == 10);
  two = std::move(one);
  CHECK(one.empty());
  one.push_back(7);
  CHECK(values(one.publish()) == std::vector<int>{7});
  CHECK(values(two) == std::vector<int>{100, 101, 102, 103, 104});
}

}  // namespace libsched::mirrored_test
