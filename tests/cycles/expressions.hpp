// Cases of mode cel: expressions that are asked about devices.
#pragma once

#include <nlohmann/json.hpp>

namespace libsched::cycles {

// The golden result of a case, without upstream's estimate of the worst cost.
nlohmann::json run_expression(const nlohmann::json& c);

}  // namespace libsched::cycles
