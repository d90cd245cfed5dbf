// Queueing hints of NodeResourcesFit: whether an event is a reason to try a rejected pod again.
#pragma once

#include "libsched/framework/plugin.hpp"
#include "libsched/objects/device_class.hpp"

namespace libsched {

// For a pod, `other`, that was deleted (`after` is null) or scaled down. The own resize of a pod
// brings it back, unless it is `deferred` and the pod thus on a node already.
bool frees_resources(const Pod& pod, const Pod& other, const Pod* after, bool deferred);
// For a node that was added, or has more of a requested resource, on which the pod would fit if the
// node were empty.
bool gains_room(const View& view, const Pod& pod, const Node* before, const Node& after,
                bool device_resources);
bool gains_device_class(const Pod& pod, const DeviceClass* before, const DeviceClass& after);

}  // namespace libsched
