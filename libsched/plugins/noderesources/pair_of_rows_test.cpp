// The scores of a few rows equal those that upstream's steps give, or none are made.
#include "libsched/plugins/noderesources/pair_of_rows.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "libsched/cluster/columns.hpp"

namespace libsched::pair_of_rows_test {

constexpr size_t kRows = 64;

struct World {
  std::vector<int64_t> allocatable[2], left[2], used[2];
  std::vector<double> inverse[2];
  PairOfRows pair;
  std::vector<AllocationColumn> columns;
  std::vector<uint8_t> balances = std::vector<uint8_t>(kRows, Columns::kNoMemo);

  // Rows on the edge of a quotient among others; `unusual`: some amount may be of unusual size.
  World(std::mt19937_64& random, bool unusual) {
    pair.nonzero = random() % 2 == 0;
    for (size_t i = 0; i < 2; ++i) {
      const int64_t unit = random() % 2 == 0 ? 1 : int64_t{1} << (random() % 26);
      int64_t ask = static_cast<int64_t>(random() % 5000) * unit;
      if (unusual && random() % 16 == 0) ask = static_cast<int64_t>(random());
      for (size_t r = 0; r < kRows; ++r) {
        int64_t capacity = static_cast<int64_t>(1 + random() % 200000) * unit;
        int64_t taken = static_cast<int64_t>(random() % 200000) * unit;
        if (random() % 3 == 0)
          taken = capacity / 100 * static_cast<int64_t>(random() % 101) +
                  static_cast<int64_t>(random() % 5) - 2 - ask;
        if (!unusual || random() % 64 != 0) taken = std::max<int64_t>(taken, 0);
        if (unusual && random() % 256 == 0) capacity = static_cast<int64_t>(random());
        if (unusual && random() % 256 == 0) capacity = 0;
        if (unusual && random() % 256 == 0) taken = static_cast<int64_t>(random());
        allocatable[i].push_back(capacity);
        used[i].push_back(taken);
        left[i].push_back(wrapping_sub(capacity, taken));
        const bool usual = capacity > 0 && capacity >> Columns::kUsualBits == 0;
        inverse[i].push_back(usual ? 1.0 / static_cast<double>(capacity) : 0.0);
      }
      const int64_t weight = random() % 2 == 0 ? 1 : static_cast<int64_t>(1 + random() % 100);
      pair.items[i] = {
          {allocatable[i].data(), left[i].data(), used[i].data(), inverse[i].data()}, ask, weight};
      columns.push_back({RowColumn::of(allocatable[i].data()), RowColumn::of(left[i].data()),
                         pair.nonzero ? RowColumn::of(used[i].data()) : RowColumn(), ask, weight});
    }
  }
};

TEST_CASE("a few rows get the scores of cpu and memory that all rows get") {
  std::mt19937_64 random(20261126);
  size_t made = 0, refused = 0, wrong = 0, known = 0;
  for (int round = 0; round < 6000; ++round) {
    World w(random, round % 2 == 0);
    std::vector<uint32_t> rows(1 + random() % 12);
    for (uint32_t& r : rows) r = static_cast<uint32_t>(random() % kRows);
    const BalanceForm form = round % 3 == 0 ? BalanceForm::kAbsolute : BalanceForm::kRelative;
    uint8_t* const balances = random() % 4 == 0 ? nullptr : w.balances.data();
    const auto compare = [&](auto&& make, auto&& score) {
      std::vector<int64_t> scores(kRows, -7), expected = scores;
      for (const uint32_t r : rows) expected[r] = score(r);
      const bool done = make(scores.data());
      done ? ++made : ++refused;
      if (done) wrong += scores != expected;
      if (!done && round % 2 != 0) ++wrong;  // rows of usual size are never refused
    };
    compare([&](int64_t* scores) { return least_of_rows(w.pair, rows, scores); },
            [&](uint32_t r) { return least_allocated_row(w.columns, r); });
    for (int again = 0; again < 2; ++again)  // with unknown balances, and with known ones
      compare(
          [&](int64_t* scores) { return balanced_of_rows(w.pair, form, balances, rows, scores); },
          [&](uint32_t r) { return balanced_allocation_row(w.columns, form, r); });
    std::vector<AllocationColumn> without = w.columns;
    for (AllocationColumn& c : without) c.ask = 0;
    for (uint32_t r = 0; r < kRows; ++r) {
      if (w.balances[r] == Columns::kNoMemo) continue;
      ++known;
      wrong += w.balances[r] != balanced_allocation_row(without, BalanceForm::kAbsolute, r);
    }
  }
  CHECK(wrong == 0);
  CHECK(made > 10000);
  CHECK(refused > 500);
  CHECK(known > 10000);
}

}  // namespace libsched::pair_of_rows_test
