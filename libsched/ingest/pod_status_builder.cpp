// Pod status: phase, nomination, and what an in-place resize has reached.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kStatus("observedGeneration", "phase", "conditions", "message", "reason",
                           "nominatedNodeName", "hostIP", "hostIPs", "podIP", "podIPs", "startTime",
                           "initContainerStatuses", "containerStatuses", "qosClass",
                           "ephemeralContainerStatuses", "resize", "resourceClaimStatuses",
                           "extendedResourceClaimStatus", "allocatedResources", "resources",
                           "nodeAllocatableResourceClaimStatuses");
constexpr KeyTable kCondition("type", "observedGeneration", "status", "lastProbeTime",
                              "lastTransitionTime", "reason", "message");
constexpr KeyTable kContainerStatus("name", "state", "lastState", "ready", "restartCount", "image",
                                    "imageID", "containerID", "started", "allocatedResources",
                                    "resources", "volumeMounts", "user", "allocatedResourcesStatus",
                                    "stopSignal");
constexpr KeyTable kClaimStatus("name", "resourceClaimName");
constexpr KeyTable kExtendedClaimStatus("requestMappings", "resourceClaimName");

}  // namespace

bool ObjectBuilder::condition(PodCondition& c) {
  return object(kCondition, [&](int field) {
    switch (field) {
      case kCondition["type"]: return string(c.type);
      case kCondition["status"]: return string(c.status);
      case kCondition["reason"]: return string(c.reason);
      default: return skip();
    }
  });
}

bool ObjectBuilder::container_status(ContainerStatus& status) {
  return object(kContainerStatus, [&](int field) {
    switch (field) {
      case kContainerStatus["name"]: return string(status.name);
      case kContainerStatus["allocatedResources"]: return resource_list(status.allocated);
      case kContainerStatus["resources"]: {
        status.has_resources = !reader_.is_null();
        ResourceList limits;
        Span<Str> claims;
        return container_resources(status.requests, limits, claims);
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

bool ObjectBuilder::pod_status(PodStatus& status) {
  return object(kStatus, [&](int field) {
    switch (field) {
      case kStatus["phase"]: return string(status.phase);
      case kStatus["nominatedNodeName"]: return string(status.nominated_node_name);
      case kStatus["startTime"]: return time(status.start_time);
      case kStatus["conditions"]:
        return list(status.conditions, [&](PodCondition& c) { return condition(c); });
      case kStatus["containerStatuses"]:
        return list(status.containers, [&](ContainerStatus& s) { return container_status(s); });
      case kStatus["initContainerStatuses"]:
        return list(status.init_containers,
                    [&](ContainerStatus& s) { return container_status(s); });
      case kStatus["resources"]: {
        status.has_resources = !reader_.is_null();
        ResourceList limits;
        Span<Str> claims;
        return container_resources(status.pod_requests, limits, claims);
      }
      case kStatus["allocatedResources"]: return resource_list(status.pod_allocated);
      case kStatus["resourceClaimStatuses"]:
        return list(status.resource_claims,
                    [&](ResourceClaimStatus& s) { return claim_status(s); });
      case kStatus["extendedResourceClaimStatus"]:
        return object(kExtendedClaimStatus, [&](int f) {
          return f == kExtendedClaimStatus["resourceClaimName"]
                     ? string(status.extended_resource_claim)
                     : skip();
        });
      default: return skip();
    }
  });
}

}  // namespace libsched
