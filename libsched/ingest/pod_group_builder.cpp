// PodGroups: the policy, and the conditions of the status.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kObject("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kSpec("podGroupTemplateRef", "schedulingPolicy", "schedulingConstraints",
                         "resourceClaims", "disruptionMode", "priorityClassName", "priority");
constexpr KeyTable kPolicy("basic", "gang");
constexpr KeyTable kGang("minCount");
constexpr KeyTable kStatus("conditions", "resourceClaimStatuses");
constexpr KeyTable kCondition("type", "status", "observedGeneration", "lastTransitionTime",
                              "reason", "message");

}  // namespace

bool ObjectBuilder::pod_group_policy(PodGroup& group) {
  return object(kPolicy, [&](int field) {
    if (field == kPolicy["basic"]) {
      group.basic = !reader_.is_null();
      return skip();
    }
    group.gang = !reader_.is_null();
    return object(kGang, [&](int) { return int32(group.min_count); });
  });
}

bool ObjectBuilder::pod_group_status(PodGroup& group) {
  return object(kStatus, [&](int field) {
    if (field != kStatus["conditions"]) return skip();
    return list(group.conditions, [&](PodGroup::Condition& c) {
      return object(kCondition, [&](int part) {
        switch (part) {
          case kCondition["type"]: return string(c.type);
          case kCondition["status"]: return string(c.status);
          case kCondition["reason"]: return string(c.reason);
          case kCondition["message"]: return string(c.message);
          case kCondition["lastTransitionTime"]: return string(c.last_transition);
          default: return skip();
        }
      });
    });
  });
}

bool ObjectBuilder::pod_group(PodGroup& group, const TypeNames& type) {
  return object(kObject, [&](int field) {
    switch (field) {
      case kObject["apiVersion"]: return type_field(type.api_version);
      case kObject["kind"]: return type_field(type.kind);
      case kObject["metadata"]: return metadata(group.meta);
      case kObject["spec"]:
        return object(kSpec, [&](int part) {
          return part == kSpec["schedulingPolicy"] ? pod_group_policy(group) : skip();
        });
      default: return pod_group_status(group);
    }
  });
}

}  // namespace libsched
