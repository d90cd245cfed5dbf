// The intrinsics of x86-64, for kernels that are compiled for several instruction sets. Elsewhere
// it is empty.
#pragma once

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined operands inside its AVX-512 intrinsics for mistakes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif
