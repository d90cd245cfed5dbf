// New versions of a pod, as the API server makes them.
#pragma once

#include "libsched/framework/api_client.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// The pod with another node, for further changes.
Ref<Pod> next_pod(const Pod& pod, Str node_name);

// As the Binding subresource and a kubelet leave it: on the node, running, PodScheduled, without
// nomination.
Ref<Pod> bound_pod(const Pod& pod, Str node_name);
Ref<Pod> patched_pod(const Pod& pod, const PodStatusPatch& patch);
Ref<Pod> terminating_pod(const Pod& pod, int64_t end_ns);

}  // namespace libsched
