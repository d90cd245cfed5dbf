// The host ports in use on a node, as a set: each is stored once, even if several pods use it.
#pragma once

#include <vector>

#include "libsched/cluster/view.hpp"

namespace libsched {

// Appends the pod's host ports that are not in the set, in order.
void add_ports(const PodRef& pod, std::vector<View::UsedPort>* ports);
// Removes the pod's host ports, whichever pod added them: like upstream's set, it does not count.
void remove_ports(const Pod& pod, std::vector<View::UsedPort>* ports);

}  // namespace libsched
