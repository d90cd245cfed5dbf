// The conditions of a PodGroup's status.
#pragma once

#include <cstdint>

#include "libsched/framework/api_client.hpp"
#include "libsched/objects/pod_group.hpp"

namespace libsched {

// Patches the group's status unless it has the condition already; a condition that has been True
// stays so. A refusal by the API server changes nothing. The time of `wanted` is not read.
void set_condition(const PodGroup& group, const PodGroup::Condition& wanted, int64_t now_ns,
                   ApiClient& api);

}  // namespace libsched
