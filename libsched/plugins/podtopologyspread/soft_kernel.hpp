// The loops that score all rows of a cluster by ScheduleAnyway constraints, 64 rows at a time,
// where each constraint has something to say of every row and no score is negative.
//
// Doubles are summed in the order of the constraints and rounded as upstream does. The instruction
// set is chosen once at run time; all give the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace libsched {

// A constraint: the score of a row is value[domain + 1], or count * weight + offset for a row that
// is labelled, and 0 for one that is not.
struct SoftColumn {
  const int32_t* domain = nullptr;     // by row; -1: none
  const double* value = nullptr;       // null: rows are counted one by one
  size_t values = 0;                   // how many there are
  const int32_t* counts = nullptr;     // by row; null: 0 everywhere
  const uint64_t* labelled = nullptr;  // rows, as bits
  double weight = 0, offset = 0;       // not negative
};

struct SoftRange {
  int32_t min, max;
};

struct SoftKernels {
  const char* name;
  // scores[row] = the rounded sum over the constraints, and the range of the rows of `bits`. False
  // if one of these has more than 31 bits. Without rows the range has min > max.
  bool (*score)(std::span<const SoftColumn> columns, std::span<const uint64_t> bits,
                int32_t* scores, SoftRange* range);
  // out[row] = the score as upstream normalises it, for rows of the range; others are meaningless.
  void (*normalize)(const int32_t* scores, size_t words, SoftRange range, uint8_t* out);
};

const SoftKernels& soft_kernels();
// Those that this machine can run, the portable one first, for tests.
std::span<const SoftKernels> all_soft_kernels();

}  // namespace libsched
