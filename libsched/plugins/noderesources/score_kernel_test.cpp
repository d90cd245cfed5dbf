// Every kernel equals Go's int64 and float64 arithmetic, even where it wraps around.
#include "libsched/plugins/noderesources/score_kernel.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "libsched/cluster/columns.hpp"
#include "libsched/plugins/noderesources/row_column_of.hpp"

namespace libsched::score_kernel_test {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

int64_t extreme(std::mt19937_64& random) {
  constexpr int64_t kList[] = {kMin,
                               kMin + 1,
                               -1,
                               0,
                               1,
                               2,
                               kMax - 1,
                               kMax,
                               (int64_t{1} << 44) - 1,
                               int64_t{1} << 44,
                               (int64_t{1} << 46) - 1,
                               int64_t{1} << 46,
                               (int64_t{1} << 51) - 1,
                               int64_t{1} << 51,
                               int64_t{1} << 52,
                               (int64_t{1} << 53) + 1,
                               92233720368547758,
                               92233720368547759};
  return random() % 3 == 0 ? static_cast<int64_t>(random()) : kList[random() % std::size(kList)];
}

struct Columns2 {
  std::vector<int64_t> allocatable[2], left[2], used[2];
  std::vector<double> inverse[2];
  std::vector<RowColumnOf> blocks;
  std::vector<AllocationColumn> list;

