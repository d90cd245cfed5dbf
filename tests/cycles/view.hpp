// The state of a scheduler and of its API server, as golden results have it.
#pragma once

#include "libsched/scheduler/loop/scheduler.hpp"
#include "recorder.hpp"

namespace libsched::cycles {

// Numbers the versions of pods as they reach the watches.
class Versions final : public WatchSink {
 public:
  void deliver(WatchEvent event) override;
  std::string of(const Pod& pod) const;

 private:
  std::map<const Object*, std::pair<ObjectRef, uint64_t>> known_;  // alive, so that none is reused
  uint64_t last_ = 0;
};

class StateView {
 public:
  StateView(Scheduler& scheduler, const ApiServer& server, const Versions& versions, int64_t start)
      : scheduler_(scheduler), server_(server), versions_(versions), start_(start) {}

  Json info(const QueuedPodInfo& queued) const;
  // Adds the pods, the queue and so on to the result of a step; what has changed since the last.
  void describe(Json& result);

 private:
  Json queue(Json& changed);

  Scheduler& scheduler_;
  const ApiServer& server_;
  const Versions& versions_;
  int64_t start_;
  std::map<std::string, Json> last_infos_, last_pods_;
};

}  // namespace libsched::cycles
