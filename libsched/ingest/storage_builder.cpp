// PersistentVolumes and PersistentVolumeClaims.
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kStorageObject("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kVolumeSpec("capacity", "accessModes", "claimRef",
                               "persistentVolumeReclaimPolicy", "storageClassName", "mountOptions",
                               "volumeMode", "nodeAffinity", "volumeAttributesClassName",
                               "gcePersistentDisk", "awsElasticBlockStore", "hostPath", "glusterfs",
                               "nfs", "rbd", "iscsi", "cinder", "cephfs", "fc", "flocker",
                               "flexVolume", "azureFile", "vsphereVolume", "quobyte", "azureDisk",
                               "photonPersistentDisk", "portworxVolume", "scaleIO", "local",
                               "storageos", "csi");
constexpr KeyTable kVolumeStatus("phase", "message", "reason", "lastPhaseTransitionTime");
constexpr KeyTable kClaimRef("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion",
                             "fieldPath");
constexpr KeyTable kNodeAffinity("required");
constexpr KeyTable kGcePersistentDisk("pdName", "fsType", "partition", "readOnly");
constexpr KeyTable kAwsElasticBlockStore("volumeID", "fsType", "partition", "readOnly");
constexpr KeyTable kCinder("volumeID", "fsType", "readOnly", "secretRef");
constexpr KeyTable kAzureFile("secretName", "shareName", "readOnly", "secretNamespace");
constexpr KeyTable kAzureDisk("diskName", "diskURI", "cachingMode", "fsType", "readOnly", "kind");
constexpr KeyTable kVsphere("volumePath", "fsType", "storagePolicyName", "storagePolicyID");
constexpr KeyTable kPortworx("volumeID", "fsType", "readOnly");
constexpr KeyTable kCsi("driver", "volumeHandle", "readOnly", "fsType", "volumeAttributes",
                        "controllerPublishSecretRef", "nodeStageSecretRef", "nodePublishSecretRef",
                        "controllerExpandSecretRef", "nodeExpandSecretRef");
constexpr KeyTable kClaimSpec("accessModes", "selector", "resources", "volumeName",
                              "storageClassName", "volumeMode", "dataSource", "dataSourceRef",
                              "volumeAttributesClassName");
constexpr KeyTable kClaimStatus("phase", "accessModes", "capacity", "conditions",
                                "allocatedResources", "resizeStatus", "allocatedResourceStatuses",
                                "currentVolumeAttributesClassName", "modifyVolumeStatus");
constexpr KeyTable kResources("limits", "requests", "claims");

}  // namespace

bool ObjectBuilder::optional_string(std::optional<Str>& out) {
  if (reader_.is_null()) return null();
  return string(out.emplace());
}

bool ObjectBuilder::optional_quantity(std::optional<Quantity>& out) {
  if (reader_.is_null()) return null();
  return quantity(out.emplace());
}

// The amount of storage in a list of resources.
bool ObjectBuilder::storage_of(std::optional<Quantity>& out) {
  ResourceList list;
  if (!resource_list(list)) return false;
  if (const Quantity* storage = find_quantity(list, "storage")) out = *storage;
  return true;
}

bool ObjectBuilder::claim_ref(std::optional<ClaimRef>& out) {
  if (reader_.is_null()) return null();
  ClaimRef& ref = out.emplace();
  return object(kClaimRef, [&](int field) {
    switch (field) {
      case kClaimRef["namespace"]: return string(ref.ns);
      case kClaimRef["name"]: return string(ref.name);
      case kClaimRef["uid"]: return string(ref.uid);
      default: return skip();
    }
  });
}

// A volume has one source. If there are several, CSI counts, else the first source; for nodes with
// a migrated plugin, the first source of in-tree plugins.
template <typename Table>
bool ObjectBuilder::persistent_source(VolumeSource& source, VolumeKind kind, const Table& table,
                                      int id) {
  if (reader_.is_null() || source.kind != VolumeKind::kOther) return skip();
  source.kind = kind;
  return object(table, [&](int field) { return field == id ? string(source.id) : skip(); });
}

bool ObjectBuilder::csi_source(VolumeSource& source) {
  if (reader_.is_null()) return null();
  source.kind = VolumeKind::kCsi;
  return object(kCsi, [&](int field) {
    if (field == kCsi["driver"]) return string(source.driver);
    return field == kCsi["volumeHandle"] ? string(source.id) : skip();
  });
}

bool ObjectBuilder::azure_file(VolumeSource& source) {
  if (reader_.is_null() || source.kind != VolumeKind::kOther) return skip();
  source.kind = VolumeKind::kAzureFile;
  return object(kAzureFile, [&](int field) {
    switch (field) {
      case kAzureFile["shareName"]: return string(source.id);
      case kAzureFile["secretName"]: return string(source.secret_name);
      case kAzureFile["secretNamespace"]: return optional_string(source.secret_namespace);
      default: return skip();
    }
  });
}

