// The devices of nodes that a what-if adds or removes: ResourceSlices that name the node.
#pragma once

#include "libsched/cluster/cluster.hpp"

namespace libsched {

// Gives a new node copies of the slices of another. A pool that is named after the other node is
// named after the new one, and any other has the new node's name at its end: so the devices are its
// own.
Result<void> copy_node_slices(Cluster& cluster, Str of, Str node);

// Removes the slices of a node.
Result<void> remove_node_slices(Cluster& cluster, Str node);

}  // namespace libsched
