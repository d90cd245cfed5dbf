// The kinds that a cluster stores by kind, namespace and name (cluster/object_store.hpp). Pods and
// nodes have rows and slots instead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/objects/meta.hpp"

namespace libsched {

enum class StoredKind : uint8_t {
  kPersistentVolume,
  kPersistentVolumeClaim,
  kStorageClass,
  kCsiNode,
  kCsiDriver,
  kCsiStorageCapacity,
  kVolumeAttachment,
  kService,
  kReplicationController,
  kReplicaSet,
  kStatefulSet,
  kDeviceClass,
  kNamespace,
  kPriorityClass,
  kPodDisruptionBudget,
  kPodGroup,
  kResourceClaim,
  kResourceClaimTemplate,
  kResourceSlice,
  kDeviceTaintRule,
  // Admission alone reads these (admitting.hpp); no plugin does.
  kRuntimeClass,
  kLimitRange,
  // Read for groups of pods alone, whose members no filter tells apart from others.
  kCompositePodGroup,
};
inline constexpr size_t kStoredKinds = 23;

// As in manifests ("CSINode").
constexpr Str stored_kind_name(StoredKind kind) {
  constexpr Str kNames[kStoredKinds] = {
      "PersistentVolume",
      "PersistentVolumeClaim",
      "StorageClass",
      "CSINode",
      "CSIDriver",
      "CSIStorageCapacity",
      "VolumeAttachment",
      "Service",
      "ReplicationController",
      "ReplicaSet",
      "StatefulSet",
      "DeviceClass",
      "Namespace",
      "PriorityClass",
      "PodDisruptionBudget",
      "PodGroup",
      "ResourceClaim",
      "ResourceClaimTemplate",
      "ResourceSlice",
      "DeviceTaintRule",
      "RuntimeClass",
      "LimitRange",
      "CompositePodGroup",
  };
  return kNames[static_cast<size_t>(kind)];
}

constexpr bool is_namespaced(StoredKind kind) {
  switch (kind) {
    case StoredKind::kPersistentVolumeClaim:
    case StoredKind::kCsiStorageCapacity:
    case StoredKind::kService:
    case StoredKind::kReplicationController:
    case StoredKind::kReplicaSet:
    case StoredKind::kStatefulSet:
    case StoredKind::kPodDisruptionBudget:
    case StoredKind::kPodGroup:
    case StoredKind::kCompositePodGroup:
    case StoredKind::kResourceClaim:
    case StoredKind::kResourceClaimTemplate:
    case StoredKind::kLimitRange: return true;
    default: return false;
  }
}

// The kind of that name, or kStoredKinds.
constexpr size_t find_stored_kind(Str name) {
  size_t i = 0;
  while (i < kStoredKinds && stored_kind_name(static_cast<StoredKind>(i)) != name) ++i;
  return i;
}

using ObjectRef = Ref<const Object>;

// An object and its kind: `object` is of the C++ type with that kStoredKind, or a Controller.
struct StoredObject {
  StoredKind kind = StoredKind::kPersistentVolume;
  ObjectRef object;
};

}  // namespace libsched
