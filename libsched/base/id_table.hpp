// IdTable: an open-addressing index from a 64-bit hash to a 32-bit id.
//
// The entries themselves live elsewhere (a vector indexed by id); the caller compares them. Erasing
// shifts entries back, so a table does not degrade when filled and emptied repeatedly. Copyable.
// Snapshots share chunks of slots with the writer's mirror (mirrored.hpp) and are only read.
//
// A SmallIdTable keeps half of the bits of each hash: its slots have 8 bytes instead of 16, so that
// more of a large table stays in the cache. Of other hashes, every 2^32nd looks like a given one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "libsched/base/mirrored.hpp"
#include "libsched/base/prefetch.hpp"

namespace libsched {

inline constexpr uint32_t kNoId = UINT32_MAX;

template <typename Kept>
class BasicIdTable {
 public:
  // The id of the entry with this hash for which equal(id) holds, or kNoId.
  template <typename Equal>
  uint32_t find(uint64_t hash, Equal&& equal) const {
    if (const Slot* const all = slots_.items(); all != nullptr) [[likely]]
      return find_in(all, hash, equal);
    return slots_.empty() ? kNoId : find_in(slots_, hash, equal);
  }

  // Prefetches the slot of this hash, for a find(), insert() or erase() soon after.
  void prefetch(uint64_t hash) const {
    if (!slots_.empty()) libsched::prefetch(&slots_[home(kept(hash))]);
  }

  // The id of an entry with this hash, which may be the wanted one, or kNoId.
  uint32_t guess(uint64_t hash) const {
    return find(hash, [](uint32_t) { return true; });
  }

  // Afterwards `more` calls of insert() cannot fail. Room never shrinks.
  void reserve(size_t more = 1) {
    if ((count_ + more) * 8 > slots_.size() * kEighths) [[unlikely]]
      grow(count_ + more);
  }

  // The entry must not exist yet.
  void insert(uint64_t hash, uint32_t id) {
    reserve();
    insert_reserved(hash, id);
  }
  // Needs room from an earlier reserve().
  void insert_reserved(uint64_t hash, uint32_t id) noexcept {
    Slot* const slots = slots_.unmarked();
    const Kept k = kept(hash);
    size_t i = home(k);
    while (slots[i].id != kNoId) i = next(i);
    slots[i] = {k, id};
    slots_.mark(i);
    ++count_;
  }

  // The entry must exist, and be the only one of its id.
  void erase(uint64_t hash, uint32_t id) {
    Slot* const slots = slots_.unmarked();
    size_t i = home(kept(hash));
    while (slots[i].id != id) i = next(i);
    for (size_t j = next(i); slots[j].id != kNoId; j = next(j)) {
      const size_t h = home(slots[j].kept);
      // Slot j may fill the hole at i only if its home is not in (i, j].
      if (((j - h) & mask()) >= ((j - i) & mask())) {
        slots[i] = slots[j];
        slots_.mark(i);
        i = j;
      }
    }
    slots[i].id = kNoId;
    slots_.mark(i);
    --count_;
  }

  size_t size() const { return count_; }

  BasicIdTable publish() {
    BasicIdTable out;
    out.slots_ = slots_.publish();
    out.count_ = count_;
    return out;
  }

 private:
  struct Slot {
    Kept kept = 0;
    uint32_t id = kNoId;
  };

  template <typename Slots, typename Equal>
  uint32_t find_in(const Slots& slots, uint64_t hash, Equal& equal) const {
    const Kept k = kept(hash);
    for (size_t i = home(k);; i = next(i)) {
      const Slot& s = slots[i];
      if (s.id == kNoId) return kNoId;
      if (s.kept == k && equal(s.id)) return s.id;
    }
  }
  size_t mask() const { return slots_.size() - 1; }
  // At most so many eighths of the slots are used. Small slots are cheap, and most lookups in a
  // table that is rather empty end at the first slot, as the processor expects.
  static constexpr size_t kEighths = sizeof(Kept) == sizeof(uint32_t) ? 3 : 5;
  static constexpr uint64_t kMixer = 0x9e3779b97f4a7c15ULL;
  static Kept kept(uint64_t hash) {
    if constexpr (sizeof(Kept) == sizeof hash) return hash;
    return static_cast<Kept>((hash * kMixer) >> 32);
  }
  static size_t mixed(Kept k) {
    if constexpr (sizeof k == sizeof(uint64_t)) return static_cast<size_t>((k * kMixer) >> 20);
    return k;
  }
  size_t home(Kept k) const { return mixed(k) & mask(); }
  size_t next(size_t i) const { return (i + 1) & mask(); }

  __attribute__((noinline, cold)) void grow(size_t need) {
    size_t size = slots_.empty() ? 16 : slots_.size() * 2;
    while (need * 8 > size * kEighths) size *= 2;
    Mirrored<Slot, 128> old;
    old.resize(size);
    std::swap(old, slots_);
    Slot* const slots = slots_.unmarked();
    const size_t mask = this->mask();
    for (const Slot *s = old.items(), *end = s + old.size(); s != end; ++s) {
      if (s->id == kNoId) continue;
      size_t i = mixed(s->kept) & mask;
      while (slots[i].id != kNoId) i = (i + 1) & mask;
      slots[i] = *s;
    }
  }

  Mirrored<Slot, 128> slots_;
  size_t count_ = 0;
};

using IdTable = BasicIdTable<uint64_t>;
using SmallIdTable = BasicIdTable<uint32_t>;

}  // namespace libsched
