// Volumes of a pod: of each source the fields that a scheduling plugin reads.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/objects/meta.hpp"

namespace libsched {

enum class VolumeKind : uint8_t {
  kOther,  // configMap, secret, emptyDir, hostPath, ...: no plugin reads them
  kPersistentVolumeClaim,
  kEphemeral,
  kGcePersistentDisk,
  kAwsElasticBlockStore,
  kRbd,
  kIscsi,
  kAzureDisk,
  kAzureFile,
  kCinder,
  kVsphere,
  kPortworx,
  kCsi,
  kImage,
};

// Tells whether the volume may count against the limit of a CSI driver: through a claim, or as a
// volume of an in-tree plugin that has a CSI driver now.
constexpr bool may_count_for_driver(VolumeKind kind) {
  switch (kind) {
    case VolumeKind::kPersistentVolumeClaim:
    case VolumeKind::kEphemeral:
    case VolumeKind::kGcePersistentDisk:
    case VolumeKind::kAwsElasticBlockStore:
    case VolumeKind::kAzureDisk:
    case VolumeKind::kAzureFile:
    case VolumeKind::kCinder:
    case VolumeKind::kVsphere:
    case VolumeKind::kPortworx: return true;
    default: return false;
  }
}

struct Volume {
  Str name;
  VolumeKind kind = VolumeKind::kOther;
  bool read_only = false;
  // claimName | pdName | volumeID | image (RBD) | iqn | diskURI | shareName | volumePath |
  // driver | reference
  Str id;
  Str pool;                      // RBD
  Span<Str> monitors;            // RBD
  Str storage_class;             // ephemeral: of the claim template
  Str secret_name;               // Azure file
  std::optional<Str> disk_kind;  // Azure disk; another one than Managed can't be migrated
  // ConfigMaps and secrets are no part of a pod's signature. All other volumes except pure claim
  // volumes are, as the JSON as written.
  bool config_or_secret = false;
  bool empty_dir = false;
  Str json;
};

}  // namespace libsched
