// Normalising and the order of the heap, each against upstream's algorithm step by step.
#include "libsched/framework/scoring.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace libsched::scoring_test {

// Upstream's loop.
std::vector<int64_t> normalized_naively(std::vector<int64_t> scores, bool reverse) {
  int64_t max = 0;
  for (const int64_t s : scores) max = std::max(max, s);
  for (int64_t& s : scores) {
    if (max == 0) {
      if (reverse) s = 100;
      continue;
    }
    s = 100 * s / max;
    if (reverse) s = 100 - s;
  }
  return scores;
}

std::vector<int64_t> normalized(std::vector<int64_t> scores, bool reverse) {
  const size_t words = (scores.size() + 63) / 64;
  std::vector<uint64_t> bits(words, 0);
  for (size_t i = 0; i < scores.size(); ++i) bits[i / 64] |= uint64_t{1} << (i % 64);
  std::vector<int64_t> column(words * 64, 777777);  // must not matter
  std::copy(scores.begin(), scores.end(), column.begin());
  default_normalize({words, scores.size(), bits.data(), nullptr, nullptr}, reverse, column.data());
  column.resize(scores.size());
  return column;
}

TEST_CASE("default_normalize equals upstream's, for small and large scores") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    const size_t n = 1 + random() % 200;
    const int64_t bound =
        std::vector<int64_t>{1, 5, 100, 1023, 1024, 100000, 1LL << 40}[random() % 7];
    std::vector<int64_t> scores(n);
    for (int64_t& s : scores) {
      s = static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
      if (round % 5 == 0) s -= bound / 2;
    }
    for (const bool reverse : {false, true}) {
      REQUIRE(normalized(scores, reverse) == normalized_naively(scores, reverse));
      const int64_t s = scores[0];
      REQUIRE(default_normalize_uniform(s, reverse) == normalized_naively({s, s}, reverse)[0]);
    }
  }
}

// The root after container/heap's Init and one Pop of upstream's list of node scores: a child takes
// its parent's place only if it is strictly better, the right one only if better than the left.
size_t heap_pick(const std::vector<int64_t>& totals) {
  std::vector<size_t> heap(totals.size());
  std::iota(heap.begin(), heap.end(), 0);
  const auto less = [&](size_t a, size_t b) { return totals[heap[a]] > totals[heap[b]]; };
  const auto down = [&](size_t i) {
    for (;;) {
      size_t j = 2 * i + 1;
      if (j >= heap.size()) return;
      if (j + 1 < heap.size() && less(j + 1, j)) ++j;
      if (!less(j, i)) return;
      std::swap(heap[i], heap[j]);
      i = j;
    }
  };
  for (size_t i = heap.size() / 2; i-- > 0;) down(i);
  return heap[0];
}

TEST_CASE("the first maximum in pre-order is the root of upstream's heap") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> totals(1 + random() % 70);
    for (int64_t& t : totals) t = static_cast<int64_t>(random() % 3);
    const int64_t top = *std::max_element(totals.begin(), totals.end());
    size_t best = 0;
    while (totals[best] != top) best = next_in_heap(best, totals.size());
    REQUIRE(best == heap_pick(totals));
  }
}

TEST_CASE("pre-order visits every position once") {
  for (size_t n = 1; n < 70; ++n) {
    std::vector<int> seen(n);
    for (size_t i = 0; i < n; i = next_in_heap(i, n)) REQUIRE(++seen[i] == 1);
    REQUIRE(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(n));
  }
}

TEST_CASE("feasible rows follow the list of nodes from its start, wrapping around") {
  const std::vector<uint32_t> nodes = {3, 70, 0, 5, 64};
  const uint64_t bits[] = {uint64_t{1} << 3 | uint64_t{1} << 5, uint64_t{1} << 6};
  std::vector<uint32_t> scratch;
  const auto list = [&](size_t start) {
    FeasibleOrder order(nodes, start, bits, 3, &scratch);
    CHECK(order.at(2) == order.rows()[2]);
    const Span<uint32_t> rows = order.rows();
    return std::vector<uint32_t>(rows.begin(), rows.end());
  };
  CHECK(list(0) == std::vector<uint32_t>{3, 70, 5});
  CHECK(list(1) == std::vector<uint32_t>{70, 5, 3});
  CHECK(list(4) == std::vector<uint32_t>{3, 70, 5});
  // If all nodes are in the set, no list is made.
  const uint64_t all[] = {uint64_t{1} << 3 | uint64_t{1} << 5 | 1, uint64_t{1} << 6 | 1};
  FeasibleOrder order(nodes, 3, all, 5, &scratch);
  std::vector<uint32_t> found;
  for (size_t i = 0; i < 5; ++i) found.push_back(order.at(i));
  CHECK(found == std::vector<uint32_t>{5, 64, 3, 70, 0});
}

}  // namespace libsched::scoring_test
