// The kernels, one per instruction set, and the choice between them at run time.
#include "libsched/plugins/noderesources/fit_kernel.hpp"

#include <algorithm>
#include <array>

#include "libsched/base/bitmap.hpp"

namespace libsched {
namespace {

// Few candidates in a word: testing them one by one is cheaper than 64 rows at once.
constexpr int kFew = 4;

// Row by row, each up to the first demand that it does not meet. `left`: the demands' columns of
// the word.
__attribute__((always_inline)) inline uint64_t by_rows(const FitDemand* demands,
                                                       const int64_t* const* left, size_t count,
                                                       uint64_t bits) {
  uint64_t keep = bits;
  for_each_bit(bits, 0, [&](size_t i) {
    for (size_t d = 0; d < count; ++d)
      if (demands[d].need > left[d][i]) {
        keep &= ~(uint64_t{1} << i);
        break;
      }
  });
  return keep;
}

uint64_t word_by_rows(const FitDemand* demands, size_t count, uint64_t bits, size_t word) {
  constexpr size_t kMost = 4;
  while (count != 0 && bits != 0) {
    const size_t n = std::min(count, kMost);
    const int64_t* left[kMost];
    for (size_t d = 0; d < n; ++d) left[d] = demands[d].left.word(word);
    bits = by_rows(demands, left, n, bits);
    demands += n;
    count -= n;
  }
  return bits;
}

void portable(const FitDemand* demands, size_t count, uint64_t* alive, size_t words) {
  for (size_t w = 0; w < words; ++w)
    if (alive[w] != 0) alive[w] = word_by_rows(demands, count, alive[w], w);
}

#if defined(__x86_64__)
// N demands at a time: the needs stay in registers and the loops over them unroll. Compilers turn
// the loop over rows into vectors of the instruction set.
template <size_t N>
__attribute__((always_inline)) inline void words_of(const FitDemand* demands, uint64_t* alive,
                                                    size_t words) {
  for (size_t w = 0; w < words; ++w) {
    if (alive[w] == 0) continue;
    const int64_t* columns[N];
    for (size_t d = 0; d < N; ++d) columns[d] = demands[d].left.word(w);
    if (count_bits(alive[w]) <= kFew) {
      alive[w] = by_rows(demands, columns, N, alive[w]);
      continue;
    }
    uint64_t lacking = 0;
    for (size_t i = 0; i < 64; ++i) {
      bool bad = false;
      for (size_t d = 0; d < N; ++d) bad |= demands[d].need > columns[d][i];
      lacking |= uint64_t{bad} << i;
    }
    alive[w] &= ~lacking;
  }
}

__attribute__((always_inline)) inline void by_words(const FitDemand* demands, size_t count,
                                                    uint64_t* alive, size_t words) {
  for (; count > 4; demands += 4, count -= 4) words_of<4>(demands, alive, words);
  switch (count) {
    case 4: return words_of<4>(demands, alive, words);
    case 3: return words_of<3>(demands, alive, words);
    case 2: return words_of<2>(demands, alive, words);
    case 1: return words_of<1>(demands, alive, words);
    default: return;
  }
}

__attribute__((target("avx2"))) void avx2(const FitDemand* demands, size_t count, uint64_t* alive,
                                          size_t words) {
  by_words(demands, count, alive, words);
}
__attribute__((target("avx512f,avx512dq"))) void avx512(const FitDemand* demands, size_t count,
                                                        uint64_t* alive, size_t words) {
  by_words(demands, count, alive, words);
}
#endif

// In ascending order of speed.
struct Kernels {
  std::array<FitKernel, 3> list;
  size_t count = 0;

  Kernels() {
    list[count++] = {"portable", portable};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) list[count++] = {"avx2", avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      list[count++] = {"avx512", avx512};
#endif
  }
};

const Kernels available;

const Kernels& kernels() { return available; }

const FitKernel& chosen() { return kernels().list[kernels().count - 1]; }

}  // namespace

void fit_rows(const FitDemand* demands, size_t count, uint64_t* alive, size_t words) {
  // One row (RunFilterPlugins): no dispatch at all.
  if (words == 1 && count_bits(alive[0]) <= kFew) {
    alive[0] = word_by_rows(demands, count, alive[0], 0);
    return;
  }
  chosen().run(demands, count, alive, words);
}

std::span<const FitKernel> fit_kernels() { return {kernels().list.data(), kernels().count}; }

const char* fit_kernel_name() { return chosen().name; }

}  // namespace libsched
