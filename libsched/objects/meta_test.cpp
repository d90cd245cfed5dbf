// Tests the parts common to all objects: lookup of labels by key, and serial numbers.
#include "libsched/objects/meta.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <thread>

namespace libsched::meta_test {

TEST_CASE("find_label finds by key in short and long lists") {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{5}, size_t{12}, size_t{13}, size_t{200}}) {
    Arena arena;
    std::vector<Label> labels;
    for (size_t i = 0; i < size; ++i) {
      const std::string number = std::to_string(1000 + i);
      labels.push_back(make_label(arena.copy("key-" + number), arena.copy("v" + number)));
    }
    CAPTURE(size);
    for (size_t i = 0; i < size; ++i) {
      const Label* found = find_label(labels, "key-" + std::to_string(1000 + i));
      REQUIRE(found == &labels[i]);
    }
    CHECK(find_label(labels, "") == nullptr);
    CHECK(find_label(labels, "key-0") == nullptr);
    CHECK(find_label(labels, "key-1") == nullptr);
    CHECK(find_label(labels, "key-10000") == nullptr);
    CHECK(find_label(labels, "zzz") == nullptr);
  }
}

TEST_CASE("next_serial never repeats, whatever the thread") {
  std::vector<uint64_t> got[4];
  std::vector<std::thread> threads;
  for (auto& mine : got) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) mine.push_back(next_serial());
    });
  }
  for (auto& t : threads) t.join();
  std::set<uint64_t> all;
  for (const auto& mine : got) all.insert(mine.begin(), mine.end());
  CHECK(all.size() == 4000);
  CHECK(*all.begin() > 0);
}

}  // namespace libsched::meta_test
