// Provisioning: on which nodes a volume can be made for a claim.
#pragma once

#include <vector>

#include "libsched/cluster/cluster.hpp"

namespace libsched {

struct Provisioning {
  // Of a claim whose class is there.
  Provisioning(const View& view, const PersistentVolumeClaim& claim);

  std::vector<uint64_t> possible;  // rows where the class's provisioner works
  std::vector<uint64_t> enough;    // rows that reach enough free storage, as far as it is tracked
};

}  // namespace libsched
