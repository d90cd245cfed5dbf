// See place.hpp.
#include "libsched/scheduler/place.hpp"

#include <algorithm>

#include "libsched/base/key_cache.hpp"
#include "libsched/base/prefetch.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/profiles.hpp"

namespace libsched {
namespace {

// Whether the error ends the whole call: it is not about the pod.
bool ends(const Error& error) {
  switch (error.rc) {
    case Rc::kNoMemory:
    case Rc::kCancelled:
    case Rc::kDeadline:
    case Rc::kMisuse: return true;
    default: return false;
  }
}

bool failed(Outcome outcome) {
  return outcome == Outcome::kUnschedulable || outcome == Outcome::kGated ||
         outcome == Outcome::kRefused || outcome == Outcome::kError;
}

std::string words_of(const Status& status) {
  std::string text = status.message();
  return text.empty() ? code_name(status.code) : text;
}

}  // namespace

// Places one pod after the other.
class Placing::Placer {
 public:
  Placer(Span<Evaluator*> profiles, const PlaceOptions& options, const Placed& placed)
      : profiles_(profiles), options_(options), placed_(placed) {
    how_.sampling = options.sampling;
    how_.ties = options.ties;
    how_.seed = options.seed;
    how_.limits = options.limits;
    how_.fit_error = true;
    for (Evaluator* e : profiles_) e->restart_ties();
  }

  const View& view() const { return cluster().view(); }

  // Places a pod and reports it. `left`: it and the replicas that follow, of which no more are
  // tried if it is *stuck. Returns whether to go on.
  Result<bool> place(const PodRef& pod, size_t left, bool* stuck) {
    Placement done;
    LIBSCHED_TRY(place(pod, &done));
    *stuck = failed(done.outcome);
    if (*stuck) done.count = left;
    const Cluster::Judging judging(&cluster());  // the callback may not change it
    return placed_(done) && !(*stuck && options_.stop_at_failure);
  }

 private:
  // `out` is a new Placement.
  Result<void> place(const PodRef& pod, Placement* out) {
    out->pod = pod;
    const Result<bool> settled = settle(*pod, out);
    if (!settled.ok()) return settled.error();
    if (*settled) return {};
    Evaluator* const evaluator = profile_for(*pod);
    if (evaluator == nullptr) {
      out->outcome = Outcome::kError;
      out->text = no_profile_error(*pod);
      return {};
    }
    out->profile = &evaluator->framework();
    // The claims of a pod that is not placed go again, so that the cluster is as before.
    std::optional<Cluster::Transaction> claims;
    PodRef with_claims;
    if (options_.claims_from_templates && pod->class_id == 0 && has_made_claims(*pod)) {
      claims.emplace(&cluster());
      Result<PodRef> made = add_missing_claims(cluster(), pod);
      if (!made.ok()) return failed_by(made.error(), out);
      with_claims = std::move(*made);
    }
    const Result<void> ran = schedule(*evaluator, with_claims ? with_claims : pod, out);
    if (!ran.ok()) return failed_by(ran.error(), out);
    if (claims && out->outcome == Outcome::kPlaced) {
      claims->commit();
      out->pod = std::move(with_claims);
    }
    return {};
  }

  // The scheduler's name is a part of the class.
  Evaluator* profile_for(const Pod& pod) {
    if (pod.class_id == 0) return profile_of(profiles_, pod, options_.other_profile);
    if (Evaluator* const* const known = profile_of_class_.find(pod.class_id); known != nullptr)
      return *known;
    Evaluator* const found = profile_of(profiles_, pod, options_.other_profile);
    profile_of_class_.put(pod.class_id, found);
    return found;
  }

  Cluster& cluster() const { return *profiles_.front()->cluster(); }

  // Handles pods that the scheduler ignores: returns true and sets their outcome.
  Result<bool> settle(const Pod& pod, Placement* out) {
    if (pod.class_id == 0 && pod.terminated()) {
      out->outcome = Outcome::kEnded;
      out->text = "its phase is " + std::string(pod.status.phase);
      return true;
    }
    const View& v = cluster().view();
    if (const uint32_t slot = v.find_pod(pod.meta); slot != kNoId) {
      out->outcome = Outcome::kKept;
      out->node = v.row(v.slot(slot).row).name;
      out->text = "is in the cluster already";
      return true;
    }
    if (pod.class_id != 0 || pod.spec.node_name.empty()) return false;
    if (v.find_node(pod.spec.node_name) == kNoId) {  // it never runs, and no scheduler sees it
      out->outcome = Outcome::kUnschedulable;
      out->text = "its nodeName is " + std::string(pod.spec.node_name) + ", which is no node here";
      return true;
    }
    out->node = std::string(pod.spec.node_name);
    const Pod* pods[] = {&pod};
    if (const Result<void> added = cluster().add_pods(pods, nullptr, 1); !added.ok()) {
      if (ends(added.error())) return added.error();
      out->outcome = Outcome::kError;
      out->text = added.error().text();
      return true;
    }
    out->outcome = Outcome::kBound;
    out->text = "by its nodeName";
    return true;
  }

  // The error ends the call, or it is the pod's outcome.
  static Result<void> failed_by(const Error& error, Placement* out) {
    if (ends(error)) return error;
    out->outcome = Outcome::kError;
    out->text = error.text();
    out->plugin = error.plugin;
    return {};
  }

