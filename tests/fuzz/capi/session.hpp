// One run: a world, the calls of an input, and the end, when everything must have been released.
#pragma once

#include <cstdint>
#include <span>

namespace fuzz {

// Eight bytes are a call: its index in the table, and the seed of its arguments. Any bytes
// are an input.
constexpr size_t kRecord = 8;
constexpr size_t kMaxRecords = 512;

void run(std::span<const uint8_t> input);

}  // namespace fuzz
