// Executor: evicts victims, and knows the pods whose preemption is under way.
#pragma once

#include <set>
#include <string>

#include "libsched/base/mutex.hpp"
#include "libsched/framework/preemption_report.hpp"
#include "libsched/framework/services.hpp"

namespace libsched {

class Executor {
 public:
  // With `asynchronous`, order and errors are those of upstream with gate SchedulerAsyncPreemption.
  // The requests are made before execute() returns in both modes.
  explicit Executor(bool asynchronous) : asynchronous_(asynchronous) {}

  Status execute(const PreemptionReport::Candidate& candidate, const Pod& preemptor,
                 Services& services);
  // Reports whether requests for this pod are under way, except for its last victim: events during
  // that request must be able to bring the pod back into the queue.
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
