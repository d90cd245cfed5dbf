// Evaluator: a framework on a view, with scratch memory and caches; runs the extension points.
//
// For one thread. On a cluster it is the writer's thread, and every call sees the present state; on
// a snapshot any thread may have its own evaluator. Nothing here changes the view, except that the
// order list of a cluster is refreshed before the nodes are walked.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libsched/base/line_vector.hpp"
#include "libsched/framework/crew.hpp"
#include "libsched/framework/decision.hpp"
#include "libsched/framework/foreign_call.hpp"
#include "libsched/framework/framework.hpp"

namespace libsched {

struct FilterOptions {
  uint32_t limit = 0;     // 0: judge all nodes
  Span<uint64_t> accept;  // bitmap over rows
  bool accept_given = false;
  size_t start = 0;  // position in the node order, for `limit`
  Limits limits;
};

struct CheckOptions {
  bool judge_excluded = false;  // run Filter on nodes that PreFilter excluded, too
  bool score = false;           // PreScore and Score over what fits
  Limits limits;
  // If no node takes the pod, let PostFilter try to make room. Preemption tries every node then, so
  // that the decision can tell of all of them.
  bool post_filter = false;
};

// How a whole cycle decides.
struct CycleOptions {
  // Upstream's sampling: percentageOfNodesToScore and the start that moves on from pod to pod.
  // Without it every node is judged, from the first one.
  bool sampling = false;
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;  // of random ties
  Limits limits;
  bool post_filter = false;  // if no node takes the pod, let PostFilter try to make room
  // If no node takes the pod, the outcome's status is upstream's with a FitError, and names the
  // plugin if only one was in the way. The filters are asked once more for it.
  bool fit_error = false;
};

// The node that a cycle chose.
struct CycleOutcome {
  uint32_t row = kNoId;  // kNoId: no node; then `status` says why, or there is no node at all
  int64_t total = 0;     // its score; 0 if it was the only one (upstream doesn't score then)
  size_t feasible = 0;   // nodes that passed the filters
  size_t evaluated = 0;  // and those that didn't, as far as they were looked at
  Status status;         // PreFilter's or a plugin's Error; Unschedulable if no node passed
  // With CycleOptions::post_filter, if no node passed and the profile has PostFilter plugins.
  std::optional<Status> post_filter;
  std::optional<Nomination> nomination;
  Diagnosis diagnosis;  // with CycleOptions::fit_error, if no node passed
};

struct FilterOutcome {
  size_t count = 0;
  uint32_t first = kNoId;  // the first in node order
  size_t position = 0;     // of `first` in the node order
};

class Subscription;

class Evaluator final : public RefCounted {
 public:
  // Plugins that subscribe to objects hear of the cluster's as long as an evaluator of their
  // framework stands on it.
  Evaluator(FrameworkRef framework, Ref<Cluster> cluster);
  Evaluator(FrameworkRef framework, SnapshotRef snapshot)
      : framework_(std::move(framework)), snapshot_(std::move(snapshot)) {}

  const Framework& framework() const { return *framework_; }
  const View& view() const { return cluster_ ? cluster_->view() : snapshot_->view(); }
  Cluster* cluster() const { return cluster_.get(); }  // null: a snapshot
  // Nominated and waiting pods, clock and API client; of this evaluator alone until it is given
  // others.
  Services& services() const { return *services_; }
  Result<void> use(Ref<Services> services);  // kMisuse while plugins are asked about many nodes

  // Plugins may ask for plugins in their turn, but not without end.
  Result<void> may_ask() const;

