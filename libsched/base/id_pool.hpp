// IdPool<T, N>: items with dense ids, of which the id returned last is the next to be given out.
//
// Only reserve() allocates: give_back() and the undo functions never do, so a change that ran out
// of memory can be taken back. Items of free ids keep what they hold, and with it their memory.
// Snapshots share chunks of N items with the writer's mirror (mirrored.hpp) and are only read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/base/mirrored.hpp"

namespace libsched {

template <typename Vector>
__attribute__((noinline, cold)) void grow_to(Vector& v, size_t need) {
  v.reserve(need < 2 * v.capacity() ? 2 * v.capacity() : need);
}

// Makes room for `more` elements, growing geometrically. Afterwards adding them cannot fail. Every
// change of a cluster calls it several times, and nearly always there is room.
template <typename Vector>
__attribute__((always_inline)) inline void reserve_more(Vector& v, size_t more) {
  if (v.capacity() - v.size() < more) grow_to(v, v.size() + more);
}

template <typename T, size_t N>
class IdPool {
 public:
  uint32_t size() const { return size_; }  // every id is less; some may be free
  uint32_t taken() const { return size_ - free_count_; }
  const T& operator[](uint32_t id) const { return items_[id]; }
  T& edit(uint32_t id) { return items_.edit(id); }
  // For what is marked by an edit() before the next publish(), or what snapshots do not show.
  T& unmarked(uint32_t id) { return items_.unmarked()[id]; }
  // Calls f(id, item) for every id.
  template <typename F>
  void for_each(F&& f) const {
    for (uint32_t id = 0; id < size_; ++id) f(id, items_[id]);
  }

  uint32_t next() const { return free_count_ == 0 ? size_ : free_; }  // the next result of take()
  // Afterwards `more` calls of take() cannot fail.
  void reserve(size_t more = 1) {
    if (free_count_ + (room_ - size_) < more) [[unlikely]]
      grow(size_ + (more - free_count_));
  }
  // Needs room from an earlier reserve().
  uint32_t take() noexcept {
    bool from_tail = false;
    return take(&from_tail);
  }
  // Sets *from_tail if the id is new.
  uint32_t take(bool* from_tail) noexcept {
    *from_tail = free_count_ == 0;
    if (*from_tail) return size_++;
    --free_count_;
    return std::exchange(free_, next_[free_]);
  }
  void give_back(uint32_t id) noexcept {
    next_[id] = free_;
    free_ = id;
    ++free_count_;
  }
  // These undo calls in reverse order.
  void undo_take(uint32_t id, bool from_tail) noexcept {
    if (from_tail) {
      --size_;
    } else {
      give_back(id);
    }
  }
  void undo_give_back(uint32_t id) noexcept {
    free_ = next_[id];
    --free_count_;
  }

  IdPool publish() {
    IdPool out;
    out.items_ = items_.publish();
    out.size_ = size_;
    out.free_count_ = free_count_;
    return out;
  }

 private:
  __attribute__((noinline, cold)) void grow(size_t need) {
    const size_t room = need + std::min<size_t>(need / 2, 63);
    for_room(next_, room);
    for_room(items_, room);
    room_ = static_cast<uint32_t>(room);  // last, so that a partial growth has no effect
  }
  template <typename Vector>
  static void for_room(Vector& v, size_t room) {
    if (v.size() >= room) return;
    reserve_more(v, room - v.size());
    v.resize(room);
  }

  Mirrored<T, N> items_;        // at least room_
  std::vector<uint32_t> next_;  // of a free id: the one given back before it; at least room_
  uint32_t size_ = 0, free_ = kNoId, free_count_ = 0;
  uint32_t room_ = 0;  // ids below it need no memory
};

}  // namespace libsched
