// Variants of a pod with one demand less.
#pragma once

#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/scheduler/why/rejections.hpp"
#include "libsched/scheduler/why/why.hpp"

namespace libsched {

// The pod with a toleration for each of the taints that keep it from nodes (at most 64), without
// each key of nodeSelector, requirement of node affinity, required term of pod affinity and
// anti-affinity, and constraint of topology spread, as far as plugins reject nodes because of them.
// `nodes` and `node` are not set.
std::vector<Suggestion> variants(const View& view, const Pod& pod, const Rejections& rejections,
                                 bool comparison_operators);

}  // namespace libsched
