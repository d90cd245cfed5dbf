// The memory of one evaluation: bump allocation that starts again with the next one.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

// All that an evaluation may keep; a list of as many elements as the limit on cost allows fits.
inline constexpr size_t kMaxScratchBytes = 31 << 19;

// Everything in it is trivially destructible. Callers ask fits() before they take memory whose
// size an input decides.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool fits(size_t bytes) const {
    const auto room = static_cast<size_t>(end_ - cursor_);
    return bytes <= room || held_ + std::max(bytes, kBlock) <= kMaxScratchBytes;
  }

  void* allocate(size_t bytes) {
    bytes = (bytes + 7) & ~size_t{7};
    if (bytes > static_cast<size_t>(end_ - cursor_)) grow(bytes);
    char* const out = cursor_;
    cursor_ += bytes;
    return out;
  }
  template <typename T>
  T* make(T value) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    return new (allocate(sizeof(T))) T(value);
  }
  template <typename T>
  T* make_array(size_t n) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    T* const out = static_cast<T*>(allocate(n * sizeof(T)));
    std::uninitialized_default_construct_n(out, n);
    return out;
  }
  Str copy(Str s) {
    if (s.empty()) return {"", 0};
    char* const out = static_cast<char*>(allocate(s.size()));
    std::memcpy(out, s.data(), s.size());
    return {out, s.size()};
  }

  // Forgets everything; the first block stays.
  void reset() {
    if (blocks_.empty()) return;
    blocks_.resize(1);
    held_ = kFirstBlock;
    cursor_ = blocks_[0].get();
    end_ = cursor_ + kFirstBlock;
  }

 private:
  static constexpr size_t kFirstBlock = 16 << 10;
  static constexpr size_t kBlock = 64 << 10;

  void grow(size_t bytes) {
    if (blocks_.empty()) {
      add(kFirstBlock);
      if (bytes <= kFirstBlock) return;
    }
    add(std::max(bytes, kBlock));
  }
  void add(size_t size) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    held_ += size;
    cursor_ = blocks_.back().get();
    end_ = cursor_ + size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* cursor_ = nullptr;
  char* end_ = nullptr;
  size_t held_ = 0;  // in all blocks
};

}  // namespace libsched::cel
