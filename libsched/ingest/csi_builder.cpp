// The kinds of storage.k8s.io: StorageClass, CSINode, CSIDriver, CSIStorageCapacity,
// VolumeAttachment.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kCsiObject("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kStorageClass("apiVersion", "kind", "metadata", "provisioner", "parameters",
                                 "reclaimPolicy", "mountOptions", "allowVolumeExpansion",
                                 "volumeBindingMode", "allowedTopologies");
constexpr KeyTable kTerm("matchLabelExpressions");
constexpr KeyTable kRequirement("key", "values");
constexpr KeyTable kCsiNodeSpec("drivers");
constexpr KeyTable kCsiNodeDriver("name", "nodeID", "topologyKeys", "allocatable");
constexpr KeyTable kAllocatable("count");
constexpr KeyTable kCsiDriverSpec("attachRequired", "podInfoOnMount", "volumeLifecycleModes",
                                  "storageCapacity", "fsGroupPolicy", "tokenRequests",
                                  "requiresRepublish", "seLinuxMount",
                                  "nodeAllocatableUpdatePeriodSeconds",
                                  "serviceAccountTokenInSecrets", "preventPodSchedulingIfMissing");
constexpr KeyTable kCapacity("apiVersion", "kind", "metadata", "nodeTopology", "storageClassName",
                             "capacity", "maximumVolumeSize");
constexpr KeyTable kAttachmentSpec("attacher", "source", "nodeName");
constexpr KeyTable kAttachmentSource("persistentVolumeName", "inlineVolumeSpec");

}  // namespace

bool ObjectBuilder::topology_term(TopologySelectorTerm& term) {
  return object(kTerm, [&](int) {
    return list(term.requirements, [&](TopologySelectorRequirement& r) {
      return object(kRequirement, [&](int field) {
        return field == kRequirement["key"] ? string(r.key) : string_list(r.values);
      });
    });
  });
}

bool ObjectBuilder::storage_class(StorageClass& sc, const TypeNames& type) {
  return object(kStorageClass, [&](int field) {
    switch (field) {
      case kStorageClass["apiVersion"]: return type_field(type.api_version);
      case kStorageClass["kind"]: return type_field(type.kind);
      case kStorageClass["metadata"]: return metadata(sc.meta);
      case kStorageClass["provisioner"]: return string(sc.provisioner);
      case kStorageClass["volumeBindingMode"]: return optional_string(sc.binding_mode);
      case kStorageClass["allowedTopologies"]:
        return list(sc.allowed_topologies,
                    [&](TopologySelectorTerm& term) { return topology_term(term); });
      default: return skip();
    }
  });
}

bool ObjectBuilder::csi_node_driver(CsiNodeDriver& driver) {
  return object(kCsiNodeDriver, [&](int field) {
    switch (field) {
      case kCsiNodeDriver["name"]: return string(driver.name);
      case kCsiNodeDriver["nodeID"]: return string(driver.node_id);
      case kCsiNodeDriver["topologyKeys"]: return string_list(driver.topology_keys);
      default: return object(kAllocatable, [&](int) { return optional_int32(driver.count); });
    }
  });
}

bool ObjectBuilder::csi_node(CsiNode& node, const TypeNames& type) {
  return object(kCsiObject, [&](int field) {
    switch (field) {
      case kCsiObject["apiVersion"]: return type_field(type.api_version);
      case kCsiObject["kind"]: return type_field(type.kind);
      case kCsiObject["metadata"]: return metadata(node.meta);
      case kCsiObject["spec"]:
        return object(kCsiNodeSpec, [&](int) {
          return list(node.drivers, [&](CsiNodeDriver& d) { return csi_node_driver(d); });
        });
      default: return skip();
    }
  });
}

bool ObjectBuilder::csi_driver(CsiDriver& driver, const TypeNames& type) {
  return object(kCsiObject, [&](int field) {
    switch (field) {
      case kCsiObject["apiVersion"]: return type_field(type.api_version);
      case kCsiObject["kind"]: return type_field(type.kind);
      case kCsiObject["metadata"]: return metadata(driver.meta);
      case kCsiObject["spec"]:
        return object(kCsiDriverSpec, [&](int part) {
          if (part == kCsiDriverSpec["storageCapacity"]) return boolean(driver.storage_capacity);
          return part == kCsiDriverSpec["preventPodSchedulingIfMissing"]
                     ? boolean(driver.prevent_pod_scheduling_if_missing)
                     : skip();
        });
      default: return skip();
    }
  });
}

bool ObjectBuilder::csi_storage_capacity(CsiStorageCapacity& capacity, const TypeNames& type) {
  return object(kCapacity, [&](int field) {
    switch (field) {
      case kCapacity["apiVersion"]: return type_field(type.api_version);
      case kCapacity["kind"]: return type_field(type.kind);
      case kCapacity["metadata"]: return metadata(capacity.meta);
      case kCapacity["nodeTopology"]: return label_selector(capacity.node_topology);
      case kCapacity["storageClassName"]: return string(capacity.storage_class);
      case kCapacity["capacity"]: return optional_quantity(capacity.capacity);
      default: return optional_quantity(capacity.maximum_volume_size);
    }
  });
}

bool ObjectBuilder::volume_attachment(VolumeAttachment& attachment, const TypeNames& type) {
  return object(kCsiObject, [&](int field) {
    switch (field) {
      case kCsiObject["apiVersion"]: return type_field(type.api_version);
      case kCsiObject["kind"]: return type_field(type.kind);
      case kCsiObject["metadata"]: return metadata(attachment.meta);
      case kCsiObject["spec"]:
        return object(kAttachmentSpec, [&](int part) {
          if (part == kAttachmentSpec["attacher"]) return string(attachment.attacher);
          if (part == kAttachmentSpec["nodeName"]) return string(attachment.node_name);
          return object(kAttachmentSource, [&](int source) {
            return source == kAttachmentSource["persistentVolumeName"]
                       ? optional_string(attachment.volume_name)
                       : skip();
          });
        });
      default: return skip();
    }
  });
}

}  // namespace libsched
