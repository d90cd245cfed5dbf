// Profiles: the evaluators of a scheduler, one for each profile, on one cluster.
#pragma once

#include "libsched/run/evaluator.hpp"

namespace libsched {

// All are on one cluster (not a snapshot), their profiles differ, and at least one exists.
Result<void> check_profiles(Span<Evaluator*> profiles);

// The profile that a pod's schedulerName selects, else `other`, or null. A bare profile may have no
// name: an empty `other` selects it.
Evaluator* profile_of(Span<Evaluator*> profiles, const Pod& pod, Str other);
std::string no_profile_error(const Pod& pod);

}  // namespace libsched
