// Applying edits to a cluster and to the pods that a question is about.
//
// A cluster has no workloads, and no pods without a node but those that are nominated to one, so
// these are passed along and given back changed: an edit reaches the pods of the cluster and those
// passed alike.
#pragma once

#include <string>
#include <vector>

#include "libsched/cluster/cluster.hpp"

namespace libsched {

// A pod that is asked about, or the template of a workload's pods.
struct AskedPod {
  static constexpr size_t kNew = SIZE_MAX;
  PodRef pod;
  std::string kind;      // of the workload; "": a pod
  size_t replicas = 1;   // of the workload
  size_t origin = kNew;  // its index among the pods passed in; kNew: made by an edit
};

// Applies edits (edit.hpp) in order, all or none; each sees the effects of those before it.
//
// An edit of nodes applies to each of those that it chooses (chosen_nodes.hpp), and includes what
// controllers make of it (control_plane/node_lifecycle.hpp).
// add-node: The copies of a node are named NODE-0, NODE-1, ... (names in use are left out), and so
// are their hostname labels. Each has a copy of the node's CSINode, and of its pods of DaemonSets
// and static pods. A copy is healthy and not cordoned; a note says what that has left out.
// remove-node: The node's pods go with it; nothing takes their place. A pod that is passed and was
// on it has no node afterwards, as if it were new.
// cordon, uncordon: The taint of the node lifecycle controller comes and goes with the cordon.
// taint, untaint, label: A taint of this key and effect, or a label of this key, is replaced, and
// it is an error if no chosen node has what is to be taken away. A taint NoExecute takes the pods
// away that do not tolerate it for good, and a note counts them. scale: A workload that is passed
// gets so many replicas. Otherwise pods whose controller it is (for a Deployment those of its
// ReplicaSets) are taken away as goes_first() says, from the cluster and from the pods passed, or
// copies of its newest pod are added to `pods`, without a node. Claims of a StatefulSet's copies
// are made like those of the copied pod. set: A pod of this name, or all pods of a workload of this
// name and its template, as with_field().
//
// On return `pods` holds the pods passed, in order, without those taken away, and those made.
// Errors name the edit: kInvalid, kNotFound (with the nearest name), kMisuse (plugins are running
// on the cluster), kLimit. The cluster, `pods` and `notes` are as before after an error. `notes`
// may be null.
Result<void> apply_edits(Cluster& cluster, Span<Str> edits, std::vector<AskedPod>* pods,
                         std::vector<std::string>* notes = nullptr);

}  // namespace libsched
