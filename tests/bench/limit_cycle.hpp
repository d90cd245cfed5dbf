// The yardstick of `cycle`: the time that the hardware needs to judge and score every node of a
// cluster for a plain pod and to find the best, reduced to the arithmetic: room in three columns,
// LeastAllocated and BalancedAllocation of cpu and memory, and the first maximum of their sum.
//
// It has no other plugins, and gets values that the library computes or keeps: amounts as doubles
// that hold the integers exactly, and the balance of a node without the pod.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace libsched_bench {

struct CycleLimitInput {
  // Of cpu and memory, padded to 64 rows. Capacities are not 0, amounts below 2^46. LeastAllocated
  // counts the same requests: every pod of the benchmark requests both.
  std::array<const double*, 2> capacity, used;
  const double* pods_left;  // padding: 0
  const double* balance_without;
  std::array<double, 2> ask;
  size_t words;
};

struct CycleLimitAnswer {
  size_t row;
  int64_t total;
};

// Writes one bit a node into feasible[0 .. words) and the sum of both scores, at most 200, into
// totals[row] of feasible rows.
using CycleLimitKernel = CycleLimitAnswer (*)(const CycleLimitInput& input, uint64_t* feasible,
                                              uint8_t* totals);

struct NamedCycleLimitKernel {
  const char* name;
  CycleLimitKernel run;
};

// The kernels that this machine can run, the widest last.
std::vector<NamedCycleLimitKernel> cycle_limit_kernels();

// floor(100 * (1 - deviation of both fractions)).
double balance_of(double used_a, double capacity_a, double used_b, double capacity_b);

}  // namespace libsched_bench
