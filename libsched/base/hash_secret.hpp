// The secret of this process's hashes: two random numbers, drawn when the library is loaded, so
// that colliding names cannot be chosen. Forked children keep their parent's.
//
// No output and no order depends on them.
#pragma once

#include <cstdint>

namespace libsched {

struct HashSecret {
  uint64_t a, b;
};
// Draws the secret from the system's random numbers or, if those are unavailable, from the
// addresses that the system has chosen for this process.
HashSecret draw_hash_secret() noexcept;

inline const HashSecret hash_secret = draw_hash_secret();

}  // namespace libsched
