// RoomyVector<T>: a vector whose copies keep its capacity, so that elements for which the original
// has room can be added to a copy without allocating.
#pragma once

#include <utility>
#include <vector>

namespace libsched {

template <typename T>
class RoomyVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  RoomyVector() = default;
  RoomyVector(const RoomyVector& o) : std::vector<T>() {
    this->reserve(o.capacity());
    this->insert(this->end(), o.begin(), o.end());
  }
  RoomyVector(RoomyVector&&) noexcept = default;
  RoomyVector& operator=(const RoomyVector& o) {
    if (this != &o) *this = RoomyVector(o);
    return *this;
  }
  RoomyVector& operator=(RoomyVector&&) noexcept = default;
  ~RoomyVector() = default;
};

}  // namespace libsched
