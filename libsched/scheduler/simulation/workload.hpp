// TimedWorkload: pods that arrive over time, and for how long each runs.
//
// Times are nanoseconds since the simulation's beginning. A pod is made when its turn comes: the
// workload keeps templates, names and times only, so that a million pods take little memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/base/result.hpp"
#include "libsched/objects/object_set.hpp"

namespace libsched {

// Annotations of pods and of the pod templates of workloads: Go durations such as "90s" or "1h30m".
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

// The times of the pod's annotations. `series`: it may have an interval. Errors: kInvalid.
Result<Timing> annotated_timing(const Pod& pod, bool series);

class TimedWorkload final : public RefCounted {
 public:
  struct Entry {
    PodRef pod;  // all but its name
    Str name;    // of the pod; of a series, "-" and the index follow
    uint64_t count = 1;
    bool series = false;
    Timing timing;
  };

  // One pod with the name of `pod`. Errors, as of all that add: kExists (a pod of this name),
  // kInvalid (a time that is negative or too late), kLimit, kState (frozen); nothing is added then.
  Result<void> add(const PodRef& pod, const Timing& timing);
  // `count` replicas named as a StatefulSet's: "NAME-0", "NAME-1", ...
  Result<void> add_series(const PodRef& pod, uint64_t count, const Timing& timing);
  // All pods and workloads with their annotations, which the parser has to keep, in the order of
  // their documents within a kind: pods first. Pods that have ended and all other objects are left
  // out. Errors name the pod.
  Result<void> add_objects(const ObjectSet& objects);

  // From now on all that add return kState: a simulation borrows from the entries.
  void freeze() const { frozen_ = true; }

  // In the order in which they were added.
  const std::vector<Entry>& entries() const { return entries_; }
  uint64_t pod_count() const { return pods_; }
  // Makes pod `index` of an entry.
  Ref<Pod> make_pod(uint32_t entry, uint64_t index, Str uid) const;
  bool makes(Str ns, Str name) const;  // whether some pod has this name
  std::string pod_name(uint32_t entry, uint64_t index) const;

  // Adds many entries, or none: a failed addition, and an addition that is not committed, is undone.
  class Addition {
   public:
    explicit Addition(TimedWorkload* workload)
        : workload_(*workload), entries_(workload->entries_.size()), pods_(workload->pods_) {}
    ~Addition();
    Addition(const Addition&) = delete;
    Addition& operator=(const Addition&) = delete;
    Result<void> add(Entry entry);
    void commit() noexcept { committed_ = true; }

   private:
    TimedWorkload& workload_;
    size_t entries_;
    uint64_t pods_;
    bool committed_ = false;
  };

 private:
  uint32_t find(bool series, Str ns, Str name) const;
  std::optional<std::string> clash(const Entry& entry) const;

  Arena names_;
  std::vector<Entry> entries_;
  IdTable by_name_;
  size_t series_ = 0;  // entries that are series
  uint64_t pods_ = 0;
  mutable bool frozen_ = false;
};

// The pods of a workload in the order in which they arrive; of one time in the order of the entries.
class Arrivals {
 public:
  struct Arrival {
    int64_t at_ns = 0;
    uint32_t entry = 0;
    uint64_t index = 0;  // of the replica
  };

  explicit Arrivals(const TimedWorkload& workload);

  std::optional<int64_t> next_due() const;
  Arrival pop();  // next_due() must have a value

 private:
  const TimedWorkload& workload_;
  std::vector<uint32_t> order_;  // the entries by arrival
  size_t at_ = 0;                // those before have begun
  std::vector<Arrival> running_;  // a heap: the next arrival of each series that has begun
};

}  // namespace libsched
