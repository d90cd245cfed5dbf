// What controllers make of a node that somebody writes: the taints that the node lifecycle
// controller manages, and the pods that the taint eviction controller takes away.
//
// The node lifecycle controller gives a node with spec.unschedulable the taint
// node.kubernetes.io/unschedulable:NoSchedule, and takes exactly that taint away from any other
// node. PodTopologySpread sees the difference: with nodeTaintsPolicy Honor it leaves tainted nodes
// out. Whatever cordons a node as an answer to "what if" does so by these functions; objects that
// users give are taken as they are.
#pragma once

#include <string>
#include <vector>

#include "libsched/objects/node.hpp"

namespace libsched {

// The node after `kubectl cordon` or `kubectl uncordon` and the controller's answer to it. It is
// `node` itself if that is so already.
NodeRef cordoned(const Node& node);
NodeRef uncordoned(const Node& node);

// Whether this is the taint that the controller makes follow spec.unschedulable.
bool follows_cordon(Str key, TaintEffect effect);

// A node like `node` as it is when it joins a cluster and is healthy: not cordoned, and without the
// taints that the controller derives from conditions. It keeps the name, and is `node` itself if
// nothing has to go. `left_out`, which is empty, gets what went: "cordon",
// "taint node.kubernetes.io/not-ready:NoExecute".
NodeRef as_joining(const Node& node, std::vector<std::string>* left_out);

// Whether the taint eviction controller deletes the pod from a node that gets the taint, at once or
// after its tolerationSeconds. The kubelet makes static pods anew, so they stay.
bool evicted_by(const Taint& taint, const Pod& pod);

}  // namespace libsched
