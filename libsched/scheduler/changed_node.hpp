// Nodes that differ from those of a dump in what a user or a controller has written.
#pragma once

#include <utility>

#include "libsched/objects/node.hpp"

namespace libsched {

// Completes a copy of a node whose labels, taints or spec.unschedulable have changed: derives what
// follows from them, and writes the document anew if one was kept.
NodeRef finished_node(const Ref<Node>& changed);

// Returns a node like `node` after `change(Node& copy)`, which puts new parts into the copy's
// arena.
template <typename Change>
NodeRef changed_node(const Node& node, Change&& change) {
  const Ref<Node> copy = copy_node(node, node.meta.name, node.meta.uid);
  std::forward<Change>(change)(*copy);
  return finished_node(copy);
}

// Writes the document of a copy anew, so that extenders see what has changed. Nothing happens if
// no document was kept.
void renew_document(Node& copy);

}  // namespace libsched
