// See next_pod.hpp.
#include "libsched/scheduler/api_memory/next_pod.hpp"

#include <algorithm>
#include <vector>

namespace libsched {
namespace {

// Sets a condition of the pod, as upstream's UpdatePodCondition.
void set_condition(Pod& pod, const PodCondition& condition) {
  std::vector<PodCondition> all(pod.status.conditions.begin(), pod.status.conditions.end());
  const auto there = std::find_if(all.begin(), all.end(),
                                  [&](const PodCondition& c) { return c.type == condition.type; });
  const PodCondition kept{pod.arena.copy(condition.type), pod.arena.copy(condition.status),
                          pod.arena.copy(condition.reason)};
  there == all.end() ? all.push_back(kept) : void(*there = kept);
  pod.status.conditions = pod.arena.copy(all);
}

}  // namespace

Ref<Pod> next_pod(const Pod& pod, Str node_name) {
  Ref<Pod> next = copy_pod(pod, pod.meta.name, pod.meta.ns, pod.meta.uid, node_name);
  // A copy keeps the first original alive only, and these may be a later copy's.
  PodStatus& s = next->status;
  s.phase = next->arena.copy(s.phase);
  s.nominated_node_name = next->arena.copy(s.nominated_node_name);
  std::vector<PodCondition> conditions;
  for (const PodCondition& c : s.conditions)
    conditions.push_back(
        {next->arena.copy(c.type), next->arena.copy(c.status), next->arena.copy(c.reason)});
  s.conditions = next->arena.copy(conditions);
  return next;
}

Ref<Pod> bound_pod(const Pod& pod, Str node_name) {
  Ref<Pod> next = next_pod(pod, node_name);
  next->status.nominated_node_name = {};
  next->status.phase = "Running";
  set_condition(*next, {"PodScheduled", "True", ""});
  return next;
}

Ref<Pod> patched_pod(const Pod& pod, const PodStatusPatch& patch) {
  Ref<Pod> next = next_pod(pod, pod.spec.node_name);
  for (const PodStatusPatch::Condition& c : patch.conditions)
    set_condition(*next, {c.type, c.status, c.reason});
  if (patch.set_nominated_node)
    next->status.nominated_node_name = next->arena.copy(patch.nominated_node);
  return next;
}

Ref<Pod> terminating_pod(const Pod& pod, int64_t end_ns) {
  Ref<Pod> next = next_pod(pod, pod.spec.node_name);
  next->meta.deleted = {end_ns, true};
  return next;
}

}  // namespace libsched
