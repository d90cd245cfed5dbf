// Pools of devices as one node sees them: complete ones, whose devices may be allocated, and
// incomplete, invalid and outdated ones, which have no slices.
#pragma once

#include <optional>
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
  uint32_t index = 0;      // of all pools; the same for all nodes
  int64_t generation = 0;  // of the slices for the node
  bool incomplete = false, invalid = false;
  Str duplicate;          // the device that makes it invalid, if one is there twice
  bool outdated = false;  // there is a newer generation, of which the node has no slice
  std::vector<const ResourceSlice*> slices;        // with devices of the node, by name
  std::vector<const ResourceSlice*> other_slices;  // of other nodes; they take counters as well
  std::vector<const DeviceCounters*> counter_sets;

  DeviceId id_of(const Device& device) const { return {driver, name, device.name}; }
};

// "driver/pool/device"
std::string device_text(const DeviceId& id);

// Whether the node has a part of the slice; nothing if the slice selects nodes in no known way. The
// error is upstream's text about a node selector.
Result<std::optional<bool>> is_relevant(const ResourceSlice& slice, const TargetNode& node,
                                        const DeviceFeatures& features);

// Whether the slice is relevant for every node, because it has counters.
inline bool relevant_everywhere(const ResourceSlice& slice, const DeviceFeatures& features) {
  return !slice.shared_counters.empty() && !features.counters_have_nodes();
}

// Fills a complete pool from the slices that are relevant for a node. `all` are all slices of its
// generation, or null if `slices` are these.
void build_pool(DevicePool& pool, std::vector<const ResourceSlice*> slices,
                const std::vector<const ResourceSlice*>* all, const DeviceFeatures& features);

bool has_binding_conditions(const DevicePool& pool);

// Whether devices with this selection are there for the node.
Result<bool> node_matches(const TargetNode& node, Str node_name, bool all_nodes,
                          const NodeSelector& selector);

}  // namespace libsched
