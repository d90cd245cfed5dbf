// PreemptionReport: how a preemption was decided, for display.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libsched/framework/status.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

struct PreemptionReport {
  struct Candidate {
    std::string node;
    std::vector<PodRef> victims;  // most important first
    int64_t budget_violations = 0;
    std::vector<std::string> budgets;  // that the victims violate, as namespace/name, sorted
  };
  bool ran = false;                                      // a plugin that preempts ran
  Status status;                                         // its answer, without the plugin's name
  std::vector<Candidate> candidates;                     // by node
  std::vector<std::pair<std::string, Status>> dry_runs;  // of other nodes, by node
  std::vector<std::string> tied;                         // the best candidates, by node
  std::string nominated_node;                            // "": no room can be made
  std::vector<PodRef> victims;
  int64_t budget_violations = 0;  // of the victims, and the budgets
  std::vector<std::string> budgets;
  bool clears_nomination = false;
};

}  // namespace libsched
