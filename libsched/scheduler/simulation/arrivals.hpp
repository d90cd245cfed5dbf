// Arrivals: the pods of a workload in the order in which they arrive, made as the controllers of
// Jobs and CronJobs make them.
//
// A source makes pods with running indexes: an entry of the workload, or a run of a CronJob. The
// number of a source is that of its entry; runs are numbered after all entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libsched/scheduler/simulation/workload.hpp"

namespace libsched {

class Arrivals {
 public:
  struct Arrival {
    int64_t at_ns = 0;
    uint32_t source = 0;
    uint64_t index = 0;  // of the pod in its source
  };

  // `workload` outlives this; `start_ns` is the date of the beginning, since 1970.
  Arrivals(const TimedWorkload& workload, int64_t start_ns);

  std::optional<int64_t> next_due() const;
  // What is due next, of one time in the order of the sources; next_due() must have a value. None:
  // no pod arrives, since a CronJob has come or was due, or since a run has been replaced
  // meanwhile.
  std::optional<Arrival> pop();
  // The runs whose pods a CronJob has ended since the last call, for it replaces them.
  std::vector<uint32_t> take_replaced() { return std::exchange(replaced_, {}); }
  // A pod has ended: its Job may make another.
  void ended(uint32_t source, bool succeeded, int64_t now_ns);

  const TimedWorkload::Entry& entry(uint32_t source) const;
  std::string pod_name(uint32_t source, uint64_t index) const;
  Ref<Pod> make_pod(uint32_t source, uint64_t index, Str uid) const;
  bool replaceable(uint32_t source) const;  // whether take_replaced() may name it
  // The pods that have arrived and those that are known to come, while all succeed.
  uint64_t pod_count() const { return total_; }

 private:
  // A Job that is not complete.
  struct Job {
    uint64_t made = 0;  // pods that have arrived or are due
    uint64_t active = 0, arrived = 0, succeeded = 0;
  };
  struct Run {
    uint32_t entry = 0;
    int64_t minute = 0;  // for which it was scheduled
  };
  struct Cron {
    std::optional<int64_t> missed_s;  // the latest time at which a run had to wait
    int64_t last_minute = -1;
    std::vector<uint32_t> active;  // runs
  };

  void push(const Arrival& arrival);
  Arrival take_next(bool* begins);
  Job begin(const TimedWorkload::Entry& e) const { return {e.at_once(), e.at_once(), 0, 0}; }
  void plan(uint32_t entry, int64_t after_s);
  void due(const Arrival& at);
  void start_run(uint32_t entry, int64_t scheduled_s, int64_t now_ns);
  void run_ended(uint32_t source, int64_t now_ns);
  std::string source_name(uint32_t source) const;

  const TimedWorkload& workload_;
  int64_t start_ns_;
  std::vector<uint32_t> order_;   // the entries by arrival
  size_t at_ = 0;                 // those before have begun
  std::vector<Arrival> pending_;  // a heap: the next arrivals of sources that have begun
  std::vector<Run> runs_;
  std::unordered_map<uint32_t, Job> jobs_;    // by source
  std::unordered_map<uint32_t, Cron> crons_;  // by entry
  std::vector<uint32_t> replaced_;
  uint64_t total_;
};

}  // namespace libsched