  Status run_pre_enqueue(const Pod& pod) const;
  // The result is in state.pre_filter.
  Result<Status> run_pre_filter(CycleState& state, const Pod& pod);
  // Upstream's RunPreFilterExtensionAddPod and -RemovePod: what the state's PreFilter found out
  // follows `other` coming to or leaving the node. Changes the state alone.
  Result<Status> run_add_pod(CycleState& state, const Pod& pod, const Pod& other,
                             uint32_t row) const;
  Result<Status> run_remove_pod(CycleState& state, const Pod& pod, const Pod& other,
                                uint32_t row) const;
  Result<void> run_filter(CycleState& state, const Pod& pod, uint32_t row, Status* status) const;
  // The same for a copy of a node, and with AddPod and RemovePod for it (evaluator_change.cpp).
  Result<void> run_filter(CycleState& state, const Pod& pod, const NodeOverlay& node,
                          Status* status) const;
  Result<Status> run_add_pod(CycleState& state, const Pod& pod, const Pod& other,
                             const NodeOverlay& node) const;
  Result<Status> run_remove_pod(CycleState& state, const Pod& pod, const Pod& other,
                                const NodeOverlay& node) const;
  // Upstream's RunFilterPluginsWithNominatedPods (evaluator_nominated.cpp): with the nominated pods
  // of the same or a higher priority on the node, and if there are any, without them, too.
  Result<void> run_filter_with_nominated(CycleState& state, const Pod& pod, uint32_t row,
                                         Status* status) const;
  Result<void> run_filter_with_nominated(CycleState& state, const Pod& pod, const NodeOverlay& node,
                                         Status* status) const;
  // Upstream's RunPostFilterPlugins; `nomination` may be left without a value.
  Result<Status> run_post_filter(CycleState& state, const Pod& pod, const NodeStatuses& statuses,
                                 std::optional<Nomination>* nomination);
  // Writes words words of `feasible`, at least view().word_count(); null with 0 words: which nodes
  // are found beside the first is not asked.
  Result<FilterOutcome> filter_nodes(CycleState& state, const Pod& pod,
                                     const FilterOptions& options, uint64_t* feasible,
                                     size_t words);
  // PreScore and Score over the rows of a bitmap as filter_nodes() writes it. A Status that is no
  // success is upstream's Error of the whole point.
  Result<Status> run_pre_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                               size_t words);
  // `totals`: 64 * words numbers by row, or null. `table`: every score, or null.
  Result<Status> run_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                           size_t words, int64_t* totals, ScoreTable* table);
  // PreFilter, Filter, PreScore and Score as upstream's scheduling cycle runs them, and the choice
  // of a node. Changes nothing but the start of the next sampled cycle.
  Result<CycleOutcome> run_cycle(CycleState& state, const Pod& pod, const CycleOptions& options);

  // Where a sampled cycle begins; upstream has one for all profiles and never resets it.
  size_t next_start() const { return next_start_; }
  void set_next_start(size_t start) { next_start_ = start; }

  // Random ties are broken by their seed and number: from now on, as by a new evaluator.
  void restart_ties() { ties_broken_ = 0; }

  // Puts the pod on the node in the cluster, then asks the Reserve plugins in order. If one
  // refuses, all are asked to unreserve, in reverse, and the pod is taken off again.
  // `start` given: the pod counts as started then.
  Result<Status> assume(CycleState& state, const Pod& pod, uint32_t row, Time start = {});
  // Unreserves and takes an assumed pod off its node.
  Result<void> forget(CycleState& state, const Pod& pod);

  // Reserve and Unreserve alone, for who keeps assumed pods himself (evaluator_binding.cpp, as all
  // up to post_bind). The node may have gone.
  Result<Status> run_reserve(CycleState& state, const Pod& pod, Str node);
  Result<void> run_unreserve(CycleState& state, const Pod& pod, Str node);
  // `waits`: the plugins that ask to wait. With status Wait the caller adds the pod to
  // services().waiting_pods().
  Result<Status> run_permit(CycleState& state, const Pod& pod, Str node,
                            std::vector<PermitWait>* waits);
  // Blocks by the services' clock until the pod is allowed, rejected or out of time.
  Result<Status> wait_on_permit(const Pod& pod);
  Result<Status> run_pre_bind_pre_flights(CycleState& state, const Pod& pod, Str node);
  Result<Status> run_pre_bind(CycleState& state, const Pod& pod, Str node);
  Result<Status> run_bind(CycleState& state, const Pod& pod, Str node);
  Result<void> run_post_bind(CycleState& state, const Pod& pod, Str node);
  // Upstream's parallelism: on how many threads calls may work, the calling one counted. With more
  // than one, PreBind plugins that may run beside each other do, and preemption tries nodes beside
  // each other; else plugins run in their order, and a failure ends a group.
  uint32_t parallelism() const { return parallelism_; }
  static constexpr uint32_t kMaxParallelism = 1024;
  Result<void> set_parallelism(uint32_t threads);

  // While copies of nodes are tried out (evaluator_trials.cpp): plugins may not ask this evaluator
  // for more than one node, for they may be asked on all threads of the crew at once.
  class Trials {
   public:
    Trials(Evaluator& evaluator, const CycleState& state);
    ~Trials() { evaluator_.busy_ = before_; }
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;
    const Crew& crew() const { return crew_; }

   private:
    Evaluator& evaluator_;
    bool before_;
    Crew crew_;
  };
  // Of one call with limits: plugins and loops look out for them through the state. A call that is
  // made of several holds one around them all.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"  // the destructor takes the address back
