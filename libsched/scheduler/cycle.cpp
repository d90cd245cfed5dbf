// schedule_one: the order of upstream's schedulingCycle, and the handling of its failures.
#include "libsched/scheduler/cycle.hpp"

#include "libsched/cluster/transaction.hpp"
#include "libsched/scheduler/profiles.hpp"

namespace libsched {
namespace {

void renominate(Services& services, const Pod& pod);

class Cycle {
 public:
  Cycle(Evaluator& evaluator, const PodRef& pod, const SchedulingOptions& options)
      : evaluator_(evaluator), cluster_(*evaluator.cluster()), pod_(pod), options_(options) {}

  Result<Ref<Scheduling>> run() {
    out_->framework = FrameworkRef::share(&evaluator_.framework());
    out_->pod = pod_;
    out_->state = options_.state ? options_.state : make_ref<CycleState>();
    const bool member = options_.trial || !options_.node.empty();
    if (!member) {
      if (const std::optional<Attempt> skipped = skipped_attempt(evaluator_, pod_)) {
        out_->attempt = *skipped;
        return out_;
      }
    }
    Result<void> ran = options_.node.empty() ? select() : take_node(options_.node);
    if (ran.ok() && options_.trial && preempts()) ran = take_node(out_->failure->nomination->node);
    if (ran.ok() && row_ != kNoId) ran = assume();
    if (!ran.ok()) return std::move(ran.error());
    if (out_->failure && options_.handles_failure) handle_failure();
    return out_;
  }

 private:
  const View& view() const { return cluster_.view(); }

  bool preempts() const {
    return out_->failure && out_->failure->nomination && !out_->failure->nomination->node.empty();
  }
  Result<void> take_node(const std::string& node) {
    row_ = view().find_node(node);
    out_->node = node;
    return {};
  }

  void fail(Status status) {
    out_->failure.emplace();
    out_->failure->status = std::move(status);
  }

  // Whether this is a trial without PostFilter and Permit, which are for the group as a whole.
  bool alone() const {
    return options_.trial && evaluator_.framework().behaviours().groups_are_entities;
  }

  // Upstream's schedulingAlgorithm.
  Result<void> select() {
    CycleOptions how;
    how.sampling = options_.sampling;
    how.ties = options_.ties;
    how.seed = options_.seed;
    how.limits = options_.limits;
    how.node_by_node = options_.node_by_node;
    how.observer = options_.observer.get();
    how.fit_error = true;
    how.post_filter = !alone() && options_.post_filter;
    Result<CycleOutcome> chosen = evaluator_.run_cycle(*out_->state, *pod_, how);
    if (!chosen.ok()) return std::move(chosen.error());
    row_ = chosen->row;
    out_->feasible = chosen->feasible;
    out_->evaluated = chosen->evaluated;
    out_->total = chosen->total;
    if (row_ != kNoId) {
      out_->node = view().row(row_).name;
      return {};
    }
    Status& s = chosen->status;
    if (s.code == Code::kUnschedulableAndUnresolvable && view().node_count() == 0) {
      const std::string text = s.message();
      s = Status(s.code);
      s.set_error(text);
      fail(std::move(s));
    } else if (s.rejected()) {  // a FitError
      s.plugin.clear();
      fail(std::move(s));
      out_->failure->unschedulable_plugins = std::move(chosen->diagnosis.unschedulable_plugins);
      out_->failure->pending_plugins = std::move(chosen->diagnosis.pending_plugins);
      // Without PostFilter plugins the nomination is cleared.
      if (chosen->post_filter || alone()) out_->failure->nomination = std::move(chosen->nomination);
      if (!options_.post_filter && !alone()) tell_skipped_post_filter();
    } else {
      fail(Status::from_error(s.as_error().value_or("")));
    }
    return {};
  }

  // In a trial for preemption PostFilter takes no time and rejects the pod.
  void tell_skipped_post_filter() {
    if (!evaluator_.framework().at(ExtensionPoint::kPostFilter).empty())
      (void)at(CyclePoint::kPostFilter,
               []() -> Result<Status> { return Status(Code::kUnschedulable); });
  }

