// One run: a world, the calls that an input says, and the end, when everything must have gone.
#pragma once

#include <cstdint>
#include <span>

namespace fuzz {

// Eight bytes are a call: its place in the table, and what its arguments are made by. Any bytes
// are an input.
constexpr size_t kRecord = 8;
constexpr size_t kMaxRecords = 512;

void run(std::span<const uint8_t> input);

}  // namespace fuzz