  // PreEnqueue, a scheduling cycle, assume and Reserve.
  Result<void> schedule(Evaluator& evaluator, const PodRef& pod, Placement* out) {
    LIBSCHED_TRY(evaluator.may_ask());
    if (cluster().judged())
      return Error{Rc::kMisuse, "plugins are being asked about the cluster: no pod can be assumed"};
    if (const Status gate = evaluator.run_pre_enqueue(*pod); !gate.success())
      return rejected(Outcome::kGated, gate, out);
    if (options_.sampling) evaluator.set_next_start(next_start_);
    // Mostly the state only lends what is prepared for the class.
    if (!state_ || !state_->unique() || !state_->may_adopt()) state_ = make_ref<CycleState>();
    CycleOutcome chosen;
    LIBSCHED_TRY(evaluator.run_cycle(*state_, *pod, how_, &chosen));
    next_start_ = evaluator.next_start();
    out->feasible = chosen.feasible;
    if (chosen.row == kNoId) {
      const bool no = chosen.status.rejected();
      return rejected(no ? Outcome::kUnschedulable : Outcome::kError, chosen.status, out);
    }
    const Result<Status> reserved = evaluator.assume(*state_, *pod, chosen.row);
    if (!reserved.ok()) return reserved.error();
    if (!reserved->success()) return rejected(Outcome::kRefused, *reserved, out);
    out->node = cluster().view().row(chosen.row).name;
    if (chosen.feasible > 1) out->score = chosen.total;
    return {};
  }

  static Result<void> rejected(Outcome outcome, const Status& status, Placement* out) {
    out->outcome = outcome;
    out->text = words_of(status);
    out->plugin = status.plugin;
    return {};
  }

  Span<Evaluator*> profiles_;
  const PlaceOptions& options_;
  const Placed& placed_;
  KeyCache<Evaluator*> profile_of_class_;  // by the numbers of classes
  CycleOptions how_;
  Ref<CycleState> state_;  // of the latest pod
  size_t next_start_ = 0;  // upstream shares it between all profiles
};

namespace {

// Parsed pods lie scattered over memory: these bring one into the cache, the first some pods before
// its turn, and the second later. Of a pod whose class has a number little is read.
void fetch_pod(const Pod& pod) {
  prefetch(&pod);
  prefetch(&pod.meta.key_hash);
  prefetch(&pod.class_id);
  prefetch(&pod.occupied);
  prefetch(&pod.occupied_nonzero);
}
void fetch_parts(const View& view, const Pod& pod) {
  view.fetch_pod_key(pod.meta.key_hash);
  if (pod.class_id != 0) {
    if (pod.plain) return;
    prefetch(&pod.spec.pod_affinity);
    prefetch(&pod.spec.pod_anti_affinity);
    prefetch(&pod.spec.tolerations);
    prefetch(&pod.spec.scheduling_group);
    prefetch(&pod.host_ports);
    prefetch(&pod.driver_volumes);
    return;
  }
  const char* const end = reinterpret_cast<const char*>(&pod + 1);
  for (const char* p = reinterpret_cast<const char*>(&pod.spec); p < end; p += 64) prefetch(p);
  prefetch(&pod.meta.ns);
  prefetch(pod.spec.scheduler_name.data());
  prefetch(pod.meta.name.data());
  prefetch(pod.meta.labels.data());
  prefetch(pod.spec.containers.data());
  prefetch(pod.spec.tolerations.data());
  if (pod.spec.containers.empty()) return;
  prefetch(pod.spec.containers.data() + 1);
  if (!pod.meta.labels.empty()) prefetch(pod.meta.labels[0].value.data());
}

Result<PodRef> replica_of(const PlaceRequest& request, size_t index) {
  if (request.replica) return request.replica(index);
  const Pod& p = *request.pod;
  const std::string name = std::string(p.meta.name) + "-" + std::to_string(index);
  return PodRef(copy_pod(p, name, p.meta.ns, {}, p.spec.node_name));
}

}  // namespace

Placing::Placing(std::unique_ptr<Placer> placer) : placer_(std::move(placer)) {}
Placing::Placing(Placing&&) noexcept = default;
Placing::~Placing() = default;

Result<Placing> Placing::begin(Span<Evaluator*> profiles, const PlaceOptions& options,
                               const Placed& placed) {
  LIBSCHED_TRY(check_profiles(profiles));
  return Placing(std::make_unique<Placer>(profiles, options, placed));
}

Result<bool> Placing::place(Span<PlaceRequest> requests) {
  const View& view = placer_->view();
  constexpr size_t kAhead = 8, kPartsAhead = 4;
  for (const PlaceRequest& request : requests) {
    const auto at = static_cast<size_t>(&request - requests.data());
    const size_t left = requests.size() - at;
    if (left > kAhead && (&request)[kAhead].pod) fetch_pod(*(&request)[kAhead].pod);
    if (left > kPartsAhead && (&request)[kPartsAhead].pod)
      fetch_parts(view, *(&request)[kPartsAhead].pod);
    const bool alone = request.replicas == 1 && !request.replica;
    bool stuck = false;
    for (size_t i = 0; i < request.replicas && !stuck; ++i) {
      PodRef replica;
      if (!alone) {
        Result<PodRef> made = replica_of(request, i);
        if (!made.ok()) return std::move(made.error());
        replica = std::move(*made);
      }
      const Result<bool> more =
          placer_->place(alone ? request.pod : replica, request.replicas - i, &stuck);
      if (!more.ok() || !*more) return more;
    }
  }
  return true;
}

Result<void> place(Span<Evaluator*> profiles, Span<PlaceRequest> requests,
                   const PlaceOptions& options, const Placed& placed) {
  Result<Placing> placing = Placing::begin(profiles, options, placed);
  if (!placing.ok()) return std::move(placing.error());
  LIBSCHED_TRY(placing->place(requests));
  return {};
}

}  // namespace libsched
