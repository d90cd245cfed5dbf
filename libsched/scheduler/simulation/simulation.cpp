// Simulation: its parts, and what happens in it.
#include "libsched/scheduler/simulation/simulation.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>

#include "libsched/base/later.hpp"
#include "libsched/objects/pod_claims.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/profiles.hpp"
#include "libsched/scheduler/simulation/observed_api.hpp"

namespace libsched {
namespace {

// The uids of the workload's pods: this and the pod's number.
constexpr Str kUidPrefix = "simulated-";
constexpr size_t kActionsPerCheck = 1024;
constexpr uint64_t kFewFailures = 16;

std::optional<uint32_t> number_of(Str uid) {
  if (!uid.starts_with(kUidPrefix)) return {};
  uid.remove_prefix(kUidPrefix.size());
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(uid.data(), uid.data() + uid.size(), number);
  return error == std::errc() && end == uid.data() + uid.size() ? std::optional(number)
                                                                : std::optional<uint32_t>();
}

std::string reason_of(const Pod& pod, const Failure& failure) {
  std::string out;
  const auto add = [&](const std::set<std::string>& plugins) {
    for (const std::string& p : plugins) out += (out.empty() ? "" : ", ") + p;
  };
  add(failure.unschedulable_plugins);
  if (out.empty()) add(failure.pending_plugins);
  if (!out.empty()) return out;
  if (!failure.status.rejected()) return "error";
  if (!failure.status.plugin.empty()) return std::string(failure.status.plugin);
  // Without a plugin, a pod of a group was refused because others of the group fit nowhere.
  return pod.spec.scheduling_group.empty() ? "no nodes" : "its group";
}

}  // namespace

// The source of events at which pods arrive.
class Simulation::Arriving final : public TimeSource {
 public:
  explicit Arriving(Simulation* simulation) : s_(*simulation) {}
  std::optional<int64_t> next_due() const override {
    const std::optional<int64_t> due = s_.arrivals_.next_due();
    return due ? std::optional(later_ns(s_.origin_ns_, *due)) : due;
  }
  bool run_due(int64_t now_ns) override {
    const std::optional<int64_t> due = next_due();
    if (!due || *due > now_ns) return false;
    s_.arrive();
    return true;
  }

 private:
  Simulation& s_;
};

// Pods have run for their duration: the work of a controller.
class Simulation::Ending final : public TimeSource {
 public:
  explicit Ending(Simulation* simulation) : s_(*simulation) {}
  std::optional<int64_t> next_due() const override {
    return s_.ends_.empty() ? std::optional<int64_t>() : s_.origin_ns_ + s_.ends_.front().at_ns;
  }
  bool run_due(int64_t now_ns) override {
    if (s_.ends_.empty() || s_.origin_ns_ + s_.ends_.front().at_ns > now_ns) return false;
    s_.finish();
    return true;
  }

 private:
  Simulation& s_;
};

class Simulation::Observer final : public SchedulerObserver {
 public:
  explicit Observer(Simulation* simulation) : s_(*simulation) {}
  void failed(const QueuedPodInfo& info, Str, const Failure& failure) override {
    s_.failed(*info.pod, failure);
  }

