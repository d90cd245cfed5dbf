// The kernel of NodeResourcesFit: finds the rows with enough left of every requested resource.
//
// Amounts are compared as signed 64-bit integers, so the result is exact for all values. The
// instruction set is chosen once at run time; all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libsched/cluster/row_column.hpp"

namespace libsched {

struct FitDemand {
  RowColumn left;  // from the first row of the first word on
  int64_t need;
};

// Removes from alive[w] the rows of word w that have left < need for any demand. Words that are
// zero are skipped.
void fit_rows(const FitDemand* demands, size_t count, uint64_t* alive, size_t words);

// A kernel of one instruction set; it does what fit_rows() does.
struct FitKernel {
  const char* name;
  void (*run)(const FitDemand* demands, size_t count, uint64_t* alive, size_t words);
};
// Returns the kernels that this machine can run, the portable kernel first. Tests compare them.
std::span<const FitKernel> fit_kernels();

// Returns the instruction set in use: "portable", "avx2" or "avx512".
const char* fit_kernel_name();

}  // namespace libsched
