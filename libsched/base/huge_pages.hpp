// HugePages<T>: an allocator whose large blocks lie on huge pages, where the system has them: items
// that are read in any order, such as rows and tables of names, then need few page lookups.
#pragma once

#include <cstddef>
#include <new>

namespace libsched {

// Asks the system for huge pages behind a block of memory, which may be refused.
void advise_huge_pages(void* p, size_t bytes) noexcept;

template <typename T>
struct HugePages {
  using value_type = T;
  static constexpr size_t kPage = size_t{2} << 20;
  // A smaller block would leave much of a page unused, and a page is cleared at its first use.
  static constexpr size_t kLarge = 2 * kPage;

  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(size_t n) {
    const size_t bytes = n * sizeof(T);
    if (bytes < kLarge) {
      if constexpr (alignof(T) <= kUsual) return static_cast<T*>(::operator new(bytes));
      return static_cast<T*>(::operator new(bytes, std::align_val_t{alignof(T)}));
    }
    void* const p = ::operator new(bytes, std::align_val_t{kPage});
    advise_huge_pages(p, bytes);
    return static_cast<T*>(p);
  }
  void deallocate(T* p, size_t n) noexcept {
    if (n * sizeof(T) >= kLarge) return ::operator delete(p, std::align_val_t{kPage});
    if constexpr (alignof(T) <= kUsual) return ::operator delete(p);
    ::operator delete(p, std::align_val_t{alignof(T)});
  }
  template <typename U>
  bool operator==(const HugePages<U>&) const {
    return true;
  }

 private:
  static constexpr size_t kUsual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
};

}  // namespace libsched
