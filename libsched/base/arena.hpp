// Arena: bump allocation for parsed objects. Everything in it is trivially destructible and is
// freed at once with the arena. Span<T> and Str are views into an arena (or into literals).
//
// Not thread-safe while it is filled; read-only afterwards, hence freely shared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace libsched {

using Str = std::string_view;

template <typename T>
using Span = std::span<const T>;

class Arena {
 public:
  explicit Arena(size_t first_block = 1024) : next_block_(first_block) {}
  ~Arena() {
    while (last_ != nullptr) ::operator delete(std::exchange(last_, last_->previous));
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(size_t bytes, size_t align) {
    const size_t start = (reinterpret_cast<uintptr_t>(cursor_) + align - 1) & ~(align - 1);
    if (cursor_ == nullptr || start + bytes > reinterpret_cast<uintptr_t>(end_))
      return grow(bytes, align);
    cursor_ = reinterpret_cast<char*>(start + bytes);
    return reinterpret_cast<void*>(start);
  }

  // The copy is followed by a NUL, for C callers that need it.
  Str copy(Str s) {
    if (s.empty()) return Str("", 0);
    char* p = static_cast<char*>(allocate(s.size() + 1, 1));
    std::memcpy(p, s.data(), s.size());
    p[s.size()] = '\0';
    return {p, s.size()};
  }

  template <typename T>
  Span<T> copy(const T* data, size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (n == 0) return {};
    T* p = static_cast<T*>(allocate(n * sizeof(T), alignof(T)));
    std::uninitialized_copy_n(data, n, p);
    return {p, n};
  }
  template <typename T>
  Span<T> copy(const std::vector<T>& v) {
    return copy(v.data(), v.size());
  }

  template <typename T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T();
  }

  size_t bytes() const { return bytes_; }
  // The rest of the last block: bytes() - unused() is about the number of bytes requested.
  size_t unused() const { return static_cast<size_t>(end_ - cursor_); }

 private:
  struct Block {
    Block* previous;  // of this arena
  };

  void* grow(size_t bytes, size_t align) {
    const size_t size = std::max(next_block_, bytes + align);
    Block* const block = static_cast<Block*>(::operator new(sizeof(Block) + size));
    block->previous = std::exchange(last_, block);
    bytes_ += size;
    next_block_ = std::min<size_t>(size * 2, 64 << 10);
    cursor_ = reinterpret_cast<char*>(block + 1);
    end_ = cursor_ + size;
    return allocate(bytes, align);
  }

  Block* last_ = nullptr;
  char* cursor_ = nullptr;
  char* end_ = nullptr;
  size_t next_block_;
  size_t bytes_ = 0;
};

}  // namespace libsched
