// The choices of a run: a small random generator, seeded by the bytes of the input. The same
// seed makes the same choices on any machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuzz {

class Choices {
 public:
  explicit Choices(uint64_t seed) : state_(seed) {}

  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return n == 0 ? 0 : static_cast<size_t>(next() % n); }
  bool one_in(size_t n) { return below(n) == 0; }
  template <typename List>
  auto& of(List& list) {
    return list[below(std::size(list))];
  }

 private:
  uint64_t state_;
};

}  // namespace fuzz
