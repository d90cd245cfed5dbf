// See pod_accounting.hpp.
#include "libsched/objects/pod_accounting.hpp"

#include <algorithm>

#include "libsched/objects/pod_parts.hpp"
#include "libsched/objects/pod_requests.hpp"

namespace libsched {
namespace {

bool may_differ(const Pod& pod, const PodAccounting& as) {
  const auto has = [&](uint32_t part) { return (pod.parts & part) != 0; };
  if (as.allocatable != AllocatableClaims::kNone && !pod.status.allocatable_claims.empty())
    return true;
  return (!as.pod_level && has(pod_part::kPodResources)) ||
         ((!as.resizes || !as.pod_level_resizes) && has(pod_part::kResized)) ||
         (!as.resizes_by_pod && has(pod_part::kResized) && !status_is_as_asked(pod)) ||
         ((!as.sidecar_ports || !as.sidecar_defaults) && has(pod_part::kInitContainers)) ||
         (!as.sidecar_defaults && non_zero_without_sidecars(pod) != pod.occupied_nonzero);
}

}  // namespace

PodRef accounted(PodRef pod, const PodAccounting& accounting) {
  if (!pod->accounted_otherwise && !may_differ(*pod, accounting)) return pod;
  Ref<Pod> copy = copy_pod(*pod, pod->spec.node_name);
  derive_use(*copy, accounting);
  copy->accounted_otherwise = accounting != PodAccounting();
  note_parts(*copy);
  return copy;
}

}  // namespace libsched
