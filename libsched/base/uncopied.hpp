// Uncopied<T>: a T that copies begin without, such as a cache of what the original looked up.
#pragma once

namespace libsched {

template <typename T>
class Uncopied {
 public:
  Uncopied() = default;
  Uncopied(const Uncopied&) {}
  Uncopied(Uncopied&&) noexcept = default;
  Uncopied& operator=(const Uncopied& o) {
    if (this != &o) value_ = T();
    return *this;
  }
  Uncopied& operator=(Uncopied&&) noexcept = default;
  ~Uncopied() = default;

  T& operator*() { return value_; }
  T* operator->() { return &value_; }

 private:
  T value_{};
};

}  // namespace libsched
