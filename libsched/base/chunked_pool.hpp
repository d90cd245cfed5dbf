// ChunkedPool<T, N>: items with dense ids, of which the id returned last is the next to be given
// out, in chunks of N that copies share (chunked.hpp).
//
// take() and give_back() do not allocate after reserve() and own(), nor do their undos where they
// themselves did not. Items of free ids keep what they hold, and with it their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "libsched/base/chunked.hpp"
#include "libsched/base/id_table.hpp"

namespace libsched {

template <typename T, size_t N>
class ChunkedPool {
 public:
  uint32_t size() const { return size_; }  // every id is less; some may be free
  uint32_t taken() const { return size_ - free_count_; }
  const T& operator[](uint32_t id) const { return items_[id]; }
  T& edit(uint32_t id) { return items_.edit(id); }
  void prefetch(uint32_t id) const { items_.prefetch(id); }
  bool shares(const ChunkedPool& o, uint32_t id) const { return items_.shares(o.items_, id); }

  uint32_t next() const { return free_count_ == 0 ? size_ : free_; }  // the next result of take()
  // Afterwards one take() cannot fail, nor an edit() of the item that it returns.
  void reserve() {
    if (free_count_ == 0 && size_ == items_.room()) {
      next_.grow(size_ + 1);  // first: it has room for whatever has an item
      items_.grow(size_ + 1);
    }
    own(next());
  }
  // Afterwards giving the id back, and undoing that it was taken, cannot fail.
  void own(uint32_t id) {
    items_.edit(id);
    next_.edit(id);
  }
  uint32_t take() {
    bool from_tail = false;
    return take(&from_tail);
  }
  // Sets *from_tail if the id is new.
  uint32_t take(bool* from_tail) {
    *from_tail = free_count_ == 0;
    if (*from_tail) return size_++;
    --free_count_;
    return std::exchange(free_, next_[free_]);
  }
  void give_back(uint32_t id) noexcept {
    next_.edit(id) = free_;
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

  class Iterator {
   public:
    Iterator(const ChunkedPool* pool, uint32_t id) : pool_(pool), id_(id) {}
    const T& operator*() const { return (*pool_)[id_]; }
    Iterator& operator++() {
      ++id_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const ChunkedPool* pool_;
    uint32_t id_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  Chunked<T, N> items_;          // at least size_
  Chunked<uint32_t, 128> next_;  // of a free id: the one given back before it
  uint32_t size_ = 0, free_ = kNoId, free_count_ = 0;
};

}  // namespace libsched
