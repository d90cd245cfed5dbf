// The kernel of NodeResourcesFit: which rows have enough left of every resource that is asked for.
//
// Compared as signed 64-bit integers, so the result is exact for all values. The instruction set
// (portable, AVX2, AVX-512) is chosen once at run time; all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace libsched {

struct FitDemand {
  const int64_t* left;  // column, from the first row of the first word on
  int64_t need;
};

// alive[w] &= rows of word w with left >= need for every demand. Words that are zero are skipped.
void fit_rows(const FitDemand* demands, size_t count, uint64_t* alive, size_t words);

// A kernel by itself: what fit_rows() does, always with this instruction set.
struct FitKernel {
  const char* name;
  void (*run)(const FitDemand* demands, size_t count, uint64_t* alive, size_t words);
};
// Those that this machine can run, the portable one first; for tests, which compare them.
std::span<const FitKernel> fit_kernels();

// The instruction set in use: "portable", "avx2" or "avx512".
const char* fit_kernel_name();

}  // namespace libsched
