// hash_bytes: a fast 64-bit hash for interning. It depends on a secret of the process, so that
// chosen names cannot be made to collide. Every table also compares the strings.
#pragma once

#include <cstdint>
#include <cstring>

#include "libsched/base/arena.hpp"
#include "libsched/base/hash_secret.hpp"
#include "libsched/base/same_text.hpp"

namespace libsched {

inline uint64_t hash_mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide m = static_cast<Wide>(a ^ hash_secret.a) * (b ^ hash_secret.b);
  return static_cast<uint64_t>(m) ^ static_cast<uint64_t>(m >> 64);
}

// Of the last words, which may overlap, one has the rest of the bytes.
inline uint64_t hash_bytes(const char* p, size_t n, uint64_t seed = 0) {
  uint64_t h = seed ^ (n * 0x9fb21c651e98df25ULL);
  const char* const end = p + n;
  if (n >= 8) {
    for (; end - p > 8; p += 8) h = hash_mix(h, load_word<uint64_t>(p));
    h = hash_mix(h, load_word<uint64_t>(end - 8));
  } else if (n >= 4) {
    h = hash_mix(h, load_word<uint32_t>(p) | uint64_t{load_word<uint32_t>(end - 4)} << 32);
  } else if (n != 0) {
    const auto byte = [](char c) { return uint64_t{static_cast<unsigned char>(c)}; };
    h = hash_mix(h, byte(p[0]) | byte(p[n / 2]) << 8 | byte(p[n - 1]) << 16);
  }
  return hash_mix(h, h >> 32);
}

// Hashes whole documents: four independent lanes of 16 bytes a step, so that no product waits for
// the previous one. Its values differ from those of hash_bytes.
inline uint64_t hash_long(const char* p, size_t n, uint64_t seed = 0) {
  uint64_t lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
  for (; n >= 64; p += 64, n -= 64) {
    for (size_t i = 0; i < 4; ++i) {
      uint64_t a = 0, b = 0;
      std::memcpy(&a, p + 16 * i, 8);
      std::memcpy(&b, p + 16 * i + 8, 8);
      lanes[i] = hash_mix(lanes[i] ^ a, b ^ (lanes[i] >> 7));
    }
  }
  const uint64_t high = hash_mix(lanes[0], lanes[1]);
  return hash_bytes(p, n, hash_mix(high, hash_mix(lanes[2], lanes[3])));
}

inline uint64_t hash_str(Str s, uint64_t seed = 0) { return hash_bytes(s.data(), s.size(), seed); }

// For the standard library's tables of strings.
struct StrHash {
  using is_transparent = void;
  size_t operator()(Str s) const { return hash_str(s); }
};

}  // namespace libsched
