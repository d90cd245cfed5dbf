// Mode dra of tests/oracle: whole cycles from the point of view of DynamicResources.
#pragma once

#include "world.hpp"

namespace libsched::cycles {

// The golden result of a case.
Json run_devices(const Json& c);

}  // namespace libsched::cycles
