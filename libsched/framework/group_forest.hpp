// GroupForest: the trees that PodGroups and CompositePodGroups form, each of which may name its
// parent (gate CompositePodGroup). It belongs to the thread that schedules.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/pod_group.hpp"

namespace libsched {

class GroupForest {
 public:
  // Upstream's WorkloadMaxTreeDepth: groups on a way from the root to a PodGroup.
  static constexpr size_t kMaxDepth = 4;

  // Null: the group names none, or it is not there.
  static const PodGroup* parent_of(const View& view, const PodGroup& group) {
    return group.parent.empty()
               ? nullptr
               : view.objects().find<CompositePodGroup>(group.meta.ns, group.parent);
  }
  // The group above all others of the tree, which may be `group` itself. Null: a parent is not
  // there, or the names of parents go in a circle.
  static const PodGroup* root_of(const View& view, const PodGroup& group);

  // The groups that name this CompositePodGroup their parent, whether or not it is there, in the
  // order in which they are tried. They stay until the next call with another view.
  const std::vector<PodGroupRef>& children_of(const View& view, const PodGroup& group);

  // Calls f(group) for each PodGroup of the tree below this group, or for the group itself.
  template <typename F>
  void each_leaf(const View& view, const PodGroup& group, F&& f) {
    if (!group.composite) {
      f(group);
      return;
    }
    for (const PodGroupRef& child : children_of(view, group)) each_leaf(view, *child, f);
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<PodGroupRef>> children_;
  std::pair<uint64_t, uint64_t> stamps_;  // of the objects that children_ is made of
  bool made_ = false;
};

}  // namespace libsched
