// The verdicts of a batch on 64 nodes at a time, as masks. There are no branches per node, because
// verdicts are unpredictable.
#pragma once

#include <cstddef>
#include <cstdint>

namespace libsched::capi {

// Bit i belongs to position i.
struct Masks {
  uint64_t rejected = 0;  // including errors
  uint64_t errors = 0;
};

// Masks of `count` nodes, at most 64. A code that neither accepts nor rejects is an Error, and so
// is a reason beyond the `known` ones unless the node is accepted.
Masks masks_of(const int8_t* codes, const uint16_t* reasons, size_t count, size_t known);

// Turns a position mask into a row mask: bit i of `positions` moves to the i-th set bit of
// `judged`.
uint64_t spread(uint64_t positions, uint64_t judged);

}  // namespace libsched::capi
