// GroupTrial: the trial of a PodGroup's members on a copy of the cluster, upstream's snapshot. What
// happens meanwhile does not reach it.
#pragma once

#include <string>
#include <vector>

#include "libsched/scheduler/cycle.hpp"

namespace libsched {

// Host ports that upstream's snapshot has lost: its nodes have sets of ports, and a member that is
// taken back takes its ports along, even those of a pod that it was to evict. The snapshot gets
// them back when something on the node changes. Upstream's other cycles miss the ports, too; here
// only those of groups do.
class LostPorts {
 public:
  // The member has been on the node and is not any more; nothing counts that came after `cursor`.
  void lose(const PodRef& member, const std::string& node, const ChangeLog::Cursor& cursor) {
    lost_.push_back({member, node, cursor});
  }
  // Takes the ports from the copy of the cluster, and forgets those that have come back.
  Result<void> take_from(const View& view, Cluster& copy);

 private:
  struct Lost {
    PodRef member;
    std::string node;
    ChangeLog::Cursor cursor;
  };
  std::vector<Lost> lost_;
};

class GroupTrial {
 public:
  // The evaluator's cluster is copied. `ports` lives as long as this.
  static Result<std::shared_ptr<GroupTrial>> begin(Evaluator& profile, LostPorts& ports);

  // Upstream's podGroupPodSchedulingAlgorithm. An assumed pod stays until take_back().
  Result<Ref<Scheduling>> run(const PodRef& pod, const SchedulingOptions& options);
  // Undoes the runs that have assumed a pod, the latest first, until so many are left.
  Result<void> take_back(size_t left);
  size_t assumed() const { return assumed_.size(); }

  const View& view() const { return cluster_->view(); }
  Evaluator* evaluator() { return evaluator_.get(); }
  // From now on, pods of the copy may be removed: the lists below stay those of now, and ports that
  // members lose come back.
  void fix_lists();
  // Brings the order of the view's nodes up to date.
  void refresh() { cluster_->refresh(); }

 private:
  // Upstream's lists of the nodes that have pods with inter-pod (anti-)affinity, and with required
  // anti-affinity, are of the beginning: a node that a member takes is not added to them.
  struct Listed {
    bool affinity = false, anti_affinity = false;
  };
  struct Assumed {
    Ref<Scheduling> trial;
    Listed node;
    std::shared_ptr<CycleObserver> observer;
  };

  GroupTrial(Evaluator& profile, LostPorts& ports)
      : profile_(profile), ports_(ports), cursor_(profile.cluster()->view().log().cursor()) {}
  Listed listed(const Scheduling& trial) const;  // without the trial's pod
  Listed listed(uint32_t row, const Pod* except) const;
  Result<void> show_terms(const Pod& incoming);

  Evaluator& profile_;
  LostPorts& ports_;
  ChangeLog::Cursor cursor_;
  // Whether neither the lists nor the ports are as described above.
  bool exact() const { return profile_.framework().behaviours().groups_are_entities; }
  Ref<Cluster> cluster_;
  Ref<Evaluator> evaluator_;
  std::vector<Assumed> assumed_;
  std::optional<std::vector<Listed>> lists_;  // by row, once they are fixed
};

}  // namespace libsched
