// MirroredItems: the items of a Mirrored, for loops that read many of them in any order.
#pragma once

#include "libsched/base/mirrored.hpp"

namespace libsched {

// Looks once whether the items are a writer's, which lie side by side. Valid while the vector does
// not change.
template <typename T, size_t N>
class MirroredItems {
 public:
  explicit MirroredItems(const Mirrored<T, N>& all) : all_(all), items_(all.items()) {}
  const T& operator[](size_t i) const { return items_ != nullptr ? items_[i] : all_[i]; }

 private:
  const Mirrored<T, N>& all_;
  const T* const items_;
};

}  // namespace libsched
