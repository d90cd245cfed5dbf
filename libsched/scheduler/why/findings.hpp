// What why() finds without trying anything.
#pragma once

#include <string>
#include <vector>

#include "libsched/scheduler/why/why.hpp"

namespace libsched {

// The resources of which the pod asks more than any node has.
std::vector<Beyond> beyond_all(const View& view, const Pod& pod);

// See Why::unbound_claims.
std::vector<std::string> unbound_claims(const View& view, const Pod& pod);

// The first nodes where a plugin fails, by name.
std::vector<NodeLacks> failing_nodes(const Decision& d, size_t most);

}  // namespace libsched
