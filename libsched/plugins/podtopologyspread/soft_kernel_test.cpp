// The kernels of ScheduleAnyway constraints, each instruction set against upstream's steps row by
// row.
#include "libsched/plugins/podtopologyspread/soft_kernel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace libsched::soft_kernel_test {

// A constraint that owns its columns.
struct Constraint {
  std::vector<int32_t> domain, counts;
  std::vector<double> value;
  std::vector<uint64_t> labelled;
  double weight = 1, offset = 0;
  bool by_row = false;

  double of(size_t row) const {
    if (!by_row) return value[static_cast<size_t>(domain[row] + 1)];
    if ((labelled[row / 64] >> (row % 64) & 1) == 0) return 0;
    const double n = counts.empty() ? 0 : counts[row];
    return n * weight + offset;
  }
  SoftColumn column() const {
    SoftColumn out;
    out.domain = domain.data();
    if (by_row) {
      out.counts = counts.empty() ? nullptr : counts.data();
      out.labelled = labelled.data();
      out.weight = weight;
      out.offset = offset;
    } else {
      out.value = value.data();
      out.values = value.size();
    }
    return out;
  }
};

int64_t naively_normalized(int64_t score, int64_t min, int64_t max) {
  return max == 0 ? 100 : 100 * (max + min - score) / max;
}

TEST_CASE("every instruction set scores and normalises as upstream row by row") {
  constexpr size_t kWords = 5, kRows = kWords * 64;
  std::mt19937 rng(5);
  const auto below = [&](size_t n) { return static_cast<size_t>(rng() % n); };
  size_t refused = 0, halves = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    std::vector<Constraint> constraints(1 + below(6));
    for (Constraint& c : constraints) {
      c.by_row = below(2) == 0;
      // Weights that make halves are as good as any.
      c.weight = below(3) == 0 ? 0.5 : std::log(static_cast<double>(2 + below(5000)));
      c.offset = static_cast<double>(below(4));
      c.labelled.resize(kWords, ~uint64_t{0});
      c.domain.resize(kRows);
      const size_t domains = below(4) == 0 ? 1 + below(400) : 1 + below(17);
      const size_t most = below(40) == 0 ? 2000000000 : 1 + below(3000);
      if (below(4) != 0) c.counts.resize(kRows);
      for (size_t r = 0; r < kRows; ++r) {
        c.domain[r] = static_cast<int32_t>(below(domains + 1)) - 1;
        if (!c.counts.empty()) c.counts[r] = static_cast<int32_t>(below(most));
        if (below(9) == 0 && round % 3 == 0) c.labelled[r / 64] &= ~(uint64_t{1} << (r % 64));
      }
      c.value.push_back(0);
      for (size_t d = 0; d < domains; ++d)
        c.value.push_back(static_cast<double>(below(most)) * c.weight + c.offset);
    }
    std::vector<uint64_t> bits(kWords);
    for (uint64_t& b : bits) {
      b = (uint64_t{rng()} << 32 | rng()) & (uint64_t{rng()} << 32 | rng());
      if (below(3) == 0) b = below(3) == 0 ? 0 : ~uint64_t{0};
    }
    int64_t min = std::numeric_limits<int32_t>::max(), max = std::numeric_limits<int32_t>::min();
    std::vector<int64_t> want(kRows);
    for (size_t r = 0; r < kRows; ++r) {
      double sum = 0;
      for (const Constraint& c : constraints) sum += c.of(r);
      halves += sum - std::floor(sum) == 0.5;
      want[r] = static_cast<int64_t>(std::round(sum));
      if ((bits[r / 64] >> (r % 64) & 1) == 0) continue;
      min = std::min(min, want[r]);
      max = std::max(max, want[r]);
    }
    const bool fits = max < std::numeric_limits<int32_t>::max();
    refused += fits ? 0 : 1;
    std::vector<SoftColumn> columns;
    for (const Constraint& c : constraints) columns.push_back(c.column());
    for (const SoftKernels& k : all_soft_kernels()) {
      CAPTURE(k.name);
      std::vector<int32_t> scores(kRows);
      std::vector<uint8_t> normalized(kRows);
      SoftRange range;
      REQUIRE(k.score(columns, bits, scores.data(), &range) == fits);
      if (!fits) continue;
      CHECK(range.min == min);
      CHECK(range.max == max);
      k.normalize(scores.data(), kWords, range, normalized.data());
      for (size_t r = 0; r < kRows; ++r) {
        if ((bits[r / 64] >> (r % 64) & 1) == 0) continue;
        REQUIRE(scores[r] == want[r]);
        REQUIRE(normalized[r] == naively_normalized(want[r], min, max));
      }
    }
  }
  CHECK(refused > 3);
  CHECK(halves > 1000);
}

