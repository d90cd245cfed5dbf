// NodeOverlay: one node as it would be with other pods on it. The view stays as it is.
//
// Preemption and the pass with nominated pods judge such copies. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "libsched/cluster/state.hpp"

namespace libsched {

class NodeOverlay {
 public:
  // Of a row with a node; `view` must not change while the overlay is used.
  NodeOverlay(const State& view, uint32_t row);

  const State& view() const { return *view_; }
  uint32_t row() const { return row_; }
  const std::vector<PodRef>& pods() const { return pods_; }  // in upstream's order
  const std::vector<State::UsedPort>& ports() const { return ports_; }
  // What is left of a resource (Columns::Resource::left); ids that the view doesn't have are 0.
  int64_t left(uint32_t resource) const { return resource < left_.size() ? left_[resource] : 0; }
  // By name: also of a resource that no node and no pod of the view has.
  int64_t left(Str resource) const;
  const VolumeUse& volumes() const { return volumes_; }

  void add(const PodRef& pod);
  // As upstream's NodeInfo.RemovePod: the last pod takes the place of the removed one. False if
  // there is no such pod.
  bool remove(const Pod& pod);

 private:
  struct Unknown {
    std::string name;
    int64_t left;
  };
  int64_t& left_of(const ScalarAmount& scalar);

  const State* view_;
  uint32_t row_;
  std::vector<PodRef> pods_;
  std::vector<State::UsedPort> ports_;
  VolumeUse volumes_;
  std::vector<int64_t> left_;
  std::vector<Unknown> unknown_;
};

}  // namespace libsched
