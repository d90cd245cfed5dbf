// Facts of NodeResourcesFit beside the sums: what a request and a node's amounts are made of.
#pragma once

#include "libsched/cluster/node_view.hpp"
#include "libsched/framework/facts.hpp"

namespace libsched {

// What the request is made of, unless its containers alone make it.
void add_parts(const Pod& pod, Str resource, Fact* fact);

// The node's capacity where more than is allocatable is there, and what pods that are being deleted
// still hold.
void add_node_parts(const NodeView& node, Str resource, Fact* fact);

// A fact for each pod of the node that holds another amount than it uses, because it is being
// resized.
void add_resizes(const NodeView& node, Str resource, Str reason, Facts* facts);

}  // namespace libsched
