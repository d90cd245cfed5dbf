// KeyCache: values by numbers that come again soon. Each number has one place, and the next number
// of that place takes it over, so finding and putting cost a few instructions and memory is
// bounded. It is for what can be found again at a higher cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libsched {

template <typename T, size_t kPlaces = 256>
class KeyCache {
 public:
  // Null: the key is not known. Valid until the next put() or clear(). A key is not 0.
  const T* find(uint64_t key) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[key % kPlaces];
    return place.key == key ? &place.value : nullptr;
  }
  void put(uint64_t key, T value) {
    if (places_.empty()) places_.resize(kPlaces);
    places_[key % kPlaces] = {key, std::move(value)};
  }
  void clear() { places_.clear(); }

 private:
  struct Place {
    uint64_t key = 0;  // 0: the place is free
    T value{};
  };

  std::vector<Place> places_;  // none until the first put()
};

}  // namespace libsched
