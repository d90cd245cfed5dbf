// ResourceClaim: a request for devices, and the devices that were allocated for it. A
// ResourceClaimTemplate is what a controller makes claims of pods from.
#pragma once

#include "libsched/objects/device.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

inline constexpr Str kClaimFinalizer = "resource.kubernetes.io/delete-protection";
inline constexpr Str kExtendedClaimAnnotation = "resource.kubernetes.io/extended-resource-claim";

// What one request asks for, or one alternative of a prioritised list.
struct DeviceRequirement {
  Str name;  // of an alternative
  Str device_class;
  Span<DeviceSelector> selectors;
  Str allocation_mode;  // ExactCount, All or, undefaulted, ""
  int64_t count = 0;
  bool admin_access = false;  // not of alternatives
  Span<DeviceToleration> tolerations;
  AmountList capacity;  // capacity.requests
  bool has_capacity = false;
};

struct DeviceRequest {
  Str name;
  bool exact = false;  // has `exactly`
  DeviceRequirement exactly;
  Span<DeviceRequirement> first_available;
};

struct DeviceConstraint {
  Span<Str> requests;  // empty: all
  std::optional<Str> match_attribute, distinct_attribute;
};

// spec of a ResourceClaim.
struct ResourceClaimSpec {
  Span<DeviceRequest> requests;
  bool requests_present = false;
  Span<DeviceConstraint> constraints;
  Span<DeviceConfiguration> config;
};

struct AllocatedDevice {
  Str request;  // "request" or "request/alternative"
  Str driver, pool, device;
  std::optional<bool> admin_access;
  Span<DeviceToleration> tolerations;
  Span<Str> binding_conditions, binding_failure_conditions;
  std::optional<Str> share_id;
  AmountList consumed_capacity;
  Span<Str> skip_node_operations;  // since 1.37: what the kubelet leaves out for the device

  DeviceId id() const { return {driver, pool, device}; }
};

// status.allocation
struct ClaimAllocation {
  Span<AllocatedDevice> results;
  Span<DeviceConfiguration> config;
  NodeSelector node_selector;  // absent: every node
  Time timestamp;
};

// An entry of status.reservedFor.
struct ClaimConsumer {
  Str api_group, resource, name, uid;
};

// An entry of status.devices: what a driver reports of an allocated device.
struct AllocatedDeviceStatus {
  struct Condition {
    Str type, status, reason, message;
    int64_t observed_generation = 0;
    Time last_transition;
  };

  Str driver, pool, device;
  std::optional<Str> share_id;
  Span<Condition> conditions;
  Str data, network_data;  // JSON as it stands in the document; "" if absent

  // The condition of this type, or null.
  const Condition* find_condition(Str type) const {
    for (const Condition& c : conditions)
      if (c.type == type) return &c;
    return nullptr;
  }
};

class ResourceClaim final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kResourceClaim;
  explicit ResourceClaim(size_t first_block = 1024) : Object(first_block) {}

  Span<Str> finalizers;  // metadata.finalizers
  ResourceClaimSpec spec;
  std::optional<ClaimAllocation> allocation;
  Span<ClaimConsumer> reserved_for;
  Span<AllocatedDeviceStatus> devices;
  // The allocation is only assumed: a scheduling cycle has chosen it, and it is not written yet.
  // Other pods have to wait before they can share the claim.
  bool in_flight = false;

  bool reserved_for_uid(Str uid) const {
    for (const ClaimConsumer& c : reserved_for)
      if (c.uid == uid) return true;
    return false;
  }
};
using ResourceClaimRef = Ref<const ResourceClaim>;

class ResourceClaimTemplate final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kResourceClaimTemplate;
  explicit ResourceClaimTemplate(size_t first_block = 1024) : Object(first_block) {}

  Labels claim_labels;  // spec.metadata, of the claims
  Span<KeyValue> claim_annotations;
  ResourceClaimSpec spec;
};

// A claim for extended resources exists before the API server has it: the cluster then assumes it
// under this name, which no object of the API server can have.
inline constexpr Str kExtendedClaimName = "<extended-resources>";
std::string assumed_extended_name(Str pod);

// Whether the claim was made for extended resources of this pod.
bool is_extended_claim_of(const ResourceClaim& claim, Str pod_name, Str pod_uid);

// Names a new claim, which gets a uid that follows from the name and no version.
void name_claim(ResourceClaim& claim, Str name);

// A copy to be changed and then assumed or sent. It has all parts in its own arena, and no
// document: claims that many pods share change many times, and no version keeps those before it.
Ref<ResourceClaim> copy_resource_claim(const ResourceClaim& claim);
// Takes the items that `gone` names out of a list of the claim, whose items must be in its own
// arena or live for ever.
template <typename T, typename Gone>
void remove_items(ResourceClaim& claim, Span<T> ResourceClaim::* list, Gone&& gone) {
  std::vector<T> left;
  for (const T& item : claim.*list)
    if (!gone(item)) left.push_back(item);
  claim.*list = claim.arena.copy(left);
}
// The same for an allocation, with its parts in a given arena.
ClaimAllocation copy_allocation(const ClaimAllocation& allocation, Arena& arena);

}  // namespace libsched
