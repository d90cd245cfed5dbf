// What a batch says of 64 nodes at a time, as masks: no branches by node, for verdicts follow no
// pattern.
#pragma once

#include <cstddef>
#include <cstdint>

namespace libsched::capi {

// Bit i is that of position i.
struct Masks {
  uint64_t rejected = 0;  // errors, too
  uint64_t errors = 0;
};

// Of `count` nodes, at most 64. Of the codes, those that neither accept nor reject are Errors, and
// so is a reason beyond the `known` ones of a node that is not accepted.
Masks masks_of(const int8_t* codes, const uint16_t* reasons, size_t count, size_t known);

// Position masks as row masks: bit i of `positions` goes to the place of the i-th bit of `judged`.
uint64_t spread(uint64_t positions, uint64_t judged);

}  // namespace libsched::capi
