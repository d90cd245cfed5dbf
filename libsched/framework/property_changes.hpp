// What a change of an object means to the scheduling queue: upstream's
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
  std::array<ActionType, 7> actions{};
  size_t count = 0;

  void add_if(bool changed, ActionType action) {
    if (changed) actions[count++] = action;
  }
  const ActionType* begin() const { return actions.data(); }
  const ActionType* end() const { return actions.data() + count; }
};
ActionList node_change_list(const Node& after, const Node& before, const FeatureGates& gates);
ActionList pod_change_list(const Pod& after, const Pod& before, const FeatureGates& gates);

// kUpdateNode... of what an update of a node changed; 0: nothing that upstream tells anybody.
ActionType node_changes(const Node& after, const Node& before, const FeatureGates& gates);

// kUpdatePod... of what an update of a pod changed; kUpdate if it is none of these.
ActionType pod_changes(const Pod& after, const Pod& before, const FeatureGates& gates);

// kAdd, kDelete, or of an update the above; kUpdate for all other kinds.
ActionType actions_of(const ObjectChange& change, const FeatureGates& gates);

}  // namespace libsched
