// PagedTable: an index from a 64-bit hash to a 32-bit id, in pages that copies share (chunked.hpp).
//
// The entries themselves live elsewhere (a pool indexed by id); the caller compares them. The hash
// selects the page of an entry, so that a change touches one page. Erasing shifts entries back: a
// table does not degrade when filled and emptied repeatedly. Growing splits every page in two, so
// an entry that had room in its page always has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "libsched/base/chunked.hpp"
#include "libsched/base/id_table.hpp"

namespace libsched {

class PagedTable {
 public:
  // The id of the entry with this hash for which equal(id) holds, or kNoId.
  template <typename Equal>
  uint32_t find(uint64_t hash, Equal&& equal) const {
    if (pages_.room() == 0) return kNoId;
    const uint64_t h = mixed(hash);
    const Page& page = pages_[page_of(h)];
    for (size_t i = home(h);; i = next(i)) {
      const Slot& s = page.slots[i];
      if (s.id == kNoId) return kNoId;
      if (s.hash == hash && equal(s.id)) return s.id;
    }
  }

  // Prefetches the slot of this hash, for a find(), insert() or erase() soon after.
  void prefetch(uint64_t hash) const {
    if (pages_.room() == 0) return;
    const uint64_t h = mixed(hash);
    const Page& page = pages_[page_of(h)];
    libsched::prefetch_to_write(&page);
    libsched::prefetch_to_write(&page.slots[home(h)]);
  }

  // The id of an entry with this hash, which may be the wanted one, or kNoId.
  uint32_t guess(uint64_t hash) const {
    return find(hash, [](uint32_t) { return true; });
  }

  // Afterwards insert() of an entry with this hash cannot fail. Room never shrinks.
  void reserve(uint64_t hash) {
    while (pages_.room() == 0 || (count_ + 1) * 8 > pages_.room() * kSlots * 5 ||
           pages_[page_of(mixed(hash))].count + 1 == kSlots)
      grow();
    own(hash);
  }
  // Afterwards erase() of an entry with this hash cannot fail, nor can putting it back.
  void own(uint64_t hash) { pages_.edit(page_of(mixed(hash))); }

  // The entry must not exist yet, and must have room.
  void insert(uint64_t hash, uint32_t id) noexcept {
    const uint64_t h = mixed(hash);
    put(pages_.edit(page_of(h)), h, {hash, id});
    ++count_;
  }

  // The entry must exist.
  void erase(uint64_t hash, uint32_t id) noexcept {
    const uint64_t h = mixed(hash);
    Page& page = pages_.edit(page_of(h));
    size_t i = home(h);
    while (page.slots[i].id != id || page.slots[i].hash != hash) i = next(i);
    for (size_t j = next(i); page.slots[j].id != kNoId; j = next(j)) {
      const size_t h_j = home(mixed(page.slots[j].hash));
      // Slot j may fill the hole at i only if its home is not in (i, j].
      if (((j - h_j) & (kSlots - 1)) >= ((j - i) & (kSlots - 1))) {
        page.slots[i] = page.slots[j];
        i = j;
      }
    }
    page.slots[i].id = kNoId;
    --page.count;
    --count_;
  }

  size_t size() const { return count_; }

 private:
  static constexpr size_t kSlots = 128;  // of a page; one is always free
  struct Slot {
    uint64_t hash = 0;
    uint32_t id = kNoId;
  };
  struct Page {
    uint32_t count = 0;
    Slot slots[kSlots];
  };

  static uint64_t mixed(uint64_t hash) { return hash * 0x9e3779b97f4a7c15ULL; }
  // The number of pages is a power of two: page i splits into pages 2 i and 2 i + 1.
  size_t page_of(uint64_t mixed) const {
    return bits_ == 0 ? 0 : static_cast<size_t>(mixed >> (64 - bits_));
  }
  static size_t home(uint64_t mixed) { return static_cast<size_t>(mixed >> 20) & (kSlots - 1); }
  static size_t next(size_t i) { return (i + 1) & (kSlots - 1); }
  static void put(Page& page, uint64_t mixed, const Slot& slot) {
    size_t i = home(mixed);
    while (page.slots[i].id != kNoId) i = next(i);
    page.slots[i] = slot;
    ++page.count;
  }

  void grow() {
    PagedTable larger;
    larger.bits_ = pages_.room() == 0 ? 0 : bits_ + 1;
    larger.pages_.grow(size_t{1} << larger.bits_);
    for (size_t p = 0; p < pages_.room(); ++p)
      for (const Slot& s : pages_[p].slots)
        if (s.id != kNoId) larger.insert(s.hash, s.id);
    *this = std::move(larger);
  }

  Chunked<Page, 1> pages_;
  uint32_t bits_ = 0;
  size_t count_ = 0;
};

}  // namespace libsched