bool ObjectBuilder::azure_disk(VolumeSource& source) {
  if (reader_.is_null() || source.kind != VolumeKind::kOther) return skip();
  source.kind = VolumeKind::kAzureDisk;
  return object(kAzureDisk, [&](int field) {
    if (field == kAzureDisk["diskURI"]) return string(source.id);
    return field == kAzureDisk["kind"] ? optional_string(source.disk_kind) : skip();
  });
}

bool ObjectBuilder::persistent_volume_spec(PersistentVolume& pv) {
  VolumeSource& source = pv.in_tree;
  const bool ok = object(kVolumeSpec, [&](int field) {
    switch (field) {
      case kVolumeSpec["capacity"]: return storage_of(pv.capacity);
      case kVolumeSpec["accessModes"]: return string_list(pv.access_modes);
      case kVolumeSpec["claimRef"]: return claim_ref(pv.claim_ref);
      case kVolumeSpec["storageClassName"]: return string(pv.storage_class_name);
      case kVolumeSpec["volumeMode"]: return optional_string(pv.volume_mode);
      case kVolumeSpec["nodeAffinity"]:
        pv.has_node_affinity = !reader_.is_null();
        return object(kNodeAffinity, [&](int) { return node_selector(pv.node_affinity); });
      case kVolumeSpec["volumeAttributesClassName"]:
        return optional_string(pv.volume_attributes_class);
      case kVolumeSpec["gcePersistentDisk"]:
        return persistent_source(source, VolumeKind::kGcePersistentDisk, kGcePersistentDisk,
                                 kGcePersistentDisk["pdName"]);
      case kVolumeSpec["awsElasticBlockStore"]:
        return persistent_source(source, VolumeKind::kAwsElasticBlockStore, kAwsElasticBlockStore,
                                 kAwsElasticBlockStore["volumeID"]);
      case kVolumeSpec["cinder"]:
        return persistent_source(source, VolumeKind::kCinder, kCinder, kCinder["volumeID"]);
      case kVolumeSpec["vsphereVolume"]:
        return persistent_source(source, VolumeKind::kVsphere, kVsphere, kVsphere["volumePath"]);
      case kVolumeSpec["portworxVolume"]:
        return persistent_source(source, VolumeKind::kPortworx, kPortworx, kPortworx["volumeID"]);
      case kVolumeSpec["azureFile"]: return azure_file(source);
      case kVolumeSpec["azureDisk"]: return azure_disk(source);
      case kVolumeSpec["csi"]: return csi_source(pv.source);
      default: return skip();
    }
  });
  if (pv.source.kind == VolumeKind::kOther) pv.source = pv.in_tree;
  return ok;
}

bool ObjectBuilder::persistent_volume(PersistentVolume& pv, const TypeNames& type) {
  return object(kStorageObject, [&](int field) {
    switch (field) {
      case kStorageObject["apiVersion"]: return type_field(type.api_version);
      case kStorageObject["kind"]: return type_field(type.kind);
      case kStorageObject["metadata"]: return metadata(pv.meta);
      case kStorageObject["spec"]: return persistent_volume_spec(pv);
      default:
        return object(kVolumeStatus, [&](int part) {
          return part == kVolumeStatus["phase"] ? string(pv.phase) : skip();
        });
    }
  });
}

bool ObjectBuilder::claim_spec(PersistentVolumeClaim& claim) {
  return object(kClaimSpec, [&](int field) {
    switch (field) {
      case kClaimSpec["accessModes"]: return string_list(claim.access_modes);
      case kClaimSpec["selector"]: return label_selector(claim.selector);
      case kClaimSpec["resources"]:
        return object(kResources, [&](int part) {
          return part == kResources["requests"] ? storage_of(claim.request) : skip();
        });
      case kClaimSpec["volumeName"]: return string(claim.volume_name);
      case kClaimSpec["storageClassName"]: return optional_string(claim.storage_class_name);
      case kClaimSpec["volumeMode"]: return optional_string(claim.volume_mode);
      case kClaimSpec["volumeAttributesClassName"]:
        return optional_string(claim.volume_attributes_class);
      default: return skip();
    }
  });
}

bool ObjectBuilder::claim(PersistentVolumeClaim& claim, const TypeNames& type) {
  return object(kStorageObject, [&](int field) {
    switch (field) {
      case kStorageObject["apiVersion"]: return type_field(type.api_version);
      case kStorageObject["kind"]: return type_field(type.kind);
      case kStorageObject["metadata"]: return metadata(claim.meta);
      case kStorageObject["spec"]: return claim_spec(claim);
      default:
        return object(kClaimStatus, [&](int part) {
          return part == kClaimStatus["phase"] ? string(claim.phase) : skip();
        });
    }
  });
}

}  // namespace libsched
