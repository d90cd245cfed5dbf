// See pod_parts.hpp.
#include "libsched/objects/pod_parts.hpp"

#include <algorithm>
#include <cassert>

#include "libsched/objects/pod_requests.hpp"

namespace libsched {
namespace {

using namespace pod_part;

class Noted {
 public:
  void note(Bit bit, bool there) { bits_ |= there ? uint32_t{bit} : 0; }
  uint32_t bits() const { return bits_; }

 private:
  uint32_t bits_ = 0;
};

// All but kPartsOfCopies.
uint32_t lasting_parts(const Pod& pod) {
  const PodSpec& spec = pod.spec;
  const auto any_volume = [&](auto&& is) {
    return std::any_of(spec.volumes.begin(), spec.volumes.end(), is);
  };
  Noted parts;
  parts.note(kOwner, controller_of(pod) != nullptr);
  parts.note(kNamed, !spec.resource_claims.empty() || any_volume([](const Volume& v) {
               return v.kind == VolumeKind::kEphemeral;
             }));
  parts.note(kPreemptionPolicy, !spec.preemption_policy.empty());
  parts.note(kPriority, spec.priority.has_value());
  parts.note(kNodeSelectorField, spec.node_selector_present);
  parts.note(kNodeSelectorLabels, !spec.node_selector.empty());
  parts.note(kAffinityField, spec.affinity_present);
  parts.note(kNodeAffinity, spec.node_affinity.present);
  parts.note(kPodAffinity, spec.pod_affinity.present);
  parts.note(kPodAntiAffinity, spec.pod_anti_affinity.present);
  parts.note(kTolerations, !spec.tolerations.empty());
  parts.note(kSpread, !spec.spread.empty());
  parts.note(kInitContainers, !spec.init_containers.empty());
  parts.note(kVolumes, any_volume(is_read));
  parts.note(kResized, status_counts(pod));
  parts.note(kGates, !spec.scheduling_gates.empty());
  parts.note(kClaims, !spec.resource_claims.empty());
  parts.note(kHostNetwork, spec.host_network);
  parts.note(kHostUsersField, spec.host_users.has_value());
  parts.note(kHostUsers, spec.host_users.value_or(false));
  parts.note(kSchedulingGroup, !spec.scheduling_group.empty());
  parts.note(kOverhead, !spec.overhead.empty());
  parts.note(kPodResources,
             spec.resources_present || !spec.pod_requests.empty() || !spec.pod_limits.empty());
  parts.note(kBindMountOptions, spec.bind_mount_options);
  return parts.bits();
}

}  // namespace

const OwnerReference* controller_of(const Pod& pod) {
  for (const OwnerReference& o : pod.meta.owners)
    if (o.controller) return &o;
  return nullptr;
}

void note_parts(Pod& pod) {
  pod.parts = lasting_parts(pod);
  pod.class_id = 0;  // it may be of another class now
  pod.plain = pod.host_ports.empty() && pod.claim_names.empty() && pod.driver_volumes == 0 &&
              !pod.has_pod_affinity && pod.spec.scheduling_group.empty() &&
              pod.occupied.scalars.empty();
}

uint32_t parts_of(const Pod& pod) {
  assert(pod.parts == lasting_parts(pod));
  Noted parts;
  parts.note(kTerminating, pod.meta.terminating());
  parts.note(kNodeName, !pod.spec.node_name.empty());
  parts.note(kNominated, !pod.status.nominated_node_name.empty());
  parts.note(kClaimStatuses, !pod.status.resource_claims.empty());
  parts.note(kAllocatableClaims, !pod.status.allocatable_claims.empty());
  parts.note(kExtendedClaim,
             !pod.status.extended_resource_claim.empty() || pod.status.extended_claim_hash != 0);
  return pod.parts | parts.bits();
}

}  // namespace libsched
