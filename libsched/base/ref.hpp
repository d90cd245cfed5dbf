// Ref<T>: intrusive, atomic reference counting for objects that are handles of the C API.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "libsched/base/handle_mark.hpp"

namespace libsched {

class RefCounted : public HandleMark {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void unref() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  // Tells whether the caller's reference is the only one; acquires other threads' releases.
  bool unique() const { return references() == 1; }
  // How many there are; others may come and go meanwhile.
  int64_t references() const { return refs_.load(std::memory_order_acquire); }

 protected:
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<int64_t> refs_{1};
};

// Shares ownership; a new object starts with one reference, taken over by adopt().
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  static Ref adopt(T* p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  static Ref share(T* p) {
    if (p != nullptr) p->ref();
    return adopt(p);
  }
  template <typename U>
  Ref(const Ref<U>& o) : p_(o.get()) {
    if (p_ != nullptr) p_->ref();
  }  // NOLINT(google-explicit-constructor)
  Ref(const Ref& o) : p_(o.p_) {
    if (p_ != nullptr) p_->ref();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ != nullptr) p_->unref();
  }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T* release() { return std::exchange(p_, nullptr); }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }

 private:
  T* p_ = nullptr;
};

template <typename T, typename... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace libsched
