// What makes the hashes of this process its own: two random numbers, drawn when the library is
// loaded, so that nobody can choose names that collide. Forked children have their parent's.
//
// No output and no order depends on them.
#pragma once

#include <cstdint>

namespace libsched {

struct HashSecret {
  uint64_t a, b;
};
// From the system's random numbers, or where those cannot be had from the addresses that the system
// has chosen for this process.
HashSecret draw_hash_secret() noexcept;

inline const HashSecret hash_secret = draw_hash_secret();

}  // namespace libsched
