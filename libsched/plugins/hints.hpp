// Helpers of queueing hints: the resources that plugins register for, and access to the objects of
// an event. A hint whose event lacks an object that it needs returns an Error, which counts as
// Queue.
#pragma once

#include <string>
#include <vector>

#include "libsched/framework/plugin.hpp"

namespace libsched {

inline constexpr Str kPodEvents = "Pod";
inline constexpr Str kNodeEvents = "Node";
inline constexpr Str kVolumeEvents = "PersistentVolume";
inline constexpr Str kClaimEvents = "PersistentVolumeClaim";
inline constexpr Str kStorageClassEvents = "storage.k8s.io/StorageClass";
inline constexpr Str kCsiNodeEvents = "storage.k8s.io/CSINode";
inline constexpr Str kCsiDriverEvents = "storage.k8s.io/CSIDriver";
inline constexpr Str kCsiStorageCapacityEvents = "storage.k8s.io/CSIStorageCapacity";
inline constexpr Str kVolumeAttachmentEvents = "storage.k8s.io/VolumeAttachment";
inline constexpr Str kResourceClaimEvents = "resource.k8s.io/ResourceClaim";
inline constexpr Str kResourceSliceEvents = "resource.k8s.io/ResourceSlice";
inline constexpr Str kDeviceClassEvents = "resource.k8s.io/DeviceClass";
inline constexpr Str kPodGroupEvents = "scheduling.k8s.io/PodGroup";

// Registrations with a hint, and without, where the pod is always tried again.
inline ClusterEventWithHint hinted(Str resource, ActionType actions) {
  return {{std::string(resource), actions, {}}, true};
}
inline ClusterEventWithHint always(Str resource, ActionType actions) {
  return {{std::string(resource), actions, {}}, false};
}

inline QueueingHint queue_if(bool may_fit) {
  return may_fit ? QueueingHint::kQueue : QueueingHint::kQueueSkip;
}

template <typename T>
const T* object_of(const ObjectRef& object) {
  return static_cast<const T*>(object.get());
}

inline Error no_object(const ObjectChange& change) {
  return {Rc::kInvalid, "an event of " + std::string(change.resource) + " lacks its object"};
}

// Reports whether the pod is on a node or nominated for one. Other pods are in no pod's way.
inline bool has_node(const Pod& pod) {
  return !pod.spec.node_name.empty() || !pod.status.nominated_node_name.empty();
}

}  // namespace libsched
