// The host ports in use on a node, as a set: each stands there once, whoever asked for it.
#pragma once

#include <vector>

#include "libsched/cluster/state.hpp"

namespace libsched {

// The pod's host ports come to those that are there, in their order.
void add_ports(const PodRef& pod, std::vector<State::UsedPort>* ports);
// They go, whichever pod they came with: not counted, as upstream's set of ports.
void remove_ports(const Pod& pod, std::vector<State::UsedPort>* ports);

}  // namespace libsched
