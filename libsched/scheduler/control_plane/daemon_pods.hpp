// The pods of a DaemonSet, as its controller makes them: one for each eligible node.
#pragma once

#include "libsched/base/result.hpp"
#include "libsched/cluster/view.hpp"

namespace libsched {

// Whether the controller makes a pod for the node in `row`: the template's nodeName, node selector
// and required node affinity match, and the pod tolerates all taints NoSchedule and NoExecute by
// its own tolerations or those that the controller adds. False if the node has a pod of the
// DaemonSet already (the template is named after it), and if the row has no node. Does not
// allocate.
bool daemon_wants(const View& view, uint32_t row, const Pod& pod_template);

// The pod for a node: with the controller's tolerations, owned by the DaemonSet, and required to
// run on this node by a node affinity that replaces other required terms. `node` empty: for no node
// yet, without that affinity.
Ref<Pod> daemon_pod(const Pod& pod_template, Str node, Str name);

}  // namespace libsched
