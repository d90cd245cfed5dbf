// TimedWorkload: pods that arrive over time, and for how long each runs.
//
// Times are nanoseconds since the simulation's beginning. A pod is made when its turn comes: the
// workload keeps templates, names and times only, so that a million pods take little memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/base/result.hpp"
#include "libsched/objects/object_set.hpp"
#include "libsched/scheduler/simulation/job_control.hpp"

namespace libsched {

// Annotations of pods, and of workloads or their pod templates: Go durations such as "90s" or
// "1h30m".
inline constexpr Str kArrivalAnnotation = "libsched/arrival";    // default: 0
inline constexpr Str kDurationAnnotation = "libsched/duration";  // default: forever
inline constexpr Str kIntervalAnnotation = "libsched/interval";  // between replicas; default: 0

// Later times would not fit beside the virtual clock's start.
inline constexpr int64_t kLatestNs = int64_t{50} * 365 * 24 * 3600 * 1'000'000'000;

struct Timing {
  int64_t arrival_ns = 0;
  // How long each pod runs once it is bound; absent: until the simulation ends.
  std::optional<int64_t> duration_ns;
  int64_t interval_ns = 0;  // between the arrivals of two replicas
};

class TimedWorkload final : public RefCounted {
 public:
  struct Entry {
    PodRef pod;  // all but its name
    Str name;    // of the pod; of a series, "-" and the index follow
    uint64_t count = 1;
    bool series = false;
    Timing timing;
    std::shared_ptr<const JobControl> job;  // of a Job or CronJob

    bool cron() const { return job && job->schedule; }
    // How many pods arrive without that another one has ended; of a CronJob in each run.
    uint64_t at_once() const { return job ? std::min(job->parallelism, count) : count; }
  };

  // One pod with the name of `pod`. Errors, as of all that add: kExists (a pod of this name),
  // kInvalid (a time that is negative or too late), kLimit, kState (frozen); nothing is added then.
  Result<void> add(const PodRef& pod, const Timing& timing);
  // `count` replicas named as a StatefulSet's: "NAME-0", "NAME-1", ...
  Result<void> add_series(const PodRef& pod, uint64_t count, const Timing& timing);
  // The pod with the times of its annotations, or, if `replicas` is not 0, the replicas of the
  // workload whose template it is: of a Job so many at a time, and of a CronJob in each of its
  // runs. Errors name the pod.
  Result<void> add_annotated(const PodRef& pod, uint64_t replicas);
  // All pods and workloads with their annotations, which the parser has to keep, in the order of
  // their documents within a kind: pods first. Pods that have ended and all other objects are left
  // out. Errors name the pod.
  Result<void> add_objects(const ObjectSet& objects);
  // What of the annotations, Jobs and CronJobs has no effect here.
  const std::vector<IngestWarning>& warnings() const { return warnings_; }

  // From now on all that add return kState: a simulation borrows from the entries.
  void freeze() const { frozen_ = true; }

  // In the order in which they were added.
  const std::vector<Entry>& entries() const { return entries_; }
  uint64_t pod_count() const { return pods_; }  // without those of CronJobs
  bool makes(Str ns, Str name) const;           // whether some pod may have this name
  bool has_series(Str ns, Str name) const { return find(Naming::kSeries, ns, name) != kNoId; }
  bool has_cron() const { return has_cron_; }

  // Adds many entries, or none: a failed addition, and an addition that is not committed, is
  // undone.
  class Addition {
   public:
    explicit Addition(TimedWorkload* workload)
        : workload_(*workload),
          entries_(workload->entries_.size()),
          pods_(workload->pods_),
          warnings_(workload->warnings_.size()),
          has_cron_(workload->has_cron_) {}
    ~Addition();
    Addition(const Addition&) = delete;
    Addition& operator=(const Addition&) = delete;
    Result<void> add(Entry entry);
    Result<void> add_annotated(const PodRef& pod, uint64_t replicas);
    void commit() noexcept { committed_ = true; }

   private:
    TimedWorkload& workload_;
    size_t entries_;
    uint64_t pods_;
    size_t warnings_;
    bool has_cron_;
    bool committed_ = false;
  };

 private:
  enum class Naming : uint8_t { kPod, kSeries, kCron };
  static Naming naming(const Entry& e);
  static uint64_t hash_of(Naming naming, Str ns, Str name);
  uint32_t find(Naming naming, Str ns, Str name) const;
  void warn(const std::string& place, const std::string& message);
  std::optional<std::string> clash(const Entry& entry) const;

  Arena names_;
  std::vector<Entry> entries_;
  IdTable by_name_;
  std::vector<IngestWarning> warnings_;
  size_t series_ = 0;  // entries that are series
  uint64_t pods_ = 0;
  bool has_cron_ = false;
  mutable bool frozen_ = false;
};

}  // namespace libsched
