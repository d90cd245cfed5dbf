// The choice among candidates: the node whose victims matter least.
#pragma once

#include <vector>

#include "libsched/framework/preemption_report.hpp"

namespace libsched {

// Returns the indexes of the best candidates, ascending, by upstream's criteria in their order.
std::vector<size_t> best_candidates(const std::vector<PreemptionReport::Candidate>& candidates,
                                    int64_t now_ns);

}  // namespace libsched
