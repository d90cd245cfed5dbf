// Provisioning: the nodes on which a volume can be made for a claim.
#pragma once

#include <vector>

#include "libsched/cluster/cluster.hpp"

namespace libsched {

struct Provisioning {
  // For a claim whose class exists.
  Provisioning(const View& view, const PersistentVolumeClaim& claim);

  std::vector<uint64_t> possible;  // rows where the class's provisioner works
  std::vector<uint64_t> enough;    // rows with enough free storage, where capacity is tracked
};

}  // namespace libsched
