// Mirrored<T, N>: a vector of which a snapshot costs what has changed since the one before.
//
// The writer's items lie side by side; edit() marks the chunk of N items that it touches, at the
// cost of one store. publish() copies the chunks that are marked into a mirror (chunks.hpp) that
// all snapshots share, and returns a snapshot: a Mirrored that can only be read. Nothing but
// publish(), growing and thaw() allocates.
//
// A copy of a writer's vector is another writer's, a copy of a snapshot a snapshot. Snapshots may
// be read, copied and dropped by any thread. An item with a member published() stands in snapshots
// as what that returns; else it is copied. fetch_for_copy() of an item, if there is one, brings
// into the cache what copying or dropping it changes elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "libsched/base/chunks.hpp"
#include "libsched/base/huge_pages.hpp"

namespace libsched {

// Which chunks have changed since they were published. Not bytes, whose stores could change
// anything else for all that compilers know.
class ChunkMarks {
 public:
  size_t size() const { return marks_.size(); }
  void reserve(size_t chunks) { marks_.resize(std::max(chunks, marks_.size()), {true}); }
  void set(size_t c) { marks_[c].changed = true; }
  // Calls f(c) for the marked chunks below `end`, and takes each mark off when f has returned.
  template <typename F>
  void take(size_t end, F&& f) {
    static_assert(sizeof(Mark) == 1);
    end = std::min(end, marks_.size());
    for (size_t c = 0; c < end; ++c) {
      const void* const at = std::memchr(&marks_[c], 1, end - c);
      if (at == nullptr) return;
      c = static_cast<size_t>(static_cast<const Mark*>(at) - marks_.data());
      f(c);
      marks_[c].changed = false;
    }
  }

 private:
  struct Mark {
    bool changed;
  };
  std::vector<Mark> marks_;
};

template <typename T, size_t N>
class Mirrored {
 public:
  using value_type = T;

  Mirrored() = default;
  Mirrored(const Mirrored& o) : size_(o.size_) {
    if (o.items() == nullptr) {
      mirror_ = o.mirror_;
      return;
    }
    // The first publish() makes a mirror of its own: sharing costs more than most copies'
    // snapshots.
    marks_.reserve((size_ + N - 1) / N);
    room_ = size_;
    if constexpr (kFetches) {
      items_.reserve(o.items_.size());
      for (size_t i = 0; i < o.items_.size(); ++i) {
        if (i + kAhead < o.items_.size()) fetch(o.items_[i + kAhead]);
        items_.push_back(o.items_[i]);
      }
    } else {
      items_ = o.items_;
    }
  }
  Mirrored(Mirrored&& o) noexcept
      : items_(std::move(o.items_)),
        size_(std::exchange(o.size_, 0)),
        room_(std::exchange(o.room_, 0)),
        marks_(std::move(o.marks_)),
        mirror_(std::move(o.mirror_)) {}
  Mirrored& operator=(const Mirrored& o) {
    if (this != &o) *this = Mirrored(o);
    return *this;
  }
  Mirrored& operator=(Mirrored&& o) noexcept {
    if (this == &o) return *this;
    items_ = std::move(o.items_);
    size_ = std::exchange(o.size_, 0);
    room_ = std::exchange(o.room_, 0);
    marks_ = std::move(o.marks_);
    mirror_ = std::move(o.mirror_);
    return *this;
  }
  ~Mirrored() {
    if constexpr (kFetches) {
      for (; !items_.empty(); items_.pop_back())
        if (items_.size() > kAhead) fetch(items_[items_.size() - 1 - kAhead]);
    }
  }

