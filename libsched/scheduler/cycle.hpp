// One pod's scheduling cycle: upstream's scheduleOnePod up to the binding cycle, with its failure
// handling. The caller moves the pod out of the queue and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/run/evaluator.hpp"
#include "libsched/scheduler/binding.hpp"

namespace libsched {

// The numbers are part of the C API.
enum class Attempt : uint8_t {
  kAssumed = 0,         // on its node, reserved and permitted; the binding cycle is next
  kFailed = 1,          // `failure` says why
  kSkippedDeleted = 2,  // the pod is being deleted
  kSkippedAssumed = 3,  // the pod is assumed already
  kBound = 4,           // by its binding cycle
};

struct SchedulingOptions {
  bool sampling = false;  // upstream's: see CycleOptions
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;  // of random ties
  bool node_by_node = false;
  // Whether a failure clears or changes the pod's nomination and is reported to the API server.
  // Otherwise this is the caller's part.
  bool handles_failure = true;
  // For the pods of a group. A trial ends with Permit: an assumed pod neither waits nor gets a
  // binding cycle, and a pod that PostFilter nominates to a node is assumed there as well.
  // Afterwards the caller calls undo_trial(). With Behaviours::groups_are_entities neither
  // PostFilter nor Permit is asked.
  bool trial = false;
  bool post_filter = true;  // whether PostFilter is asked in a trial
  // Whether what PreFilter has found out stays usable after a trial, at the price of copies.
  bool keeps_data = false;
  // The node that a trial with this `state` has chosen: the cycle begins with assuming the pod
  // there.
  std::string node;
  Limits limits;
  // The profile of pods whose schedulerName matches none of the profiles; if this matches none
  // either, such a pod is an error. A bare profile may be named "".
  std::string other_profile;
  Ref<CycleState> state;  // is filled, and kept until the pod is bound; null: a new state
  // Receives the binding cycle's requests to the cluster's writer.
  Ref<WriterQueue> writer;
  // Observes both cycles; kept as long as the result and its Binding.
  std::shared_ptr<CycleObserver> observer;
};

// One thread at a time.
struct Scheduling final : RefCounted {
  Attempt attempt = Attempt::kFailed;
  FrameworkRef framework;  // the profile's
  PodRef pod;              // as it was given
  Ref<CycleState> state;
  std::string node;  // the chosen node, also if the pod was rejected there; "": none
  int64_t total = 0;
  size_t feasible = 0, evaluated = 0;  // as in CycleOutcome
  std::vector<PermitWait> waits;       // of the plugins that the pod waits for
  Status permit;                       // of an assumed pod: Success or Wait
  std::optional<Failure> failure;      // of a trial with kAssumed: PostFilter has made room
  Ref<Binding> binding;                // set with kAssumed only

  // Runs the binding cycle, once, on any thread. Afterwards the attempt is kBound or kFailed.
  // Errors: kState (the pod is not assumed, or the cycle has run).
  Result<void> bind();
};

// `profiles` are evaluators of frameworks with different profiles on one cluster; the pod's
// schedulerName selects one. A pod that fails leaves no change except those of PostFilter and its
// nomination in the services. Errors, which change nothing: kNotFound (no profile), kMisuse
// (plugins are running on the cluster), those of Evaluator::run_cycle().
Result<Ref<Scheduling>> schedule_one(Span<Evaluator*> profiles, const PodRef& pod,
                                     const SchedulingOptions& options);
// schedule_one() with the evaluator of the selected profile, on a cluster.
Result<Ref<Scheduling>> schedule_with(Evaluator& evaluator, const PodRef& pod,
                                      const SchedulingOptions& options);

// Upstream's skipPodSchedule: what ends the attempt before it has begun, with its event; absent:
// the pod can be scheduled.
std::optional<Attempt> skipped_attempt(const Evaluator& evaluator, const PodRef& pod);
// What upstream's nominator knows of a pod that is in no queue: its names. It takes no room on its
// node but counts as a pod.
PodRef bare_pod(const Pod& pod);
// Takes an assumed pod of a trial back: Unreserve, of which the observer (may be null) hears,
// forget, and its nomination as before.
Result<void> undo_trial(Evaluator& evaluator, Scheduling& trial, CycleObserver* observer);

}  // namespace libsched
