// SchedulingQueue: listings of its pods.
#include <algorithm>
#include <string>

#include "libsched/scheduler/queue/queue.hpp"

namespace libsched {
namespace {

using Pods = std::vector<QueuedPodInfo*>;

bool by_name(const QueuedPodInfo& a, const QueuedPodInfo& b) {
  const ObjectMeta &x = a.pod->meta, &y = b.pod->meta;
  if (x.ns == y.ns) return x.name < y.name;
  return std::string(x.ns) + "/" < std::string(y.ns) + "/";
}

// Groups as their pods.
Pods all_pods(const Pods& entities) {
  Pods out;
  out.reserve(entities.size());
  for (QueuedPodInfo* entity : entities)
    entity->any_pod([&](QueuedPodInfo& pod) {
      out.push_back(&pod);
      return false;
    });
  return out;
}

template <typename Less>
Pods sorted(Pods pods, Less&& less) {
  std::sort(pods.begin(), pods.end(),
            [&](const QueuedPodInfo* a, const QueuedPodInfo* b) { return less(*a, *b); });
  return pods;
}

}  // namespace

Pods SchedulingQueue::active() const {
  const Busy busy(*this);
  return all_pods(active_.upcoming([](const QueuedPodInfo&) { return true; }));
}

Pods SchedulingQueue::backing_off() const {
  const Busy busy(*this);
  // A heap tolerates a QueueSort that contradicts itself, std::sort does not.
  return all_pods(PodHeap<BackoffLess>::sorted(backoff_.pods(), {{&profiles_.first()}, true}));
}

Pods SchedulingQueue::backing_off_after_errors() const {
  return all_pods(sorted(error_backoff_.pods(), [](const QueuedPodInfo& a, const QueuedPodInfo& b) {
    return a.backoff_expiration_ns != b.backoff_expiration_ns
               ? a.backoff_expiration_ns < b.backoff_expiration_ns
               : by_name(a, b);
  }));
}

Pods SchedulingQueue::unschedulable(bool only_gated) const {
  Pods pods;
  for (QueuedPodInfo* entity = unschedulable_.first(); entity != nullptr; entity = entity->next)
    entity->any_pod([&](QueuedPodInfo& pod) {
      if (!only_gated || pod.gated()) pods.push_back(&pod);
      return false;
    });
  return sorted(std::move(pods), by_name);
}

}  // namespace libsched
