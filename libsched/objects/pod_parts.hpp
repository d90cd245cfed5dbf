// What most pods lack, as bits, so that code for most pods asks once.
#pragma once

#include "libsched/objects/pod.hpp"

namespace libsched {
namespace pod_part {

enum Bit : uint32_t {
  kTerminating = 1U << 0,
  kOwner = 1U << 1,  // a controller
  kNamed = 1U << 2,  // see name_is_read()
  kNodeName = 1U << 3,
  kPreemptionPolicy = 1U << 4,
  kPriority = 1U << 5,
  kNodeSelectorField = 1U << 6,
  kNodeSelectorLabels = 1U << 7,
  kAffinityField = 1U << 8,
  kNodeAffinity = 1U << 9,
  kPodAffinity = 1U << 10,
  kPodAntiAffinity = 1U << 11,
  kTolerations = 1U << 12,
  kSpread = 1U << 13,
  kInitContainers = 1U << 14,
  kVolumes = 1U << 15,  // of a kind that a plugin looks into
  kResized = 1U << 16,
  kGates = 1U << 17,
  kClaims = 1U << 18,
  kClaimStatuses = 1U << 19,
  kHostNetwork = 1U << 20,
  kHostUsersField = 1U << 21,
  kHostUsers = 1U << 22,
  kSchedulingGroup = 1U << 23,
  kNominated = 1U << 24,
  kExtendedClaim = 1U << 25,
  kOverhead = 1U << 26,
  kPodResources = 1U << 27,
  kAllocatableClaims = 1U << 28,
  kBindMountOptions = 1U << 29,
};
// Those that may come and go in a copy of a pod without derive_pod(), and are not in Pod::parts.
inline constexpr uint32_t kPartsOfCopies =
    kTerminating | kNodeName | kNominated | kClaimStatuses | kExtendedClaim | kAllocatableClaims;

}  // namespace pod_part

// Fills Pod::parts and Pod::plain, as derive_pod() does, and forgets Pod::class_id; call it when
// what they stand for has changed.
void note_parts(Pod& pod);
// All parts of the pod as it is now.
uint32_t parts_of(const Pod& pod);

// The owner that is the controller of the pod, or null.
const OwnerReference* controller_of(const Pod& pod);
// Whether a plugin looks into volumes of this kind.
inline bool is_read(const Volume& v) { return v.kind != VolumeKind::kOther; }

}  // namespace libsched
