// Services and PodDisruptionBudgets; and the frame for all stored kinds.
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kSelecting("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kServiceSpec("ports", "selector", "clusterIP", "clusterIPs", "type",
                                "externalIPs", "sessionAffinity", "loadBalancerIP",
                                "loadBalancerSourceRanges", "externalName", "externalTrafficPolicy",
                                "healthCheckNodePort", "publishNotReadyAddresses",
                                "sessionAffinityConfig", "topologyKeys", "ipFamily", "ipFamilies",
                                "ipFamilyPolicy", "allocateLoadBalancerNodePorts",
                                "loadBalancerClass", "internalTrafficPolicy",
                                "trafficDistribution");
constexpr KeyTable kBudgetSpec("minAvailable", "selector", "maxUnavailable",
                               "unhealthyPodEvictionPolicy");
constexpr KeyTable kBudgetStatus("observedGeneration", "disruptedPods", "disruptionsAllowed",
                                 "currentHealthy", "desiredHealthy", "expectedPods", "conditions");

}  // namespace

bool ObjectBuilder::service(Service& service, const TypeNames& type) {
  return object(kSelecting, [&](int field) {
    switch (field) {
      case kSelecting["apiVersion"]: return type_field(type.api_version);
      case kSelecting["kind"]: return type_field(type.kind);
      case kSelecting["metadata"]: return metadata(service.meta);
      case kSelecting["spec"]:
        return object(kServiceSpec, [&](int part) {
          if (part != kServiceSpec["selector"]) return skip();
          service.selector_present = !reader_.is_null();
          return labels(service.selector);
        });
      default: return skip();
    }
  });
}

bool ObjectBuilder::budget_status(PodDisruptionBudget& budget, int64_t& observed) {
  return object(kBudgetStatus, [&](int part) {
    if (part == kBudgetStatus["disruptionsAllowed"]) return int32(budget.disruptions_allowed);
    if (part == kBudgetStatus["currentHealthy"]) return int32(budget.current_healthy);
    if (part == kBudgetStatus["desiredHealthy"]) return int32(budget.desired_healthy);
    if (part == kBudgetStatus["observedGeneration"]) return int64(observed);
    if (part != kBudgetStatus["disruptedPods"]) return skip();
    return map(budget.disrupted_pods, &KeyValue::key, [&](KeyValue&) {
      Time since;
      return time(since);
    });
  });
}

bool ObjectBuilder::disruption_budget(PodDisruptionBudget& budget, const TypeNames& type) {
  int64_t observed = 0;
  keep_generation_ = true;
  const bool ok = object(kSelecting, [&](int field) {
    switch (field) {
      case kSelecting["apiVersion"]: return type_field(type.api_version);
      case kSelecting["kind"]: return type_field(type.kind);
      case kSelecting["metadata"]: return metadata(budget.meta);
      case kSelecting["spec"]:
        return object(kBudgetSpec, [&](int part) {
          if (part == kBudgetSpec["selector"]) return label_selector(budget.selector);
          if (part != kBudgetSpec["unhealthyPodEvictionPolicy"]) return skip();
          Str policy;
          if (!string(policy)) return false;
          budget.always_allows_unhealthy = policy == "AlwaysAllow";
          return true;
        });
      case kSelecting["status"]: return budget_status(budget, observed);
      default: return skip();
    }
  });
  budget.outdated = observed < generation_;
  return ok;
}

template <typename T>
Ref<T> ObjectBuilder::stored_object(StoredKind kind, const TypeNames& type,
                                    bool (ObjectBuilder::*read)(T&, const TypeNames&)) {
  Ref<T> made = make_ref<T>();
  start(made->arena);
  keep_annotations_ = keep_version_ =
      kind == StoredKind::kPersistentVolume || kind == StoredKind::kPersistentVolumeClaim ||
      kind == StoredKind::kStorageClass || kind == StoredKind::kCsiNode ||
      kind == StoredKind::kResourceClaim;
  const size_t begin = reader_.offset();
  if (!(this->*read)(*made, type) || !finish_meta(made->meta, is_namespaced(kind), begin)) {
    return nullptr;
  }
  remember_document(*made, begin);
  return made;
}

StoredObject ObjectBuilder::stored(StoredKind kind, Str api_version) {
  using B = ObjectBuilder;
  const TypeNames type = {api_version, stored_kind_name(kind)};
  const auto made = [&](auto read) { return StoredObject{kind, stored_object(kind, type, read)}; };
  switch (kind) {
    case StoredKind::kPersistentVolume: {
      const Ref<PersistentVolume> pv = stored_object(kind, type, &B::persistent_volume);
      if (pv && options_.defaults) set_volume_defaults(*pv);
      return {kind, pv};
    }
    case StoredKind::kPersistentVolumeClaim: {
      const Ref<PersistentVolumeClaim> claim = stored_object(kind, type, &B::claim);
      if (claim && options_.defaults) set_claim_defaults(*claim);
      return {kind, claim};
    }
    case StoredKind::kStorageClass: {
      const Ref<StorageClass> sc = stored_object(kind, type, &B::storage_class);
      if (sc && options_.defaults && !sc->binding_mode) sc->binding_mode = "Immediate";
      return {kind, sc};
    }
    case StoredKind::kCsiNode: return made(&B::csi_node);
    case StoredKind::kCsiDriver: return made(&B::csi_driver);
    case StoredKind::kCsiStorageCapacity: return made(&B::csi_storage_capacity);
    case StoredKind::kVolumeAttachment: return made(&B::volume_attachment);
    case StoredKind::kService: return made(&B::service);
    case StoredKind::kDeviceClass: return made(&B::device_class);
    case StoredKind::kPodDisruptionBudget: return made(&B::disruption_budget);
    case StoredKind::kPodGroup: return made(&B::pod_group);
    case StoredKind::kCompositePodGroup: return made(&B::composite_pod_group);
    case StoredKind::kResourceClaim: return made(&B::resource_claim);
    case StoredKind::kResourceClaimTemplate: return made(&B::resource_claim_template);
    case StoredKind::kResourceSlice: return made(&B::resource_slice);
    case StoredKind::kDeviceTaintRule: return made(&B::device_taint_rule);
    case StoredKind::kRuntimeClass: return made(&B::runtime_class);
    case StoredKind::kLimitRange: {
      const Ref<LimitRange> range = stored_object(kind, type, &B::limit_range);
      if (range && options_.defaults) set_limit_range_defaults(*range);
      return {kind, range};
    }
    case StoredKind::kReplicaSet:  // made with their pod templates: workload()
    case StoredKind::kStatefulSet:
    case StoredKind::kReplicationController:
    case StoredKind::kNamespace:
    case StoredKind::kPriorityClass: break;
  }
  return {kind, nullptr};
}

}  // namespace libsched
