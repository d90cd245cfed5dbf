// Cow<T>: a value that copies share until one of them edits it. Copies may move to other threads:
// edits of one are invisible to the others.
#pragma once

#include <utility>

#include "libsched/base/ref.hpp"

namespace libsched {

template <typename T>
class Cow {
 public:
  Cow() = default;  // empty
  explicit Cow(T value) : box_(make_ref<Box>(std::move(value))) {}

  explicit operator bool() const { return static_cast<bool>(box_); }
  const T& operator*() const { return box_->value; }
  const T* operator->() const { return &box_->value; }
  // The value, owned by this copy alone.
  T& edit() {
    if (!box_->unique()) box_ = make_ref<Box>(T(box_->value));
    return box_->value;
  }
  // As a snapshot shows it (base/mirrored.hpp). Those that share the value see no change by this.
  Cow publish() const { return Cow(box_->value.publish()); }
  // Whether both share one value in memory; they are then equal as long as both live.
  bool shares(const Cow& o) const { return box_ == o.box_; }

 private:
  struct Box final : RefCounted {
    explicit Box(T v) : value(std::move(v)) {}
    T value;
  };
  Ref<Box> box_;
};

}  // namespace libsched
