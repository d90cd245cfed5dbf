// The class of a node: everything of it that plugins read, as bytes, but for its name.
//
// Nodes of one class and one name are interchangeable. The label kubernetes.io/hostname is a part
// only where it differs from the name; otherwise it follows the name of each node of the class.
#pragma once

#include <string>

#include "libsched/objects/node.hpp"

namespace libsched {

// Replaces *out.
void node_class(const Node& node, std::string* out);

}  // namespace libsched
