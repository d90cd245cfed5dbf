// The kernels of this machine, and the choice at run time.
#include "libsched/plugins/noderesources/score_kernel.hpp"

#include <array>

#include "libsched/plugins/noderesources/score_rows.hpp"
#include "libsched/plugins/noderesources/score_words.hpp"

namespace libsched {
namespace {

// In ascending order of speed.
struct Kernels {
  std::array<AllocationKernels, 3> list;
  size_t count = 0;

  Kernels() {
    list[count++] = {"portable", portable_least, portable_balanced, portable_add_least,
                     portable_add_balanced};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      list[count++] = avx2_allocation_kernels();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      list[count++] = avx512_allocation_kernels();
#endif
  }
};

const Kernels available;

const Kernels& kernels() { return available; }

}  // namespace

std::span<const AllocationKernels> allocation_kernels() {
  return {kernels().list.data(), kernels().count};
}

void least_allocated(const AllocationInput& input, int64_t* scores) {
  if (input.columns.size() == 2) return allocation_kernels().back().least(input, scores);
  each_row(input, scores, [&](size_t row) { return least_allocated_row(input.columns, row); });
}

void balanced_allocation(const AllocationInput& input, int64_t* scores) {
  if (input.columns.size() == 2) return allocation_kernels().back().balanced(input, scores);
  portable_balanced(input, scores);
}

bool add_least_allocated(const AllocationInput& input, uint32_t weight, int32_t* totals) {
  if (input.columns.size() == 2)
    return allocation_kernels().back().add_least(input, weight, totals);
  return portable_add_least(input, weight, totals);
}

bool add_balanced_allocation(const AllocationInput& input, uint32_t weight, int32_t* totals) {
  if (input.columns.size() == 2)
    return allocation_kernels().back().add_balanced(input, weight, totals);
  return portable_add_balanced(input, weight, totals);
}

}  // namespace libsched