  void hear(const CycleEvent& event) {
    const Cluster::Judging judging(&cluster_);  // observers may not change it
    if (options_.observer) options_.observer->hear(event);
  }
  CycleEvent event_at(CyclePoint point) const {
    CycleEvent event;
    event.point = point;
    event.pod = pod_.get();
    event.state = out_->state.get();
    event.node = out_->node;
    return event;
  }
  // Calls f(), which returns a Result<Status>, between the observer's two notifications.
  template <typename F>
  Result<Status> at(CyclePoint point, F&& f) {
    CycleEvent event = event_at(point);
    hear(event);
    Result<Status> ran = f();
    if (!ran.ok()) return ran;
    event.ended = true;
    event.status = point == CyclePoint::kUnreserve ? nullptr : &*ran;
    event.waits = out_->waits;
    hear(event);
    return ran;
  }

  Result<Status> reserve_and_permit() {
    CycleState& state = *out_->state;
    Result<Status> said =
        at(CyclePoint::kReserve, [&] { return evaluator_.run_reserve(state, *pod_, out_->node); });
    if (!said.ok() || !said->success() || alone()) return said;
    assumed_ = view().slot(view().find_pod(pod_->meta.ns, pod_->meta.name)).pod;
    return at(CyclePoint::kPermit, [&] {
      const Cluster::Judging judging(&cluster_);
      return evaluator_.run_permit(state, *assumed_, out_->node, &out_->waits);
    });
  }

  Result<void> unreserve() {
    const Result<Status> ran = at(CyclePoint::kUnreserve, [&]() -> Result<Status> {
      LIBSCHED_TRY(evaluator_.run_unreserve(*out_->state, *pod_, out_->node));
      return Status();
    });
    return ran.ok() ? Result<void>() : ran.error();
  }

  // Upstream's prepareForBindingCycle.
  Result<void> assume() {
    if (!options_.keeps_data) out_->state->release_shared();
    Cluster::Transaction change(&cluster_);
    const PodRef otherwise = evaluator_.assumed_otherwise(*out_->state, *pod_, row_);
    if (const Result<void> done = cluster_.assume(otherwise ? *otherwise : *pod_, out_->node);
        !done.ok()) {
      const bool told = done.error().rc == Rc::kExists || done.error().rc == Rc::kLimit;
      if (!told) return done.error();
      fail(Status::from_error(done.error().message));
      return {};
    }
    Result<Status> said = Status();
    try {
      said = reserve_and_permit();
      if (said.ok() && (said->success() || said->code == Code::kWait)) {
        take(std::move(*said));
        change.commit();
        return {};
      }
    } catch (...) {  // out of memory; plugins that have reserved are notified if possible
      try {
        static_cast<void>(unreserve());
      } catch (...) {
      }
      throw;
    }
    LIBSCHED_TRY(unreserve());
    if (!said.ok()) return std::move(said.error());
    LIBSCHED_TRY(cluster_.forget(pod_->meta.ns, pod_->meta.name));
    change.commit();
    if (options_.trial) renominate(*services_, *pod_);
    if (said->rejected()) {
      out_->failure = Failure::of_node(*said);
    } else {
      fail(std::move(*said));
    }
    return {};
  }

  // Hands the pod to its binding cycle.
  void take(Status permit) {
    out_->attempt = Attempt::kAssumed;
    const bool waits = permit.code == Code::kWait;
    out_->permit = std::move(permit);
    if (options_.trial) return services_->nominator().remove(*pod_);
    AssumedPod a;
    a.framework = out_->framework;
    a.services = services_;
    a.state = out_->state;
    a.pod = assumed_;
    a.node = out_->node;
    a.row = row_;
    a.parallelism = evaluator_.parallelism();
    out_->binding = make_ref<Binding>(std::move(a), options_.writer, options_.observer);
    services_->activate(out_->state->take_activations());
    if (waits) services_->waiting_pods().add(assumed_, out_->waits, services_->clock_ref());
    services_->nominator().remove(*pod_);
  }

