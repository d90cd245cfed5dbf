// hash_bytes: a fast 64-bit hash for interning. It depends on a secret of the process, so that
// chosen names cannot be made to collide. Every table also compares the strings.
#pragma once

#include <cstdint>
#include <cstring>

#include "libsched/base/arena.hpp"
#include "libsched/base/hash_secret.hpp"

namespace libsched {

inline uint64_t hash_mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide m = static_cast<Wide>(a ^ hash_secret.a) * (b ^ hash_secret.b);
  return static_cast<uint64_t>(m) ^ static_cast<uint64_t>(m >> 64);
}

inline uint64_t hash_bytes(const char* p, size_t n, uint64_t seed = 0) {
  uint64_t h = seed ^ (n * 0x9fb21c651e98df25ULL);
  uint64_t a = 0;
  while (n >= 8) {
    std::memcpy(&a, p, 8);
    h = hash_mix(h, a);
    p += 8;
    n -= 8;
  }
  if (n > 0) {
    a = 0;
    std::memcpy(&a, p, n);
    h = hash_mix(h, a);
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
