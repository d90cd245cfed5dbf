// The attempt to schedule a PodGroup, for the functions of Scheduler that make it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched/framework/points/group.hpp"
#include "libsched/scheduler/loop/group_trial.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched {

// A pod that takes part in its group's cycle.
struct Scheduler::Member {
  QueuedPodRef queued;
  Ref<Scheduling> trial;                 // null: it has not been tried
  bool open = true;                      // in flight, without a binding cycle
  int64_t took_ns = 0;                   // the trial
  std::optional<Nomination> nomination;  // of one that fits, once victims are gone
};

struct Scheduler::Group {
  std::string ns, name;
  QueuedPodRef entity;  // as it was popped; null: its pods are popped one by one
  PodGroupRef object;   // as it was when the entity was popped
  Evaluator* profile = nullptr;
  uint32_t number = 0;  // the profile's, in the metrics
  int64_t began_ns = 0;
  std::vector<Member> members;  // in the order in which they are tried
  std::shared_ptr<GroupTrial> trial;
  std::shared_ptr<GroupCycle> cycle;  // of the trials that are made at the time
  bool preempts = false;              // they are made for podGroupPostFilter
  // The outcome of all trials together: Success, Unschedulable, or Error.
  Status status;
  bool waits_for_preemption = false;

  std::vector<PodRef> pods() const {
    std::vector<PodRef> out;
    for (const Member& m : members) out.push_back(m.queued->pod);
    return out;
  }
  // What plugins are told of the trial; `of` are pods().
  GroupCall call(Services& services, const std::vector<PodRef>& of) const {
    return {{trial->view(), services, nullptr, trial->evaluator()}, *object, of, cycle.get()};
  }
};

// The trials of a group, which have been taken back.
struct Scheduler::GroupResult {
  Status status;
  bool waits_for_preemption = false;
  std::vector<Ref<Scheduling>> trials;  // of as many of the members as had to be tried
  std::vector<int64_t> took_ns;         // each of them
};

}  // namespace libsched