  // Upstream's handleSchedulingFailure, without the queue.
  void handle_failure() {
    services_->nominator().add(pod_, out_->failure->nomination);
    const Cluster::Judging judging(&cluster_);  // the API client may not change it
    report_failure(*pod_, pod_->status.nominated_node_name, *out_->failure, *services_).now();
  }

  Evaluator& evaluator_;
  Cluster& cluster_;
  const PodRef& pod_;
  const SchedulingOptions& options_;
  Ref<Services> services_ = Ref<Services>::share(&evaluator_.services());
  Ref<Scheduling> out_ = make_ref<Scheduling>();
  uint32_t row_ = kNoId;
  PodRef assumed_;
};

// A trial that is undone brings back the nomination that the API server knows, and no other.
void renominate(Services& services, const Pod& pod) {
  services.nominator().remove(pod);
  if (const Str node = pod.status.nominated_node_name; !node.empty())
    services.nominator().add(bare_pod(pod), Nomination{true, std::string(node)});
}

}  // namespace

PodRef bare_pod(const Pod& pod) {
  const Ref<Pod> out = make_ref<Pod>(256);
  out->meta.ns = out->arena.copy(pod.meta.ns);
  out->meta.name = out->arena.copy(pod.meta.name);
  out->meta.uid = out->arena.copy(pod.meta.uid);
  out->meta.key_hash = pod.meta.key_hash;
  derive_pod(*out);
  return out;
}

std::optional<Attempt> skipped_attempt(const Evaluator& evaluator, const PodRef& pod) {
  if (pod->meta.terminating()) {
    evaluator.services().api().event(*pod, "Warning", "FailedScheduling", "Scheduling",
                                     "skip schedule deleting pod: " + std::string(pod->meta.ns) +
                                         "/" + std::string(pod->meta.name));
    return Attempt::kSkippedDeleted;
  }
  const View& view = evaluator.cluster()->view();
  const uint32_t slot = view.find_pod(pod->meta.ns, pod->meta.name);
  if (slot == kNoId || !view.slot(slot).assumed || !same_pod(*view.slot(slot).pod, *pod))
    return std::nullopt;
  return Attempt::kSkippedAssumed;
}

Result<void> undo_trial(Evaluator& evaluator, Scheduling& trial, CycleObserver* observer) {
  const Pod& pod = *trial.pod;
  CycleEvent event;
  event.point = CyclePoint::kUnreserve;
  event.pod = &pod;
  event.state = trial.state.get();
  event.node = trial.node;
  const auto hear = [&](bool ended) {
    event.ended = ended;
    const Cluster::Judging judging(evaluator.cluster());  // observers may not change it
    if (observer != nullptr) observer->hear(event);
  };
  hear(false);
  LIBSCHED_TRY(evaluator.run_unreserve(*trial.state, pod, trial.node));
  hear(true);
  LIBSCHED_TRY(evaluator.cluster()->forget(pod.meta.ns, pod.meta.name));
  renominate(evaluator.services(), pod);
  return {};
}

Result<void> Scheduling::bind() {
  const Ref<Binding> once = std::exchange(binding, {});
  if (!once)
    return Error{Rc::kState,
                 "the pod has no binding cycle to run: it is not assumed, or was bound"};
  attempt = Attempt::kFailed;
  failure = once->run();
  if (!failure) attempt = Attempt::kBound;
  return {};
}

Result<Ref<Scheduling>> schedule_one(Span<Evaluator*> profiles, const PodRef& pod,
                                     const SchedulingOptions& options) {
  LIBSCHED_TRY(check_profiles(profiles));
  Evaluator* const evaluator = profile_of(profiles, *pod, options.other_profile);
  if (evaluator == nullptr) return Error{Rc::kNotFound, no_profile_error(*pod)};
  return schedule_with(*evaluator, pod, options);
}

Result<Ref<Scheduling>> schedule_with(Evaluator& evaluator, const PodRef& pod,
                                      const SchedulingOptions& options) {
  if (evaluator.cluster()->judged())
    return Error{Rc::kMisuse, "plugins are being asked about the cluster: no pod can be assumed"};
  return Cycle(evaluator, pod, options).run();
}

}  // namespace libsched
