// Volumes of a pod: of each source the fields that a scheduling plugin reads.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/objects/meta.hpp"

namespace libsched {

enum class VolumeKind : uint8_t {
  kOther,  // configMap, secret, emptyDir, hostPath, ...: no plugin looks at them
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
};

}  // namespace libsched
