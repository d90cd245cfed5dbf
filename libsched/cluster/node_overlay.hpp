// NodeOverlay: one node with other pods than in the view, which does not change.
//
// Preemption and the pass with nominated pods judge such copies. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "libsched/cluster/view.hpp"

namespace libsched {

class NodeOverlay {
 public:
  // Copies a row with a node; `view` must not change while the overlay is used.
  NodeOverlay(const View& view, uint32_t row);

  const View& view() const { return *view_; }
  uint32_t row() const { return row_; }
  const std::vector<PodRef>& pods() const { return pods_; }  // in upstream's order
  const UsedPorts& ports() const { return ports_; }
  // The remaining amount of a resource (Columns::Resource::left); 0 for ids that the view does not
  // have.
  int64_t left(uint32_t resource) const { return resource < left_.size() ? left_[resource] : 0; }
  // By name, even if no node and no pod of the view has the resource.
  int64_t left(Str resource) const;
  const VolumeUse& volumes() const { return volumes_; }

  void add(const PodRef& pod);
  // As upstream's NodeInfo.RemovePod, moves the last pod to the place of the removed one. Returns
  // false if the pod is not on the node.
  bool remove(const Pod& pod);

 private:
  struct Unknown {
    std::string name;
    int64_t left;
  };
  int64_t& left_of(const ScalarAmount& scalar);

  const View* view_;
  uint32_t row_;
  std::vector<PodRef> pods_;
  UsedPorts ports_;
  VolumeUse volumes_;
  std::vector<int64_t> left_;
  std::vector<Unknown> unknown_;
};

}  // namespace libsched
