// What a change of an object means to the scheduling queue: upstream's
// NodeSchedulingPropertiesChange and PodSchedulingPropertiesChange, as bits.
#pragma once

#include "libsched/config/feature_gates.hpp"
#include "libsched/framework/events.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

// kUpdateNode... of what an update of a node changed; 0: nothing that upstream tells anybody.
ActionType node_changes(const Node& after, const Node& before, const FeatureGates& gates);

// kUpdatePod... of what an update of a pod changed; kUpdate if it is none of these.
ActionType pod_changes(const Pod& after, const Pod& before, const FeatureGates& gates);

// kAdd, kDelete, or of an update the above; kUpdate for all other kinds.
ActionType actions_of(const ObjectChange& change, const FeatureGates& gates);

}  // namespace libsched
