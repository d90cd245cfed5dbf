// PodGroups and CompositePodGroups: the policy, and the conditions of the status.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kPodGroup("apiVersion", "kind", "metadata", "spec", "status");
// Since 1.37 workloadRef stands for podGroupTemplateRef.
constexpr KeyTable kPodGroupSpec("podGroupTemplateRef", "schedulingPolicy", "schedulingConstraints",
                                 "resourceClaims", "disruptionMode", "priorityClassName",
                                 "priority", "workloadRef", "parentCompositePodGroupName",
                                 "preemptionPolicy");
constexpr KeyTable kCompositeSpec("parentCompositePodGroupName", "workloadRef", "schedulingPolicy",
                                  "schedulingConstraints", "disruptionMode", "priorityClassName",
                                  "priority", "preemptionPolicy");
constexpr KeyTable kPolicy("basic", "gang");
constexpr KeyTable kGang("minCount");
constexpr KeyTable kCompositeGang("minGroupCount");
constexpr KeyTable kDisruption("single", "all");
constexpr KeyTable kConstraints("topology");
constexpr KeyTable kTopology("key");
constexpr KeyTable kPodGroupStatus("conditions", "resourceClaimStatuses");
constexpr KeyTable kPodGroupCondition("type", "status", "observedGeneration", "lastTransitionTime",
                                      "reason", "message");

}  // namespace

bool ObjectBuilder::pod_group_policy(PodGroup& group) {
  return object(kPolicy, [&](int field) {
    if (field == kPolicy["basic"]) {
      group.basic = !reader_.is_null();
      return skip();
    }
    group.gang = !reader_.is_null();
    const auto count = [&](int) { return int32(group.min_count); };
    return group.composite ? object(kCompositeGang, count) : object(kGang, count);
  });
}

bool ObjectBuilder::pod_group_constraints(PodGroup& group) {
  Span<Str> keys;
  if (!object(kConstraints, [&](int) {
        return list(keys,
                    [&](Str& key) { return object(kTopology, [&](int) { return string(key); }); });
      }))
    return false;
  if (!keys.empty()) group.topology_key = keys[0];
  return true;
}

// 1.36 writes "Pod" or "PodGroup", and later releases an object with one key.
bool ObjectBuilder::pod_group_disruption(PodGroup& group) {
  if (reader_.peek() == '"') {
    Str mode;
    if (!string(mode)) return false;
    group.disrupted_together = mode == "PodGroup";
    return true;
  }
  return object(kDisruption, [&](int field) {
    if (field == kDisruption["all"]) group.disrupted_together = !reader_.is_null();
    return skip();
  });
}

bool ObjectBuilder::pod_group_status(PodGroup& group) {
  return object(kPodGroupStatus, [&](int field) {
    if (field != kPodGroupStatus["conditions"])
      return list(group.claim_statuses, [&](ResourceClaimStatus& s) { return claim_status(s); });
    return list(group.conditions, [&](PodGroup::Condition& c) {
      return object(kPodGroupCondition, [&](int part) {
        switch (part) {
          case kPodGroupCondition["type"]: return string(c.type);
          case kPodGroupCondition["status"]: return string(c.status);
          case kPodGroupCondition["reason"]: return string(c.reason);
          case kPodGroupCondition["message"]: return string(c.message);
          case kPodGroupCondition["lastTransitionTime"]: return string(c.last_transition);
          default: return skip();
        }
      });
    });
  });
}

bool ObjectBuilder::composite_pod_group(CompositePodGroup& group, const TypeNames& type) {
  return object(kPodGroup, [&](int field) {
    switch (field) {
      case kPodGroup["apiVersion"]: return type_field(type.api_version);
      case kPodGroup["kind"]: return type_field(type.kind);
      case kPodGroup["metadata"]: return metadata(group.meta);
      case kPodGroup["spec"]:
        return object(kCompositeSpec, [&](int part) {
          switch (part) {
            case kCompositeSpec["parentCompositePodGroupName"]: return string(group.parent);
            case kCompositeSpec["schedulingPolicy"]: return pod_group_policy(group);
            case kCompositeSpec["schedulingConstraints"]: return pod_group_constraints(group);
            case kCompositeSpec["disruptionMode"]: return pod_group_disruption(group);
            case kCompositeSpec["priority"]: return int32(group.priority);
            case kCompositeSpec["preemptionPolicy"]: return string(group.preemption_policy);
            default: return skip();
          }
        });
      default: return skip();
    }
  });
}

bool ObjectBuilder::pod_group(PodGroup& group, const TypeNames& type) {
  return object(kPodGroup, [&](int field) {
    switch (field) {
      case kPodGroup["apiVersion"]: return type_field(type.api_version);
      case kPodGroup["kind"]: return type_field(type.kind);
      case kPodGroup["metadata"]: return metadata(group.meta);
      case kPodGroup["spec"]:
        return object(kPodGroupSpec, [&](int part) {
          switch (part) {
            case kPodGroupSpec["schedulingPolicy"]: return pod_group_policy(group);
            case kPodGroupSpec["resourceClaims"]:
              return list(group.resource_claims,
                          [&](PodResourceClaim& c) { return pod_resource_claim(c); });
            case kPodGroupSpec["priority"]: return int32(group.priority);
            case kPodGroupSpec["parentCompositePodGroupName"]: return string(group.parent);
            case kPodGroupSpec["disruptionMode"]: return pod_group_disruption(group);
            case kPodGroupSpec["schedulingConstraints"]: return pod_group_constraints(group);
            case kPodGroupSpec["preemptionPolicy"]: return string(group.preemption_policy);
            default: return skip();
          }
        });
      default: return pod_group_status(group);
    }
  });
}

}  // namespace libsched
