// The kernels of LeastAllocated and of NodeResourcesBalancedAllocation, which score sets of rows.
//
// The results equal Go's int64 and float64 arithmetic for all values. If numerator and denominator
// are below 2^53, doubles hold them exactly and the truncated IEEE quotient is the integer
// quotient, so kernels divide doubles; each row is checked for that. The instruction set is chosen
// once at run time; all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libsched/plugins/noderesources/allocation.hpp"

namespace libsched {

// v1.36 scores how a pod changes the balance of a node; v1.31 scores the balance with the pod.
enum class BalanceForm : uint8_t { kRelative, kAbsolute };
int64_t balance_score(BalanceForm form, int64_t with_pod, int64_t without_pod);

struct AllocationInput {
  std::span<const AllocationColumn> columns;  // padded to words * 64 rows
  const uint64_t* bits;                       // the rows to score
  size_t words;
  BalanceForm form = BalanceForm::kRelative;
  // If not empty, the rows of `bits`, in ascending order: these alone are looked at.
  std::span<const uint32_t> few = {};
  // Columns::memos(), if the columns are cpu and memory, or null: the balances without the pod.
  // Those that are needed and unknown are filled in.
  uint8_t* balances = nullptr;
  // Of sums: the totals hold nothing yet, as in Plugin::add_scores().
  bool first = false;
};

// Sets scores[row] for every row of `bits`. The scores of other rows of the same words are
// undefined.
void least_allocated(const AllocationInput& input, int64_t* scores);
void balanced_allocation(const AllocationInput& input, int64_t* scores);
// Add the same scores, each times `weight`, to the totals, of which those of other rows of the same
// words are then undefined. `few` is not looked at. Return whether all scores are between the
// smallest and largest score of a node; else the totals are meaningless.
bool add_least_allocated(const AllocationInput& input, uint32_t weight, int32_t* totals);
bool add_balanced_allocation(const AllocationInput& input, uint32_t weight, int32_t* totals);

// Computes the score of one row, step by step as upstream does.
int64_t least_allocated_row(std::span<const AllocationColumn> columns, size_t row);
int64_t balanced_allocation_row(std::span<const AllocationColumn> columns, BalanceForm form,
                                size_t row);

// Returns the kernels of exactly two columns, the portable kernel first. Tests compare them.
struct AllocationKernels {
  const char* name;
  void (*least)(const AllocationInput& input, int64_t* scores);
  void (*balanced)(const AllocationInput& input, int64_t* scores);
  bool (*add_least)(const AllocationInput& input, uint32_t weight, int32_t* totals);
  bool (*add_balanced)(const AllocationInput& input, uint32_t weight, int32_t* totals);
};
std::span<const AllocationKernels> allocation_kernels();

}  // namespace libsched
