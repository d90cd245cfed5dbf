// Which pods belong to a workload, and pods that its controller could make in addition.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/pod_parts.hpp"

namespace libsched {

// The kind of the workload `name` if the pod's controller is that workload or belongs to it: a
// ReplicaSet named by a Deployment and the pod's template hash belongs to the Deployment. Otherwise
// "".
Str kind_of_workload(const Pod& pod, Str ns, Str name);

// The workload of a pod for messages and hints: its name, or "" without a controller.
Str workload_name(const Pod& pod);

// The ordinal of a StatefulSet's pod: "web-12" has 12.
std::optional<size_t> ordinal_of(const Pod& pod);

// Whether a name of a pod in the namespace is in use.
using NameTaken = std::function<bool(Str name)>;

// A pod like `pod` that its controller could make: new, without a node, with the controller's name
// and the first free number from `*from` on, which is moved behind it. Claims that are named after
// a pod of a StatefulSet are named after the new one.
Ref<Pod> another_pod(const Pod& pod, size_t* from, const NameTaken& taken);

// Whether `a` goes before `b` when a workload gets fewer pods: in a StatefulSet the highest ordinal
// first, otherwise a pod without a node, then the newest, then the last by name.
bool goes_first(const Pod& a, bool a_waits, const Pod& b, bool b_waits);

}  // namespace libsched
