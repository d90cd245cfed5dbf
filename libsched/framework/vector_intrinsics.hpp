// The intrinsics of x86-64, for kernels that are compiled for several instruction sets. Elsewhere
// it is empty.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif
