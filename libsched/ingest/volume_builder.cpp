// spec.volumes: of each source the fields that a plugin reads. A volume should have one source; if
// it has several, the first one that a plugin looks at counts.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kVolume("name", "hostPath", "emptyDir", "gcePersistentDisk",
                           "awsElasticBlockStore", "gitRepo", "secret", "nfs", "iscsi", "glusterfs",
                           "persistentVolumeClaim", "rbd", "flexVolume", "cinder", "cephfs",
                           "flocker", "downwardAPI", "fc", "azureFile", "configMap",
                           "vsphereVolume", "quobyte", "azureDisk", "photonPersistentDisk",
                           "projected", "portworxVolume", "scaleIO", "storageos", "csi",
                           "ephemeral", "image");
constexpr KeyTable kPersistentVolumeClaim("claimName", "readOnly");
constexpr KeyTable kGcePersistentDisk("pdName", "fsType", "partition", "readOnly");
constexpr KeyTable kAwsElasticBlockStore("volumeID", "fsType", "partition", "readOnly");
constexpr KeyTable kRbd("monitors", "image", "fsType", "pool", "user", "keyring", "secretRef",
                        "readOnly");
constexpr KeyTable kIscsi("targetPortal", "iqn", "lun", "iscsiInterface", "fsType", "readOnly",
                          "portals", "chapAuthDiscovery", "chapAuthSession", "secretRef",
                          "initiatorName");
constexpr KeyTable kAzureDisk("diskName", "diskURI", "cachingMode", "fsType", "readOnly", "kind");
constexpr KeyTable kAzureFile("secretName", "shareName", "readOnly");
constexpr KeyTable kCinder("volumeID", "fsType", "readOnly", "secretRef");
constexpr KeyTable kVsphere("volumePath", "fsType", "storagePolicyName", "storagePolicyID");
constexpr KeyTable kPortworx("volumeID", "fsType", "readOnly");
constexpr KeyTable kCsi("driver", "readOnly", "fsType", "volumeAttributes", "nodePublishSecretRef");
constexpr KeyTable kImage("reference", "pullPolicy");
constexpr KeyTable kEphemeral("volumeClaimTemplate");
constexpr KeyTable kClaimTemplate("metadata", "spec");
constexpr KeyTable kClaimSpec("accessModes", "selector", "resources", "volumeName",
                              "storageClassName", "volumeMode", "dataSource", "dataSourceRef",
                              "volumeAttributesClassName");

}  // namespace

// A source whose fields of interest are one text and perhaps readOnly.
template <typename Table>
bool ObjectBuilder::volume_source(Volume& v, VolumeKind kind, const Table& table, int id,
                                  int read_only) {
  if (reader_.is_null() || v.kind != VolumeKind::kOther) return skip();
  v.kind = kind;
  return object(table, [&](int field) {
    if (field == id) return string(v.id);
    return field == read_only ? boolean(v.read_only) : skip();
  });
}

// The fields that decide about the migration to CSI.
template <typename Table>
bool ObjectBuilder::azure_volume(Volume& v, VolumeKind kind, const Table& table, int id) {
  if (reader_.is_null() || v.kind != VolumeKind::kOther) return skip();
  v.kind = kind;
  return object(table, [&](int field) {
    if (field == id) return string(v.id);
    if (field == table.find("readOnly")) return boolean(v.read_only);
    if (field == table.find("secretName")) return string(v.secret_name);
    return field == table.find("kind") ? optional_string(v.disk_kind) : skip();
  });
}

bool ObjectBuilder::rbd(Volume& v) {
  if (reader_.is_null() || v.kind != VolumeKind::kOther) return skip();
  v.kind = VolumeKind::kRbd;
  return object(kRbd, [&](int field) {
    switch (field) {
      case kRbd["monitors"]: return string_list(v.monitors);
      case kRbd["image"]: return string(v.id);
      case kRbd["pool"]: return string(v.pool);
      case kRbd["readOnly"]: return boolean(v.read_only);
      default: return skip();
    }
  });
}

bool ObjectBuilder::ephemeral(Volume& v) {
  if (reader_.is_null() || v.kind != VolumeKind::kOther) return skip();
  v.kind = VolumeKind::kEphemeral;
  return object(kEphemeral, [&](int) {
    return object(kClaimTemplate, [&](int part) {
      if (part != kClaimTemplate["spec"]) return skip();
      return object(kClaimSpec, [&](int field) {
        return field == kClaimSpec["storageClassName"] ? string(v.storage_class) : skip();
      });
    });
  });
}

Ref<PersistentVolumeClaim> ObjectBuilder::ephemeral_claim() {
  Ref<PersistentVolumeClaim> made = make_ref<PersistentVolumeClaim>();
  start(made->arena);
  const bool ok = object(kVolume, [&](int field) {
    if (field != kVolume["ephemeral"]) return skip();
    return object(kEphemeral, [&](int) { return claim_template(*made); });
  });
  return ok ? made : Ref<PersistentVolumeClaim>();
}

bool ObjectBuilder::volume(Volume& v) {
  const size_t begin = reader_.offset();
  int sources = 0;
  const bool ok = object(kVolume, [&](int field) {
    if (field != kVolume["name"] && !reader_.is_null()) ++sources;
    switch (field) {
      case kVolume["name"]: return string(v.name);
      case kVolume["persistentVolumeClaim"]:
        return volume_source(v, VolumeKind::kPersistentVolumeClaim, kPersistentVolumeClaim,
                             kPersistentVolumeClaim["claimName"],
                             kPersistentVolumeClaim["readOnly"]);
      case kVolume["gcePersistentDisk"]:
        return volume_source(v, VolumeKind::kGcePersistentDisk, kGcePersistentDisk,
                             kGcePersistentDisk["pdName"], kGcePersistentDisk["readOnly"]);
      case kVolume["awsElasticBlockStore"]:
        return volume_source(v, VolumeKind::kAwsElasticBlockStore, kAwsElasticBlockStore,
                             kAwsElasticBlockStore["volumeID"], kAwsElasticBlockStore["readOnly"]);
      case kVolume["iscsi"]:
        return volume_source(v, VolumeKind::kIscsi, kIscsi, kIscsi["iqn"], kIscsi["readOnly"]);
      case kVolume["azureDisk"]:
        return azure_volume(v, VolumeKind::kAzureDisk, kAzureDisk, kAzureDisk["diskURI"]);
      case kVolume["azureFile"]:
        return azure_volume(v, VolumeKind::kAzureFile, kAzureFile, kAzureFile["shareName"]);
      case kVolume["cinder"]:
        return volume_source(v, VolumeKind::kCinder, kCinder, kCinder["volumeID"],
                             kCinder["readOnly"]);
      case kVolume["vsphereVolume"]:
        return volume_source(v, VolumeKind::kVsphere, kVsphere, kVsphere["volumePath"], -1);
      case kVolume["portworxVolume"]:
        return volume_source(v, VolumeKind::kPortworx, kPortworx, kPortworx["volumeID"],
                             kPortworx["readOnly"]);
      case kVolume["csi"]:
        return volume_source(v, VolumeKind::kCsi, kCsi, kCsi["driver"], kCsi["readOnly"]);
      case kVolume["image"]:
        return volume_source(v, VolumeKind::kImage, kImage, kImage["reference"], -1);
      case kVolume["rbd"]: return rbd(v);
      case kVolume["ephemeral"]: return ephemeral(v);
      case kVolume["emptyDir"]: v.empty_dir = !reader_.is_null(); return skip();
      case kVolume["configMap"]:
      case kVolume["secret"]: v.config_or_secret |= !reader_.is_null(); return skip();
      default: return skip();
    }
  });
  if (!ok) return false;
  const bool only_claim = v.kind == VolumeKind::kPersistentVolumeClaim && sources == 1;
  if (!v.config_or_secret && !only_claim)
    v.json = arena_->copy(reader_.text().substr(begin, reader_.offset() - begin));
  return true;
}

}  // namespace libsched
