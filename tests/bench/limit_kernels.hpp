// The yardstick of `filter`: the time that the hardware needs to judge every node of a cluster,
// reduced to the arithmetic. For each node: not tainted, in two label sets, and room for the pod's
// requests in three columns. Whole words of excluded nodes are skipped.
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
  // Per column the free amount of each row, padded to 64 rows, and the pod's request. The absolute
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

// The kernels that this machine can run, the widest last.
std::vector<NamedLimitKernel> limit_kernels();

}  // namespace libsched_bench
