// LineVector<T>: a vector whose elements start at a cache line. Kernels read whole lines at a time,
// and a read that crosses a line costs two reads.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace libsched {

template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, size_t) noexcept { ::operator delete(p, kLine); }
  template <typename U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};

template <typename T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace libsched
