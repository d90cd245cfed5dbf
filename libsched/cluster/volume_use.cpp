// VolumeUse: adding and removing the volumes of a pod.
#include "libsched/cluster/volume_use.hpp"

#include <algorithm>

namespace libsched {

void VolumeUse::change(const Pod& pod, uint32_t by) noexcept {
  driver_volumes += by * pod.driver_volumes;
  if (pod.driver_volumes != pod.claim_names.size() ||
      std::any_of(pod.claim_names.begin(), pod.claim_names.end(),
                  [](Str name) { return name.empty(); }))
    inline_pods += by;
  if (!pod.claim_names.empty()) claiming_pods += by;
}

}  // namespace libsched
