// All kinds that a cluster keeps beside nodes and pods, as documents.
#include "libsched/ingest/write/parts.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/objects/admitting.hpp"
#include "libsched/objects/pod_group.hpp"
#include "libsched/objects/selecting.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {
namespace {

void amount_if(JsonText& json, Str name, const std::optional<Quantity>& amount) {
  if (amount) json.field(name, amount->to_string());
}

void storage_if(JsonText& json, Str name, const std::optional<Quantity>& amount) {
  if (amount) json.object(name, [&] { amount_if(json, "storage", amount); });
}

void write_source_if(JsonText& json, const VolumeSource& s) {
  const auto plain = [&](Str source, Str id) {
    json.object(source, [&] { json.field(id, s.id); });
  };
  switch (s.kind) {
    case VolumeKind::kCsi:
      return json.object("csi", [&] {
        json.field("driver", s.driver);
        json.field("volumeHandle", s.id);
      });
    case VolumeKind::kGcePersistentDisk: return plain("gcePersistentDisk", "pdName");
    case VolumeKind::kAwsElasticBlockStore: return plain("awsElasticBlockStore", "volumeID");
    case VolumeKind::kCinder: return plain("cinder", "volumeID");
    case VolumeKind::kVsphere: return plain("vsphereVolume", "volumePath");
    case VolumeKind::kPortworx: return plain("portworxVolume", "volumeID");
    case VolumeKind::kAzureFile:
      return json.object("azureFile", [&] {
        json.field("shareName", s.id);
        json.field_if("secretName", s.secret_name);
        json.field_if("secretNamespace", s.secret_namespace);
      });
    case VolumeKind::kAzureDisk:
      return json.object("azureDisk", [&] {
        json.field("diskURI", s.id);
        json.field_if("kind", s.disk_kind);
      });
    default: return;
  }
}

void write_fields(JsonText& json, const PersistentVolume& pv) {
  json.object("spec", [&] {
    storage_if(json, "capacity", pv.capacity);
    json.strings_if("accessModes", pv.access_modes);
    json.field_if("volumeMode", pv.volume_mode);
    json.field_if("storageClassName", pv.storage_class_name);
    json.field_if("volumeAttributesClassName", pv.volume_attributes_class);
    if (pv.claim_ref)
      json.object("claimRef", [&] {
        json.field_if("namespace", pv.claim_ref->ns);
        json.field_if("name", pv.claim_ref->name);
        json.field_if("uid", pv.claim_ref->uid);
      });
    if (pv.has_node_affinity)
      json.object("nodeAffinity", [&] { write_node_selector(json, "required", pv.node_affinity); });
    write_source_if(json, pv.source);
    if (pv.source.kind == VolumeKind::kCsi) write_source_if(json, pv.in_tree);
  });
  json.object("status", [&] { json.field_if("phase", pv.phase); });
}

void write_fields(JsonText& json, const PersistentVolumeClaim& claim) {
  json.object("spec", [&] {
    json.strings_if("accessModes", claim.access_modes);
    write_label_selector(json, "selector", claim.selector);
    if (claim.request)
      json.object("resources", [&] { storage_if(json, "requests", claim.request); });
    json.field_if("volumeName", claim.volume_name);
    json.field_if("storageClassName", claim.storage_class_name);
    json.field_if("volumeMode", claim.volume_mode);
    json.field_if("volumeAttributesClassName", claim.volume_attributes_class);
  });
  json.object("status", [&] { json.field_if("phase", claim.phase); });
}

void write_fields(JsonText& json, const StorageClass& sc) {
  json.field("provisioner", sc.provisioner);
  json.field_if("volumeBindingMode", sc.binding_mode);
  json.objects_if("allowedTopologies", sc.allowed_topologies, [&](const TopologySelectorTerm& t) {
    json.objects("matchLabelExpressions", t.requirements,
                 [&](const TopologySelectorRequirement& r) {
                   json.field("key", r.key);
                   json.strings_if("values", r.values);
                 });
  });
}

void write_fields(JsonText& json, const CsiNode& node) {
  json.object("spec", [&] {
    json.objects("drivers", node.drivers, [&](const CsiNodeDriver& d) {
      json.field("name", d.name);
      json.field("nodeID", d.node_id);
      json.strings_if("topologyKeys", d.topology_keys);
      if (d.count) json.object("allocatable", [&] { json.number_if("count", d.count); });
    });
  });
}

void write_fields(JsonText& json, const CsiDriver& driver) {
  json.object("spec", [&] {
    json.true_if("storageCapacity", driver.storage_capacity);
    json.true_if("preventPodSchedulingIfMissing", driver.prevent_pod_scheduling_if_missing);
  });
}

void write_fields(JsonText& json, const CsiStorageCapacity& capacity) {
  write_label_selector(json, "nodeTopology", capacity.node_topology);
  json.field("storageClassName", capacity.storage_class);
  amount_if(json, "capacity", capacity.capacity);
  amount_if(json, "maximumVolumeSize", capacity.maximum_volume_size);
}

void write_fields(JsonText& json, const VolumeAttachment& attachment) {
  json.object("spec", [&] {
    json.field("attacher", attachment.attacher);
    json.field("nodeName", attachment.node_name);
    json.object("source", [&] { json.field_if("persistentVolumeName", attachment.volume_name); });
  });
}

void write_fields(JsonText& json, const Service& service) {
  json.object("spec", [&] {
    if (service.selector_present) json.labels("selector", service.selector);
  });
}

void write_fields(JsonText& json, const Controller& c) {
  json.object("spec", [&] {
    if (c.kind != StoredKind::kReplicationController) {
      write_label_selector(json, "selector", c.selector);
    } else if (c.selector.present) {
      json.labels("selector", c.selector.match_labels);
    }
  });
}

void write_fields(JsonText&, const Namespace&) {}

void write_fields(JsonText& json, const PriorityClass& pc) {
  json.number("value", pc.value);
  json.true_if("globalDefault", pc.global_default);
  json.field_if("preemptionPolicy", pc.preemption_policy);
}

void write_fields(JsonText& json, const PodDisruptionBudget& budget) {
  json.object("spec", [&] {
    write_label_selector(json, "selector", budget.selector);
    if (budget.always_allows_unhealthy) json.field("unhealthyPodEvictionPolicy", "AlwaysAllow");
  });
  json.object("status", [&] {
    json.number_if("disruptionsAllowed", int64_t{budget.disruptions_allowed});
    json.number_if("currentHealthy", int64_t{budget.current_healthy});
    json.number_if("desiredHealthy", int64_t{budget.desired_healthy});
    // A budget is outdated if this is less than its generation.
    if (budget.outdated) {
      json.number("observedGeneration", -1);
    }
    if (!budget.disrupted_pods.empty())
      json.object("disruptedPods", [&] {
        for (const KeyValue& pod : budget.disrupted_pods) {
          json.key(pod.key);
          json.null();
        }
      });
  });
}

void write_fields(JsonText& json, const PodGroup& group) {
  json.object("spec", [&] {
    json.field_if("parentCompositePodGroupName", group.parent);
    json.object("schedulingPolicy", [&] {
      if (group.basic) json.object("basic", [] {});
      if (group.gang)
        json.object("gang", [&] {
          json.number_if(group.composite ? "minGroupCount" : "minCount", int64_t{group.min_count});
        });
    });
    if (!group.topology_key.empty())
      json.object("schedulingConstraints", [&] {
        json.objects("topology", Span<Str>(&group.topology_key, 1),
                     [&](Str key) { json.field("key", key); });
      });
    if (group.disrupted_together) json.object("disruptionMode", [&] { json.object("all", [] {}); });
    json.number_if("priority", int64_t{group.priority});
    json.objects_if("resourceClaims", group.resource_claims, [&](const PodResourceClaim& c) {
      json.field("name", c.name);
      if (c.has_claim_name) json.field("resourceClaimName", c.claim_name);
      if (c.has_template_name) json.field("resourceClaimTemplateName", c.template_name);
    });
  });
  json.object("status", [&] {
    json.objects_if("conditions", group.conditions, [&](const PodGroup::Condition& c) {
      json.field("type", c.type);
      json.field("status", c.status);
      json.field_if("reason", c.reason);
      json.field_if("message", c.message);
      json.field_if("lastTransitionTime", c.last_transition);
    });
    json.objects_if("resourceClaimStatuses", group.claim_statuses,
                    [&](const ResourceClaimStatus& s) {
                      json.field("name", s.name);
                      if (s.has_claim_name) json.field("resourceClaimName", s.claim_name);
                    });
  });
}

void write_fields(JsonText& json, const RuntimeClass& made) {
  json.field("handler", made.handler);
  if (made.has_overhead)
    json.object("overhead", [&] { json.amounts_if("podFixed", made.overhead); });
  if (made.has_scheduling)
    json.object("scheduling", [&] {
      if (!made.node_selector.empty()) json.labels("nodeSelector", made.node_selector);
      write_tolerations_if(json, made.tolerations);
    });
}

void write_fields(JsonText& json, const LimitRange& range) {
  json.object("spec", [&] {
    json.objects("limits", range.limits, [&](const LimitRangeItem& item) {
      json.field("type", item.type);
      json.amounts_if("max", item.max);
      json.amounts_if("min", item.min);
      json.amounts_if("default", item.defaults);
      json.amounts_if("defaultRequest", item.default_requests);
      json.amounts_if("maxLimitRequestRatio", item.max_limit_request_ratio);
    });
  });
}

template <typename T>
void write_as(JsonText& json, Str api_version, StoredKind kind, const Object& object) {
  json.object([&] {
    write_head(json, api_version, stored_kind_name(kind), object.meta);
    write_fields(json, static_cast<const T&>(object));
  });
}

}  // namespace

