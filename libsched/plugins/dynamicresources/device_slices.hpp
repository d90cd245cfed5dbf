// DeviceSlices: the ResourceSlices of a cluster by pool, and the pools that a node sees.
#pragma once

#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libsched/plugins/dynamicresources/pools.hpp"

namespace libsched {

// Pools whose slices name their nodes are made once for all nodes and cycles; those that select
// nodes by labels or device by device are made for each node. The slices outlive it. Any number of
// threads may ask it.
class DeviceSlices {
 public:
  DeviceSlices() = default;
  DeviceSlices(std::vector<const ResourceSlice*> all, const DeviceFeatures& features);
  DeviceSlices(DeviceSlices&&) = default;
  DeviceSlices& operator=(DeviceSlices&&) = default;

  size_t pool_count() const { return pools_.size(); }
  // The index of a pool, or kNoId.
  uint32_t index_of(Str driver, Str pool) const;
  // Calls f(slice) for those of pools with this name, of every driver and generation.
  template <typename F>
  void for_each_in(Str pool, F&& f) const {
    for (const Whole& w : pools_)
      if (w.name == pool)
        for (const ResourceSlice* s : w.slices) f(*s);
  }
  // Whether the order in which nodes are asked may matter: counters may belong to the name of a
  // pool, and pools that share one, or that are being updated, may disagree about them.
  bool depends_on_order() const { return depends_on_order_; }

  // In the order in which devices are tried: by driver and name, pools with binding conditions
  // last. Pools that are made for the node are put into `made`. The error is upstream's text about
  // a node selector.
  Result<std::vector<const DevicePool*>> pools_of(const TargetNode& node,
                                                  std::deque<DevicePool>& made) const;

 private:
  using Slices = std::vector<const ResourceSlice*>;
  struct Whole {
    Str driver, name;
    Slices slices;  // of every generation, by name
  };
  using Entry = std::pair<uint32_t, const DevicePool*>;  // index in pools_, the pool of some nodes

  // Whether the slice is not there at all, for Behaviours::hides_compatibility_groups.
  bool hidden(const ResourceSlice& slice) const;
  bool usable(const ResourceSlice& slice) const {
    if (hidden(slice)) return false;
    return features_.partitionable ||
           (!slice.per_device_node_selection &&
            (slice.shared_counters.empty() || features_.behaviours.incomplete_pools));
  }
  bool everywhere(const ResourceSlice& slice) const {
    return relevant_everywhere(slice, features_);
  }
  void index(uint32_t pool);
  bool counters_agree() const;
  // The pool as nodes see it for which these slices are relevant.
  DevicePool finish(uint32_t pool, Slices relevant) const;

  DeviceFeatures features_;
  bool depends_on_order_ = false;
  std::vector<Whole> pools_;      // by driver and name
  std::deque<DevicePool> ready_;  // of nodes that slices name
  std::unordered_map<Str, std::vector<Entry>> of_node_;
  std::vector<Entry> elsewhere_;  // incomplete and invalid ones, for nodes without an entry of it
  std::vector<std::pair<uint32_t, const ResourceSlice*>> others_;  // of other pools, by slice name
};

}  // namespace libsched