  // Usual rows, rows on the edge of a quotient, and, if wished, extreme rows.
  Columns2(std::mt19937_64& random, size_t rows, bool extremes) {
    const bool inverses = random() % 2 == 0;
    for (size_t i = 0; i < 2; ++i) {
      const bool own_used = random() % 2 == 0;
      const int64_t unit = random() % 2 == 0 ? 1 : int64_t{1} << (random() % 36);
      const int64_t ask = extremes && random() % 12 == 0
                              ? extreme(random)
                              : static_cast<int64_t>(random() % 5000) * unit;
      for (size_t r = 0; r < rows; ++r) {
        int64_t capacity = static_cast<int64_t>(1 + random() % 200000) * unit;
        int64_t taken = static_cast<int64_t>(random() % 200000) * unit;
        if (random() % 3 == 0)  // used + ask close to a whole percentage
          taken = wrapping_sub(capacity / 100 * static_cast<int64_t>(random() % 101) +
                                   static_cast<int64_t>(random() % 5) - 2,
                               ask);
        if (extremes && random() % 16 == 0) capacity = 0;
        if (extremes && random() % 24 == 0) capacity = extreme(random);
        if (extremes && random() % 24 == 0) taken = extreme(random);
        if (!extremes) taken = std::max<int64_t>(taken, 0);
        allocatable[i].push_back(capacity);
        used[i].push_back(taken);
        left[i].push_back(wrapping_sub(capacity, taken));
        const bool usual = capacity > 0 && capacity >> Columns::kUsualBits == 0;
        inverse[i].push_back(usual ? 1.0 / static_cast<double>(capacity) : 0.0);
      }
      const int64_t weight = random() % 2 == 0 ? 1 : static_cast<int64_t>(1 + random() % 100);
      const auto column = [&](const auto& values) {
        return blocks.emplace_back(values.data(), values.size()).column();
      };
      list.push_back({column(allocatable[i]), column(left[i]),
                      own_used ? column(used[i]) : RowColumn(), ask, weight,
                      inverses ? inverse[i].data() : nullptr});
    }
  }
};

// Balances that are right or unknown; those of rows of unusual size are.
std::vector<uint8_t> some_balances(std::mt19937_64& random, const Columns2& columns, size_t rows) {
  std::vector<uint8_t> out(rows, Columns::kNoMemo);
  std::vector<AllocationColumn> without = columns.list;
  for (AllocationColumn& c : without) c.ask = 0;
  for (size_t r = 0; r < rows; ++r) {
    const int64_t balance = balanced_allocation_row(without, BalanceForm::kAbsolute, r);
    bool usual = true;
    for (const AllocationColumn& c : columns.list)
      usual = usual && c.allocatable[r] > 0 && c.allocatable[r] >> Columns::kUsualBits == 0 &&
              c.used_at(r) >= 0 && c.used_at(r) >> 51 == 0;
    if (usual && random() % 8 != 0) out[r] = static_cast<uint8_t>(balance);
  }
  return out;
}

// How many totals are wrong after `add` adds the scores, those of row_score(row), to random ones;
// counts when all are in range.
template <typename Add, typename RowScore>
size_t wrong_sums(std::mt19937_64& random, Add add, AllocationInput input, RowScore&& row_score,
                  size_t* in_range) {
  input.first = random() % 2 == 0;
  const size_t rows = input.words * 64;
  const auto weight = static_cast<uint32_t>(random() % 2 == 0 ? 1 : random() >> 33);
  std::vector<int32_t> totals(rows), expected(rows);
  bool within = true;
  for (size_t r = 0; r < rows; ++r) {
    totals[r] = static_cast<int32_t>(random());
    expected[r] = input.first ? 0 : totals[r];
    if ((input.bits[r / 64] >> (r % 64) & 1) == 0) continue;
    const int64_t score = row_score(r);
    within = within && score >= 0 && score <= 100;
    add_weighted(score, weight, &expected[r]);
  }
  *in_range += within;
  if (add(input, weight, totals.data()) != within) return rows;
  size_t wrong = 0;
  for (size_t r = 0; within && r < rows; ++r) {
    const bool counts = (input.bits[r / 64] >> (r % 64) & 1) != 0;
    // Words without a row of the set begin with 0.
    if (counts || (input.first && input.bits[r / 64] == 0)) wrong += totals[r] != expected[r];
  }
  return wrong;
}

TEST_CASE("all allocation kernels equal the plain loops") {
  REQUIRE(std::string(allocation_kernels()[0].name) == "portable");
#if !defined(__x86_64__)
  CHECK(allocation_kernels().size() == 1);
#endif
  std::mt19937_64 random(20260701);
  size_t wrong = 0, rows = 0, in_range = 0, least_in_range = 0;
  for (int round = 0; round < 4000; ++round) {
    const size_t words = 1 + random() % 3;
    const Columns2 columns(random, words * 64, round % 2 == 0);
    std::vector<uint64_t> bits(words);
    for (uint64_t& w : bits) {
      const uint64_t choice = random() % 4;
      w = choice == 0   ? ~uint64_t{0}
          : choice == 1 ? random() & random() & random() & random()
          : choice == 2 ? (random() % 2 == 0 ? 0 : random())
                        : random();
    }
    const BalanceForm form = round % 3 == 0 ? BalanceForm::kAbsolute : BalanceForm::kRelative;
    AllocationInput input{columns.list, bits.data(), words, form};
    std::vector<uint32_t> few;
    for (uint32_t r = 0; r < words * 64; ++r)
      if ((bits[r / 64] >> (r % 64) & 1) != 0) few.push_back(r);
    AllocationInput listed = input;
    listed.few = few;
    for (const AllocationKernels& kernel : allocation_kernels()) {
      std::vector<int64_t> of_list(words * 64, -7);
      kernel.least(listed, of_list.data());
      for (const uint32_t r : few) wrong += of_list[r] != least_allocated_row(columns.list, r);
      kernel.balanced(listed, of_list.data());
      for (const uint32_t r : few)
        wrong += of_list[r] != balanced_allocation_row(columns.list, form, r);
      std::vector<uint8_t> balances = some_balances(random, columns, words * 64);
      input.balances = listed.balances = random() % 2 == 0 ? balances.data() : nullptr;
      wrong += wrong_sums(
          random, kernel.add_balanced, input,
          [&](size_t r) { return balanced_allocation_row(columns.list, form, r); }, &in_range);
      wrong += wrong_sums(
          random, kernel.add_least, input,
          [&](size_t r) { return least_allocated_row(columns.list, r); }, &least_in_range);
      kernel.balanced(listed, of_list.data());
      for (const uint32_t r : few)
        wrong += of_list[r] != balanced_allocation_row(columns.list, form, r);
      std::vector<int64_t> least(words * 64, -7), balanced(words * 64, -7);
      kernel.least(input, least.data());
      kernel.balanced(input, balanced.data());
      input.balances = listed.balances = nullptr;
      for (size_t r = 0; r < words * 64; ++r) {
        if (bits[r / 64] == 0) wrong += least[r] != -7 || balanced[r] != -7;  // stay as they are
        if ((bits[r / 64] >> (r % 64) & 1) == 0) continue;
        ++rows;
        wrong += least[r] != least_allocated_row(columns.list, r);
        wrong += balanced[r] != balanced_allocation_row(columns.list, form, r);
      }
    }
  }
  CHECK(rows > 100000);
  CHECK(in_range > 1000);
  CHECK(least_in_range > 1000);
  CHECK(wrong == 0);
}

int64_t least(int64_t capacity, int64_t used, int64_t ask) {
  const int64_t left = wrapping_sub(capacity, used);
  const RowColumnOf capacities(&capacity, 1), lefts(&left, 1);
  const AllocationColumn column{capacities.column(), lefts.column(), {}, ask, 1};
  return least_allocated_row({&column, 1}, 0);
}

TEST_CASE("LeastAllocated wraps around as Go does") {
  CHECK(least(1000, 200, 100) == 70);
  CHECK(least(1000, 900, 101) == 0);
  CHECK(least(0, 0, 0) == 0);
  // (capacity - requested) * 100 is above 2^63.
  CHECK(least(92233720368547759, 0, 0) == -99);
  CHECK(least(-1, kMin, 0) == 100);
  CHECK(least(-1, -1 - (int64_t{1} << 62), 0) == 0);  // 2^62 * 100 is 0 modulo 2^64
}

int64_t balanced(std::vector<std::array<int64_t, 2>> used_of_capacity, std::vector<int64_t> ask,
                 BalanceForm form = BalanceForm::kRelative) {
  std::vector<int64_t> capacity, left;
  for (const auto& [used, all] : used_of_capacity) {
    capacity.push_back(all);
    left.push_back(all - used);
  }
  std::vector<RowColumnOf> blocks;
  std::vector<AllocationColumn> columns;
  for (size_t i = 0; i < ask.size(); ++i) {
    const RowColumn capacities = blocks.emplace_back(&capacity[i], 1).column();
    columns.push_back({capacities, blocks.emplace_back(&left[i], 1).column(), {}, ask[i], 1});
  }
  return balanced_allocation_row(columns, form, 0);
}

TEST_CASE("balance, by hand") {
  // cpu 500 -> 600 of 1000 beside memory 1000 of 2000: 100 -> 95.
  CHECK(balanced({{500, 1000}, {1000, 2000}}, {100, 0}) == 72);
  CHECK(balanced({{500, 1000}, {1000, 2000}}, {100, 0}, BalanceForm::kAbsolute) == 95);
  CHECK(balanced({{0, 1000}, {0, 2000}}, {100, 200}) == 75);
  CHECK(balanced({{0, 1000}, {1000, 2000}}, {500, 0}) == 87);  // 75 -> 100
  CHECK(balanced({{0, 1000}}, {500}) == 75);                   // one resource is always even
  // Requests beyond the capacity count as all of it.
  CHECK(balanced({{0, 1000}, {0, 2000}}, {5000, 2000}) == 75);
  // Three: fractions 0, 0, 0 -> 0.3, 0, 0.6.
  CHECK(balanced({{0, 10}, {0, 10}, {0, 10}}, {3, 0, 6}, BalanceForm::kAbsolute) == 75);
  CHECK(balanced({{0, 10}, {0, 10}, {0, 10}}, {3, 0, 6}) == 62);
}

}  // namespace libsched::score_kernel_test
