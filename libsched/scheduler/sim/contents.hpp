// Contents<T>: a table of shared immutable contents, each known by its bytes and by a reference.
//
// A reference is a number: the index below, the generation in the upper 32 bits. It stays valid
// until the content is forgotten, and is never given to another one. Any thread may use a table;
// has() takes no lock, so that asking for each question costs nothing.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/hash.hpp"
#include "libsched/base/id_table.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/base/ref.hpp"

namespace libsched {

inline constexpr uint32_t index_of(uint64_t id) { return static_cast<uint32_t>(id); }
inline constexpr uint32_t generation_of(uint64_t id) { return static_cast<uint32_t>(id >> 32); }
inline constexpr uint64_t make_id(uint32_t index, uint32_t generation) {
  return uint64_t{generation} << 32 | index;
}

// Where the generations of a new table or Sim begin: far from where those of all others of the
// process began, so that it practically always takes the ids of another one for stale ones. Not
// random, so that a program runs alike each time. Thread-safe.
inline uint32_t first_generation() {
  constexpr uint32_t kSteps = 1 << 30;
  constexpr uint32_t kGolden = 663'608'941;  // the steps divided by the golden ratio
  static std::atomic<uint32_t> made{0};
  return 1 + made.fetch_add(1, std::memory_order_relaxed) * kGolden % kSteps;
}

template <typename T>
class Contents {
 public:
  static constexpr size_t kMax = size_t{1} << 22;

  // The generations of a table have `mark`, so that references of two tables differ.
  explicit Contents(uint32_t mark) : mark_(mark) {}
  ~Contents() {
    for (std::atomic<Generations*>& chunk : generations_) delete chunk.load();
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  bool has(uint64_t ref) const noexcept {
    const uint32_t index = index_of(ref);
    if (index >= kMax || generation_of(ref) == 0) return false;
    const Generations* const chunk = generations_[index / kChunk].load(std::memory_order_acquire);
    return chunk != nullptr &&
           (*chunk)[index % kChunk].load(std::memory_order_acquire) == generation_of(ref);
  }
  // Null: the reference is not valid.
  Ref<const T> get(uint64_t ref) const {
    const std::lock_guard lock(mutex_);
    return has(ref) ? entries_[index_of(ref)].content : Ref<const T>();
  }
  size_t size() const {
    const std::lock_guard lock(mutex_);
    return ids_.size();
  }

  // Adds several contents, or, if memory runs out, none.
  class Adding {
   public:
    explicit Adding(Contents* to) : to_(to), lock_(to->mutex_) {}
    ~Adding() {
      if (to_ != nullptr)
        for (const uint32_t index : fresh_) to_->forget(index);
    }
    Adding(const Adding&) = delete;
    Adding& operator=(const Adding&) = delete;

    // The reference of the content with these bytes, which make() makes if it is new. 0: the table
    // is full.
    template <typename Make>
    uint64_t add(const std::string& bytes, Make&& make) {
      const uint64_t hash = hash_str(bytes);
      Contents& to = *to_;
      const uint32_t there =
          to.ids_.find(hash, [&](uint32_t i) { return to.entries_[i].bytes == bytes; });
      if (there != kNoId) {
        to.entries_[there].age = to.age_;
        return make_id(there, to.generation(there));
      }
      fresh_.reserve(fresh_.size() + 1);
      const uint32_t index = to.room();
      if (index == kNoId) return 0;
      Entry made{bytes, hash, make(), to.age_, to.after(to.entries_[index].generation)};
      to.ids_.reserve();
      to.entries_[index] = std::move(made);
      to.ids_.insert_reserved(hash, index);
      if (index == to.next_) {
        ++to.next_;
      } else {
        to.free_.pop_back();
      }
      to.publish(index, to.mark_ | to.entries_[index].generation);
      fresh_.push_back(index);
      return make_id(index, to.generation(index));
    }
    void commit() noexcept { to_ = nullptr; }

   private:
    Contents* to_;  // null: committed
    std::unique_lock<Mutex> lock_;
    std::vector<uint32_t> fresh_;
  };

  // Counts the contents as added in this age.
  void touch(Span<uint64_t> refs) {
    const std::lock_guard lock(mutex_);
    for (const uint64_t ref : refs)
      if (has(ref)) entries_[index_of(ref)].age = age_;
  }

  // Begins a new age and forgets the contents that were not added in the latest `keep` ages before
  // it, but for those in_use(content). Returns how many. May throw std::bad_alloc, having done
  // nothing.
  template <typename InUse>
  size_t age(uint32_t keep, InUse&& in_use) {
    const std::lock_guard lock(mutex_);
    std::vector<uint32_t> gone;
    for (uint32_t i = 0; i < next_; ++i) {
      const Entry& e = entries_[i];
      if (e.content && age_ - e.age > keep && !in_use(*e.content)) gone.push_back(i);
    }
    free_.reserve(free_.size() + gone.size());
    for (const uint32_t i : gone) forget(i);
    ++age_;
    return gone.size();
  }

 private:
  static constexpr size_t kChunk = 4096;
  using Generations = std::array<std::atomic<uint32_t>, kChunk>;
  struct Entry {
    std::string bytes;
    uint64_t hash = 0;
    Ref<const T> content;     // null: free
    uint64_t age = 0;         // when it was added last
    uint32_t generation = 0;  // of the latest content, without the mark; 0: there was none
  };

  uint32_t after(uint32_t generation) const {
    if (generation == 0) return first_;
    return generation == ~kMark ? 1 : generation + 1;
  }
  // The generation that references need; 0: there is no content, and no reference is valid.
  void publish(uint32_t index, uint32_t generation) noexcept {
    (*generations_[index / kChunk].load())[index % kChunk].store(generation,
                                                                 std::memory_order_release);
  }
  uint32_t generation(uint32_t index) const {
    return (*generations_[index / kChunk].load())[index % kChunk].load();
  }
  // An index that is free, with room for its entry; kNoId: there is none.
  uint32_t room() {
    if (!free_.empty()) return free_.back();
    if (next_ == kMax) return kNoId;
    std::atomic<Generations*>& chunk = generations_[next_ / kChunk];
    if (chunk.load() == nullptr) {
      chunk.store(std::make_unique<Generations>().release(), std::memory_order_release);
    }
    if (entries_.size() <= next_) entries_.resize(std::max<size_t>(64, 2 * size_t{next_}));
    return next_;
  }
  // `free_` has room where contents are forgotten in numbers; elsewhere an index may be lost when
  // memory runs out.
  void forget(uint32_t index) noexcept {
    Entry& e = entries_[index];
    ids_.erase(e.hash, index);
    const uint32_t generation = e.generation;
    e = {};
    e.generation = generation;
    publish(index, 0);
    if (after(generation) == first_) return;  // all generations have been used
    if (free_.size() < free_.capacity()) free_.push_back(index);
  }

  static constexpr uint32_t kMark = uint32_t{1} << 31;

  const uint32_t mark_;
  const uint32_t first_ = first_generation();
  mutable Mutex mutex_;
  std::array<std::atomic<Generations*>, kMax / kChunk> generations_{};
  std::vector<Entry> entries_;  // by index; below next_ they are or were in use
  uint32_t next_ = 0;
  std::vector<uint32_t> free_;
  IdTable ids_;
  uint64_t age_ = 0;
};

}  // namespace libsched