  // --- reading ---
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const {
    if (const T* const all = items(); all != nullptr) [[likely]]
      return all[i];
    return mirror_[i];
  }
  const T& back() const { return (*this)[size_ - 1]; }
  // Item i and those behind it in its chunk.
  const T* run(size_t i) const { return &(*this)[i]; }
  // The writer's items; null in a snapshot, or if there never was one.
  const T* items() const { return items_.data(); }
  // Calls f(i, item) for all.
  template <typename F>
  void for_each(F&& f) const {
    if (const T* const all = items(); all != nullptr) {
      for (size_t i = 0, end = size_; i < end; ++i) f(i, all[i]);
      return;
    }
    for (size_t i = 0; i < size_;) {
      const T* const chunk = mirror_.chunk(i / N) - i;
      for (const size_t end = std::min(size_, i + N); i < end; ++i) f(i, chunk[i]);
    }
  }
  // Calls f(span) for all, in parts of N items.
  template <typename F>
  void for_each_part(F&& f) const {
    for (size_t i = 0; i < size_; i += N) f(std::span<const T>(run(i), std::min(N, size_ - i)));
  }

  // --- for the writer ---
  T& edit(size_t i) {
    mark(i);
    return items_[i];
  }
  // The items without a mark: what is changed must be marked.
  T* unmarked() { return items_.data(); }
  void mark(size_t i) { marks_.set(i / N); }
  size_t capacity() const { return room_; }
  void reserve(size_t n) {
    if (n <= room_) return;
    marks_.reserve((n + N - 1) / N);
    items_.reserve(n);
    room_ = n;
  }
  // Does not fail below capacity().
  void push_back(T item) {
    if (size_ == room_) [[unlikely]]
      reserve(std::max<size_t>(4, 2 * size_));
    items_.push_back(std::move(item));
    mark(size_++);
  }
  void pop_back() {
    items_.pop_back();
    --size_;
  }
  void truncate(size_t n) {
    items_.erase(items_.begin() + static_cast<ptrdiff_t>(n), items_.end());
    size_ = n;
  }
  // To a larger size.
  void resize(size_t n, const T& value = T()) {
    reserve(n);
    for (size_t c = size_ / N; c * N < n; ++c) marks_.set(c);
    items_.resize(n, value);
    size_ = n;
  }

  void assign(const std::vector<T>& items) {  // of an empty one
    reserve(items.size());
    items_.assign(items.begin(), items.end());
    size_ = items.size();
  }

  // What is there now, as a snapshot. If memory runs out the writer's vector stays as it is.
  Mirrored publish() {
    marks_.take((size_ + N - 1) / N, [&](size_t c) {
      for (size_t i = c * N, end = std::min(size_, i + N); i < end; ++i) fetch(items_[i]);
      mirror_.put(c, std::min(N, size_ - c * N), [&](T* place, size_t i) {
        T& item = items_[c * N + i];
        if constexpr (requires { item.published(); }) {
          new (place) T(item.published());
        } else {
          new (place) T(std::as_const(item));
        }
      });
    });
    Mirrored out;
    out.mirror_ = mirror_;
    out.size_ = size_;
    return out;
  }
  // Makes a snapshot a writer's vector of its own.
  void thaw() {
    if (size_ == 0 || items() != nullptr) return;
    Mirrored out;
    out.reserve(size_);
    for_each([&](size_t, const T& item) { out.push_back(item); });
    *this = std::move(out);
  }

 private:
  static constexpr size_t kAhead = 8;
  static constexpr bool kFetches = requires(const T& item) { item.fetch_for_copy(); };

  static void fetch(const T& item) {
    if constexpr (kFetches) item.fetch_for_copy();
  }

  std::vector<T, HugePages<T>> items_;  // empty in a snapshot
  size_t size_ = 0;
  size_t room_ = 0;  // items for which there is memory, and there are marks
  ChunkMarks marks_;
  Chunks<T, N> mirror_;  // as of the latest publish(); in a snapshot the items
};

// Whole<T>: a value of which snapshots share one copy until it changes.
template <typename T>
class Whole {
 public:
  const T& operator*() const { return frozen_ ? *mirror_ : value_; }
  const T* operator->() const { return &**this; }
  T& edit() {
    changed_ = true;
    return value_;
  }
  Whole publish() {
    if (changed_ || !mirror_) mirror_ = std::make_shared<const T>(value_);
    changed_ = false;
    Whole out;
    out.mirror_ = mirror_;
    out.frozen_ = true;
    return out;
  }

 private:
  T value_{};  // of the writer
  std::shared_ptr<const T> mirror_;
  bool changed_ = false, frozen_ = false;
};

}  // namespace libsched