 private:
  Simulation& s_;
};

ApiServerOptions Simulation::server_options() {
  ApiServerOptions out;
  out.release_claims = true;
  if (options_.volumes)
    out.volumes = VolumeOptions{options_.provision_ns,
                                [this](const VolumeAction& action) {
                                  recorder_.volume(action, now_ns());
                                  changed_ns_ = now_ns();
                                },
                                options_.claims_from_templates};
  return out;
}

Simulation::Simulation(Ref<const TimedWorkload> workload, const SimulationOptions& options)
    : workload_(std::move(workload)),
      options_(options),
      clock_(make_ref<VirtualClock>()),
      origin_ns_(clock_->now_ns()),
      server_(make_ref<ApiServer>(clock_, server_options())),
      arrivals_(*workload_, options.start_ns),
      recorder_(arrivals_),
      arriving_(std::make_unique<Arriving>(this)),
      ending_(std::make_unique<Ending>(this)) {}

Simulation::~Simulation() {
  if (scheduler_) server_->unwatch(scheduler_.get());
}

Result<Ref<Simulation>> Simulation::create(const std::vector<FrameworkRef>& profiles,
                                           const View& cluster, Ref<const TimedWorkload> workload,
                                           const SimulationOptions& options) {
  if (options.sample_interval_ns < 0)
    return invalid({}, "the time between two samples is negative");
  if (options.provision_ns < 0) return invalid({}, "the time to make a volume is negative");
  if (options.provision_ns != 0 && !options.volumes)
    return invalid({}, "a time to make a volume needs a controller that makes volumes");
  constexpr int64_t kLastStart = int64_t{5'680'281'600} * kSecondNs;  // 2150
  if (options.start_ns < 0 || options.start_ns >= kLastStart)
    return invalid("start", "must be from 1970 to 2149");
  auto made = Ref<Simulation>::adopt(new Simulation(std::move(workload), options));
  LIBSCHED_TRY(made->build(profiles, cluster));
  made->workload_->freeze();
  return made;
}

Result<void> Simulation::build(const std::vector<FrameworkRef>& profiles, const View& cluster) {
  LIBSCHED_TRY(load(cluster));
  SchedulerOptions how;
  how.queue = options_.queue;
  how.sampling = options_.sampling;
  how.ties = options_.ties;
  how.seed = options_.seed;
  how.observer = std::make_shared<Observer>(this);
  auto api = make_ref<ObservedApi>(
      server_, !options_.volumes, [this](const Pod& pod, Str node) { bound(pod, node); },
      [this](const Pod& victim, Str by) { preempted(victim, by); });
  Result<SchedulerRef> scheduler =
      Scheduler::create(profiles, make_ref<Cluster>(), clock_, std::move(api), how);
  if (!scheduler.ok()) return std::move(scheduler.error());
  scheduler_ = std::move(*scheduler);
  scheduler_->services()->preemption_seed = options_.seed;
  for (const Ref<Evaluator>& e : scheduler_->profiles()) profiles_.push_back(e.get());
  scheduler_->add(server_.get());
  scheduler_->add(ending_.get());
  scheduler_->add(arriving_.get());
  server_->watch(scheduler_.get());
  if (options_.resources)
    measure(profiles_[0]->framework().gates().enabled(Gate::kTaintTolerationComparisonOperators));
  return scheduler_->start();
}

// Copies the cluster's objects to the API server.
Result<void> Simulation::load(const View& cluster) {
  for (size_t k = 0; k < kStoredKinds; ++k) {
    const auto kind = static_cast<StoredKind>(k);
    Result<void> done;
    cluster.objects().for_each_object(kind, [&](const Object& o) {
      done = server_->create(kind, ObjectRef::share(&o));
      return !done.ok();
    });
    LIBSCHED_TRY(std::move(done));
  }
  for (uint32_t r = 0; r < cluster.row_count(); ++r)
    if (const NodeRef& node = cluster.row(r).node; node) LIBSCHED_TRY(server_->create(node));
  for (uint32_t r = 0; r < cluster.row_count(); ++r) {
    const View::Row& row = cluster.row(r);
    for (const uint32_t slot : row.pods) {
      PodRef pod = cluster.slot(slot).pod;
      const ObjectMeta& meta = pod->meta;
      if (workload_->makes(meta.ns, meta.name))
        return Error{Rc::kExists, "the cluster and the workload have a pod \"" +
                                      std::string(meta.ns) + "/" + std::string(meta.name) + "\""};
      if (pod->spec.node_name != row.name) pod = copy_pod(*pod, row.name);
      LIBSCHED_TRY(server_->create(pod));
    }
  }
  return {};
}

void Simulation::measure(bool comparison_operators) {
  std::vector<Fragmentation::Shape> shapes;
  for (const TimedWorkload::Entry& e : workload_->entries()) shapes.push_back({e.pod, e.count});
  fragmentation_.emplace(shapes, comparison_operators);
}

// --- what happens ---

void Simulation::arrive() {
  const std::optional<Arrivals::Arrival> arrival = arrivals_.pop();
  for (const uint32_t run : arrivals_.take_replaced()) end_run(run);
  if (!arrival) return;
  const Pod& shape = *arrivals_.entry(arrival->source).pod;
  const uint32_t number = recorder_.arrived(*arrival);
  if (arrivals_.replaceable(arrival->source)) pods_of_[arrival->source].push_back(number);
  changed_ns_ = now_ns();
  const bool placed = !shape.spec.node_name.empty();
  if (!placed && profile_of(profiles_, shape, {}) == nullptr) {
    recorder_.ignored(number);
    ++ignored_[std::string(shape.spec.scheduler_name)];
    return;
  }
  const Ref<Pod> pod = arrivals_.make_pod(arrival->source, arrival->index,
                                          std::string(kUidPrefix) + std::to_string(number));
  pod->status.start_time = {clock_->now_ns(), true};  // preemption prefers younger victims
  PodRef made = pod;
  if (options_.claims_from_templates && has_made_claims(*pod)) made = with_claims(made, shape);
  // No other pod has this name: load() and the workload have seen to it.
  static_cast<void>(server_->create(made));
  if (placed) start(number, shape.spec.node_name);
}

// What the controllers of claims do for a new pod; ResourceClaims that the cluster has for `shape`
// are its own. Without a template the pod stays as it is, and the scheduler says that its claim is
// not there.
PodRef Simulation::with_claims(const PodRef& pod, const Pod& shape) {
  std::vector<Str> settled;
  for (const ResourceClaimStatus& s : shape.status.resource_claims) {
    const ObjectRef there =
        server_->object(StoredKind::kResourceClaim, shape.meta.ns, s.claim_name);
    if (!there || shape.meta.name != pod->meta.name) continue;
    const auto& claim = static_cast<const ResourceClaim&>(*there);
    if (!owns_claim(shape, claim)) continue;
    const ObjectRef owned(owned_claim(claim, *pod));
    if (!server_->update(StoredKind::kResourceClaim, owned).ok()) continue;
    settled.push_back(s.name);
  }
  Result<MissingClaims> missing =
      missing_claims(profiles_.front()->cluster()->view(), pod, settled);
  if (!missing.ok()) return pod;
  // A claim that the server has already, and the scheduler has not heard of yet, stays as it is.
  for (const Ref<PersistentVolumeClaim>& claim : missing->volumes)
    static_cast<void>(server_->create(StoredKind::kPersistentVolumeClaim, ObjectRef(claim)));
  for (const Ref<ResourceClaim>& claim : missing->devices)
    static_cast<void>(server_->create(StoredKind::kResourceClaim, ObjectRef(claim)));
  return std::move(missing->pod);
}

// The pod begins to run.
void Simulation::start(uint32_t number, Str node) {
  recorder_.bound(number, now_ns(), node);
  changed_ns_ = now_ns();
  const auto [source, index] = recorder_.source(number);
  const std::optional<int64_t> duration = arrivals_.entry(source).timing.duration_ns;
  // A pod whose end is later than any time that can be represented never ends.
  if (!duration || *duration > INT64_MAX - clock_->now_ns()) return;
  ends_.push_back({now_ns() + *duration, number});
  std::push_heap(ends_.begin(), ends_.end());
}

void Simulation::finish() {
  std::pop_heap(ends_.begin(), ends_.end());
  const uint32_t number = ends_.back().number;
  ends_.pop_back();
  if (recorder_.state(number) != PodState::kRunning) return;  // it was preempted before
  const auto [source, index] = recorder_.source(number);
  const Str ns = arrivals_.entry(source).pod->meta.ns;
  static_cast<void>(server_->finish_pod(ns, arrivals_.pod_name(source, index)));
  recorder_.finished(number, now_ns());
  arrivals_.ended(source, /*succeeded=*/true, now_ns());
  changed_ns_ = now_ns();
}

// A CronJob replaces the run: its pods are deleted.
void Simulation::end_run(uint32_t run) {
  const Str ns = arrivals_.entry(run).pod->meta.ns;
  for (const uint32_t number : pods_of_[run]) {
    const PodState state = recorder_.state(number);
    if (state > PodState::kRunning) continue;  // it has ended, or is ignored
    const uint64_t index = recorder_.source(number).second;
    static_cast<void>(server_->remove_pod(ns, arrivals_.pod_name(run, index)));
    recorder_.replaced(number, now_ns());
  }
  pods_of_.erase(run);
  changed_ns_ = now_ns();
}

void Simulation::bound(const Pod& pod, Str node) {
  if (const std::optional<uint32_t> number = number_of(pod.meta.uid)) start(*number, node);
}

void Simulation::preempted(const Pod& victim, Str by) {
  std::string preemptor(by);
  if (const std::optional<uint32_t> number = number_of(by)) {
    const auto [source, index] = recorder_.source(*number);
    preemptor =
        std::string(arrivals_.entry(source).pod->meta.ns) + "/" + arrivals_.pod_name(source, index);
  }
  const std::optional<uint32_t> ended = number_of(victim.meta.uid);
  recorder_.preempted(ended, victim.meta.ns, victim.meta.name, victim.spec.node_name, preemptor,
                      now_ns());
  if (ended) arrivals_.ended(recorder_.source(*ended).first, /*succeeded=*/false, now_ns());
  changed_ns_ = now_ns();
}

void Simulation::failed(const Pod& pod, const Failure& failure) {
  const std::optional<uint32_t> number = number_of(pod.meta.uid);
  if (!number) return;
  const PodState state = recorder_.state(*number);
  if (state != PodState::kWaiting && state != PodState::kPending) return;  // it was bound, or ended
  recorder_.rejected(*number, reason_of(pod, failure), failure.status.message());
  ++failures_;
}

// PreEnqueue holds pods back without a cycle.
void Simulation::note_gated() {
  const UnschedulablePods& waiting = scheduler_->queue().unschedulable_pods();
  if (waiting.gated() == 0) return;
  for (QueuedPodInfo* info = waiting.first(); info != nullptr; info = info->next) {
    if (!info->gated()) continue;
    info->any_pod([&](const QueuedPodInfo& pod) {
      const std::optional<uint32_t> number = number_of(pod.pod->meta.uid);
      if (number && recorder_.state(*number) == PodState::kWaiting)
        recorder_.gated(*number, "gated by " + info->names->name(info->gating));
      return false;
    });
  }
}

void Simulation::sample() {
  note_gated();
  if (fragmentation_) fragmentation_->update(view());
  recorder_.sample(now_ns(), fragmentation_ ? &*fragmentation_ : nullptr);
  sampled_ns_ = now_ns();
}

// --- running ---

bool Simulation::quiet() const {
  if (arriving_->next_due() || ending_->next_due() || server_->next_due()) return false;
  if (scheduler_->binding_count() != 0 || scheduler_->in_cycle()) return false;
  const SchedulingQueue& queue = scheduler_->queue();
  if (queue.active_count() != 0) return false;
  if (queue.backoff_count() == 0 && queue.error_backoff_count() == 0) return true;
  // Pods that fail with an error are tried for ever: long enough for each of them to be tried
  // again.
  constexpr int64_t kSlack = 60 * kSecondNs;
  return now_ns() - changed_ns_ >
         options_.queue.max_in_unschedulable_ns + options_.queue.max_backoff_ns + kSlack;
}

// When something happens next. A workload may be as long as years: the queue's timers count only
// where they have something to do.
std::optional<int64_t> Simulation::next_due() const {
  if (scheduler_->binding_count() != 0 || scheduler_->in_cycle()) return scheduler_->next_due();
  std::optional<int64_t> next = scheduler_->queue().next_flush();
  for (const TimeSource* source : {static_cast<const TimeSource*>(server_.get()),
                                   static_cast<const TimeSource*>(arriving_.get()),
                                   static_cast<const TimeSource*>(ending_.get())}) {
    const std::optional<int64_t> due = source->next_due();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

// A pod that comes back to the queue's back-off at once is tried without end, since a scheduler
// that has nothing else to do does not wait for the back-off: members of a pod group that finds no
// room. An action takes a microsecond of the virtual clock, far less than it takes in a cluster. So
// time passes once all that waits has been tried twice.
bool Simulation::tries_in_vain() const {
  const SchedulingQueue& queue = scheduler_->queue();
  return failures_ > kFewFailures + 2 * (queue.backoff_count() + queue.error_backoff_count()) &&
         queue.active_count() == 0;
}

SimulationProgress Simulation::progress_now() const {
  const Recorder& r = recorder_;
  return {now_ns(),
          r.arrived_count(),
          arrivals_.pod_count(),
          r.bound_count(),
          r.count(PodState::kFinished) + r.count(PodState::kPreempted),
          r.count(PodState::kPending) + r.count(PodState::kWaiting)};
}

Result<void> Simulation::run(std::optional<int64_t> until_ns, const Limits& limits,
                             const Progress& progress) {
  if (until_ns && *until_ns < 0) return invalid({}, "the time to run to is negative");
  if (!until_ns && workload_->has_cron())
    return invalid("until", "a CronJob starts Jobs without end: give the time at which to end");
  if (broken_) return Error{Rc::kState, "the simulation ran out of memory before"};
  Result<void> done;
  try {
    done = advance(until_ns ? std::optional(std::min(*until_ns, 2 * kLatestNs)) : until_ns, limits,
                   progress);
    sample();
  } catch (const std::bad_alloc&) {
    broken_ = true;
    throw;
  }
  broken_ = !done.ok() && done.error().rc == Rc::kNoMemory;
  return done;
}

Result<void> Simulation::advance(std::optional<int64_t> until_ns, const Limits& limits,
                                 const Progress& progress) {
  const Ref<Clock> deadline_clock = make_ref<SystemClock>();
  const LimitWatch watch(limits, *deadline_clock);
  for (size_t actions = 0;; ++actions) {
    if (actions % kActionsPerCheck == 0) {
      if (watch.exceeded()) return watch.error();
      if (actions != 0 && progress && !progress(progress_now()))
        return Error{Rc::kCancelled, "the simulation was ended"};
      if (fragmentation_) fragmentation_->update(view());  // while the log knows the changes
    }
    const Result<bool> acted = scheduler_->run_one(tries_in_vain());
    if (!acted.ok()) return acted.error();
    if (options_.sample_interval_ns == 0
            ? recorder_.sample_due()
            : sampled_ns_ < 0 || now_ns() - sampled_ns_ >= options_.sample_interval_ns)
      sample();
    if (changed_ns_ == now_ns()) failures_ = 0;
    if (*acted) continue;
    failures_ = 0;
    if (until_ns ? now_ns() >= *until_ns : quiet()) return {};
    const std::optional<int64_t> due = next_due();
    if (!due && !until_ns) return {};
    const int64_t end = until_ns ? later_ns(origin_ns_, *until_ns) : *due;
    clock_->advance_to(std::min(due.value_or(end), end));
    scheduler_->queue().skip_flushes(clock_->now_ns());
  }
}

}  // namespace libsched
