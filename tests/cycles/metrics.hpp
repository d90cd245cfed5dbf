// The metrics of a scheduler, as golden results have them.
#pragma once

#include <string>

#include "world.hpp"

namespace libsched::cycles {

// The numbers in the text of a scheduler's metrics, by "family" or "family value,value": those that
// a script decides, without those that are 0.
Json metrics_of(const std::string& text);

}  // namespace libsched::cycles
