// Passes over columns of scores: summing with a weight, and range and maximum of the rows of a set.
// One loop each, compiled for several instruction sets; which runs is chosen once. All are integer
// arithmetic and give the same answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace libsched {

struct ColumnRange {
  int64_t min, max;
};

struct ColumnKernels {
  const char* name;
  // totals[row] = scores[row] * weight, plus what is there unless `first`; whole words that have a
  // row in `bits`. True if the scores of all rows of `bits` lie between the smallest and largest
  // score of a node; otherwise the sums have no meaning.
  bool (*add)(const uint64_t* bits, size_t words, const int64_t* scores, int64_t weight, bool first,
              int64_t* totals);
  // The range of the rows of `bits`, of which there is one at least.
  ColumnRange (*range)(const uint64_t* bits, size_t words, const int64_t* values);
  // How many rows of `bits` have the value.
  size_t (*count)(const uint64_t* bits, size_t words, const int64_t* values, int64_t value);
};

const ColumnKernels& column_kernels();
// Those that this machine can run, the portable first, for tests.
std::span<const ColumnKernels> all_column_kernels();

}  // namespace libsched
