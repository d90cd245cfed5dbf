// Executor: makes the victims leave, and knows which pods are preempting at this moment.
#pragma once

#include <set>
#include <string>

#include "libsched/base/mutex.hpp"
#include "libsched/framework/preemption_report.hpp"
#include "libsched/framework/services.hpp"

namespace libsched {

class Executor {
 public:
  // `asynchronous`: the order and the errors of upstream's preemption with gate
  // SchedulerAsyncPreemption. The requests themselves are made before execute() returns.
  explicit Executor(bool asynchronous) : asynchronous_(asynchronous) {}

  Status execute(const PreemptionReport::Candidate& candidate, const Pod& preemptor,
                 Services& services);
  // Whether requests for this pod are under way, other than the one for its last victim. (What the
  // queue hears during that one must be able to bring the pod back.)
  bool preempting(const Pod& pod) const;

 private:
  Status asynchronous(const PreemptionReport::Candidate& candidate, const Pod& preemptor,
                      Services& services);
  void set_preempting(const Pod& pod, bool on);

  bool asynchronous_;
  mutable Mutex mutex_;
  std::multiset<std::string, std::less<>> preempting_;
};

}  // namespace libsched
