// Which of the candidates hurts least.
#pragma once

#include <vector>

#include "libsched/framework/preemption_report.hpp"

namespace libsched {

// The indexes of the best candidates, ascending: by upstream's criteria one after the other.
std::vector<size_t> best_candidates(const std::vector<PreemptionReport::Candidate>& candidates,
                                    int64_t now_ns);

}  // namespace libsched
