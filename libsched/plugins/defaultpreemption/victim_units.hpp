// What preemption evicts as one: a pod, or the pods of a PodGroup whose disruption mode is All.
#pragma once

#include <map>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/pod_group.hpp"

namespace libsched {

// A pod that has not started yet counts as started now.
inline int64_t started(const Pod& pod, int64_t now_ns) {
  return pod.status.start_time.present ? pod.status.start_time.ns : now_ns;
}

// The priority of a pod as a victim: that of its group, or of the root if groups have parents
// (`trees`).
int32_t victim_priority(const View& view, const Pod& pod, bool trees = false);

// What PodGroups mean for their pods as victims.
enum class GroupsAsVictims : uint8_t {
  kIgnored,  // nothing
  kUnits,    // those with disruption mode All are units
  kOwners,   // likewise, and the priority of each pod of a group is the group's
  kTrees,    // likewise of all groups above a pod: the highest unit, and the root's priority
};

struct VictimUnit {
  PodRef pod;
  std::vector<PodRef> others;  // that leave with it, wherever they are
  int32_t priority = 0;
  bool of_group = false;
  bool of_composite = false;  // the unit of a CompositePodGroup
  int64_t started_ns = 0;     // the first of them

  size_t size() const { return 1 + others.size(); }
  const PodRef& operator[](size_t i) const { return i == 0 ? pod : others[i - 1]; }
  // All of them by group and name; upstream evicts them in any order.
  std::vector<PodRef> by_name() const;
};

// Higher priority comes first, then units of composite groups, of groups, those with more pods, and
// those that have run longer.
inline bool more_important(const VictimUnit& a, const VictimUnit& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.of_composite != b.of_composite) return a.of_composite;
  if (a.of_group != b.of_group) return a.of_group;
  if (a.size() != b.size()) return a.size() > b.size();
  return a.started_ns < b.started_ns;
}

class VictimUnits {
 public:
  // `view` must not change as long as this is used.
  VictimUnits(const View& view, GroupsAsVictims groups);

  // The units of these pods with a lower priority, each once, in the order of the pods. Errors:
  // kNotFound, if a pod of a unit is on a node that does not exist.
  Result<std::vector<VictimUnit>> below(int32_t priority, const std::vector<PodRef>& pods,
                                        int64_t now_ns) const;

 private:
  struct Together {
    std::vector<PodRef> pods;
    std::string missing;  // a node that does not exist; "": they all do
  };
  // The group whose pods leave together with this one; null: it leaves alone.
  const PodGroup* together(const Pod& pod) const;

  const View& view_;
  GroupsAsVictims groups_;
  std::map<const PodGroup*, Together> together_;
};

}  // namespace libsched
