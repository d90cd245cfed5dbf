// The score kernels for vectors of x86-64.
#pragma once

#if defined(__x86_64__)

#include "libsched/plugins/noderesources/score_kernel.hpp"

namespace libsched {

AllocationKernels avx2_allocation_kernels();
AllocationKernels avx512_allocation_kernels();

}  // namespace libsched

#endif
