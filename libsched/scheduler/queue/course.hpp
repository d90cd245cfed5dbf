// Course: the next steps of a pod in the queue. It is computed while plugins may run and memory may
// run out, and is applied afterwards, when nothing can fail.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "libsched/scheduler/queue/queue_profiles.hpp"

namespace libsched {

struct Course {
  enum class Step : uint8_t {
    kActivate,
    kBackOff,
    kBackOffAsError,  // among the pods that no plugin rejected
    kWait,            // among the unschedulable pods
    kGated,           // the same, unless the pod is in a heap
  };
  struct Taken {
    Step step = Step::kWait;
    uint32_t event = 0;                  // whose label is counted
    std::optional<QueuePart> bound_for;  // see QueueMetrics::came
  };

  explicit Course(QueuedPodInfo& p)
      : pod(&p), unschedulable(p.unschedulable), pending(p.pending), gating(p.gating) {
    if (p.members)
      for (const Ref<QueuedPodInfo>& member : *p.members) members.emplace_back(*member);
  }

  bool gated() const { return gating != kNoPlugin; }
  void take(Step step, uint32_t event, std::optional<QueuePart> bound_for = {}) {
    steps[count++] = {step, event, bound_for};
  }
  Step last() const { return steps[count - 1].step; }

  // PreEnqueue: a plugin that gates the pod counts as a rejector, even after the gate has opened.
  void gate(const QueueProfiles& profiles, const Call& call, const Pod& as, uint32_t scheduler) {
    if (pod->members) return gate_members(profiles, call);
    gating = profiles.ask_gates(call, as, scheduler, gating);
    if (!gated()) return;
    held_back = true;
    if (!unschedulable.has(gating) && !pending.has(gating)) blamed.add(gating);
    unschedulable.add(gating);
  }
  // A group is held back as long as one of its pods is, by the plugin of the last one.
  void gate_members(const QueueProfiles& profiles, const Call& call) {
    gating = kNoPlugin;
    for (Course& member : members) {
      member.gate(profiles, call, *member.pod->pod, member.pod->scheduler);
      if (member.gated()) gating = member.gating;
    }
    held_back = held_back || gated();
  }

  QueuedPodInfo* pod;
  RejectorSet unschedulable, pending;  // the pod's afterwards
  RejectorSet blamed;                  // of them, added by this course
  PluginId gating;
  bool leaves_waiting = false;  // the unschedulable pods, as the first step
  bool leaves_heap = false;     // likewise
  bool held_back = false;       // a gate was found closed
  uint8_t count = 0;
  std::array<Taken, 6> steps;   // an update results in six events at most
  std::vector<Course> members;  // without steps of their own
};

}  // namespace libsched
