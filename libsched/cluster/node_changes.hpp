// How a node differs from the node that it replaces, as kinds of changes for the log.
#pragma once

#include "libsched/cluster/change_log.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

// Never too few kinds, perhaps too many: lists in another order count as different. Images always
// count, because a replaced node learns anew how many nodes have them.
ChangeKinds node_changes(const Node& before, const Node& after);

}  // namespace libsched
