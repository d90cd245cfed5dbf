// The two sources of random numbers. Besides them, the core asks the system for huge pages alone
// (base/huge_pages).
#include "libsched/base/hash_secret.hpp"

#include <sys/auxv.h>
#include <sys/random.h>

#include <cstring>

namespace libsched {
namespace {

// Mixes a word as splitmix64 does.
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

HashSecret draw_hash_secret() noexcept {
  HashSecret s{};
  if (getrandom(&s, sizeof s, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof s)) return s;
  // 16 random bytes that Linux gives every process, and addresses of program, library and stack.
  if (const unsigned long at = getauxval(AT_RANDOM); at != 0)
    std::memcpy(&s, reinterpret_cast<const void*>(at), sizeof s);
  s.a = mixed(s.a ^ reinterpret_cast<uintptr_t>(&s) ^ 0x9e3779b97f4a7c15ULL);
  s.b = mixed(s.b ^ reinterpret_cast<uintptr_t>(&draw_hash_secret) ^ s.a);
  return s;
}

}  // namespace libsched