TEST_CASE("half a unit and the number below it round as upstream") {
  std::vector<double> sums;
  for (const double whole : {0.0, 1.0, 2.0, 3.0, 7.0, 1000.0, 1048575.0, 2147483645.0})
    for (const double part : {0.0, 0.25, 0.5, 0.75}) {
      const double x = whole + part;
      for (const double y : {x, std::nextafter(x, 0.0), std::nextafter(x, 1e300)})
        sums.push_back(y);
    }
  Constraint c;
  c.value.push_back(0);
  c.value.insert(c.value.end(), sums.begin(), sums.end());
  c.domain.resize(128, -1);
  for (size_t d = 0; d < sums.size(); ++d) c.domain[d] = static_cast<int32_t>(d);
  const std::vector<SoftColumn> columns = {c.column()};
  const std::vector<uint64_t> bits(2, ~uint64_t{0});
  for (const SoftKernels& k : all_soft_kernels()) {
    CAPTURE(k.name);
    std::vector<int32_t> scores(128);
    SoftRange range;
    REQUIRE(k.score(columns, bits, scores.data(), &range));
    for (size_t d = 0; d < sums.size(); ++d) {
      CAPTURE(sums[d]);
      CHECK(scores[d] == static_cast<int64_t>(std::round(sums[d])));
    }
  }
}

TEST_CASE("quotients that are whole, or nearly so, are cut off as upstream") {
  std::mt19937 rng(8);
  // Both sides of the largest numbers that floats hold, and the ends of the range.
  for (const int32_t max :
       {1, 2, 3, 7, 99, 100, 101, 9973, 39999, 40000, 40001, 1000003, 2147483646})
    for (const int32_t min : {0, 1, max / 3, max - 1, max}) {
      if (min > max) continue;
      std::vector<int32_t> scores(1024);
      for (size_t i = 0; i < scores.size(); ++i) {
        // About where the quotient changes.
        const int64_t q = static_cast<int64_t>(i % 101);
        const int64_t at = int64_t{max} + min - q * max / 100 + static_cast<int64_t>(rng() % 3) - 1;
        scores[i] = static_cast<int32_t>(std::clamp<int64_t>(at, min, max));
      }
      for (const SoftKernels& k : all_soft_kernels()) {
        CAPTURE(k.name);
        CAPTURE(max);
        std::vector<uint8_t> out(scores.size());
        k.normalize(scores.data(), scores.size() / 64, {min, max}, out.data());
        for (size_t i = 0; i < scores.size(); ++i)
          REQUIRE(out[i] == naively_normalized(scores[i], min, max));
      }
    }
  for (const SoftKernels& k : all_soft_kernels()) {
    std::vector<int32_t> scores(64);
    std::vector<uint8_t> out(64);
    k.normalize(scores.data(), 1, {0, 0}, out.data());
    CHECK(std::count(out.begin(), out.end(), 100) == 64);
  }
#if !defined(__x86_64__)
  CHECK(all_soft_kernels().size() == 1);
  CHECK(std::string(soft_kernels().name) == "portable");
#endif
}

}  // namespace libsched::soft_kernel_test
