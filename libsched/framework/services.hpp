// Services: the parts that the evaluators of a scheduler share besides the cluster; upstream's
// Handle.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/framework/api_client.hpp"
#include "libsched/framework/framework_metrics.hpp"
#include "libsched/framework/group_forest.hpp"
#include "libsched/framework/nominator.hpp"
#include "libsched/framework/pod_groups.hpp"
#include "libsched/framework/tasks.hpp"
#include "libsched/framework/waiting_pods.hpp"

namespace libsched {

// Pods between WaitOnPermit and Bind, which preemption may still cancel. Any thread may use it.
class PodsInPreBind {
 public:
  void add(Str uid);
  void remove(Str uid);
  // Upstream's CancelPod: false if it is too late or the pod is not there.
  bool cancel(Str uid, Str reason);
  // False if it was cancelled before.
  bool mark_prebound(Str uid);
  // Why the pod was cancelled; "" if it was not.
  std::string cancelled(Str uid) const;
  uint64_t cancel_count() const { return cancels_; }  // of pods that were cancelled so far

 private:
  struct Entry {
    bool prebound = false;
    bool cancelled = false;
    std::string reason;
  };
  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> pods_;
  std::atomic<size_t> count_{0};  // of pods_
  std::atomic<uint64_t> cancels_{0};
};

// Finds pods as the API server was last seen to have them, also those without a node. Upstream's
// pod lister.
class PodLister {
 public:
  virtual const Pod* find_pod(Str ns, Str name) const = 0;  // null: there is none

 protected:
  ~PodLister() = default;
};

class ApiCalls;  // api_calls.hpp

class Services final : public RefCounted {
 public:
  // Defaults: a virtual clock; an API client that only records requests; `clock`; tasks that run at
  // once.
  explicit Services(Ref<Clock> clock = {}, Ref<ApiClient> api = {}, Ref<Clock> deadline_clock = {},
                    Ref<Tasks> tasks = {});

  Clock& clock() const { return *clock_; }
  const Ref<Clock>& clock_ref() const { return clock_; }
  // The clock of Limits::deadline_ns.
  Clock& deadline_clock() const { return *deadline_clock_; }
  const Ref<Clock>& deadline_clock_ref() const { return deadline_clock_; }
  ApiClient& api() const { return *api_; }
  Tasks& tasks() const { return *tasks_; }
  Nominator& nominator() { return nominator_; }  // of the thread that schedules
  const Nominator& nominator() const { return nominator_; }
  PodGroups& pod_groups() { return pod_groups_; }        // likewise
  GroupForest& group_forest() { return group_forest_; }  // likewise
  WaitingPods& waiting_pods() { return waiting_pods_; }
  PodsInPreBind& pods_in_pre_bind() { return pods_in_pre_bind_; }
  FrameworkMetrics& metrics() { return metrics_; }
  const FrameworkMetrics& metrics() const { return metrics_; }

  // Set by a scheduler, and used on its thread. Null: nobody knows all pods.
  const PodLister* pods = nullptr;
  // Likewise, with SchedulerAsyncAPICalls. Null: calls are made at once.
  ApiCalls* calls = nullptr;
  // Likewise, without threads for bindings: foreign plugins must not change it meanwhile.
  Cluster* cluster = nullptr;

  // Upstream's PodActivator: pods (keys "namespace/name") for the queue to retry at once.
  void activate(std::map<std::string, PodRef> pods);
  std::map<std::string, PodRef> take_activated();

  // The seed of the node where preemption begins, as upstream's random offset. Without a seed it
  // begins at this position among the nodes where it might help, counted from the first and
  // wrapping around.
  std::optional<uint64_t> preemption_seed;
  uint64_t preemption_offset = 0;

 private:
  Ref<Clock> clock_, deadline_clock_;
  Ref<ApiClient> api_;
  Ref<Tasks> tasks_;
  Nominator nominator_;
  PodGroups pod_groups_;
  GroupForest group_forest_;
  WaitingPods waiting_pods_;
  PodsInPreBind pods_in_pre_bind_;
  FrameworkMetrics metrics_;
  Mutex mutex_;
  std::map<std::string, PodRef> activated_;
  std::atomic<bool> any_activated_{false};
};

}  // namespace libsched
