// same_text: whether two short strings are equal, without a call.
#pragma once

#include <cstdint>
#include <cstring>

#include "libsched/base/arena.hpp"

namespace libsched {

template <typename Word>
Word load_word(const char* p) {
  Word w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

// As a == b. Names have 4 to 32 bytes as a rule: the words of these are compared, of which the last two
// may overlap.
inline bool same_text(Str a, Str b) {
  const size_t n = a.size();
  if (n != b.size()) return false;
  if (n > 32 || n < 4) [[unlikely]]
    return a == b;
  const char *p = a.data(), *q = b.data();
  if (n < 8)
    return load_word<uint32_t>(p) == load_word<uint32_t>(q) &&
           load_word<uint32_t>(p + n - 4) == load_word<uint32_t>(q + n - 4);
  for (size_t i = 0; i + 8 < n; i += 8)
    if (load_word<uint64_t>(p + i) != load_word<uint64_t>(q + i)) return false;
  return load_word<uint64_t>(p + n - 8) == load_word<uint64_t>(q + n - 8);
}

}  // namespace libsched
