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
inline constexpr Str kCompositePodGroupEvents = "scheduling.k8s.io/CompositePodGroup";

// Registrations with a hint, and without, where the pod is always tried again.
inline ClusterEventWithHint hinted(Str resource, ActionType actions) {
  return {{std::string(resource), actions, {}}, true};
}
inline ClusterEventWithHint always(Str resource, ActionType actions) {
  return {{std::string(resource), actions, {}}, false};
}

// The events of pods for which plugins register: with Behaviours::target_pod_events those of pods
// with a node, and those of the rejected pod itself. Otherwise both are the events of any pod, and
// hints look at the pod.
class PodEvents {
 public:
  explicit PodEvents(const Behaviours& b) : told_apart_(b.target_pod_events) {}
  bool told_apart() const { return told_apart_; }
  Str assigned() const { return told_apart_ ? kAssignedPods : kPodEvents; }
  Str own() const { return told_apart_ ? Str("TargetPod") : kPodEvents; }
  // Whether an event of own() is about the rejected pod. Upstream takes that for granted where
  // events are told apart, even of one that is kept for another pod in flight.
  bool about(const Pod& pod, const Pod& updated) const {
    return told_apart_ || same_pod(pod, updated);
  }

 private:
  bool told_apart_;
};

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
