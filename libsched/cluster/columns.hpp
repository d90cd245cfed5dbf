// Columns: the allocatable and the remaining amount per resource, each an array indexed by row.
//
// Arrays are padded to 64 rows and aligned to cache lines, so that a kernel may read whole words of
// rows; the caller masks values beyond the last row. `left` = allocatable - requested with Go's
// wrap-around, so comparisons are exactly upstream's.
//
// Users of columns are counted: a column that no node or pod uses is all zeros. It is kept for a
// while, so that a repeated what-if finds it, until collect() reclaims it.
//
// A writer's columns are arrays. Snapshots share them in blocks of 64 rows (row_column.hpp): one
// block has the columns that every node has, and each scalar has blocks of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/base/line_vector.hpp"
#include "libsched/base/prefetch.hpp"
#include "libsched/base/wrapping.hpp"
#include "libsched/cluster/row_column.hpp"
#include "libsched/objects/resources.hpp"

namespace libsched {

// Indexes of the resources that every node has; scalars follow.
enum : uint32_t { kCpu = 0, kMemory = 1, kEphemeralStorage = 2, kPods = 3, kFirstScalar = 4 };

// Changes the remaining amounts of a node, in a row or in a copy, for a pod that is added
// (wrapping_sub) or removed (wrapping_add). `left` returns a reference to the amount of one of the
// resources above, and `left_of_scalar` to that of a ScalarAmount.
template <int64_t (*kChange)(int64_t, int64_t), typename Left, typename LeftOfScalar>
__attribute__((always_inline)) inline void change_left(const Resources& occupied, Left&& left,
                                                       LeftOfScalar&& left_of_scalar) {
  const auto change = [](int64_t& amount, int64_t by) { amount = kChange(amount, by); };
  change(left(kCpu), occupied.milli_cpu);
  change(left(kMemory), occupied.memory);
  // Usually 0: then its column is not fetched.
  if (occupied.ephemeral_storage != 0) change(left(kEphemeralStorage), occupied.ephemeral_storage);
  change(left(kPods), 1);
  for (const ScalarAmount& s : occupied.scalars) change(left_of_scalar(s), s.value);
}

class Columns {
 public:
  struct alignas(64) Block {  // of a scalar
    int64_t allocatable[64];
    int64_t left[64];
  };
  struct Resource {
    std::string name;
    uint64_t hash = 0;
    uint32_t users = 0;  // nodes and pods that use it
    uint64_t born = 0;   // epoch() when it got its name; 0: no name
    // A writer's; empty in a snapshot.
    LineVector<int64_t> allocatable = {};
    LineVector<int64_t> left = {};
    RowBlocks<Block> blocks = {};  // of a scalar; others have none

    Resource published();
  };
  static constexpr uint32_t kMaxResources = 1024;  // in use at one time

  Columns();

  uint32_t find(Str name, uint64_t hash) const;
  uint32_t find(Str name) const { return find(name, hash_str(name)); }
  // Ids are smaller than this; columns without a name are zeros.
  size_t count() const { return resources_.size(); }
  size_t in_use() const { return in_use_; }
  // Changes with every new resource and when ids are reclaimed. Equal numbers mean equal ids, also
  // between two copies.
  uint64_t epoch() const { return epoch_; }
  const Resource& resource(uint32_t id) const { return resources_[id]; }
  // The columns that kernels read. No column: the view has no rows yet.
  RowColumn allocatable_column(uint32_t id) const {
    const Resource& r = resources_[id];
    if (!r.allocatable.empty()) return RowColumn::of(r.allocatable.data());
    return id < kFirstScalar ? usual_.column(offsetof(Usual, allocatable) + id * kWord)
                             : r.blocks.column(offsetof(Block, allocatable));
  }
  RowColumn left_column(uint32_t id) const {
    const Resource& r = resources_[id];
    if (!r.left.empty()) return RowColumn::of(r.left.data());
    return id < kFirstScalar ? usual_.column(offsetof(Usual, left) + id * kWord)
                             : r.blocks.column(offsetof(Block, left));
  }
  // The same of cpu or memory as a writer has them, one array each. Null: a snapshot's, or no rows.
  struct Arrays {
    const int64_t *allocatable = nullptr, *left = nullptr, *nonzero = nullptr;
    // Per row 1 / allocatable, or 0 if allocatable is not in 1 .. 2^kUsualBits - 1.
    const double* inverse = nullptr;
  };
  static constexpr int kUsualBits = 44;
  Arrays arrays(uint32_t id) const {
    const Resource* const all = resources_.items();
    if (all == nullptr || all[id].allocatable.empty()) return {};
    return {all[id].allocatable.data(), all[id].left.data(), nonzero_[id].data(),
            inverse_[id].data()};
  }
  int64_t allocatable(uint32_t id, uint32_t row) const { return allocatable_column(id)[row]; }
  int64_t left(uint32_t id, uint32_t row) const { return left_column(id)[row]; }
  int64_t requested(uint32_t id, uint32_t row) const {
    return wrapping_sub(allocatable(id, row), left(id, row));
  }

  // Per row a number below kNoMemo that a reader has computed from the allocatable and left amounts
  // of cpu and memory alone; kNoMemo since they changed. There is one such number, which readers
  // fill in on the writer's thread. Null in a snapshot, which other threads read.
  static constexpr uint8_t kNoMemo = 255;
  uint8_t* memos() const { return memos_.empty() ? nullptr : memos_.data(); }

  size_t capacity() const { return capacity_; }
  void reserve_rows(size_t rows);

