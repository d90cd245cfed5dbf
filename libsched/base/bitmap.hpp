// Bitmap: a set of small numbers (rows) in 64-bit words; words beyond the end read as zero.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace libsched {

inline size_t words_for(size_t bits) { return (bits + 63) / 64; }

// As std::popcount(), which is a call on processors as old as the library supports.
constexpr int count_bits(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  return static_cast<int>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

// Whether bit i is set in a list of words that has it.
inline bool has_bit(std::span<const uint64_t> words, size_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}

// Calls f(i) for every bit that is set in `bits`, in increasing order, with bit 0 as `first`.
template <typename F>
void for_each_bit(uint64_t bits, size_t first, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(first + static_cast<size_t>(std::countr_zero(bits)));
}

class Bitmap {
 public:
  bool test(size_t i) const {
    const size_t w = i / 64;
    return w < words_.size() && ((words_[w] >> (i % 64)) & 1) != 0;
  }
  // Afterwards set() of any number below `bits` cannot fail. Room never shrinks.
  void reserve(size_t bits) { words_.reserve(words_for(bits)); }
  void set(size_t i) {
    const size_t w = i / 64;
    if (w >= words_.size()) {
      const size_t size = w + 1 + w / 4;
      words_.resize(w < words_.capacity() ? std::min(size, words_.capacity()) : size);
    }
    words_[w] |= uint64_t{1} << (i % 64);
  }
  void clear(size_t i) {
    const size_t w = i / 64;
    if (w < words_.size()) words_[w] &= ~(uint64_t{1} << (i % 64));
  }
  uint64_t word(size_t w) const { return w < words_.size() ? words_[w] : 0; }
  size_t word_count() const { return words_.size(); }
  const uint64_t* data() const { return words_.data(); }
  bool empty() const {
    for (const uint64_t w : words_)
      if (w != 0) return false;
    return true;
  }
  size_t count() const {
    size_t n = 0;
    for (const uint64_t w : words_) n += static_cast<size_t>(count_bits(w));
    return n;
  }
  void reset() { words_.clear(); }
  void assign(std::span<const uint64_t> words) { words_.assign(words.begin(), words.end()); }

  // Calls f(i) for every member in increasing order.
  template <typename F>
  void for_each(F&& f) const {
    for (size_t w = 0; w < words_.size(); ++w) for_each_bit(words_[w], w * 64, f);
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace libsched
