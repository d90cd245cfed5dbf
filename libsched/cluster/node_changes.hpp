// The differences between a node and its replacement, as kinds of changes for the log.
#pragma once

#include "libsched/cluster/change_log.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

// Returns at least all kinds, possibly more: lists in another order count as different. Images
// always count, because a replaced node counts anew how many nodes have them.
ChangeKinds node_changes(const Node& before, const Node& after);

}  // namespace libsched
