// QueuedPodInfo: a pod in the queue or on its way through a cycle, as upstream's type; or all pods
// of a PodGroup or of a tree of groups, where these go through both as one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libsched/objects/pod_group.hpp"
#include "libsched/scheduler/queue/plugin_names.hpp"

namespace libsched {

inline constexpr int64_t kNoTime = INT64_MIN;  // upstream's zero time

// The heap that holds a pod.
enum class QueueHeap : uint8_t { kNone, kActive, kBackoff, kErrorBackoff };

// For the queue's thread. The queue changes it; the caller that popped it may read it.
struct QueuedPodInfo final : RefCounted {
  QueuedPodInfo(PodRef p, Ref<const PluginNames> n) : pod(std::move(p)), names(std::move(n)) {}

  // The pods of a group. Those of one PodGroup are tried in this order.
  using Members = std::vector<Ref<QueuedPodInfo>>;

  bool gated() const { return gating != kNoPlugin; }
  size_t size() const { return members ? members->size() : 1; }  // pods
  // Calls f(pod) for the pod itself, or for each member until f returns true; returns whether it
  // did.
  template <typename F>
  bool any_pod(F&& f) {
    if (!members) return f(*this);
    for (const Ref<QueuedPodInfo>& member : *members)
      if (f(*member)) return true;
    return false;
  }
  RejectorSet rejectors() const { return unschedulable | pending; }

  PodRef pod;                               // of a group: a stand-in with its names and priority
  std::unique_ptr<Members> members;         // null: this is no group
  PodGroupRef group;                        // the group, as it was when the entity was made
  Ref<const PluginNames> names;             // of its queue
  int64_t timestamp_ns = 0;                 // when it was added or last came back
  int64_t initial_attempt_ns = kNoTime;     // when it first could be popped
  int64_t popped_ns = 0;                    // when its last attempt began
  int64_t backoff_expiration_ns = kNoTime;  // set on first use
  int64_t flushed_ns = kNoTime;  // when it was flushed since, with Behaviours::dated_flushes
  RejectorSet unschedulable, pending;
  uint32_t attempts = 0;
  uint32_t unschedulable_count = 0;
  uint32_t consecutive_errors_count = 0;
  uint32_t scheduler = 0;  // the number of its schedulerName, see QueueMetrics
  PluginId gating = kNoPlugin;
  bool was_flushed = false;  // from the unschedulable pods, by time

  // Its place. Without SchedulerPopFromBackoffQ a pod can be in a heap and wait, too, as upstream.
  QueueHeap heap = QueueHeap::kNone;
  bool waits = false;                                  // among the unschedulable pods
  uint32_t position = 0;                               // in the heap
  uint32_t slot = 0;                                   // in the table of pods
  QueuedPodInfo *previous = nullptr, *next = nullptr;  // among the unschedulable pods
};
using QueuedPodRef = Ref<QueuedPodInfo>;

}  // namespace libsched
