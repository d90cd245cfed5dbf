// See workload.hpp.
#include "libsched/scheduler/simulation/workload.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/config/duration.hpp"

namespace libsched {
namespace {

uint64_t hash_of(bool series, Str ns, Str name) {
  return object_key_hash(ns, name) ^ (series ? 0x9e3779b97f4a7c15ULL : 0);
}

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
  if (e.timing.interval_ns == 0 || e.count < 2) return {};
  const auto room = static_cast<uint64_t>((kLatestNs - e.timing.arrival_ns) / e.timing.interval_ns);
  if (e.count - 1 > room) return invalid({}, "the last arrival is later than 50 years");
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

}  // namespace

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

uint32_t TimedWorkload::find(bool series, Str ns, Str name) const {
  return by_name_.find(hash_of(series, ns, name), [&](uint32_t i) {
    const Entry& e = entries_[i];
    return e.series == series && e.name == name && e.pod->meta.ns == ns;
  });
}

bool TimedWorkload::makes(Str ns, Str name) const {
  if (find(false, ns, name) != kNoId) return true;
  if (series_ == 0) return false;
  const auto replica = as_replica(name);
  if (!replica) return false;
  const uint32_t s = find(true, ns, replica->first);
  return s != kNoId && replica->second < entries_[s].count;
}

// The key of a pod that the workload has and the entry would make again.
std::optional<std::string> TimedWorkload::clash(const Entry& entry) const {
  const Str ns = entry.pod->meta.ns;
  if (!entry.series)
    return makes(ns, entry.name) ? std::optional(entry_key(entry)) : std::optional<std::string>();
  if (find(true, ns, entry.name) != kNoId) return entry_key(entry);
  if (series_ == entries_.size()) return {};
  for (const Entry& e : entries_) {
    if (e.series || e.pod->meta.ns != ns) continue;
    const auto replica = as_replica(e.name);
    if (replica && replica->first == entry.name && replica->second < entry.count)
      return entry_key(e);
  }
  return {};
}

TimedWorkload::Addition::~Addition() {
  if (committed_) return;
  for (size_t i = workload_.entries_.size(); i-- > entries_;) {
    const Entry& e = workload_.entries_[i];
    workload_.by_name_.erase(hash_of(e.series, e.pod->meta.ns, e.name), static_cast<uint32_t>(i));
    workload_.series_ -= e.series ? 1 : 0;
    workload_.entries_.pop_back();
  }
  workload_.pods_ = pods_;
}

Result<void> TimedWorkload::Addition::add(Entry entry) {
  TimedWorkload& w = workload_;
  if (w.frozen_) return Error{Rc::kState, "a simulation has this workload", {}, {}};
  LIBSCHED_TRY(check_times(entry));
  if (const std::optional<std::string> key = w.clash(entry))
    return Error{Rc::kExists, "the workload has a pod " + go_quote(*key) + " already", {}, {}};
  constexpr uint64_t kMostPods = 1'000'000'000;
  if (w.entries_.size() >= kNoId || entry.count > kMostPods - w.pods_)
    return Error{Rc::kLimit, "a workload has at most 1000000000 pods", {}, {}};
  entry.name = w.names_.copy(entry.name);
  const uint64_t hash = hash_of(entry.series, entry.pod->meta.ns, entry.name);
  w.by_name_.reserve();
  w.entries_.push_back(std::move(entry));
  w.by_name_.insert_reserved(hash, static_cast<uint32_t>(w.entries_.size() - 1));
  w.series_ += w.entries_.back().series ? 1 : 0;
  w.pods_ += w.entries_.back().count;
  return {};
}

Result<void> TimedWorkload::add(const PodRef& pod, const Timing& timing) {
  Addition addition(this);
  LIBSCHED_TRY(addition.add({pod, pod->meta.name, 1, false, timing}));
  addition.commit();
  return {};
}

Result<void> TimedWorkload::add_series(const PodRef& pod, uint64_t count, const Timing& timing) {
  Addition addition(this);
  LIBSCHED_TRY(addition.add({pod, pod->meta.name, count, true, timing}));
  addition.commit();
  return {};
}

Result<void> TimedWorkload::add_objects(const ObjectSet& objects) {
  Addition addition(this);
  const auto add = [&](const PodRef& pod, const char* kind, uint64_t count,
                       bool series) -> Result<void> {
    Result<Timing> timing = annotated_timing(*pod, series);
    Error error;
    if (timing.ok()) {
      Result<void> added = addition.add({pod, pod->meta.name, count, series, *timing});
      if (added.ok()) return {};
      error = std::move(added.error());
    } else {
      error = std::move(timing.error());
    }
    const std::string place =
        std::string(kind) + " " + std::string(pod->meta.ns) + "/" + std::string(pod->meta.name);
    error.path = error.path.empty() ? place : place + ": " + error.path;
    return error;
  };
  for (const PodRef& pod : objects.pods)
    if (!pod->terminated()) LIBSCHED_TRY(add(pod, "pod", 1, false));
  for (const WorkloadRef& w : objects.workloads)
    if (w->replicas > 0)
      LIBSCHED_TRY(add(w->pod, "workload", static_cast<uint64_t>(w->replicas), true));
  addition.commit();
  return {};
}

std::string TimedWorkload::pod_name(uint32_t entry, uint64_t index) const {
  const Entry& e = entries_[entry];
  return e.series ? std::string(e.name) + "-" + std::to_string(index) : std::string(e.name);
}

Ref<Pod> TimedWorkload::make_pod(uint32_t entry, uint64_t index, Str uid) const {
  const Pod& pod = *entries_[entry].pod;
  return copy_pod(pod, pod_name(entry, index), pod.meta.ns, uid, pod.spec.node_name);
}

namespace {

// The order of a heap whose first element is the least.
bool later(const Arrivals::Arrival& a, const Arrivals::Arrival& b) {
  return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.entry > b.entry;
}

}  // namespace

Arrivals::Arrivals(const TimedWorkload& workload)
    : workload_(workload), order_(workload.entries().size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return workload.entries()[a].timing.arrival_ns < workload.entries()[b].timing.arrival_ns;
  });
}

std::optional<int64_t> Arrivals::next_due() const {
  std::optional<int64_t> due;
  if (at_ < order_.size()) due = workload_.entries()[order_[at_]].timing.arrival_ns;
  if (!running_.empty() && (!due || running_.front().at_ns < *due)) due = running_.front().at_ns;
  return due;
}

Arrivals::Arrival Arrivals::pop() {
  Arrival next;
  if (at_ < order_.size()) {
    next.entry = order_[at_];
    next.at_ns = workload_.entries()[next.entry].timing.arrival_ns;
  }
  const bool runs = !running_.empty() && (at_ == order_.size() || later(next, running_.front()));
  if (runs) {
    std::pop_heap(running_.begin(), running_.end(), later);
    next = running_.back();
    running_.pop_back();
  } else {
    ++at_;
  }
  const TimedWorkload::Entry& e = workload_.entries()[next.entry];
  if (next.index + 1 < e.count) {
    running_.push_back({next.at_ns + e.timing.interval_ns, next.entry, next.index + 1});
    std::push_heap(running_.begin(), running_.end(), later);
  }
  return next;
}

}  // namespace libsched
