// The passes over columns, each instruction set against a plain loop.
#include "libsched/framework/score_columns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace libsched::score_columns_test {

TEST_CASE("every instruction set sums, finds the range and counts like a plain loop") {
  std::mt19937_64 random(7);
  constexpr size_t kWords = 21, kRows = kWords * 64;
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> bits(kWords);
    for (uint64_t& b : bits) {
      b = random() & random();
      if (random() % 3 == 0) b = random() % 2 == 0 ? 0 : ~uint64_t{0};
    }
    bits[2] |= 1;
    const auto in_set = [&](size_t r) { return (bits[r / 64] >> (r % 64) & 1) != 0; };
    std::vector<int64_t> scores(kRows), before(kRows);
    for (size_t r = 0; r < kRows; ++r) {
      scores[r] = in_set(r) ? static_cast<int64_t>(random() % 101) : static_cast<int64_t>(random());
      before[r] = static_cast<int64_t>(random());
    }
    const int64_t weight =
        round % 4 == 0 ? int64_t{1} << 40 : 1 + static_cast<int64_t>(random() % 9);
    // Sometimes one score of the set is out of range.
    const int64_t wild[] = {-1, 101, std::numeric_limits<int64_t>::min(),
                            std::numeric_limits<int64_t>::max()};
    const bool bad = round % 3 == 0;
    if (bad) scores[128] = wild[random() % 4];

    int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
    size_t ones = 0, highest = 0;
    for (size_t r = 0; r < kRows; ++r) {
      if (!in_set(r)) continue;
      ++ones;
      if (scores[r] >= high) highest = scores[r] == high ? highest + 1 : 1;
      low = std::min(low, scores[r]);
      high = std::max(high, scores[r]);
    }
    std::vector<int32_t> narrow(kRows);
    int32_t narrow_high = std::numeric_limits<int32_t>::min();
    size_t narrow_highest = 0;
    for (size_t r = 0; r < kRows; ++r) {
      narrow[r] = round % 5 == 0 ? narrow_high : static_cast<int32_t>(scores[r]);
      if (!in_set(r)) continue;
      if (narrow[r] >= narrow_high)
        narrow_highest = narrow[r] == narrow_high ? narrow_highest + 1 : 1;
      narrow_high = std::max(narrow_high, narrow[r]);
    }
    for (const ColumnKernels& k : all_column_kernels()) {
      CAPTURE(k.name);
      const ColumnRange range = k.range(bits.data(), kWords, scores.data());
      CHECK(range.min == low);
      CHECK(range.max == high);
      const ColumnTop top = k.top(bits.data(), kWords, scores.data());
      CHECK(top.value == high);
      CHECK(top.count == highest);
      const ColumnTop narrow_top = k.top_narrow(bits.data(), kWords, narrow.data());
      CHECK(narrow_top.value == narrow_high);
      CHECK(narrow_top.count == narrow_highest);
      CHECK(k.ones(bits.data(), kWords) == ones);
      std::vector<uint32_t> ranks(kWords);
      CHECK(k.ranks(bits.data(), kWords, ranks.data()) == ones);
      for (size_t w = 0; w < kWords; ++w) CHECK(ranks[w] == k.ones(bits.data(), w));
      for (const bool first : {true, false}) {
        std::vector<int64_t> totals = before;
        CHECK(k.add(bits.data(), kWords, scores.data(), weight, first, totals.data()) == !bad);
        bool right = true;
        for (size_t r = 0; r < kRows && !bad; ++r)
          if (in_set(r))
            right &= static_cast<uint64_t>(totals[r]) ==
                     (first ? 0 : static_cast<uint64_t>(before[r])) +
                         static_cast<uint64_t>(scores[r]) * static_cast<uint64_t>(weight);
        CHECK(right);
        std::vector<int32_t> narrow_totals(before.begin(), before.end());
        const std::vector<int32_t> narrow_before = narrow_totals;
        CHECK(k.add_narrow(bits.data(), kWords, scores.data(), weight, first,
                           narrow_totals.data()) == !bad);
        for (size_t r = 0; r < kRows && !bad; ++r)
          if (in_set(r))
            right &= static_cast<uint32_t>(narrow_totals[r]) ==
                     (first ? 0 : static_cast<uint32_t>(narrow_before[r])) +
                         static_cast<uint32_t>(scores[r]) * static_cast<uint32_t>(weight);
        CHECK(right);
      }
    }
  }
}

