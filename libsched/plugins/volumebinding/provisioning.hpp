// Provisioning: the nodes on which a volume can be made for a claim.
#pragma once

#include <optional>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/facts.hpp"

namespace libsched {

// The largest volume that a node can get of a class, by the capacities that its driver reports;
// none if no capacity reaches the node.
std::optional<int64_t> largest_volume(const View& view, Str class_name, uint32_t row);

struct Provisioning {
  // For a claim whose class exists.
  Provisioning(const View& view, const PersistentVolumeClaim& claim);

  std::vector<uint64_t> possible;  // rows where the class's provisioner works
  std::vector<uint64_t> enough;    // rows with enough free storage, where capacity is tracked
};

// By row, the capacity that a volume for the claim would be taken from: of several that suffice,
// where upstream takes any, the first by namespace and name. Nothing where capacity is not tracked
// or not told.
std::vector<std::optional<int64_t>> node_capacities(const View& view,
                                                    const PersistentVolumeClaim& claim);

// Why no volume can be made for the claim on the row: its class has no provisioner, or the node is
// in none of the class's allowed topologies. Each fact starts as a copy of `begun`.
void add_topology_facts(const View& view, const PersistentVolumeClaim& claim, uint32_t row,
                        const Fact& begun, Facts* out);

}  // namespace libsched
