// The attempt to schedule a PodGroup, or a tree of groups, for the functions of Scheduler that make
// it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libsched/framework/group_forest.hpp"
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

// A group of the tree, upstream's PodGroupInfo. It stays where it is once it has children.
struct Scheduler::Subgroup {
  PodGroupRef object;                   // as it was when the cycle began; null: unknown
  std::vector<Subgroup> children;       // of a CompositePodGroup, in the order of their trials
  std::vector<size_t> members;          // of a PodGroup, in Group::members, in this order
  std::vector<PodRef> pods;             // all members below
  std::vector<const PodGroup*> leaves;  // all PodGroups below, or the object
  // The outcome of all trials together: Success, Unschedulable, or Error.
  Status status;
  bool waits_for_preemption = false;
  // The group whose status this one got, because it was not tried or has been placed in vain; or
  // itself. As upstream's pointers, both have one status from then on.
  Subgroup* told_by = nullptr;

  // The first group that is so many levels below, in the order of trials; null: there is none.
  const PodGroup* first_below(size_t levels) const {
    if (levels == 0) return object.get();
    for (const Subgroup& child : children)
      if (const PodGroup* const found = child.first_below(levels - 1); found != nullptr)
        return found;
    return nullptr;
  }

  // Calls f(subgroup) for this one and all below, parents first.
  template <typename F>
  void each(F&& f) {
    f(*this);
    for (Subgroup& child : children) child.each(f);
  }
};

struct Scheduler::Group {
  std::string ns, name;
  QueuedPodRef entity;  // as it was popped; null: its pods are popped one by one
  Subgroup root;
  Evaluator* profile = nullptr;
  uint32_t number = 0;  // the profile's, in the metrics
  int64_t began_ns = 0;
  std::vector<Member> members;
  std::shared_ptr<GroupTrial> trial;
  std::shared_ptr<GroupCycle> cycle;  // of the trials that are made at the time
  std::vector<uint32_t> rows;         // the placement in which they are made; empty: all nodes
  bool preempts = false;              // they are made for podGroupPostFilter

  // What plugins are told of the trial of a subgroup, which has an object.
  GroupCall call(Services& services, const Subgroup& of) const {
    return {{trial->view(), services, nullptr, trial->evaluator()},
            *of.object,
            of.pods,
            cycle.get(),
            of.leaves,
            of.first_below(GroupForest::kMaxDepth)};
  }
};

// The trials of a group, which have been taken back.
struct Scheduler::GroupResult {
  Status status;
  bool waits_for_preemption = false;
  bool any = false;                     // pod has found a node, and may keep it
  std::vector<Ref<Scheduling>> trials;  // of as many of the members as had to be tried
  std::vector<int64_t> took_ns;         // each of them
};

}  // namespace libsched
