// See next_pod.hpp.
#include "libsched/scheduler/api_memory/next_pod.hpp"

#include <algorithm>
#include <vector>

namespace libsched {
namespace {

PodCondition copied(Arena& arena, const PodCondition& c) {
  return {arena.copy(c.type), arena.copy(c.status), arena.copy(c.reason), arena.copy(c.message)};
}

// Sets a condition of the pod. With `merge`, empty fields stay as they are.
void set_condition(Pod& pod, const PodCondition& condition, bool merge) {
  std::vector<PodCondition> all(pod.status.conditions.begin(), pod.status.conditions.end());
  auto there = std::find_if(all.begin(), all.end(),
                            [&](const PodCondition& c) { return c.type == condition.type; });
  PodCondition set = copied(pod.arena, condition);
  if (there == all.end()) {
    all.push_back(set);
  } else {
    if (merge && set.status.empty()) set.status = there->status;
    if (merge && set.reason.empty()) set.reason = there->reason;
    if (merge && set.message.empty()) set.message = there->message;
    *there = set;
  }
  pod.status.conditions = pod.arena.copy(all);
}

}  // namespace

Ref<Pod> next_pod(const Pod& pod, Str node_name) {
  return copy_pod(pod, pod.meta.name, pod.meta.ns, pod.meta.uid, node_name);
}

Ref<Pod> bound_pod(const Pod& pod, Str node_name) {
  Ref<Pod> next = next_pod(pod, node_name);
  next->status.nominated_node_name = {};
  next->status.phase = "Running";
  set_condition(*next, {"PodScheduled", "True", {}, {}}, false);
  return next;
}

Ref<Pod> patched_pod(const Pod& pod, const PodStatusPatch& patch) {
  Ref<Pod> next = next_pod(pod, pod.spec.node_name);
  for (const PodStatusPatch::Condition& c : patch.conditions)
    set_condition(*next, {c.type, c.status, c.reason, c.message}, true);
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
