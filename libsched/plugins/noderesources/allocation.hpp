// The input of the two scorers of node resources: for each listed resource the pod's request, the
// allocatable amount of each node and the amount in use there. Mirrors upstream's
// plugins/noderesources/resource_allocation.go.
//
// Scalars that the pod does not request and resources that no node has are left out. A resource
// does not count on rows where its `allocatable` is 0.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "libsched/config/plugin_args.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

class DeviceTotals;

struct AllocationColumn {
  RowColumn allocatable;
  RowColumn left;
  RowColumn used;  // if absent: allocatable - left
  int64_t ask = 0;
  int64_t weight = 0;
  const double* inverse = nullptr;  // of allocatable, as Columns::arrays() has it

  int64_t used_at(size_t row) const {
    return used ? used[row] : wrapping_sub(allocatable[row], left[row]);
  }
};

// The pod's requests, parallel to the listed resources.
struct AllocationAsk final : PluginData {
  explicit AllocationAsk(size_t resources) : count(resources) {
    if (count > few.size()) many.resize(count);
  }
  int64_t* amounts() { return count > few.size() ? many.data() : few.data(); }
  std::span<const int64_t> amounts() const {
    return {count > few.size() ? many.data() : few.data(), count};
  }
  bool nothing() const {
    for (const int64_t a : amounts())
      if (a != 0) return false;
    return true;
  }
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<AllocationAsk>(*this);
  }

  // What rows have of a resource that a DeviceClass provides, by row.
  struct Devices {
    size_t resource = 0;  // its index
    std::vector<int64_t> allocatable, left;
  };
  std::vector<Devices> devices;

 private:
  size_t count;
  std::array<int64_t, 4> few{};  // amounts, unless they are
  std::vector<int64_t> many;
};

// The columns of the resources that take part, mostly of cpu and memory only.
class AllocationColumns {
 public:
  // The new column is not initialised.
  AllocationColumn& add() {
    if (many_.empty() && count_ < kFew) return few_.columns[count_++];
    if (many_.empty()) many_.assign(few_.columns, few_.columns + kFew);
    return many_.emplace_back();
  }
  operator std::span<const AllocationColumn>() const {  // NOLINT(google-explicit-constructor)
    return many_.empty() ? std::span(few_.columns, count_) : std::span(many_);
  }

 private:
  static constexpr size_t kFew = 4;
  static_assert(std::is_trivially_destructible_v<AllocationColumn>);
  // Not initialised: that would cost more than scoring a row.
  union Few {
    Few() {}
    Few(const Few& o) = default;
    AllocationColumn columns[kFew];
  };
  size_t count_ = 0;
  Few few_;
  std::vector<AllocationColumn> many_;  // all, if they are more
};

// What scores of cpu and memory read of a writer's rows, parallel to the listed resources.
struct PairOfRows {
  struct Item {
    Columns::Arrays of;
    int64_t ask, weight;
  };
  std::array<Item, 2> items;
  bool nonzero;  // what is in use is as Columns::nonzero_column() has it
};

class Allocation {
 public:
  // With kNonZero, a container without cpu or memory requests counts as 100m and 200Mi, as it does
  // on nodes, and pod-level requests and the status of a resize are ignored. kRequested is the
  // reverse, as far as they are accounted for.
  enum class Basis : uint8_t { kNonZero, kRequested };

  Allocation(const std::vector<ResourceSpec>& resources, Basis basis,
             const PodAccounting& accounting = {});

  bool empty() const { return items_.empty(); }
  bool lists(Str name) const;
  // Whether the listed resources are cpu and memory.
  bool cpu_and_memory() const {
    return items_.size() == 2 && items_[0].id != items_[1].id && items_[0].id <= kMemory &&
           items_[1].id <= kMemory;
  }
  std::shared_ptr<AllocationAsk> ask(const Pod& pod) const;
  AllocationColumns columns(const Columns& columns, const AllocationAsk& ask) const;
  // The same at less cost. Returns false unless cpu and memory are listed alone and the columns are
  // a writer's.
  bool pair(const Columns& columns, const AllocationAsk& ask, PairOfRows* out) const {
    if (!pair_) return false;
    const int64_t* const amounts = ask.amounts().data();
    out->nonzero = basis_ == Basis::kNonZero;
    for (size_t i = 0; i < 2; ++i)
      out->items[i] = {columns.arrays(items_[i].id), amounts[i], items_[i].weight};
    return out->items[0].of.allocatable != nullptr;
  }

  // How full these nodes are with these pods in addition, from 0 to 100, as MostAllocated scores
  // one node: upstream's scorePlacement().
  int64_t fullness(const Columns& columns, Span<uint32_t> rows, Span<GroupAssignment> pods) const;

  // Whether the pod asks for a listed resource that a DeviceClass provides.
  bool lists_devices(const View& view, const Resources& asked) const;
  // Counts the devices of such resources, for nodes that do not have the resource themselves. The
  // result then holds for this state of the view alone.
  void add_devices(const View& view, const DeviceTotals& totals, AllocationAsk* ask) const;

 private:
  struct Item {
    std::string name;
    uint64_t hash;
    int64_t weight;
    bool scalar;
    uint32_t id;  // of a resource that every node has, else kNoId
  };
  std::optional<NonZero> derived(const Pod& pod) const;

  std::vector<Item> items_;
  std::vector<Str> names_;  // of items_
  Basis basis_;
  PodAccounting accounting_;
  bool pair_ = false;  // cpu_and_memory()
};

// Go's int64(x) on amd64: a value out of range becomes the smallest number.
inline int64_t truncated(double x) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return x >= -kLimit && x < kLimit ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}

}  // namespace libsched