#endif
  struct Limited {
    Limited(const Evaluator* e, CycleState& s, const Limits& limits)
        : state(s),
          before(s.limits),
          clock(e->services_->deadline_clock_ref()),
          watch(limits, *clock) {
      s.limits = &watch;
    }
    ~Limited() { state.limits = before; }
    Limited(const Limited&) = delete;
    Limited& operator=(const Limited&) = delete;
    CycleState& state;
    const LimitWatch* before;
    Ref<Clock> clock;  // whatever services a plugin gives the evaluator
    LimitWatch watch;
  };
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic pop
#endif
  // Upstream's SignPod: JSON; "" if this pod or this profile cannot be signed.
  std::string sign_pod(const Pod& pod) const;

  // `node` "": any node.
  Result<Ref<const Decision>> check(const Pod& pod, Str node, bool judge_excluded,
                                    bool score = false);
  // The same, with a state that is filled for what follows.
  Result<Ref<const Decision>> check(CycleState& state, const Pod& pod, Str node,
                                    const CheckOptions& options);

 private:
  // While plugins are asked: the state tells them by whom and about what. Plugins may ask the
  // evaluator in their turn, hence what stood there before comes back.
  struct Told {
    Told(const Evaluator* e, CycleState& s) : state(s), view(s.view), evaluator(s.evaluator) {
      s.view = &e->view();
      s.evaluator = const_cast<Evaluator*>(e);  // it belongs to the thread that asks
    }
    ~Told() {
      state.view = view;
      state.evaluator = evaluator;
    }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;
    CycleState& state;
    const View* view;
    Evaluator* evaluator;
  };
  // The same where plugins may not change the cluster: up to PostFilter.
  struct Asked {
    // Who has made the evaluator busy judges already, and perhaps on several threads.
    Asked(const Evaluator* e, CycleState& s)
        : told(e, s), judging(e->busy_ ? nullptr : e->cluster_.get()) {
      ++s.in_use;
    }
    ~Asked() { --told.state.in_use; }
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;
    Told told;
    Cluster::Judging judging;
  };
  // Of one call that uses the scratch memory below.
  struct Turn {
    Turn(Evaluator* e, CycleState* state) : evaluator(e), asked(e, *state) { e->busy_ = true; }
    ~Turn() { evaluator->busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Evaluator* evaluator;
    Asked asked;
  };
  static Result<void> go_on(const CycleState& state) {
    return state.exceeded() ? Result<void>(state.limits->error()) : Result<void>();
  }
  Result<void> may_begin() const;
  // Nobody is inside of a plugin, nor is the state in use: then the rules below say yes.
  static bool at_rest(const CycleState& state) {
    return state.in_use == 0 && ForeignCall::depth() == 0;
  }
  Result<void> may_replace(const CycleState& state) const;
  Result<void> may_read(const CycleState& state) const;
  Result<Status> pre_filter_all(CycleState& state, const Pod& pod) const;
  Result<Status> ask_pre_filter(CycleState& state, const Pod& pod) const;
  bool may_use_threads(const CycleState& state) const;
  // evaluator_binding.cpp
  Status reserve_all(CycleState& state, const Pod& pod, Str node);
  void unreserve_all(CycleState& state, const Pod& pod, Str node);
  Status pre_bind_one(uint32_t plugin, Services& services, CycleState& state, const Pod& pod,
                      Str node);
  Status pre_bind_group(const std::vector<uint32_t>& group, Services& services, CycleState& state,
                        const Pod& pod, Str node);
  Result<void> may_reserve() const;

  enum class Change : uint8_t { kAdd, kRemove };
  Result<Status> run_change(Change change, CycleState& state, const Pod& pod, const Pod& other,
                            uint32_t row, const NodeOverlay* node) const;
  Result<void> run_filter(CycleState& state, const Pod& pod, uint32_t row, const NodeOverlay* node,
                          Status* status) const;
  Result<void> bind(CycleState& state) const;
  Result<void> bind_pod(CycleState& state, const Pod& pod) const;
  const PluginData* data_for(CycleState& state, CycleState::Entry& entry, const Plugin& plugin,
                             const Pod& pod, uint64_t epoch) const;
  Result<void> steps(CycleState& state, const Pod& pod);
  Error node_error(CycleState& state, const Pod& pod, uint32_t row) const;
  Result<void> judge(CycleState& state, const Pod& pod, const RowSet& set);
  void mask(const CycleState& state, const FilterOptions& options, size_t words);
  // Judges the rows of `bits`, which lie in the words of `verdicts`, and takes the rejected away.
  // Nominated pods count. Errors do not end it: true if there are any.
  Result<bool> judge_all(CycleState& state, const Pod& pod, uint64_t* bits, Verdicts* verdicts);
  // The same of rows in any words, with all statuses.
  Result<StatusTable> judge_rows(CycleState& state, const Pod& pod, Span<uint32_t> rows);
  struct Checked {
    size_t judged = 0, feasible = 0;
    bool failed = false;  // a plugin gave an Error on a node
  };
  Result<Checked> check_nodes(CycleState& state, const Pod& pod, Decision::Source* source);
  // evaluator_make_room.cpp
  Result<void> make_room(CycleState& state, const Pod& pod, const NodeStatuses& statuses,
                         CycleOutcome* out);
  Result<void> make_room(CycleState& state, const Pod& pod, Decision* d);
  // evaluator_nominated.cpp
  bool mark_nominated(const Pod& pod);
  Result<void> judge_nominated(CycleState& state, const Pod& pod, const RowSet& set,
                               const std::function<void(uint32_t, Status)>& rejected) const;
  Result<void> filter_twice(CycleState& state, const Pod& pod, uint32_t row,
                            const NodeOverlay* node, Status* status) const;
  // evaluator_score.cpp
  Result<Status> pre_score_set(CycleState& state, const Pod& pod, const ScoreSet& set);
  // `offset` gets what every row's total lacks; without it the totals are whole.
  Result<Status> score_set(CycleState& state, const Pod& pod, const ScoreSet& set, int64_t* totals,
                           ScoreTable* table, int64_t* offset = nullptr);
  Result<void> score_decision(CycleState& state, const Pod& pod, Decision* d);
  static Error stale(const std::string& plugin);
  ScoreSet scored_rows(const uint64_t* feasible);
  Result<void> ready_to_score(CycleState& state, const Pod& pod, size_t words) const;
  // evaluator_cycle.cpp
  struct Found {
    size_t count = 0;      // feasible, at most the limit
    size_t processed = 0;  // nodes that upstream would have looked at
    uint32_t first = kNoId;
    Status error;
  };
  Result<Found> find(CycleState& state, const Pod& pod, Span<uint32_t> nodes, size_t start,
                     size_t limit);
  Result<CycleOutcome> cycle(CycleState& state, const Pod& pod, const CycleOptions& options);
  Result<CycleOutcome> choose(CycleState& state, const Pod& pod, const CycleOptions& options);
  uint32_t nominated_row(const Pod& pod) const;
  size_t nodes_to_find(size_t nodes) const;
  uint32_t pick(const ScoreSet& set, const int64_t* totals, const CycleOptions& options,
                int64_t* best);

  FrameworkRef framework_;
  Ref<Cluster> cluster_;
  SnapshotRef snapshot_;
  Ref<Services> services_ = make_ref<Services>();
  std::shared_ptr<Subscription> subscription_;  // of all evaluators of the two; null: none needed
  std::vector<FilterStep> steps_;
  std::vector<uint64_t> alive_, errors_, chunk_;
  std::vector<uint64_t> nominated_;      // rows that are judged one by one
  std::shared_ptr<SortedNodes> sorted_;  // of the nodes of the latest decision
  std::vector<uint64_t> feasible_, score_errors_;
  std::vector<uint32_t> narrowed_, feasible_rows_;
  LineVector<int64_t> column_, totals_;
  size_t next_start_ = 0;
  uint64_t ties_broken_ = 0;
  uint32_t parallelism_ = 1;
  bool busy_ = false;  // a plugin that is asked may not ask this evaluator for more than one node
};

}  // namespace libsched
