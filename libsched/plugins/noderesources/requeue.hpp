// When a pod that NodeResourcesFit rejected is worth another try.
#pragma once

#include "libsched/framework/plugin.hpp"
#include "libsched/objects/selecting.hpp"

namespace libsched {

// `other` has gone (`after` is null) or been scaled down.
bool frees_resources(const Pod& pod, const Pod& other, const Pod* after);
// A node has come, or grown in what the pod asks for; the pod would fit on it if it were empty.
bool gains_room(const View& view, const Pod& pod, const Node* before, const Node& after,
                bool device_resources);
bool gains_device_class(const Pod& pod, const DeviceClass* before, const DeviceClass& after);

}  // namespace libsched
