// See workload.hpp.
#include "libsched/scheduler/simulation/workload.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "libsched/base/near_name.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/config/duration.hpp"

namespace libsched {
namespace {

constexpr Str kOwnAnnotations = "libsched/";

std::string entry_key(const TimedWorkload::Entry& e) {
  return std::string(e.pod->meta.ns) + "/" + std::string(e.name);
}

// The name of a series that could have made this name, and the index in it.
std::optional<std::pair<Str, uint64_t>> as_replica(Str name) {
  const size_t dash = name.rfind('-');
  if (dash == Str::npos) return {};
  const Str digits = name.substr(dash + 1);
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  if (digits.size() > 1 && digits[0] == '0') return {};
  return std::pair(name.substr(0, dash), index);
}

Result<void> check_times(const TimedWorkload::Entry& e) {
  const auto check = [](int64_t ns, const char* what) -> Result<void> {
    if (ns < 0) return invalid({}, std::string(what) + " is negative");
    if (ns > kLatestNs) return invalid({}, std::string(what) + " is later than 50 years");
    return {};
  };
  LIBSCHED_TRY(check(e.timing.arrival_ns, "the arrival"));
  LIBSCHED_TRY(check(e.timing.duration_ns.value_or(0), "the duration"));
  LIBSCHED_TRY(check(e.timing.interval_ns, "the interval"));
  if (e.timing.interval_ns == 0 || e.at_once() < 2) return {};
  const auto room = static_cast<uint64_t>((kLatestNs - e.timing.arrival_ns) / e.timing.interval_ns);
  if (e.at_once() - 1 > room) return invalid({}, "the last arrival is later than 50 years");
  return {};
}

Result<int64_t> annotated(const ObjectMeta& meta, Str key, bool* present) {
  const Str* const text = find_annotation(meta, key);
  *present = text != nullptr;
  if (text == nullptr) return int64_t{0};
  const std::string path = "metadata.annotations[" + std::string(key) + "]";
  const Result<int64_t> ns = parse_duration(*text);
  if (!ns.ok()) return invalid(path, ns.error().message);
  if (*ns < 0) return invalid(path, "must not be negative");
  if (*ns > kLatestNs) return invalid(path, "must be at most 50 years");
  return *ns;
}

// The times of the pod's annotations. `series`: it may have an interval.
Result<Timing> annotated_timing(const Pod& pod, bool series) {
  const ObjectMeta& meta = pod.meta;
  Timing timing;
  bool present = false;
  const Result<int64_t> arrival = annotated(meta, kArrivalAnnotation, &present);
  if (!arrival.ok()) return arrival.error();
  timing.arrival_ns = *arrival;
  const Result<int64_t> duration = annotated(meta, kDurationAnnotation, &present);
  if (!duration.ok()) return duration.error();
  if (present) timing.duration_ns = *duration;
  const Result<int64_t> interval = annotated(meta, kIntervalAnnotation, &present);
  if (!interval.ok()) return interval.error();
  if (present && !series)
    return invalid("metadata.annotations[" + std::string(kIntervalAnnotation) + "]",
                   "a single pod has no interval");
  timing.interval_ns = *interval;
  return timing;
}

}  // namespace

TimedWorkload::Naming TimedWorkload::naming(const Entry& e) {
  return e.cron() ? Naming::kCron : e.series ? Naming::kSeries : Naming::kPod;
}

uint64_t TimedWorkload::hash_of(Naming naming, Str ns, Str name) {
  return object_key_hash(ns, name) ^ (static_cast<uint64_t>(naming) * 0x9e3779b97f4a7c15ULL);
}

uint32_t TimedWorkload::find(Naming naming, Str ns, Str name) const {
  return by_name_.find(hash_of(naming, ns, name), [&](uint32_t i) {
    const Entry& e = entries_[i];
    return TimedWorkload::naming(e) == naming && e.name == name && e.pod->meta.ns == ns;
  });
}

void TimedWorkload::warn(const std::string& place, const std::string& message) {
  warnings_.push_back({place, message});
}

// A Job gives the pods that it makes for others, which have been preempted, further indexes.
bool TimedWorkload::makes(Str ns, Str name) const {
  if (find(Naming::kPod, ns, name) != kNoId) return true;
  if (series_ == 0) return false;
  const auto replica = as_replica(name);
  if (!replica) return false;
  if (const auto run = as_replica(replica->first))
    if (find(Naming::kCron, ns, run->first) != kNoId) return true;
  const uint32_t s = find(Naming::kSeries, ns, replica->first);
  return s != kNoId && (entries_[s].job || replica->second < entries_[s].count);
}

// The key of a pod that the workload has and the entry would make again.
std::optional<std::string> TimedWorkload::clash(const Entry& entry) const {
  const Str ns = entry.pod->meta.ns;
  if (!entry.series)
    return makes(ns, entry.name) ? std::optional(entry_key(entry)) : std::optional<std::string>();
  if (find(naming(entry), ns, entry.name) != kNoId) return entry_key(entry);
  if (series_ == entries_.size()) return {};
  for (const Entry& e : entries_) {
    if (e.series || e.pod->meta.ns != ns) continue;
    const auto replica = as_replica(e.name);
    if (!replica) continue;
    const auto run = as_replica(replica->first);
    if (entry.cron() ? run && run->first == entry.name
                     : replica->first == entry.name && (entry.job || replica->second < entry.count))
      return entry_key(e);
  }
  return {};
}

TimedWorkload::Addition::~Addition() {
  if (committed_) return;
  for (size_t i = workload_.entries_.size(); i-- > entries_;) {
    const Entry& e = workload_.entries_[i];
    workload_.by_name_.erase(hash_of(naming(e), e.pod->meta.ns, e.name), static_cast<uint32_t>(i));
    workload_.series_ -= e.series ? 1 : 0;
    workload_.entries_.pop_back();
  }
  workload_.pods_ = pods_;
  workload_.has_cron_ = has_cron_;
  workload_.warnings_.erase(workload_.warnings_.begin() + static_cast<std::ptrdiff_t>(warnings_),
                            workload_.warnings_.end());
}

Result<void> TimedWorkload::Addition::add(Entry entry) {
  TimedWorkload& w = workload_;
  if (w.frozen_) return Error{Rc::kState, "a simulation has this workload"};
  LIBSCHED_TRY(check_times(entry));
  if (const std::optional<std::string> key = w.clash(entry))
    return Error{Rc::kExists, "the workload has a pod " + go_quote(*key) + " already"};
  constexpr uint64_t kMostPods = 1'000'000'000;
  if (w.entries_.size() >= kNoId || entry.count > kMostPods - w.pods_)
    return Error{Rc::kLimit, "a workload has at most 1000000000 pods"};
  entry.name = w.names_.copy(entry.name);
  const uint64_t hash = hash_of(naming(entry), entry.pod->meta.ns, entry.name);
  w.by_name_.reserve();
  w.entries_.push_back(std::move(entry));
  w.by_name_.insert_reserved(hash, static_cast<uint32_t>(w.entries_.size() - 1));
  w.series_ += w.entries_.back().series ? 1 : 0;
  w.pods_ += w.entries_.back().cron() ? 0 : w.entries_.back().count;
  w.has_cron_ |= w.entries_.back().cron();
  return {};
}

Result<void> TimedWorkload::add(const PodRef& pod, const Timing& timing) {
  Addition addition(this);
  LIBSCHED_TRY(addition.add({pod, pod->meta.name, 1, false, timing, nullptr}));
  addition.commit();
  return {};
}

Result<void> TimedWorkload::add_series(const PodRef& pod, uint64_t count, const Timing& timing) {
  Addition addition(this);
  LIBSCHED_TRY(addition.add({pod, pod->meta.name, count, true, timing, nullptr}));
  addition.commit();
  return {};
}

// Adds a pod or workload with its annotations. The caller adds the place in the document to errors.
Result<void> TimedWorkload::Addition::add_annotated(const PodRef& pod, uint64_t replicas) {
  const std::string place = (replicas != 0 ? "workload " : "pod ") + std::string(pod->meta.ns) +
                            "/" + std::string(pod->meta.name);
  const auto named = [&](Error error) {
    if (error.rc == Rc::kState) return error;  // about the workload
    error.path = error.path.empty() ? place : place + ": " + error.path;
    return error;
  };
  Result<Timing> timing = annotated_timing(*pod, replicas != 0);
  if (!timing.ok()) return named(std::move(timing.error()));
  for (const KeyValue& a : pod->meta.annotations) {
    if (!a.key.starts_with(kOwnAnnotations)) continue;
    NearName meant(a.key);
    bool known = false;
    for (const Str key : {kArrivalAnnotation, kDurationAnnotation, kIntervalAnnotation}) {
      known |= a.key == key;
      meant.offer(key);
    }
    if (!known)
      workload_.warn(place + ": metadata.annotations[" + std::string(a.key) + "]",
                     "unknown annotation" + meant.hint());
  }
  Entry entry{pod,           pod->meta.name, std::max<uint64_t>(replicas, 1),
              replicas != 0, *timing,        nullptr};
  if (const JobRules* const rules = replicas == 0 ? nullptr : job_rules(*pod)) {
    for (const Str path : rules->others)
      workload_.warn(place + ": " + std::string(path), "not imitated: it has no effect here");
    Result<JobControl> job = job_control(*rules, replicas);
    if (!job.ok()) return named(std::move(job.error()));
    if (rules->cron_suspend || rules->suspend) {
      const Str path =
          rules->cron_suspend || !rules->cron ? "spec.suspend" : "spec.jobTemplate.spec.suspend";
      workload_.warn(place + ": " + std::string(path), "it is suspended: it makes no pods");
      return {};
    }
    if (rules->completions)
      entry.count = std::max(entry.count, static_cast<uint64_t>(std::max(*rules->completions, 0)));
    entry.job = std::make_shared<const JobControl>(std::move(*job));
  }
  Result<void> added = add(std::move(entry));
  if (!added.ok()) return named(std::move(added.error()));
  return {};
}

Result<void> TimedWorkload::add_annotated(const PodRef& pod, uint64_t replicas) {
  Addition addition(this);
  LIBSCHED_TRY(addition.add_annotated(pod, replicas));
  addition.commit();
  return {};
}

Result<void> TimedWorkload::add_objects(const ObjectSet& objects) {
  Addition addition(this);
  for (const PodRef& pod : objects.pods)
    if (!pod->terminated()) LIBSCHED_TRY(addition.add_annotated(pod, 0));
  for (const WorkloadRef& w : objects.workloads)
    if (w->replicas > 0)
      LIBSCHED_TRY(addition.add_annotated(w->pod, static_cast<uint64_t>(w->replicas)));
  addition.commit();
  return {};
}

}  // namespace libsched
