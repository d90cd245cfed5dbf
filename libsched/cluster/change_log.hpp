// ChangeLog: the rows of a State that have changed, and the kinds of changes, for caches.
//
// Every elementary change of the state appends (row, kinds) under a running number. A cursor is a
// position between two entries. Reading from a cursor gives at least every row with a difference,
// visible to queries, since the cursor was taken, or reports that the cursor has fallen out of the
// log: then everything may have changed. The log has a fixed size (16 KiB), so appending never
// allocates.
//
// The rule for undoing: if a cursor (or a copy of the state) was taken since the mark, each undone
// change is appended like any other, because that cursor must see it. Otherwise the log returns to
// the mark, because the state is again as every older cursor knows it. So a what-if that no cache
// reads leaves no trace, and a number that a cursor has seen keeps its meaning.
//
// A copy of the state has its own log, which accepts cursors of the original that are not younger
// than the copy. A snapshot's is such a copy, too, and shares the entries (base/mirrored.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "libsched/base/id_pool.hpp"
#include "libsched/base/mirrored.hpp"
#include "libsched/objects/meta.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

// The kinds of changes, as bits. Of a row:
using ChangeKinds = uint32_t;
inline constexpr ChangeKinds kNodeChanged = 1U << 0;    // added or removed: all of kNodeChanges
inline constexpr ChangeKinds kLabelsChanged = 1U << 1;  // the node's labels
inline constexpr ChangeKinds kTaintsChanged = 1U << 2;  // and spec.unschedulable
inline constexpr ChangeKinds kAllocatableChanged = 1U << 3;  // the amounts that the node offers
inline constexpr ChangeKinds kImagesChanged = 1U << 4;       // its images, or their node counts
inline constexpr ChangeKinds kDetailsChanged = 1U << 5;      // any other field of the node's object
inline constexpr ChangeKinds kNodeChanges = (1U << 6) - 1;   // all of these
// Pods were added or removed, or count elsewhere because their node was added, removed or
// relabelled.
inline constexpr ChangeKinds kPodsChanged = 1U << 6;
inline constexpr ChangeKinds kVolumesChanged = 1U << 7;  // ... with volumes that drivers count
inline constexpr ChangeKinds kTermsChanged = 1U << 8;    // ... with inter-pod affinity
inline constexpr ChangeKinds kAssumedChanged = 1U << 9;  // a pod became assumed, or confirmed
// Of no row:
inline constexpr ChangeKinds kOrderChanged = 1U << 10;  // the list of nodes that cycles walk
// The kinds that no filter or score of the library reads share a bit.
constexpr ChangeKinds object_changed(StoredKind kind) {
  return kind >= StoredKind::kRuntimeClass ? 1U << 11 : 1U << (12 + static_cast<uint32_t>(kind));
}
inline constexpr ChangeKinds kObjectChanges = ~ChangeKinds{0} << 11;
inline constexpr ChangeKinds kAllChanges = ~ChangeKinds{0};
static_assert(12 + static_cast<uint32_t>(StoredKind::kRuntimeClass) <= 32);

class ChangeLog {
 public:
  static constexpr size_t kSize = 2048;  // entries

  // A position in a log; a new cursor has none.
  class Cursor {
   private:
    friend class ChangeLog;
    uint64_t log = 0, number = 0;
  };

  ChangeLog() : id_(next_serial()) { entries_.resize(kSize); }
  ChangeLog(const ChangeLog& other) : entries_(other.entries_) { take_over(other); }
  ChangeLog& operator=(const ChangeLog& other) {
    if (this == &other) return *this;
    entries_ = other.entries_;
    take_over(other);
    return *this;
  }
  ~ChangeLog() = default;
  ChangeLog publish() { return ChangeLog(this); }  // as a snapshot shows it

  // --- reading; any number of threads, while nothing is appended ---
  // The position after the latest change.
  Cursor cursor() const {
    note_taken();
    Cursor c;
    c.log = id_;
    c.number = end_;
    return c;
  }
  // How many entries there are since the cursor was taken; the largest number: everything may have
  // changed.
  uint64_t distance(const Cursor& cursor) const {
    return knows(cursor) ? end_ - cursor.number : ~uint64_t{0};
  }
  // Calls f(row, kinds) for every change since the cursor was taken, in order; a row may occur more
  // than once, and changes without a row have kNoId. Returns false, without a call, if everything
  // may have changed.
  template <typename F>
  bool for_each_since(const Cursor& cursor, F&& f) const {
    if (!knows(cursor)) return false;
    const Entry* const all = entries_.items();
    for (uint64_t n = cursor.number; all != nullptr && n < end_;) {
      const uint64_t run = std::min(end_ - n, kSize - n % kSize);
      for (const Entry *e = all + n % kSize, *const end = e + run; e != end; ++e)
        f(e->row, e->kinds);
      n += run;
    }
    for (uint64_t n = cursor.number; all == nullptr && n < end_; ++n) {  // of a snapshot
      const Entry& e = entries_[n % kSize];
      f(e.row, e.kinds);
    }
    return true;
  }

  // --- changing ---
  bool quiet() const { return quiet_; }  // append() does nothing
  void append(uint32_t row, ChangeKinds kinds) noexcept {
    if (quiet_) return;
    // The latest entry can be extended if no cursor or mark follows it.
    if (end_ > std::max({begin_, marked_, taken_.load(std::memory_order_relaxed)})) {
      const size_t last = (end_ - 1) % kSize;
      if (entries_[last].row == row) {
        entries_.edit(last).kinds |= kinds;
        return;
      }
    }
    entries_.edit(end_ % kSize) = {row, kinds};
    ++end_;
    if (end_ - begin_ > kSize) ++begin_;
  }
  // For undoing. A later cursor has another number as soon as anything has changed.
  uint64_t mark() noexcept { return marked_ = end_; }
  // Guards the undoing of all changes since a mark.
  void begin_undo(uint64_t mark) noexcept {
    quiet_ = taken_.load(std::memory_order_relaxed) <= mark;
  }
  void end_undo(uint64_t mark) noexcept {
    if (!std::exchange(quiet_, false)) return;
    end_ = mark;
    begin_ = std::min(begin_, mark);
    marked_ = mark;
  }

 private:
  struct Entry {
    uint32_t row = 0;
    ChangeKinds kinds = 0;
  };

  bool knows(const Cursor& c) const {
    if (c.log == id_) return c.number >= begin_ && c.number <= end_;
    return c.log == origin_ && c.log != 0 && c.number >= begin_ && c.number <= copied_;
  }
  explicit ChangeLog(ChangeLog* other) : entries_(other->entries_.publish()) { take_over(*other); }
  void note_taken() const { taken_.store(end_, std::memory_order_relaxed); }
  // All but the entries.
  void take_over(const ChangeLog& other) {
    id_ = next_serial();
    other.note_taken();
    begin_ = other.begin_;
    end_ = copied_ = other.end_;
    taken_.store(end_, std::memory_order_relaxed);
    origin_ = other.id_;
    marked_ = 0;
    quiet_ = false;
  }

  uint64_t id_ = 0;
  uint64_t origin_ = 0, copied_ = 0;        // the copied log, and its end at that time
  uint64_t begin_ = 0, end_ = 0;            // the numbers of the present entries
  uint64_t marked_ = 0;                     // at or before the latest mark
  mutable std::atomic<uint64_t> taken_{0};  // no cursor or copy is younger than this
  bool quiet_ = false;                      // undone changes need no entries
  Mirrored<Entry, 64> entries_;
};

}  // namespace libsched
