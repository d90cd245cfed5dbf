// The API server's cheap checks of storage objects, controllers and classes. Volume sources are not
// checked.
#include "libsched/ingest/field_issues.hpp"
#include "libsched/objects/pod_group.hpp"
#include "libsched/objects/selecting.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {
namespace {

constexpr Str kAccessModes =
    R"("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")";

void check_access_modes(FieldIssues& issues, const FieldPath& spec, Span<Str> modes, Str why) {
  const FieldPath path(spec, "accessModes");
  if (modes.empty()) issues.required(path, why);
  bool alone = false, others = false;
  for (const Str mode : modes) {
    if (mode == "ReadWriteOncePod") {
      alone = true;
    } else if (mode == "ReadOnlyMany" || mode == "ReadWriteMany" || mode == "ReadWriteOnce") {
      others = true;
    } else {
      issues.unsupported(path, mode, kAccessModes);
    }
  }
  if (alone && others) {
    issues.forbidden(path, "may not use ReadWriteOncePod with other access modes");
  }
}

void check_volume_mode(FieldIssues& issues, const FieldPath& spec, const std::optional<Str>& mode) {
  if (mode && *mode != "Block" && *mode != "Filesystem") {
    issues.unsupported(FieldPath(spec, "volumeMode"), *mode, R"("Block", "Filesystem")");
  }
}

void check(FieldIssues& issues, const PersistentVolume& pv) {
  const FieldPath spec("spec");
  check_access_modes(issues, spec, pv.access_modes, {});
  const FieldPath capacity(spec, "capacity");
  if (!pv.capacity) {
    issues.required(capacity);
  } else {
    issues.quantity(FieldPath::key(capacity, "storage"), "storage", *pv.capacity);
  }
  check_volume_mode(issues, spec, pv.volume_mode);
  if (!pv.storage_class_name.empty()) {
    issues.dns_subdomain(FieldPath(spec, "storageClassName"), pv.storage_class_name);
  }
  if (pv.has_node_affinity) {
    const FieldPath affinity(spec, "nodeAffinity");
    const FieldPath required(affinity, "required");
    if (!pv.node_affinity.present) {
      issues.required(required, "must specify required node constraints");
    } else {
      check_node_selector(issues, required, pv.node_affinity);
    }
  }
}

void check(FieldIssues& issues, const PersistentVolumeClaim& claim) {
  const FieldPath spec("spec");
  check_access_modes(issues, spec, claim.access_modes, "at least 1 access mode is required");
  issues.label_selector(FieldPath(spec, "selector"), claim.selector);
  const FieldPath resources(spec, "resources");
  if (!claim.request) {
    issues.required(FieldPath::key(resources, "storage"));
  } else {
    const FieldPath requests(resources, "requests");
    issues.quantity(FieldPath::key(requests, "storage"), "storage", *claim.request);
  }
  if (claim.storage_class_name && !claim.storage_class_name->empty()) {
    issues.dns_subdomain(FieldPath(spec, "storageClassName"), *claim.storage_class_name);
  }
  check_volume_mode(issues, spec, claim.volume_mode);
}

void check(FieldIssues& issues, const StorageClass& sc) {
  if (sc.provisioner.empty()) issues.required(FieldPath("provisioner"));
  const FieldPath mode("volumeBindingMode");
  if (!sc.binding_mode) {
    issues.required(mode);
  } else if (*sc.binding_mode != "Immediate" && *sc.binding_mode != "WaitForFirstConsumer") {
    issues.unsupported(mode, *sc.binding_mode, R"("Immediate", "WaitForFirstConsumer")");
  }
}

void check(FieldIssues& issues, const CsiNode& node) {
  const FieldPath spec("spec");
  const FieldPath drivers(spec, "drivers");
  for (size_t i = 0; i < node.drivers.size(); ++i) {
    const CsiNodeDriver& driver = node.drivers[i];
    const FieldPath here(drivers, i);
    if (driver.name.empty()) issues.required(FieldPath(here, "name"));
    if (driver.node_id.empty()) issues.required(FieldPath(here, "nodeID"));
    if (driver.count && *driver.count < 0) {
      const FieldPath allocatable(here, "allocatable");
      issues.invalid(FieldPath(allocatable, "count"), *driver.count,
                     "must be greater than or equal to 0");
    }
    for (size_t k = 0; k < i; ++k) {
      if (node.drivers[k].name == driver.name)
        return issues.duplicate(FieldPath(here, "name"), driver.name);
    }
  }
}

void check(FieldIssues& issues, const VolumeAttachment& attachment) {
  const FieldPath spec("spec");
  if (attachment.attacher.empty()) issues.required(FieldPath(spec, "attacher"));
  if (attachment.volume_name && attachment.volume_name->empty()) {
    const FieldPath source(spec, "source");
    issues.required(FieldPath(source, "persistentVolumeName"),
                    "must specify non empty persistentVolumeName");
  }
  issues.dns_subdomain(FieldPath(spec, "nodeName"), attachment.node_name);
}

void check(FieldIssues& issues, const CsiStorageCapacity& capacity) {
  issues.label_selector(FieldPath("nodeTopology"), capacity.node_topology);
  issues.dns_subdomain(FieldPath("storageClassName"), capacity.storage_class);
  if (capacity.capacity) issues.quantity(FieldPath("capacity"), "storage", *capacity.capacity);
  if (capacity.maximum_volume_size) {
    issues.quantity(FieldPath("maximumVolumeSize"), "storage", *capacity.maximum_volume_size);
  }
}

void check(FieldIssues& issues, const PodGroup& group) {
  const FieldPath spec("spec");
  const FieldPath policy(spec, "schedulingPolicy");
  if (group.basic == group.gang)
    return issues.invalid(policy, "", "must specify exactly one of: `basic`, `gang`");
  const FieldPath gang(policy, "gang");
  if (group.gang && group.min_count < 1)
    issues.invalid(FieldPath(gang, group.composite ? "minGroupCount" : "minCount"), group.min_count,
                   "must be greater than or equal to 1");
}

}  // namespace

