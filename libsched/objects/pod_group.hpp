// PodGroup (scheduling.k8s.io): a set of pods with a policy for scheduling them together. Pods name
// theirs in spec.schedulingGroup. CompositePodGroup: the same for a set of groups, of which each
// names its parent.
#pragma once

#include "libsched/objects/pod.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

class PodGroup : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kPodGroup;
  explicit PodGroup(size_t first_block = 256) : Object(first_block) {}

  struct Condition {
    Str type, status, reason, message;
    Str last_transition;  // as written
  };

  bool basic = false, gang = false;  // which policies spec.schedulingPolicy has
  // gang: so many members are scheduled together, or none. Those of a composite are groups.
  int32_t min_count = 0;
  int32_t priority = 0;
  bool composite = false;  // this is a CompositePodGroup
  Str parent;              // spec.parentCompositePodGroupName; "": none
  // The first of spec.schedulingConstraints.topology: the members share one value of this label of
  // nodes. "": they need not.
  Str topology_key;
  // spec.disruptionMode: preemption evicts all of the group's pods, or none.
  bool disrupted_together = false;
  Str preemption_policy;  // "": as written nowhere (gate PodGroupPreemptionPolicy)
  Span<Condition> conditions;
  // Claims that the members share, and those that were made for the group (gate
  // DRAWorkloadResourceClaims).
  Span<PodResourceClaim> resource_claims;
  Span<ResourceClaimStatus> claim_statuses;

  // The condition of this type, or null.
  const Condition* find_condition(Str type) const {
    for (const Condition& c : conditions)
      if (c.type == type) return &c;
    return nullptr;
  }
};
using PodGroupRef = Ref<const PodGroup>;

// Has no conditions and no claims.
class CompositePodGroup final : public PodGroup {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kCompositePodGroup;
  explicit CompositePodGroup(size_t first_block = 256) : PodGroup(first_block) { composite = true; }
};

// A copy whose last condition is this one, in place of another of its type. It keeps the parsed
// object alive and has no document of its own.
PodGroupRef with_condition(const PodGroup& group, const PodGroup::Condition& condition);

}  // namespace libsched
