// Pod status: phase, nomination, and the progress of an in-place resize.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kPodStatus("observedGeneration", "phase", "conditions", "message", "reason",
                              "nominatedNodeName", "hostIP", "hostIPs", "podIP", "podIPs",
                              "startTime", "initContainerStatuses", "containerStatuses", "qosClass",
                              "ephemeralContainerStatuses", "resize", "resourceClaimStatuses",
                              "extendedResourceClaimStatus", "allocatedResources", "resources",
                              "nodeAllocatableResourceClaimStatuses", "volumeHealth");
constexpr KeyTable kPodCondition("type", "observedGeneration", "status", "lastProbeTime",
                                 "lastTransitionTime", "reason", "message");
constexpr KeyTable kContainerStatus("name", "state", "lastState", "ready", "restartCount", "image",
                                    "imageID", "containerID", "started", "allocatedResources",
                                    "resources", "volumeMounts", "user", "allocatedResourcesStatus",
                                    "stopSignal");
constexpr KeyTable kClaimStatus("name", "resourceClaimName");
constexpr KeyTable kAllocatableClaim("resourceClaimName", "containers", "resources", "mapping",
                                     "overhead");
constexpr KeyTable kMapped("name", "quantity");
constexpr KeyTable kOverhead("name", "perPod", "perContainer");
constexpr KeyTable kExtendedClaimStatus("requestMappings", "resourceClaimName");
constexpr KeyTable kRequestMapping("containerName", "resourceName", "requestName");

}  // namespace

bool ObjectBuilder::condition(PodCondition& c) {
  return object(kPodCondition, [&](int field) {
    switch (field) {
      case kPodCondition["type"]: return string(c.type);
      case kPodCondition["status"]: return string(c.status);
      case kPodCondition["reason"]: return string(c.reason);
      case kPodCondition["message"]: return string(c.message);
      default: return skip();
    }
  });
}

bool ObjectBuilder::container_status(ContainerStatus& status) {
  return object(kContainerStatus, [&](int field) {
    switch (field) {
      case kContainerStatus["name"]: return string(status.name);
      case kContainerStatus["allocatedResources"]:
        status.has_allocated = !reader_.is_null();
        return resource_list(status.allocated);
      case kContainerStatus["resources"]: {
        status.has_resources = !reader_.is_null();
        ResourceList limits;
        Span<Str> claims;
        return container_resources(status.requests, limits, claims, &status.has_requests);
      }
      default: return skip();
    }
  });
}

bool ObjectBuilder::claim_status(ResourceClaimStatus& status) {
  return object(kClaimStatus, [&](int field) {
    if (field == kClaimStatus["name"]) return string(status.name);
    status.has_claim_name = !reader_.is_null();
    return string(status.claim_name);
  });
}

bool ObjectBuilder::extended_claim_status(PodStatus& status) {
  if (reader_.is_null()) return null();
  uint64_t mappings = 0;
  const auto mapping = [&](Str&) {
    uint64_t fields = 0;
    const bool ok = object(kRequestMapping, [&](int field) {
      Str value;
      if (!passing_string(value_text_, value)) return false;
      if (!value.empty()) fields += hash_str(value, static_cast<uint64_t>(field) + 1);
      return true;
    });
    mappings = hash_mix(mappings + 1, fields);
    return ok;
  };
  const bool ok = object(kExtendedClaimStatus, [&](int field) {
    if (field == kExtendedClaimStatus["resourceClaimName"])
      return string(status.extended_resource_claim);
    Span<Str> ignored;
    return list(ignored, mapping);
  });
  status.extended_claim_hash = hash_str(status.extended_resource_claim, mappings) | 1;
  return ok;
}

// An overhead of each container counts for those that are listed.
bool ObjectBuilder::allocatable_claim(AllocatableClaim& claim) {
  Span<Str> containers;
  struct Overhead {
    Str name;
    Quantity per_pod, per_container;
  };
  std::vector<Overhead> overheads;
  std::vector<NamedQuantity> mapped;
  const auto amount = [&](Str& name) {
    NamedQuantity q;
    const bool ok = object(kMapped, [&](int field) {
      return field == kMapped["name"] ? string(q.name) : quantity(q.quantity);
    });
    mapped.push_back(q);
    name = q.name;
    return ok;
  };
  const auto overhead = [&](Str& name) {
    Overhead o;
    const bool ok = object(kOverhead, [&](int field) {
      if (field == kOverhead["name"]) return string(o.name);
      return quantity(field == kOverhead["perPod"] ? o.per_pod : o.per_container);
    });
    overheads.push_back(o);
    name = o.name;
    return ok;
  };
  Span<Str> ignored;
  const bool ok = object(kAllocatableClaim, [&](int field) {
    switch (field) {
      case kAllocatableClaim["resourceClaimName"]: return string(claim.claim);
      case kAllocatableClaim["containers"]: return string_list(containers);
      case kAllocatableClaim["resources"]: return resource_list(claim.resources);
      case kAllocatableClaim["mapping"]: return list(ignored, amount);
      default: return list(ignored, overhead);
    }
  });
  for (const Overhead& o : overheads) {
    Quantity total = o.per_pod;
    for (size_t i = 0; i < containers.size(); ++i) total.add(o.per_container);
    mapped.push_back({o.name, total});
  }
  claim.mapped = arena_->copy(mapped);
  return ok;
}

bool ObjectBuilder::pod_status(PodStatus& status) {
  return object(kPodStatus, [&](int field) {
    switch (field) {
      case kPodStatus["phase"]: return string(status.phase);
      case kPodStatus["nominatedNodeName"]: return string(status.nominated_node_name);
      case kPodStatus["startTime"]: return time(status.start_time);
      case kPodStatus["conditions"]:
        return list(status.conditions, [&](PodCondition& c) { return condition(c); });
      case kPodStatus["containerStatuses"]:
        return list(status.containers, [&](ContainerStatus& s) { return container_status(s); });
      case kPodStatus["initContainerStatuses"]:
        return list(status.init_containers,
                    [&](ContainerStatus& s) { return container_status(s); });
      case kPodStatus["resources"]: {
        status.has_resources = !reader_.is_null();
        ResourceList limits;
        Span<Str> claims;
        return container_resources(status.pod_requests, limits, claims, &status.has_requests);
      }
      case kPodStatus["allocatedResources"]:
        status.has_allocated = !reader_.is_null();
        return resource_list(status.pod_allocated);
      case kPodStatus["resourceClaimStatuses"]:
        return list(status.resource_claims,
                    [&](ResourceClaimStatus& s) { return claim_status(s); });
      case kPodStatus["extendedResourceClaimStatus"]: return extended_claim_status(status);
      case kPodStatus["nodeAllocatableResourceClaimStatuses"]:
        return list(status.allocatable_claims,
                    [&](AllocatableClaim& c) { return allocatable_claim(c); });
      default: return skip();
    }
  });
}

}  // namespace libsched
