// The kernels of LeastAllocated and of NodeResourcesBalancedAllocation: scores of whole sets of
// rows.
//
// The answer is that of Go's int64 and float64 arithmetic for all values. Where the amounts are of
// a usual size, integer quotients are taken from doubles that hold the integers exactly: with
// numerator and denominator below 2^53 the truncated IEEE quotient is the integer one. Each row is
// checked for that. The instruction set is chosen once at run time; all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libsched/plugins/noderesources/allocation.hpp"

namespace libsched {

// v1.36 scores how a pod changes the balance of a node; releases up to 1.31 the balance after it.
enum class BalanceForm : uint8_t { kRelative, kAbsolute };
int64_t balance_score(BalanceForm form, int64_t with_pod, int64_t without_pod);

struct AllocationInput {
  std::span<const AllocationColumn> columns;  // padded to words * 64 rows
  const uint64_t* bits;                       // the rows that matter
  size_t words;
  BalanceForm form = BalanceForm::kRelative;
};

// scores[row] for every row of `bits`; on other rows of the same words it may be anything.
void least_allocated(const AllocationInput& input, int64_t* scores);
void balanced_allocation(const AllocationInput& input, int64_t* scores);

// The same of one row, step by step as upstream.
int64_t least_allocated_row(std::span<const AllocationColumn> columns, size_t row);
int64_t balanced_allocation_row(std::span<const AllocationColumn> columns, BalanceForm form,
                                size_t row);

// Kernels of exactly two columns, for tests, which compare them; the portable one first.
struct AllocationKernels {
  const char* name;
  void (*least)(const AllocationInput& input, int64_t* scores);
  void (*balanced)(const AllocationInput& input, int64_t* scores);
};
std::span<const AllocationKernels> allocation_kernels();

}  // namespace libsched
