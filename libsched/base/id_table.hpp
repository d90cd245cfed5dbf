// IdTable: an open-addressing index from a 64-bit hash to a 32-bit id.
//
// The entries themselves live elsewhere (a vector indexed by id); the caller compares them. Erasing
// shifts entries back, so a table does not degrade when filled and emptied repeatedly. Copyable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libsched/base/prefetch.hpp"

namespace libsched {

inline constexpr uint32_t kNoId = UINT32_MAX;

class IdTable {
 public:
  // The id of the entry with this hash for which equal(id) holds, or kNoId.
  template <typename Equal>
  uint32_t find(uint64_t hash, Equal&& equal) const {
    if (slots_.empty()) return kNoId;
    for (size_t i = home(hash);; i = next(i)) {
      const Slot& s = slots_[i];
      if (s.id == kNoId) return kNoId;
      if (s.hash == hash && equal(s.id)) return s.id;
    }
  }

  // Prefetches the slot of this hash, for a find(), insert() or erase() soon after.
  void prefetch(uint64_t hash) const {
    if (!slots_.empty()) libsched::prefetch(&slots_[home(hash)]);
  }

  // The id of an entry with this hash, which may be the wanted one, or kNoId.
  uint32_t guess(uint64_t hash) const {
    return find(hash, [](uint32_t) { return true; });
  }

  // Afterwards `more` calls of insert() cannot fail. Room never shrinks.
  void reserve(size_t more = 1) {
    while ((count_ + more) * 8 > slots_.size() * 5) [[unlikely]]
      grow();
  }

  // The entry must not exist yet.
  void insert(uint64_t hash, uint32_t id) {
    reserve();
    insert_reserved(hash, id);
  }
  // Needs room from an earlier reserve().
  void insert_reserved(uint64_t hash, uint32_t id) noexcept {
    size_t i = home(hash);
    while (slots_[i].id != kNoId) i = next(i);
    slots_[i] = {hash, id};
    ++count_;
  }

  // The entry must exist.
  void erase(uint64_t hash, uint32_t id) {
    size_t i = home(hash);
    while (slots_[i].id != id || slots_[i].hash != hash) i = next(i);
    for (size_t j = next(i); slots_[j].id != kNoId; j = next(j)) {
      const size_t h = home(slots_[j].hash);
      // Slot j may fill the hole at i only if its home is not in (i, j].
      if (((j - h) & mask()) >= ((j - i) & mask())) {
        slots_[i] = slots_[j];
        i = j;
      }
    }
    slots_[i].id = kNoId;
    --count_;
  }

  size_t size() const { return count_; }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t id = kNoId;
  };

  size_t mask() const { return slots_.size() - 1; }
  size_t home(uint64_t hash) const {
    return static_cast<size_t>((hash * 0x9e3779b97f4a7c15ULL) >> 20) & mask();
  }
  size_t next(size_t i) const { return (i + 1) & mask(); }

  __attribute__((noinline, cold)) void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.id == kNoId) continue;
      size_t i = home(s.hash);
      while (slots_[i].id != kNoId) i = next(i);
      slots_[i] = s;
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace libsched
