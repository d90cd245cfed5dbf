// Driver: runs the script of a case of mode cycles.
#pragma once

#include "world.hpp"

namespace libsched::cycles {

// The golden result of a case.
Json run_case(const Json& c);

}  // namespace libsched::cycles
