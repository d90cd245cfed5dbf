// KeyTable: the field names of one API type, found by a perfect hash made at compile time.
//
// kTable["name"] is the field's number as a constant (a name that is not in the table does not
// compile), find() the number of a key in a document, or -1. Tables name every field of the API
// type, even fields that libsched does not read, to tell a misspelt key from an unread one.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "libsched/base/arena.hpp"

namespace libsched {

// Whether n bytes are equal; inline, as keys are short and a call costs more than the comparison.
inline bool equal_bytes(const char* a, const char* b, size_t n) {
  uint64_t x = 0, y = 0;
  if (n >= 8) {
    for (size_t i = 0; i + 8 <= n; i += 8) {
      std::memcpy(&x, a + i, 8);
      std::memcpy(&y, b + i, 8);
      if (x != y) return false;
    }
    std::memcpy(&x, a + n - 8, 8);
    std::memcpy(&y, b + n - 8, 8);
    return x == y;
  }
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

template <size_t N>
class KeyTable {
  static_assert(N > 0 && N <= 64, "a set of fields is a 64-bit mask");
  static constexpr int kBits = N <= 8 ? 6 : N <= 24 ? 8 : 10;

 public:
  // NOLINTNEXTLINE(google-explicit-constructor): written as a list of names
  template <typename... Names>
  consteval explicit KeyTable(Names... names) : names_{Str(names)...} {
    for (multiplier_ = 0x9e3779b97f4a7c15; !fill(); multiplier_ += 0x6a09e667f3bcc908) {
    }
  }

  // The number of a field whose name is written in the program.
  consteval int operator[](Str name) const {
    for (size_t i = 0; i < N; ++i) {
      if (names_[i] == name) return static_cast<int>(i);
    }
    throw "no such field";
  }

  std::span<const Str> names() const { return names_; }

  int find(Str key) const {
    if (key.empty()) return -1;
    const uint8_t i = slots_[slot(key)];
    if (i == kNone) return -1;
    const Str name = names_[i];
    if (name.size() != key.size() || !equal_bytes(name.data(), key.data(), key.size())) return -1;
    return i;
  }

 private:
  static constexpr uint8_t kNone = 0xff;

  constexpr size_t slot(Str key) const {
    const auto at = [&](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(key[i])); };
    const size_t n = key.size();
    const uint64_t mixed = (n & 0xff) | at(0) << 8 | at(n - 1) << 16 | at(n / 2) << 24 |
                           at(n / 4) << 32 | at(n / 2 + n / 4) << 40;
    return (mixed * multiplier_) >> (64 - kBits);
  }

  consteval bool fill() {
    slots_.fill(kNone);
    for (size_t i = 0; i < N; ++i) {
      uint8_t& s = slots_[slot(names_[i])];
      if (s != kNone) return false;
      s = static_cast<uint8_t>(i);
    }
    return true;
  }

  std::array<Str, N> names_;
  std::array<uint8_t, size_t{1} << kBits> slots_{};
  uint64_t multiplier_ = 0;
};

template <typename... Names>
KeyTable(Names...) -> KeyTable<sizeof...(Names)>;

}  // namespace libsched
