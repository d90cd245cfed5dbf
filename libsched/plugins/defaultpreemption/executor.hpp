// Executor: evicts victims, and knows the pods whose preemption is under way.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/config/release.hpp"
#include "libsched/framework/preemption_report.hpp"
#include "libsched/framework/services.hpp"

namespace libsched {

// Who evicts.
struct Preemptor {
  PodRef pod;  // of a group: a stand-in with its names, uid and priority
  PreemptorKind kind = PreemptorKind::kPod;
  std::map<std::string, PodRef> pods;  // that are tried again

  Str name() const { return kPreemptorNames[static_cast<size_t>(kind)]; }
};

class Executor {
 public:
  // With `asynchronous`, order and errors are those of upstream with gate SchedulerAsyncPreemption:
  // the requests are a task of the services.
  Executor(bool asynchronous, const Behaviours& behaviours)
      : asynchronous_(asynchronous), behaviours_(behaviours) {}

  // `listed`: the cluster's pods that are nominated to the node.
  Status execute(const PreemptionReport::Candidate& candidate, const Preemptor& preemptor,
                 const std::vector<PodRef>& listed, Services& services);
  // Whether any requests are under way.
  bool busy() const { return any_.load(std::memory_order_acquire); }
  // Reports whether requests for this pod are under way, or for the group with this meta. While
  // only the last victim is left, they are over as soon as it is gone or terminating: events during
  // that request must be able to bring the pod back into the queue.
  bool preempting(const ObjectMeta& pod) const;

 private:
  struct Preemption;
  Steps<> run(std::shared_ptr<Preemption> preemption);

  // A pod that makes room.
  struct UnderWay {
    std::string ns, name;  // of the last victim, once it is its turn; "": it is not
    const PodLister* pods = nullptr;
  };

  void leave(const std::string& key);  // holding the mutex

  bool asynchronous_;
  Behaviours behaviours_;
  mutable Mutex mutex_;
  std::map<std::string, UnderWay, std::less<>> under_way_;  // by uid
  std::atomic<bool> any_ = false;  // whether it has any; mostly that is all there is to know
};

}  // namespace libsched
