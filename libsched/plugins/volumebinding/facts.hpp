// Facts of VolumeBinding about the claims of a pod that PreFilter rejects.
#pragma once

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/facts.hpp"

namespace libsched {

// The claims for which PreFilter gives this reason: the one that is missing, lost, going or another
// pod's, or all that are not bound although their class binds immediately.
void add_unusable_claims(const View& view, const Pod& pod, Str reason, Facts* facts);

}  // namespace libsched
