// PodGroup: copies with another condition.
#include "libsched/objects/pod_group.hpp"

#include <vector>

namespace libsched {

PodGroupRef with_condition(const PodGroup& group, const PodGroup::Condition& condition) {
  Ref<PodGroup> copy = make_ref<PodGroup>();
  // The parsed object: copies of copies do not keep each other alive.
  copy->origin = group.origin ? group.origin : Ref<const Object>::share(&group);
  copy->meta = group.meta;
  copy->basic = group.basic;
  copy->gang = group.gang;
  copy->min_count = group.min_count;
  copy->resource_claims = group.resource_claims;
  copy->claim_statuses = group.claim_statuses;
  copy->priority = group.priority;
  Arena& arena = copy->arena;
  copy->topology_key = arena.copy(group.topology_key);
  copy->parent = arena.copy(group.parent);
  copy->disrupted_together = group.disrupted_together;
  copy->preemption_policy = arena.copy(group.preemption_policy);
  const auto own = [&](const PodGroup::Condition& c) {
    return PodGroup::Condition{arena.copy(c.type), arena.copy(c.status), arena.copy(c.reason),
                               arena.copy(c.message), arena.copy(c.last_transition)};
  };
  std::vector<PodGroup::Condition> all;
  for (const PodGroup::Condition& c : group.conditions)
    if (c.type != condition.type) all.push_back(own(c));
  all.push_back(own(condition));
  copy->conditions = arena.copy(all);
  return copy;
}

}  // namespace libsched
