// Profiles: the evaluators of a scheduler, one for each profile, on one cluster.
#pragma once

#include "libsched/framework/evaluator.hpp"

namespace libsched {

// All stand on one cluster (not a snapshot), each profile is there once, and there is one at least.
Result<void> check_profiles(Span<Evaluator*> profiles);

// The one that a pod's schedulerName chooses, else that of `other` (may be empty); null: none.
Evaluator* profile_of(Span<Evaluator*> profiles, const Pod& pod, Str other);
std::string no_profile_error(const Pod& pod);

}  // namespace libsched
