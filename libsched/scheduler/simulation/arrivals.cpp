// See arrivals.hpp.
#include "libsched/scheduler/simulation/arrivals.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "libsched/scheduler/queue/backoff.hpp"

namespace libsched {
namespace {

constexpr uint64_t kDue = UINT64_MAX;  // instead of an index: a CronJob is due

// The order of a heap whose first element is the least.
bool later(const Arrivals::Arrival& a, const Arrivals::Arrival& b) {
  if (a.at_ns != b.at_ns) return a.at_ns > b.at_ns;
  return a.source != b.source ? a.source > b.source : a.index > b.index;
}

}  // namespace

Arrivals::Arrivals(const TimedWorkload& workload, int64_t start_ns)
    : workload_(workload),
      start_ns_(start_ns),
      order_(workload.entries().size()),
      total_(workload.pod_count()) {
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return workload.entries()[a].timing.arrival_ns < workload.entries()[b].timing.arrival_ns;
  });
}

const TimedWorkload::Entry& Arrivals::entry(uint32_t source) const {
  const auto& entries = workload_.entries();
  return entries[source < entries.size() ? source : runs_[source - entries.size()].entry];
}

// A run is a Job, which is named after the minute for which it was scheduled.
std::string Arrivals::source_name(uint32_t source) const {
  const size_t entries = workload_.entries().size();
  std::string name(entry(source).name);
  return source < entries ? name : name + "-" + std::to_string(runs_[source - entries].minute);
}

std::string Arrivals::pod_name(uint32_t source, uint64_t index) const {
  return entry(source).series ? source_name(source) + "-" + std::to_string(index)
                              : source_name(source);
}

Ref<Pod> Arrivals::make_pod(uint32_t source, uint64_t index, Str uid) const {
  const Pod& pod = *entry(source).pod;
  return copy_pod(pod, pod_name(source, index), pod.meta.ns, uid, pod.spec.node_name);
}

bool Arrivals::replaceable(uint32_t source) const {
  return source >= workload_.entries().size() &&
         entry(source).job->overlap == JobControl::Overlap::kReplace;
}

std::optional<int64_t> Arrivals::next_due() const {
  std::optional<int64_t> due;
  if (at_ < order_.size()) due = workload_.entries()[order_[at_]].timing.arrival_ns;
  if (!pending_.empty() && (!due || pending_.front().at_ns < *due)) due = pending_.front().at_ns;
  return due;
}

void Arrivals::push(const Arrival& arrival) {
  pending_.push_back(arrival);
  std::push_heap(pending_.begin(), pending_.end(), later);
}

// `begins`: an entry does.
Arrivals::Arrival Arrivals::take_next(bool* begins) {
  Arrival next;
  if (at_ < order_.size()) {
    next.source = order_[at_];
    next.at_ns = workload_.entries()[next.source].timing.arrival_ns;
  }
  *begins = pending_.empty() || (at_ < order_.size() && !later(next, pending_.front()));
  if (*begins) {
    ++at_;
    return next;
  }
  std::pop_heap(pending_.begin(), pending_.end(), later);
  next = pending_.back();
  pending_.pop_back();
  return next;
}

std::optional<Arrivals::Arrival> Arrivals::pop() {
  bool begins = false;
  const Arrival next = take_next(&begins);
  const TimedWorkload::Entry& e = entry(next.source);
  if (begins && e.cron()) {
    plan(next.source, (start_ns_ + next.at_ns) / kSecondNs);
    return {};
  }
  if (next.index == kDue) {
    due(next);
    return {};
  }
  if (e.job) {
    if (begins) jobs_[next.source] = begin(e);
    const auto job = jobs_.find(next.source);
    if (job == jobs_.end()) return {};
    ++job->second.arrived;
  }
  if (next.index + 1 < e.at_once())
    push({next.at_ns + e.timing.interval_ns, next.source, next.index + 1});
  return next;
}

// A Job runs so many pods at a time until enough have succeeded; without a number of completions,
// it makes no more once one has.
void Arrivals::ended(uint32_t source, bool succeeded, int64_t now_ns) {
  const auto found = jobs_.find(source);
  if (found == jobs_.end()) return;
  const TimedWorkload::Entry& e = entry(source);
  Job& job = found->second;
  --job.active;
  job.succeeded += succeeded ? 1 : 0;
  uint64_t wanted = e.job->parallelism;
  if (e.job->completions) {
    wanted = std::min(wanted, e.count - std::min(e.count, job.succeeded));
  } else if (job.succeeded != 0) {
    wanted = job.active;
  }
  for (; job.active < wanted; ++job.active) {
    push({now_ns, source, job.made++});
    if (job.made > e.count) ++total_;
  }
  if (job.active != 0) return;
  jobs_.erase(found);
  if (source >= workload_.entries().size()) run_ended(source, now_ns);
}

// --- CronJobs ---

// Looks for the next time after this one.
void Arrivals::plan(uint32_t entry, int64_t after_s) {
  const std::optional<int64_t> next = workload_.entries()[entry].job->schedule->next(after_s);
  if (next && *next <= INT64_MAX / kSecondNs) push({*next * kSecondNs - start_ns_, entry, kDue});
}

void Arrivals::due(const Arrival& at) {
  const int64_t scheduled_s = (start_ns_ + at.at_ns) / kSecondNs;
  plan(at.source, scheduled_s);
  Cron& cron = crons_[at.source];
  const TimedWorkload::Entry& e = workload_.entries()[at.source];
  if (!cron.active.empty() && e.job->overlap == JobControl::Overlap::kForbid) {
    cron.missed_s = scheduled_s;
    return;
  }
  if (e.job->overlap == JobControl::Overlap::kReplace) {
    for (const uint32_t run : std::exchange(cron.active, {})) {
      const auto job = jobs_.find(run);
      total_ -= std::max(e.count, job->second.made) - job->second.arrived;
      jobs_.erase(job);
      replaced_.push_back(run);
    }
  }
  start_run(at.source, scheduled_s, at.at_ns);
}

// A Job of this name that is there already stays the only one.
void Arrivals::start_run(uint32_t entry, int64_t scheduled_s, int64_t now_ns) {
  const TimedWorkload::Entry& e = workload_.entries()[entry];
  Cron& cron = crons_[entry];
  const int64_t minute = scheduled_s / 60;
  const auto source = static_cast<uint32_t>(workload_.entries().size() + runs_.size());
  if (minute == cron.last_minute) return;
  cron.last_minute = minute;
  runs_.push_back({entry, minute});
  if (workload_.has_series(e.pod->meta.ns, source_name(source))) {
    runs_.pop_back();
    return;
  }
  cron.active.push_back(source);
  jobs_[source] = begin(e);
  total_ += e.count;
  push({now_ns, source, 0});
}

// A run that had to wait for this one starts now, unless it is too late for it.
void Arrivals::run_ended(uint32_t source, int64_t now_ns) {
  const uint32_t entry = runs_[source - workload_.entries().size()].entry;
  Cron& cron = crons_[entry];
  std::erase(cron.active, source);
  if (!cron.active.empty() || !cron.missed_s) return;
  const int64_t missed_s = *std::exchange(cron.missed_s, std::nullopt);
  const std::optional<int64_t> deadline_s = workload_.entries()[entry].job->starting_deadline_s;
  if (deadline_s && (start_ns_ + now_ns) / kSecondNs - missed_s > *deadline_s) return;
  start_run(entry, missed_s, now_ns);
}

}  // namespace libsched
