// VolumeUse: the number of volumes of a node's pods, counted in the same way for a row and for a
// copy.
#pragma once

#include <cstdint>

#include "libsched/objects/pod.hpp"

namespace libsched {

struct VolumeUse {
  uint32_t claiming_pods = 0;   // pods with claim_names
  uint32_t driver_volumes = 0;  // of all pods
  uint32_t inline_pods = 0;     // pods with a volume that is not a claim with a name

  void add(const Pod& pod) noexcept {
    if (pod.driver_volumes != 0) change(pod, 1);
  }
  void remove(const Pod& pod) noexcept {
    if (pod.driver_volumes != 0) change(pod, ~uint32_t{0});
  }

 private:
  void change(const Pod& pod, uint32_t by) noexcept;  // modulo 2^32
};

}  // namespace libsched
