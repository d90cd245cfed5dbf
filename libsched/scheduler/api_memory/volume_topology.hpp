// The topology of a volume that is made for a claim: where it can be used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libsched/scheduler/api_memory/volume_objects.hpp"

namespace libsched {

// The labels that a node must have so that it can use the volume; none: every node can.
using VolumeTopology = std::vector<Label>;

// For a claim with a selected node: the node's labels of the keys that the CSINode names for the
// class's driver, or without these, of the keys of the class's allowed topologies. Absent: the node
// is not in the allowed topologies. Borrows from the node.
std::optional<VolumeTopology> topology_of(const VolumeObjects& objects, const StorageClass& cls,
                                          const Node& node);

// For a claim without one: the nodes' different topologies take turns by the claim's name, those of
// a StatefulSet's claims in the order of their ordinals, as with CSI's provisioner. Absent: no node
// is in the allowed topologies. Borrows from the nodes.
std::optional<VolumeTopology> spread_topology(const VolumeObjects& objects, const StorageClass& cls,
                                              Str claim);

}  // namespace libsched