TEST_CASE("small scores are added, and the first of equal values is found") {
  std::mt19937 random(11);
  for (const size_t words : {1, 2, 7})
    for (int round = 0; round < 50; ++round) {
      const size_t rows = words * 64;
      std::vector<int32_t> sums(rows), values(rows);
      std::vector<uint32_t> ranks(rows);
      std::vector<uint8_t> scores(rows);
      for (size_t r = 0; r < rows; ++r) {
        sums[r] = static_cast<int32_t>(random() % 4000) - 2000;
        scores[r] = static_cast<uint8_t>(random() % 101);
        values[r] = static_cast<int32_t>(random() % 50);
        ranks[r] = static_cast<uint32_t>(random() % 100000);
      }
      const auto weight = static_cast<int32_t>(random() % 20000000);
      const auto value = static_cast<int32_t>(random() % 51);
      uint32_t first = std::numeric_limits<uint32_t>::max();
      for (size_t r = 0; r < rows; ++r)
        if (values[r] == value) first = std::min(first, ranks[r]);
      for (const ColumnKernels& k : all_column_kernels()) {
        CAPTURE(k.name);
        CHECK(k.first(values.data(), ranks.data(), words, value) == first);
        std::vector<int32_t> totals(rows), same = sums;
        k.add_small(sums.data(), scores.data(), weight, words, totals.data());
        k.add_small(same.data(), scores.data(), weight, words, same.data());
        bool right = totals == same;
        for (size_t r = 0; r < rows; ++r) right &= totals[r] == sums[r] + scores[r] * weight;
        CHECK(right);
      }
    }
}

TEST_CASE("the intersection of sets") {
  std::mt19937_64 rng(6);
  for (const size_t words : {1, 15, 16, 17, 79})
    for (size_t count = 0; count < 5; ++count) {
      std::vector<std::vector<uint64_t>> sets(count + 1, std::vector<uint64_t>(words));
      std::vector<const uint64_t*> lists;
      for (std::vector<uint64_t>& set : sets)
        for (uint64_t& w : set) w = rng() | rng();
      for (size_t k = 1; k <= count; ++k) lists.push_back(sets[k].data());
      std::vector<uint64_t> want = sets[0];
      for (const uint64_t* list : lists)
        for (size_t w = 0; w < words; ++w) want[w] &= list[w];
      for (const ColumnKernels& k : all_column_kernels()) {
        CAPTURE(k.name);
        std::vector<uint64_t> alive = sets[0];
        k.intersect(alive.data(), words, lists.data(), count);
        CHECK(alive == want);
      }
    }
}

TEST_CASE("the best of a word of rows: its value, and the first row that has it") {
  std::mt19937_64 rng(5);
  for (int round = 0; round < 500; ++round) {
    const int spread = 1 + static_cast<int>(rng() % 40), low = static_cast<int>(rng()) / 2;
    std::vector<int32_t> values(64);
    std::vector<uint32_t> ranks(64);
    for (size_t i = 0; i < 64; ++i) {
      values[i] = low + static_cast<int>(rng() % static_cast<uint64_t>(spread));
      ranks[i] = static_cast<uint32_t>(rng() >> (rng() % 2 == 0 ? 33 : 58));
    }
    const int32_t top = *std::max_element(values.begin(), values.end());
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < 64; ++i)
      if (values[i] == top) first = std::min(first, ranks[i]);
    for (const ColumnKernels& k : all_column_kernels()) {
      CAPTURE(k.name);
      const WordBest best = k.best(values.data(), ranks.data());
      CHECK(best.value == top);
      CHECK(best.first == first);
    }
  }
}

