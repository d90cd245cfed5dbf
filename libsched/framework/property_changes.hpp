// The meaning of an object's change for the scheduling queue: upstream's
// NodeSchedulingPropertiesChange and PodSchedulingPropertiesChange, as bits.
#pragma once

#include <array>
#include <cstddef>

#include "libsched/config/feature_gates.hpp"
#include "libsched/framework/events.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

// One action for each of upstream's events, in their order; a node may have kUpdateNodeTaint twice.
struct ActionList {
  std::array<ActionType, 8> actions{};
  size_t count = 0;

  void add_if(bool changed, ActionType action) {
    if (changed) actions[count++] = action;
  }
  const ActionType* begin() const { return actions.data(); }
  const ActionType* end() const { return actions.data() + count; }
};
ActionList node_change_list(const Node& after, const Node& before, const FeatureGates& gates);
ActionList pod_change_list(const Pod& after, const Pod& before, const FeatureGates& gates);

// The kUpdateNode... actions of a node's update; 0: nothing that upstream reports.
ActionType node_changes(const Node& after, const Node& before, const FeatureGates& gates);

// The kUpdatePod... actions of a pod's update; kUpdate if none of them applies.
ActionType pod_changes(const Pod& after, const Pod& before, const FeatureGates& gates);

// kAdd, kDelete, or an update's actions as above; kUpdate for all other kinds.
ActionType actions_of(const ObjectChange& change, const FeatureGates& gates);

}  // namespace libsched
