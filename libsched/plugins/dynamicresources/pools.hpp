// Pools of devices as one node sees them: complete ones, whose devices may be allocated, and
// incomplete and invalid ones.
#pragma once

#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/objects/resource_slice.hpp"
#include "libsched/plugins/dynamicresources/features.hpp"

namespace libsched {

struct TargetNode {
  Str name;
  Labels labels;
};

struct DevicePool {
  Str driver, name;
  bool incomplete = false, invalid = false;
  std::vector<const ResourceSlice*> slices;        // with devices of the node, by name
  std::vector<const ResourceSlice*> other_slices;  // of other nodes; they take counters as well
  std::vector<const DeviceCounters*> counter_sets;

  DeviceId id_of(const Device& device) const { return {driver, name, device.name}; }
};

// All slices of a cluster. The slices outlive it.
class DeviceSlices {
 public:
  explicit DeviceSlices(std::vector<const ResourceSlice*> all);

  // In the order in which devices are tried: by driver and name, pools with binding conditions
  // last. The error is upstream's text about a node selector.
  Result<std::vector<DevicePool>> pools_of(const TargetNode& node,
                                           const DeviceFeatures& features) const;

 private:
  std::vector<const ResourceSlice*> all_;    // by name
  std::vector<const ResourceSlice*> local_;  // of one node each, sorted by the node's name
  std::vector<const ResourceSlice*> shared_;
};

// Whether devices with this selection are there for the node.
Result<bool> node_matches(const TargetNode& node, Str node_name, bool all_nodes,
                          const NodeSelector& selector);

}  // namespace libsched
