// Plugins of PodGroups: how the members may be placed together, and what is done when they do not
// fit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/framework/call.hpp"
#include "libsched/framework/cycle_observer.hpp"
#include "libsched/framework/group_cycle.hpp"
#include "libsched/framework/status.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/pod_group.hpp"

namespace libsched {

// `view` is a copy of the cluster, on which the members are tried.
struct GroupCall : Call {
  const PodGroup& group;
  Span<PodRef> pods;  // the members that are tried, in this order
  GroupCycle* cycle;  // null: none of them has been tried
  // The group itself, or the PodGroups below a CompositePodGroup.
  Span<const PodGroup*> groups;
  // A group so far below that upstream does not look at the tree; null: there is none.
  const PodGroup* too_deep = nullptr;

  // What plugins say that look at the PodGroups below: an error if one is too deep.
  Status depth_status() const {
    if (too_deep == nullptr) return {};
    return Status::from_error(
        "exceeded maximum hierarchy depth at " +
        std::string(too_deep->composite ? "compositepodgroup/" : "podgroup/") +
        std::string(too_deep->meta.ns) + "/" + std::string(too_deep->meta.name));
  }
};

// A member and the node that its trial has chosen.
struct GroupAssignment {
  PodRef pod;
  std::string node;
  Ref<CycleState> state;  // of the trial
};

// How far the trial of a group is. The members of a CompositePodGroup are its child groups.
struct PlacementProgress {
  size_t remaining = 0;  // members that have not been tried
  size_t scheduled = 0;  // members that have a node, in the trial or since before it
};

class PlacementFeasiblePlugin {
 public:
  // Whether the group can still be placed: Success if the members with a node suffice, Wait if
  // those that remain may do, else Unschedulable.
  virtual Status placement_feasible(const GroupCall&, const PlacementProgress&) const { return {}; }

 protected:
  ~PlacementFeasiblePlugin() = default;
};

// Nodes of which the group may use all, and no other.
struct GroupPlacement {
  std::string name;
  std::vector<uint32_t> rows;
};

class PlacementGeneratePlugin {
 public:
  // Divides `parent` into the placements to try.
  virtual Status generate_placements(const GroupCall&, const GroupPlacement& parent,
                                     std::vector<GroupPlacement>* out) const {
    out->push_back(parent);
    return {};
  }

 protected:
  ~PlacementGeneratePlugin() = default;
};

class PlacementScorePlugin {
 public:
  // A number that is higher for a better placement of the group.
  virtual Status score_placement(const GroupCall&, const GroupPlacement&, Span<GroupAssignment>,
                                 int64_t* score) const {
    *score = 0;
    return {};
  }
  // Brings the scores of all placements to 0..100.
  virtual Status normalize_placement_scores(const GroupCall&, std::span<int64_t>) const {
    return {};
  }

 protected:
  ~PlacementScorePlugin() = default;
};

struct GroupPostFilterCall : GroupCall {
  // Tries the group anew on the copy of the cluster as it is then, takes the trials back, and
  // returns the group's status with the members that have found a node.
  std::function<Result<Status>(std::vector<GroupAssignment>*)> schedule;
  // Hears of the points that are run for members meanwhile; null: nobody does.
  CycleObserver* observer = nullptr;
};

// A member, and the node that has been made free for it.
struct GroupNomination {
  const Pod* pod;
  std::string node;
};

class PodGroupPostFilterPlugin {
 public:
  // Whether the plugin is asked for groups although no list of plugins names this point.
  virtual bool preempts_for_groups() const { return false; }
  // May make room for a group that cannot be placed. Success if it did. What it changes of the copy
  // of the cluster it takes back.
  virtual Result<Status> pod_group_post_filter(const GroupPostFilterCall&,
                                               std::vector<GroupNomination>*) const {
    return Status(Code::kUnschedulable);
  }

 protected:
  ~PodGroupPostFilterPlugin() = default;
};

}  // namespace libsched
