// The objects of nodes that a what-if adds or removes: the CSINode, and ResourceSlices that name
// the node.
#pragma once

#include "libsched/cluster/cluster.hpp"

namespace libsched {

// Gives a new node copies of the objects of another, which need not be there itself. A pool that is
// named after the other node is named after the new one, and any other has the new node's name at
// its end: so the devices are its own. A CSINode that the new node has stays.
Result<void> copy_node_objects(Cluster& cluster, Str of, Str node);

// Removes the slices of a node.
Result<void> remove_node_slices(Cluster& cluster, Str node);

}  // namespace libsched
