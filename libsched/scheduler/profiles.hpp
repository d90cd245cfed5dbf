// Profiles: the evaluators of a scheduler, one for each profile, on one cluster.
#pragma once

#include "libsched/framework/evaluator.hpp"

namespace libsched {

// All are on one cluster (not a snapshot), their profiles differ, and at least one exists.
Result<void> check_profiles(Span<Evaluator*> profiles);

// The profile that a pod's schedulerName selects, else that of `other` (may be empty), or null.
Evaluator* profile_of(Span<Evaluator*> profiles, const Pod& pod, Str other);
std::string no_profile_error(const Pod& pod);

}  // namespace libsched
