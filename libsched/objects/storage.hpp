// Storage objects: of each kind the fields that a scheduling plugin reads.
//
// optional<> marks fields whose absence (nil) differs from empty upstream. Objects are immutable
// once shared; an assumed volume or claim is a changed copy (copy_volume, copy_claim).
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/base/quantity.hpp"
#include "libsched/objects/selector.hpp"
#include "libsched/objects/stored_kind.hpp"
#include "libsched/objects/volume.hpp"

namespace libsched {

// Annotations that plugins read.
inline constexpr Str kBindCompletedAnnotation = "pv.kubernetes.io/bind-completed";
inline constexpr Str kBoundByControllerAnnotation = "pv.kubernetes.io/bound-by-controller";
inline constexpr Str kSelectedNodeAnnotation = "volume.kubernetes.io/selected-node";
inline constexpr Str kStorageClassBetaAnnotation = "volume.beta.kubernetes.io/storage-class";
inline constexpr Str kMigratedPluginsAnnotation = "storage.alpha.kubernetes.io/migrated-plugins";

// spec.claimRef
struct ClaimRef {
  Str ns, name, uid;  // uid "": not known yet, or bound in advance by hand
};

// The source of a PersistentVolume. kOther (nfs, local, hostPath, ...): no plugin reads it.
struct VolumeSource {
  VolumeKind kind = VolumeKind::kOther;
  // volumeHandle (CSI) | pdName | volumeID | diskURI | shareName | volumePath
  Str id;
  Str driver;                           // CSI
  Str secret_name;                      // Azure file
  std::optional<Str> secret_namespace;  // Azure file
  std::optional<Str> disk_kind;         // Azure disk; another one than Managed can't be migrated
};

class PersistentVolume final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kPersistentVolume;
  explicit PersistentVolume(size_t first_block = 1024) : Object(first_block) {}

  std::optional<Quantity> capacity;  // spec.capacity.storage; absent counts as 0
  Span<Str> access_modes;
  std::optional<Str> volume_mode;
  Str storage_class_name;  // as written; storage_class() is what counts
  std::optional<Str> volume_attributes_class;
  std::optional<ClaimRef> claim_ref;
  bool has_node_affinity = false;  // spec.nodeAffinity is there, perhaps without `required`
  NodeSelector node_affinity;      // spec.nodeAffinity.required
  VolumeSource source;             // of several the CSI volume
  VolumeSource in_tree;  // the same, but never a CSI volume: what a migrated node translates
  Str phase;

  Str storage_class() const;  // the beta annotation goes first
};
using PersistentVolumeRef = Ref<const PersistentVolume>;

class PersistentVolumeClaim final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kPersistentVolumeClaim;
  explicit PersistentVolumeClaim(size_t first_block = 1024) : Object(first_block) {}

  Span<Str> access_modes;
  LabelSelector selector;
  std::optional<Quantity> request;  // spec.resources.requests.storage
  Str volume_name;
  std::optional<Str> storage_class_name;  // as written; storage_class() is what counts
  std::optional<Str> volume_mode;
  std::optional<Str> volume_attributes_class;
  Str phase;

  // The beta annotation takes precedence; "" without a class (see has_storage_class).
  Str storage_class() const;
  bool has_storage_class() const;
};
using PersistentVolumeClaimRef = Ref<const PersistentVolumeClaim>;

bool has_access_mode(Span<Str> modes, Str mode);
// "Filesystem" where absent.
inline Str volume_mode_or_default(const std::optional<Str>& mode) {
  return mode ? *mode : Str("Filesystem");
}

// Copies to be changed and then assumed: new strings go into the copy's own arena, everything else
// stays in the original, which lives as long as the copy.
Ref<PersistentVolume> copy_volume(const PersistentVolume& volume);
Ref<PersistentVolumeClaim> copy_claim(const PersistentVolumeClaim& claim);
// A new claim that asks for the same: not bound, without times, uid and what controllers noted.
Ref<PersistentVolumeClaim> new_claim(const PersistentVolumeClaim& like, Str ns, Str name);
// Adds or replaces an annotation of an object that isn't shared yet.
void set_annotation(Object& object, Str key, Str value);
void remove_annotation(Object& object, Str key);

struct TopologySelectorRequirement {
  Str key;
  Span<Str> values;
};
struct TopologySelectorTerm {
  Span<TopologySelectorRequirement> requirements;  // matchLabelExpressions
};

class StorageClass final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kStorageClass;
  explicit StorageClass(size_t first_block = 512) : Object(first_block) {}
  Str provisioner;
  std::optional<Str> binding_mode;
  Span<TopologySelectorTerm> allowed_topologies;
};

struct CsiNodeDriver {
  Str name, node_id;
  Span<Str> topology_keys;
  std::optional<int32_t> count;  // allocatable.count
};

class CsiNode final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kCsiNode;
  explicit CsiNode(size_t first_block = 512) : Object(first_block) {}
  Span<CsiNodeDriver> drivers;  // in their order
};

class CsiDriver final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kCsiDriver;
  explicit CsiDriver(size_t first_block = 256) : Object(first_block) {}
  bool storage_capacity = false;
  bool prevent_pod_scheduling_if_missing = false;
};

class CsiStorageCapacity final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kCsiStorageCapacity;
  explicit CsiStorageCapacity(size_t first_block = 512) : Object(first_block) {}
  LabelSelector node_topology;  // absent: reachable from no node
  Str storage_class;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;
};

class VolumeAttachment final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kVolumeAttachment;
  explicit VolumeAttachment(size_t first_block = 256) : Object(first_block) {}
  Str attacher, node_name;
  std::optional<Str> volume_name;  // source.persistentVolumeName; absent for an inline volume
};

}  // namespace libsched
