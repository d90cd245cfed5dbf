// The kernels of every instruction set that this machine has give the same bits as a plain loop.
#include "libsched/plugins/noderesources/fit_kernel.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "libsched/plugins/noderesources/row_column_of.hpp"

namespace libsched::fit_kernel_test {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

int64_t amount(std::mt19937_64& random) {
  constexpr int64_t kExtremes[] = {
      kMin,      kMin + 1,  -1,  0, 1, kMax - 1, kMax, int64_t{1} << 32, -(int64_t{1} << 32),
      INT32_MAX, INT32_MIN, 1000};
  switch (random() % 4) {
    case 0: return static_cast<int64_t>(random());
    case 1: return static_cast<int64_t>(random() % 16);
    default: return kExtremes[random() % std::size(kExtremes)];
  }
}

uint64_t candidates(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0: return 0;
    case 1: return ~uint64_t{0};
    case 2: return uint64_t{1} << (random() % 64);
    case 3: return random() & random() & random() & random();  // few: another path
    default: return random();
  }
}

std::vector<uint64_t> by_hand(const std::vector<FitDemand>& demands, std::vector<uint64_t> alive) {
  for (size_t row = 0; row < alive.size() * 64; ++row)
    for (const FitDemand& d : demands)
      if (!(d.left[row] >= d.need)) alive[row / 64] &= ~(uint64_t{1} << (row % 64));
  return alive;
}

TEST_CASE("all kernels equal a plain loop") {
  REQUIRE_FALSE(fit_kernels().empty());
  CHECK(std::string(fit_kernels()[0].name) == "portable");
  CHECK(std::string(fit_kernels().back().name) == fit_kernel_name());
#if !defined(__x86_64__)
  CHECK(fit_kernels().size() == 1);
#endif
  std::mt19937_64 random(20260101);
  for (int round = 0; round < 3000; ++round) {
    const size_t words = random() % 5, count = random() % 11;
    std::vector<std::vector<int64_t>> columns(count, std::vector<int64_t>(words * 64));
    std::vector<RowColumnOf> blocks;
    blocks.reserve(count);
    std::vector<FitDemand> demands;
    for (std::vector<int64_t>& column : columns) {
      for (int64_t& v : column) v = amount(random);
      // Mostly met, so that the last demand matters, too.
      const int64_t need =
          random() % 3 == 0 ? amount(random) : kMin + static_cast<int64_t>(random() % 3);
      blocks.emplace_back(column.data(), column.size());
      demands.push_back({blocks.back().column(), need});
    }
    std::vector<uint64_t> alive(words);
    for (uint64_t& w : alive) w = candidates(random);
    const std::vector<uint64_t> expected = by_hand(demands, alive);
    for (const FitKernel& kernel : fit_kernels()) {
      std::vector<uint64_t> got = alive;
      kernel.run(demands.data(), count, got.data(), words);
      if (got != expected) FAIL(kernel.name << " differs in round " << round);
    }
    fit_rows(demands.data(), count, alive.data(), words);
    if (alive != expected) FAIL("fit_rows differs in round " << round);
  }
}

TEST_CASE("equal is enough, one less is not, at every value") {
  for (const int64_t v : {kMin, kMin + 1, int64_t{-1}, int64_t{0}, int64_t{1}, kMax - 1, kMax}) {
    const std::vector<int64_t> left(64, v);
    for (const FitKernel& kernel : fit_kernels()) {
      CAPTURE(kernel.name);
      CAPTURE(v);
      const RowColumnOf blocks(left.data(), left.size());
      FitDemand demand{blocks.column(), v};
      uint64_t alive = ~uint64_t{0};
      kernel.run(&demand, 1, &alive, 1);
      CHECK(alive == ~uint64_t{0});
      if (v == kMax) continue;
      demand.need = v + 1;
      kernel.run(&demand, 1, &alive, 1);
      CHECK(alive == 0);
    }
  }
}

}  // namespace libsched::fit_kernel_test
