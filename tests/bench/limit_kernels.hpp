// The yardstick of `filter`: what the hardware needs to judge every node of a cluster, when nothing
// is left but the arithmetic. For each node: not tainted, in two label sets, and room for what the
// pod asks for in three columns. Whole words of nodes that are out already are skipped.
//
// It knows no plugins, reasons, journals or nodes without a row; the library is measured as a
// multiple of it. One kernel per instruction set, all with the same answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace libsched_bench {

struct LimitInput {
  static constexpr size_t kColumns = 3;  // cpu, memory, pods
  // Bit (row % 64) of word (row / 64). Padding is 0 in `untainted`.
  const uint64_t* untainted;
  const uint64_t* label_a;
  const uint64_t* label_b;
  // Per column what is left on each row, padded to 64 rows, and what the pod asks for. The absolute
  // values are less than 2^62, so a difference has the right sign.
  std::array<const int64_t*, kColumns> left;
  std::array<int64_t, kColumns> need;
  size_t words;
};

// Writes one bit a node into out[0 .. words).
using LimitKernel = void (*)(const LimitInput& input, uint64_t* out);

struct NamedLimitKernel {
  const char* name;
  LimitKernel run;
};

// Those that this machine can run, the widest last.
std::vector<NamedLimitKernel> limit_kernels();

}  // namespace libsched_bench