TEST_CASE("the best of the rows of a word, the rows of a value, and the best of all words") {
  std::mt19937_64 rng(4);
  for (int round = 0; round < 300; ++round) {
    constexpr size_t kWords = 70;
    const int spread = 1 + static_cast<int>(rng() % 9), low = static_cast<int>(rng()) / 2;
    std::vector<int32_t> values(kWords * 64);
    std::vector<uint32_t> ranks(kWords * 64);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = low + static_cast<int>(rng() % static_cast<uint64_t>(spread));
      ranks[i] = static_cast<uint32_t>(rng() >> 40);
    }
    std::vector<uint64_t> bits(kWords), which(2);
    for (uint64_t& b : bits) b = rng() % 3 == 0 ? ~uint64_t{0} : rng() & rng() & rng();
    bits[rng() % kWords] = 0;
    for (uint64_t& b : which) b = round % 4 == 0 ? ~uint64_t{0} : rng();
    std::vector<int32_t> want(kWords, 77);
    for (size_t w = 0; w < kWords; ++w) {
      if ((which[w / 64] >> (w % 64) & 1) == 0) continue;
      want[w] = std::numeric_limits<int32_t>::min();
      for (size_t i = 0; i < 64; ++i)
        if ((bits[w] >> i & 1) != 0) want[w] = std::max(want[w], values[w * 64 + i]);
    }
    uint64_t same = 0;
    for (size_t i = 0; i < 64; ++i) same |= static_cast<uint64_t>(values[i] == values[9]) << i;
    const size_t count = (1 + rng() % (values.size() / 16)) * 16;
    WordBest best{*std::max_element(values.begin(), values.begin() + static_cast<long>(count)),
                  UINT32_MAX};
    for (size_t i = 0; i < count; ++i)
      if (values[i] == best.value) best.first = std::min(best.first, ranks[i]);
    for (const ColumnKernels& k : all_column_kernels()) {
      CAPTURE(k.name);
      std::vector<int32_t> tops(kWords, 77);
      k.tops(which.data(), bits.data(), kWords, values.data(), tops.data());
      CHECK(tops == want);
      CHECK(k.equal(values.data(), values[9]) == same);
      const WordBest found = k.best_of(values.data(), ranks.data(), count);
      CHECK(found.value == best.value);
      CHECK(found.first == best.first);
    }
  }
}

TEST_CASE("instruction sets that this machine lacks are said to be not applicable") {
  std::set<std::string> have;
  for (const ColumnKernels& k : all_column_kernels()) have.insert(k.name);
  CHECK(have.count("portable") == 1);
#if !defined(__x86_64__)
  CHECK(have.size() == 1);
  CHECK(std::string(column_kernels().name) == "portable");
#endif
  for (const char* name : {"avx2", "avx512"})
    if (have.count(name) == 0) MESSAGE("not applicable: this machine does not run ", name);
}

TEST_CASE("every instruction set finds, puts and takes words like a plain loop") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 400; ++round) {
    const size_t words = 1 + random() % 150, groups = (words + 63) / 64;
    const auto some = [&] {
      std::vector<uint64_t> out(words);
      for (uint64_t& w : out) w = random() % 3 == 0 ? 0 : random() & random();
      return out;
    };
    std::vector<uint64_t> bits = some(), now = some(), ever = some(), moved(groups), fresh = moved;
    for (size_t w = 0; w < words; ++w)
      if (random() % 2 == 0) now[w] = bits[w];
    moved.back() = random();
    fresh.front() = random() & random() & random();
    std::vector<int32_t> from(64), to(64);
    for (size_t i = 0; i < 64; ++i) {
      from[i] = static_cast<int32_t>(random());
      to[i] = static_cast<int32_t>(random());
    }
    const uint64_t which = random();
    for (const ColumnKernels& k : all_column_kernels()) {
      CAPTURE(k.name);
      const size_t count = 1 + random() % from.size();
      CHECK(k.largest(from.data(), count) ==
            *std::max_element(from.begin(), from.begin() + static_cast<long>(count)));
      std::vector<int32_t> put = to;
      k.put(which, from.data(), put.data());
      for (size_t i = 0; i < 64; ++i) CHECK(put[i] == ((which >> i & 1) != 0 ? from[i] : to[i]));
      std::vector<uint64_t> a = now, b = ever, c = moved, d = fresh;
      std::vector<uint64_t> all = ever, moved_in = moved, fresh_in = fresh;
      for (size_t w = 0; w < words; ++w) {
        const uint64_t bit = uint64_t{1} << (w % 64);
        if (now[w] != bits[w]) moved_in[w / 64] |= bit;
        if ((bits[w] & ~ever[w]) != 0) fresh_in[w / 64] |= bit;
        all[w] |= bits[w];
      }
      k.take(bits.data(), words, {a.data(), b.data(), c.data(), d.data()});
      CHECK(a == bits);
      CHECK(b == all);
      CHECK(c == moved_in);
      CHECK(d == fresh_in);
    }
  }
}

}  // namespace libsched::score_columns_test
