// Simulation: a scheduler, an API server and a timed workload on a virtual clock.
//
// The same cluster, workload, profiles and options give the same results. Controllers finish pods
// after their duration, make the pods of Jobs and CronJobs, bind volumes, and take ResourceClaims
// back; preempted pods of other workloads are not made again. It belongs to one thread. Its memory
// is that of the pods that are there, and of the recorder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/framework/limits.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"
#include "libsched/scheduler/simulation/recorder.hpp"
#include "libsched/scheduler/simulation/workload.hpp"

namespace libsched {

// 2026-01-01T00:00:00Z
inline constexpr int64_t kDefaultStartNs = int64_t{1'767'225'600} * 1'000'000'000;

struct SimulationOptions {
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;  // of random ties, and of where preemption begins
  bool sampling = false;
  QueueOptions queue;
  // Whether to measure utilisation and fragmentation.
  bool resources = true;
  // The time between two samples; 0: as the recorder wants them.
  int64_t sample_interval_ns = 0;
  // Whether a controller binds claims and makes volumes (api_memory/volume_controller.hpp), and how
  // long it takes to make one. Without it claims stay as they are, and pods do not wait for them.
  bool volumes = true;
  int64_t provision_ns = 0;
  // Whether arriving pods have the claims that controllers make
  // (scheduler/control_plane/claims.hpp). A pod of which a ResourceClaimTemplate is not there
  // waits.
  bool claims_from_templates = true;
  // The date of the beginning, since 1970: CronJobs are due by it.
  int64_t start_ns = kDefaultStartNs;
};

struct SimulationProgress {
  int64_t now_ns = 0;  // since the beginning
  uint64_t arrived = 0, total = 0, bound = 0, ended = 0, pending = 0;
};

class Simulation final : public RefCounted {
 public:
  // Returns whether to continue; may read the simulation.
  using Progress = std::function<bool(const SimulationProgress&)>;

  // `cluster` is copied: nodes, running pods and all other objects. The workload is frozen. Errors:
  // those of Scheduler::create(); kExists (a pod of the workload is in the cluster); kInvalid (a
  // negative time, a beginning that is not from 1970 to 2149).
  static Result<Ref<Simulation>> create(const std::vector<FrameworkRef>& profiles,
                                        const View& cluster, Ref<const TimedWorkload> workload,
                                        const SimulationOptions& options);
  ~Simulation() override;

  // Runs until the given time, or until all is quiet: every pod has arrived, no pod that runs will
  // end, none is on its way to a node, and those that are left have been tried in vain. Times are
  // since the beginning. It can be called again to continue. Errors: kCancelled (`progress`
  // returned false, or the limits), kDeadline, kInvalid (a negative time; none, though the workload
  // has a CronJob), kNoMemory, and kState after that.
  Result<void> run(std::optional<int64_t> until_ns, const Limits& limits, const Progress& progress);

  bool quiet() const;
  int64_t now_ns() const { return clock_->now_ns() - origin_ns_; }
  const Recorder& recorder() const { return recorder_; }
  const TimedWorkload& workload() const { return *workload_; }
  Scheduler& scheduler() { return *scheduler_; }
  const View& view() const { return scheduler_->cluster().view(); }

  // An object with the numbers of the whole run and the state at its end.
  std::string summary_json() const;
  // {"summary": ..., and the tables by name}. Errors: kCancelled (`write` returned false).
  Result<void> write_json(const WriteText& write) const;
  // "pods", "series", "resources", "pending", "preemptions" or "volumes"; null: there is no such
  // table.
  TableRef table(Str name) const;

 private:
  class Arriving;
  class Ending;
  class Observer;

  Simulation(Ref<const TimedWorkload> workload, const SimulationOptions& options);
  ApiServerOptions server_options();
  Result<void> build(const std::vector<FrameworkRef>& profiles, const View& cluster);
  Result<void> load(const View& cluster);
  void measure(bool comparison_operators);
  Result<void> advance(std::optional<int64_t> until_ns, const Limits& limits,
                       const Progress& progress);

  // What happens.
  void arrive();
  PodRef with_claims(const PodRef& pod, const Pod& shape);
  void finish();
  void end_run(uint32_t run);
  void bound(const Pod& pod, Str node);
  void preempted(const Pod& victim, Str by);
  void failed(const Pod& pod, const Failure& failure);
  void note_gated();
  void sample();
  void start(uint32_t number, Str node);
  std::optional<int64_t> next_due() const;
  bool tries_in_vain() const;
  SimulationProgress progress_now() const;

  struct End {
    int64_t at_ns;
    uint32_t number;
    bool operator<(const End& o) const {  // a heap's first is the earliest
      return at_ns != o.at_ns ? at_ns > o.at_ns : number > o.number;
    }
  };

  Ref<const TimedWorkload> workload_;
  SimulationOptions options_;
  Ref<VirtualClock> clock_;
  int64_t origin_ns_;
  Ref<ApiServer> server_;
  Arrivals arrivals_;
  Recorder recorder_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> pods_of_;  // of runs that may be replaced
  std::vector<End> ends_;                                        // a heap
  std::optional<Fragmentation> fragmentation_;
  std::vector<Evaluator*> profiles_;
  std::map<std::string, uint64_t> ignored_;  // pods by schedulerName
  std::unique_ptr<Arriving> arriving_;
  std::unique_ptr<Ending> ending_;
  SchedulerRef scheduler_;
  bool broken_ = false;     // memory ran out while something happened
  int64_t changed_ns_ = 0;  // when a pod last arrived, ended or was bound
  int64_t sampled_ns_ = -1;
  uint64_t failures_ = 0;  // since a change, or since time has passed
};

}  // namespace libsched