void write_stored(JsonText& json, StoredKind kind, const Object& o) {
  constexpr Str kStorage = "storage.k8s.io/v1";
  switch (kind) {
    case StoredKind::kPersistentVolume: return write_as<PersistentVolume>(json, "v1", kind, o);
    case StoredKind::kPersistentVolumeClaim:
      return write_as<PersistentVolumeClaim>(json, "v1", kind, o);
    case StoredKind::kStorageClass: return write_as<StorageClass>(json, kStorage, kind, o);
    case StoredKind::kCsiNode: return write_as<CsiNode>(json, kStorage, kind, o);
    case StoredKind::kCsiDriver: return write_as<CsiDriver>(json, kStorage, kind, o);
    case StoredKind::kCsiStorageCapacity:
      return write_as<CsiStorageCapacity>(json, kStorage, kind, o);
    case StoredKind::kVolumeAttachment: return write_as<VolumeAttachment>(json, kStorage, kind, o);
    case StoredKind::kService: return write_as<Service>(json, "v1", kind, o);
    case StoredKind::kReplicationController: return write_as<Controller>(json, "v1", kind, o);
    case StoredKind::kReplicaSet:
    case StoredKind::kStatefulSet: return write_as<Controller>(json, "apps/v1", kind, o);
    case StoredKind::kDeviceClass:
    case StoredKind::kResourceClaim:
    case StoredKind::kResourceClaimTemplate:
    case StoredKind::kResourceSlice:
    case StoredKind::kDeviceTaintRule: return write_resource_object(json, kind, o);
    case StoredKind::kNamespace: return write_as<Namespace>(json, "v1", kind, o);
    case StoredKind::kPriorityClass:
      return write_as<PriorityClass>(json, "scheduling.k8s.io/v1", kind, o);
    case StoredKind::kPodDisruptionBudget:
      return write_as<PodDisruptionBudget>(json, "policy/v1", kind, o);
    case StoredKind::kPodGroup:
      return write_as<PodGroup>(json, "scheduling.k8s.io/v1alpha2", kind, o);
    case StoredKind::kCompositePodGroup:
      return write_as<CompositePodGroup>(json, "scheduling.k8s.io/v1alpha3", kind, o);
    case StoredKind::kRuntimeClass: return write_as<RuntimeClass>(json, "node.k8s.io/v1", kind, o);
    case StoredKind::kLimitRange: return write_as<LimitRange>(json, "v1", kind, o);
  }
}

}  // namespace libsched
