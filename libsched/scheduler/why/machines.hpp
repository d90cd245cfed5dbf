// The kinds of machines of a cluster: nodes of one kind are told as one suggestion.
#pragma once

#include <string>

#include "libsched/objects/node.hpp"

namespace libsched {

// Equal for nodes of one kind: by instance type and pool where labels name the type, else by
// amounts and labels, always by taints. The zone is no part of a kind, nor is the node's own name.
std::string machine_of(const Node& node);

// Equal for nodes whose copies are judged alike: by amounts, labels but the name, and taints.
std::string shape_of(const Node& node);

}  // namespace libsched
