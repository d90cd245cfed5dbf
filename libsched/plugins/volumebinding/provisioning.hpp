// Provisioning: the nodes on which a volume can be made for a claim.
#pragma once

#include <optional>
#include <vector>

#include "libsched/cluster/cluster.hpp"

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

}  // namespace libsched
