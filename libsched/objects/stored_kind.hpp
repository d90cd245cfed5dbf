// The kinds that a cluster stores by kind, namespace and name (cluster/object_store.hpp); pods,
// nodes, namespaces and priority classes have places of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/base/arena.hpp"

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
};
inline constexpr size_t kStoredKinds = 12;

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
    case StoredKind::kStatefulSet: return true;
    default: return false;
  }
}

}  // namespace libsched