void validate(const StoredObject& stored, const WarningSink& warn) {
  FieldIssues issues(warn);
  const Object& o = *stored.object;
  const FieldPath spec("spec");
  if (stored.kind != StoredKind::kReplicationController) {  // its workload has the same checks
    check_meta(issues, o.meta, /*label=*/stored.kind == StoredKind::kService);
  }
  switch (stored.kind) {
    case StoredKind::kPersistentVolume:
      return check(issues, static_cast<const PersistentVolume&>(o));
    case StoredKind::kPersistentVolumeClaim:
      return check(issues, static_cast<const PersistentVolumeClaim&>(o));
    case StoredKind::kStorageClass: return check(issues, static_cast<const StorageClass&>(o));
    case StoredKind::kCsiNode: return check(issues, static_cast<const CsiNode&>(o));
    case StoredKind::kCsiStorageCapacity:
      return check(issues, static_cast<const CsiStorageCapacity&>(o));
    case StoredKind::kVolumeAttachment:
      return check(issues, static_cast<const VolumeAttachment&>(o));
    case StoredKind::kService:
      return issues.labels(FieldPath(spec, "selector"), static_cast<const Service&>(o).selector);
    case StoredKind::kPodDisruptionBudget:
      return issues.label_selector(FieldPath(spec, "selector"),
                                   static_cast<const PodDisruptionBudget&>(o).selector);
    case StoredKind::kPodGroup:
    case StoredKind::kCompositePodGroup: return check(issues, static_cast<const PodGroup&>(o));
    case StoredKind::kReplicationController: {
      const LabelSelector& selector = static_cast<const Controller&>(o).selector;
      if (selector.empty()) return issues.required(FieldPath(spec, "selector"));
      return issues.labels(FieldPath(spec, "selector"), selector.match_labels);
    }
    default: return;
  }
}

}  // namespace libsched
