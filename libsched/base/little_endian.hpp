// Numbers of documents whose bytes are in little-endian order, on machines of either order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/base/arena.hpp"

namespace libsched {

// The number of the bytes at an offset, which `bytes` must hold.
template <typename Word>
Word little_endian(Str bytes, size_t at = 0) {
  Word word = 0;
  for (size_t i = 0; i < sizeof word; ++i)
    word |= Word{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return word;
}

}  // namespace libsched