  // Checks that nodes and pods to be added fit into kMaxResources together.
  class Room {
   public:
    explicit Room(const Columns& columns) : columns_(columns), count_(columns.in_use()) {}
    bool add(const Resources& r);

   private:
    const Columns& columns_;
    size_t count_;
    IdTable ids_;
    std::vector<Str> names_;  // not in use yet
  };

  // Makes the columns for the functions below, which do not allocate.
  void prepare(const Resources& r) {
    if (!r.scalars.empty()) make_missing(r);
  }
  // Sets a row's allocatable amounts, which are zero before; requested amounts stay.
  void set_allocatable(uint32_t row, const Resources& r);
  void clear_allocatable(uint32_t row, const Resources& r);  // as they were set
  void add_pod(uint32_t row, const Resources& r, const NonZero& nonzero);
  void remove_pod(uint32_t row, const Resources& r, const NonZero& nonzero);

  // Requested amounts for scores: containers without requests count as 100m and 200Mi.
  RowColumn nonzero_column(uint32_t id) const {  // kCpu or kMemory
    if (!nonzero_[id].empty()) return RowColumn::of(nonzero_[id].data());
    return usual_.column(offsetof(Usual, nonzero) + id * kWord);
  }

  // Reclaims the unused columns that got their names after this epoch(), if there are enough to be
  // worthwhile.
  void collect(uint64_t since) noexcept {
    if (unused_ > kKeptUnused && (since == 0 || made_ > kKeptUnused)) reclaim(since);
  }

  Columns publish();  // as a snapshot shows them

 private:
  friend class State;
  // Prefetches the memory that add_pod() and remove_pod() touch.
  void fetch(uint32_t row) const {
    const Resource* const all = resources_.items();
    for (const uint32_t id : {kCpu, kMemory, kPods}) prefetch_to_write(&all[id].left[row]);
    for (const LineVector<int64_t>& column : nonzero_) prefetch_to_write(&column[row]);
    prefetch_to_write(&memos_[row]);
  }

  struct Empty {};
  explicit Columns(Empty) {}

  uint32_t use(const ScalarAmount& s);    // its id; counts
  uint32_t unuse(const ScalarAmount& s);  // the same id
  uint32_t make(Str name, uint64_t hash);
  void make_missing(const Resources& r);
  // The resource, of which the row is about to change.
  Resource& usual(uint32_t id, uint32_t row) {
    usual_.mark(row);
    return resources_.unmarked()[id];
  }
  Resource& scalar(uint32_t id, uint32_t row) {
    Resource& r = resources_.edit(id);
    r.blocks.mark(row);
    return r;
  }
  void set(uint32_t id, uint32_t row, int64_t allocatable) {
    Resource& r = id < kFirstScalar ? usual(id, row) : scalar(id, row);
    r.left[row] = wrapping_add(r.left[row], wrapping_sub(allocatable, r.allocatable[row]));
    r.allocatable[row] = allocatable;
    if (id >= kInverses) return;
    memos_[row] = kNoMemo;
    const bool usual = allocatable > 0 && allocatable >> kUsualBits == 0;
    inverse_[id][row] = usual ? 1.0 / static_cast<double>(allocatable) : 0.0;
  }

  void reclaim(uint64_t since) noexcept;

  static constexpr size_t kKeptUnused = 16;
  static constexpr size_t kWord = RowColumn::kWordBytes;
  static constexpr uint32_t kInverses = 2;
  static_assert(kCpu < kInverses && kMemory < kInverses);
  struct alignas(64) Usual {  // what every node has
    int64_t allocatable[kFirstScalar][64];
    int64_t left[kFirstScalar][64];
    int64_t nonzero[kInverses][64];
  };
  void fill(Usual* block, size_t word) const;

  Mirrored<Resource, 8> resources_;
  std::array<LineVector<double>, kInverses> inverse_;
  std::array<LineVector<int64_t>, kInverses> nonzero_;
  mutable LineVector<uint8_t> memos_;
  RowBlocks<Usual> usual_;
  IdTable ids_;
  size_t capacity_ = 0;
  size_t in_use_ = 0, unused_ = 0;  // columns with a name
  size_t free_ = 0;                 // columns without a name
  size_t made_ = 0;                 // since the last collection
  uint64_t epoch_ = next_serial();
};

__attribute__((always_inline)) inline void Columns::add_pod(uint32_t row, const Resources& r,
                                                            const NonZero& nonzero) {
  Resource* const usual = resources_.unmarked();
  change_left<wrapping_sub>(
      r, [&](uint32_t id) -> int64_t& { return usual[id].left[row]; },
      [&](const ScalarAmount& s) -> int64_t& { return scalar(use(s), row).left[row]; });
  nonzero_[kCpu][row] = wrapping_add(nonzero_[kCpu][row], nonzero.milli_cpu);
  nonzero_[kMemory][row] = wrapping_add(nonzero_[kMemory][row], nonzero.memory);
  memos_[row] = kNoMemo;
  usual_.mark(row);
}

__attribute__((always_inline)) inline void Columns::remove_pod(uint32_t row, const Resources& r,
                                                               const NonZero& nonzero) {
  Resource* const usual = resources_.unmarked();
  change_left<wrapping_add>(
      r, [&](uint32_t id) -> int64_t& { return usual[id].left[row]; },
      [&](const ScalarAmount& s) -> int64_t& { return scalar(unuse(s), row).left[row]; });
  nonzero_[kCpu][row] = wrapping_sub(nonzero_[kCpu][row], nonzero.milli_cpu);
  nonzero_[kMemory][row] = wrapping_sub(nonzero_[kMemory][row], nonzero.memory);
  memos_[row] = kNoMemo;
  usual_.mark(row);
}

}  // namespace libsched
