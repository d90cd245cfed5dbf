// See next_pod.hpp.
#include "libsched/scheduler/api_memory/next_pod.hpp"

#include <algorithm>
#include <memory>

namespace libsched {
namespace {

PodCondition copied(Arena& arena, const PodCondition& c) {
  return {arena.copy(c.type), arena.copy(c.status), arena.copy(c.reason), arena.copy(c.message)};
}

// Sets a condition of the pod, whose strings live as long as the pod. With `merge`, empty fields
// stay as they are.
void set_condition(Pod& pod, const PodCondition& set, bool merge) {
  const Span<PodCondition> old = pod.status.conditions;
  const auto there = std::find_if(old.begin(), old.end(),
                                  [&](const PodCondition& c) { return c.type == set.type; });
  const size_t count = old.size() + (there == old.end() ? 1 : 0);
  auto* const all = static_cast<PodCondition*>(
      pod.arena.allocate(count * sizeof(PodCondition), alignof(PodCondition)));
  std::uninitialized_copy(old.begin(), old.end(), all);
  PodCondition& place = all[there - old.begin()];
  if (there == old.end()) {
    new (&place) PodCondition(set);
  } else {
    const auto take = [&](Str* field, Str value) {
      if (!merge || !value.empty()) *field = value;
    };
    take(&place.status, set.status);
    take(&place.reason, set.reason);
    take(&place.message, set.message);
  }
  pod.status.conditions = {all, count};
}

}  // namespace

Ref<Pod> next_pod(const Pod& pod, Str node_name) { return copy_pod(pod, node_name); }

Ref<Pod> bound_pod(const Pod& pod, Str node_name) {
  const size_t room = (pod.status.conditions.size() + 1) * sizeof(PodCondition);
  Ref<Pod> next = copy_pod(pod, node_name, room + alignof(PodCondition));
  next->status.nominated_node_name = {};
  next->status.phase = "Running";
  set_condition(*next, {"PodScheduled", "True", {}, {}}, false);
  return next;
}

Ref<Pod> patched_pod(const Pod& pod, const PodStatusPatch& patch) {
  Ref<Pod> next = next_pod(pod, pod.spec.node_name);
  for (const PodStatusPatch::Condition& c : patch.conditions)
    set_condition(*next, copied(next->arena, {c.type, c.status, c.reason, c.message}), true);
  if (patch.set_nominated_node)
    next->status.nominated_node_name = next->arena.copy(patch.nominated_node);
  if (patch.extended_claim) {
    next->status.extended_resource_claim = next->arena.copy(patch.extended_claim->claim);
    uint64_t hash = hash_str(patch.extended_claim->claim);
    for (const PodStatusPatch::ExtendedClaim::Mapping& m : patch.extended_claim->mappings)
      hash = hash_str(m.request, hash_str(m.resource, hash_str(m.container, hash)));
    next->status.extended_claim_hash = hash | 1;
  }
  if (patch.allocatable_claims)
    next->status.allocatable_claims =
        copy_allocatable_claims(patch.allocatable_claims->claims, next->arena);
  return next;
}

Ref<Pod> terminating_pod(const Pod& pod, int64_t end_ns) {
  Ref<Pod> next = next_pod(pod, pod.spec.node_name);
  next->meta.deleted = {end_ns, true};
  return next;
}

}  // namespace libsched
