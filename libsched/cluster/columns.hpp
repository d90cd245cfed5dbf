// Columns: per resource what a node can give and what is left, one array each, indexed by row.
//
// Padded to 64 rows, so that a kernel may read whole words of rows; what stands beyond the last
// row is masked by the caller. `left` = allocatable - requested with Go's wrap-around, hence
// comparisons are exactly upstream's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/base/prefetch.hpp"
#include "libsched/objects/resources.hpp"

namespace libsched {

// Indexes of the resources that every node has; scalars come behind.
enum : uint32_t { kCpu = 0, kMemory = 1, kEphemeralStorage = 2, kPods = 3, kFirstScalar = 4 };

inline int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t wrapping_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

class Columns {
 public:
  struct Resource {
    std::string name;
    uint64_t hash = 0;
    std::vector<int64_t> allocatable;
    std::vector<int64_t> left;
  };
  static constexpr uint32_t kMaxResources = 1024;

  Columns();

  uint32_t find(Str name, uint64_t hash) const;
  uint32_t find(Str name) const { return find(name, hash_str(name)); }
  // kNoId when there are kMaxResources already.
  uint32_t intern(Str name, uint64_t hash);
  size_t count() const { return resources_.size(); }
  // Changes with every new resource. Equal numbers mean equal ids, also of two copies.
  uint64_t epoch() const { return epoch_; }
  const Resource& resource(uint32_t id) const { return resources_[id]; }
  int64_t requested(uint32_t id, uint32_t row) const {
    return wrapping_sub(resources_[id].allocatable[row], resources_[id].left[row]);
  }

  // Brings what add_pod() and remove_pod() touch into the cache.
  void fetch(uint32_t row) const {
    for (const uint32_t id : {kCpu, kMemory, kPods}) prefetch_to_write(&resources_[id].left[row]);
    prefetch_to_write(&nonzero_cpu_[row]);
    prefetch_to_write(&nonzero_memory_[row]);
  }

  // Per row 1 / allocatable, and 0 where that isn't in 1 .. 2^kUsualBits - 1: for kernels that
  // would have to divide. Kept of cpu and memory; null: not kept.
  static constexpr int kUsualBits = 44;
  const double* inverse(uint32_t id) const {
    return id < kInverses ? inverse_[id].data() : nullptr;
  }

  size_t capacity() const { return capacity_; }
  void reserve_rows(size_t rows);

  // Sets a row's allocatable amounts; what is requested stays.
  void set_allocatable(uint32_t row, const Resources& r);
  void clear_allocatable(uint32_t row);
  void add_pod(uint32_t row, const Resources& r, const NonZero& nonzero);
  void remove_pod(uint32_t row, const Resources& r, const NonZero& nonzero);

  // Requested with 100m and 200Mi where a container asks for nothing; for scores.
  const std::vector<int64_t>& nonzero_cpu() const { return nonzero_cpu_; }
  const std::vector<int64_t>& nonzero_memory() const { return nonzero_memory_; }

 private:
  void set(uint32_t id, uint32_t row, int64_t allocatable) {
    Resource& r = resources_[id];
    r.left[row] = wrapping_add(r.left[row], wrapping_sub(allocatable, r.allocatable[row]));
    r.allocatable[row] = allocatable;
    if (id >= kInverses) return;
    const bool usual = allocatable > 0 && allocatable >> kUsualBits == 0;
    inverse_[id][row] = usual ? 1.0 / static_cast<double>(allocatable) : 0.0;
  }

  static constexpr uint32_t kInverses = 2;
  static_assert(kCpu < kInverses && kMemory < kInverses);

  std::vector<Resource> resources_;
  std::array<std::vector<double>, kInverses> inverse_;
  IdTable ids_;
  std::vector<int64_t> nonzero_cpu_, nonzero_memory_;
  size_t capacity_ = 0;
  uint64_t epoch_ = next_serial();
};

}  // namespace libsched
