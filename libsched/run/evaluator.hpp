// Evaluator: a framework on a view, with scratch memory; runs the extension points, each in a pass
// of its own (filter_pass.hpp, score_pass.hpp).
//
// For one thread. On a cluster this is the writer's thread, and every call sees the present state;
// on a snapshot any thread may have its own evaluator. Nothing here changes the view, except that
// the order list of a cluster is refreshed before the nodes are walked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libsched/framework/cycle_observer.hpp"
#include "libsched/framework/foreign_call.hpp"
#include "libsched/framework/framework.hpp"
#include "libsched/kept/class_memory.hpp"
#include "libsched/kept/workspace.hpp"
#include "libsched/run/crew.hpp"
#include "libsched/run/decision.hpp"
#include "libsched/run/filter_pass.hpp"

namespace libsched {

struct FilterOptions {
  uint32_t limit = 0;     // 0: judge all nodes
  Span<uint64_t> accept;  // bitmap over rows
  bool accept_given = false;
  size_t start = 0;        // position in the node order, for `limit`
  bool nominated = false;  // whether nominated pods count
  Limits limits;
};

struct CheckOptions {
  bool judge_excluded = false;  // run Filter on nodes that PreFilter excluded, too
  bool score = false;           // PreScore and Score of the nodes that fit
  Limits limits;
  // If no node takes the pod, ask PostFilter how room could be made. This is only a question:
  // preemption tries every node, so that the decision covers all of them, and evicts no pod.
  bool post_filter = false;
  bool facts = false;  // make the facts of every rejection, which costs about as much as its texts
};

// How a whole cycle decides.
struct CycleOptions {
  // Upstream's sampling: percentageOfNodesToScore, and a start that advances from pod to pod.
  // Without it every node is judged, beginning with the first.
  bool sampling = false;
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;  // of random ties
  Limits limits;
  bool post_filter = false;  // if no node takes the pod, let PostFilter try to make room
  // If no node takes the pod, the outcome's status is upstream's with a FitError, and names the
  // plugin if only one plugin rejected nodes. This runs the filters again, unless `node_by_node`.
  bool fit_error = false;
  // Judges one node after the other, each by all plugins, as upstream with one worker: plugins with
  // side effects see upstream's calls. The statuses of the nodes are kept and passed to the
  // observer with all scores.
  bool node_by_node = false;
  CycleObserver* observer = nullptr;
};

// The node that a cycle chose.
struct CycleOutcome {
  uint32_t row = kNoId;  // kNoId: no node; `status` says why, unless the view has no nodes
  int64_t total = 0;     // its score; 0 if it was the only one (upstream doesn't score then)
  size_t feasible = 0;   // nodes that passed the filters
  size_t evaluated = 0;  // `feasible`, and the judged nodes that did not pass
  Status status;         // PreFilter's or a plugin's Error; Unschedulable if no node passed
  // Set with CycleOptions::post_filter, if no node passed and the profile has PostFilter plugins.
  std::optional<Status> post_filter;
  std::optional<Nomination> nomination;
  Diagnosis diagnosis;  // with CycleOptions::fit_error, if no node passed
};

struct FilterOutcome {
  size_t count = 0;
  uint32_t first = kNoId;  // the first in node order
  size_t position = 0;     // of `first` in the node order
};

// Which rows a search judges. An order of the caller's is used as it is: nothing is refreshed.
struct SearchOptions {
  Span<uint32_t> order;  // rows with nodes; for a set, any order
  size_t start = 0;      // of `order`; a search wraps around
  size_t count = 0;      // how many places of `order` are searched; 0: all
  // Whether the order has all rows with nodes. Rows are then not looked up in it.
  bool whole = false;
  Span<uint32_t> places;  // by row, its place in `order`, which may be found by it; empty: by none
  Span<uint64_t> accept;  // bitmap over rows
  bool accept_given = false;
  bool skip_unschedulable = false;  // leaves out rows with spec.unschedulable
  // Of the pod's class: goes on from what is kept of it, after run_pre_filter(). 0: of none.
  uint64_t class_number = 0;
  Limits limits;
};

struct PreFiltered {
  Status status;
  // After a change of one of these kinds PreFilter has to run again.
  ChangeKinds concerns = kAllChanges;
  bool lasts = false;  // else it has to run again before each question
};

class ScorePass;
class Subscription;

class Evaluator final : public RefCounted {
 public:
  // Plugins that subscribe to objects are notified of the cluster's changes as long as it has an
  // evaluator of their framework. A cluster counts its pods as the evaluator that is asked wants it
  // (Cluster::account_as()), which takes time where another one wants it otherwise.
  Evaluator(FrameworkRef framework, Ref<Cluster> cluster);
  Evaluator(FrameworkRef framework, SnapshotRef snapshot)
      : framework_(std::move(framework)), snapshot_(std::move(snapshot)) {}

  const Framework& framework() const { return *framework_; }
  const View& view() const { return cluster_ ? cluster_->view() : snapshot_->view(); }
  Cluster* cluster() const { return cluster_.get(); }  // null: the view is a snapshot
  // Nominated and waiting pods, clock and API client. Not shared with other evaluators until use()
  // replaces them.
  Services& services() const { return *services_; }
  // The nominated pods that count for a pod, of the services and of the view.
  Nominations nominations() const { return {*framework_, view(), *services_}; }
  Result<void> use(Ref<Services> services);  // kMisuse while plugins judge many nodes

  // Plugins may call plugins in turn, up to a limited depth.
  Result<void> may_ask() const {
    return ForeignCall::depth() < ForeignCall::kMaxDepth ? Result<void>() : too_deep();
  }
  // The same for calls that use the workspace, which a plugin may not make while it judges nodes.
  Result<void> check_idle() const {
    LIBSCHED_TRY(may_ask());
    return busy_ ? busy() : count_pods();
  }

  // Leaves plugins out of PreFilter, and so of what Filter asks with a state of that PreFilter, as
  // if they had answered Skip. By index, as long as the caller keeps the list; null: none.
  void leave_out(const std::vector<bool>* plugins) { left_out_ = plugins; }

  Status run_pre_enqueue(const Pod& pod) const;
  // The result is in state.pre_filter().
  Result<Status> run_pre_filter(CycleState& state, const Pod& pod);
  // The same; goes on from what is kept of the pod's class (ClassMemory::find()), where that is
  // possible.
  Result<PreFiltered> run_pre_filter(CycleState& state, const Pod& pod, uint64_t class_number);
  // Upstream's RunPreFilterExtensionAddPod and -RemovePod: updates PreFilter's data in the state
  // for `other` joining or leaving the node. Changes only the state.
  Result<Status> run_add_pod(CycleState& state, const Pod& pod, const Pod& other, uint32_t row);
  Result<Status> run_remove_pod(CycleState& state, const Pod& pod, const Pod& other, uint32_t row);
  // Upstream's RunFilterPlugins on a node of the view or on a copy of a node.
  Result<void> run_filter(CycleState& state, const Pod& pod, const NodeView& node, Status* status);
  Result<void> run_filter(CycleState& state, const Pod& pod, uint32_t row, Status* status) {
    return run_filter(state, pod, NodeView(view(), row), status);
  }
  // Upstream's RunFilterPluginsWithNominatedPods.
  Result<void> run_filter_with_nominated(CycleState& state, const Pod& pod, const NodeView& node,
                                         Status* status);
  Result<void> run_filter_with_nominated(CycleState& state, const Pod& pod, uint32_t row,
                                         Status* status) {
    return run_filter_with_nominated(state, pod, NodeView(view(), row), status);
  }
  // Upstream's RunPostFilterPlugins; may leave `nomination` without a value.
  Result<Status> run_post_filter(CycleState& state, const Pod& pod, const NodeStatuses& statuses,
                                 std::optional<Nomination>* nomination);
  // Writes `words` words of `feasible`, at least view().word_count(); null with 0 words if only the
  // first node and the count matter.
  Result<FilterOutcome> filter_nodes(CycleState& state, const Pod& pod,
                                     const FilterOptions& options, uint64_t* feasible,
                                     size_t words);
  // Searches after PreFilter (evaluator_search.cpp). Nominated pods do not count, and an Error of a
  // plugin on a node is a rejection. The first node of the order that passes; its position is that
  // in the order.
  Result<FilterOutcome> find_first(CycleState& state, const Pod& pod, const SearchOptions& options);
  // All rows of the order that pass, as bits of view().word_count() words. With `of_row` each row
  // that is judged gets 0, or 1 + the index of the plugin that rejects it; there are fewer than
  // 255.
  Result<size_t> find_all(CycleState& state, const Pod& pod, const SearchOptions& options,
                          uint64_t* bits, uint8_t* of_row);
  // PreScore and Score over the rows of a bitmap as filter_nodes() writes it. A Status other than
  // Success is upstream's Error of the whole point.
  Result<Status> run_pre_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                               size_t words);
  // `totals`: 64 * words numbers by row, or null. `table`: every score, or null.
  Result<Status> run_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                           size_t words, int64_t* totals, ScoreTable* table);
  // PreFilter, Filter, PreScore and Score as upstream's scheduling cycle runs them, and the choice
  // of a node. Changes only the start of the next sampled cycle.
  Result<CycleOutcome> run_cycle(CycleState& state, const Pod& pod, const CycleOptions& options);
  // The same; `out` is a new outcome, which means nothing after an error.
  Result<void> run_cycle(CycleState& state, const Pod& pod, const CycleOptions& options,
                         CycleOutcome* out);

  // Chooses when run_cycle() keeps what plugins say of the nodes by the class of the pod, which
  // never changes an outcome, and drops what is kept. `max_bytes` 0 means
  // ClassMemory::kDefaultBytes. In mode kChecked run_cycle() returns kInternal if a kept answer
  // differs from a fresh one.
  Result<void> keep_classes(ClassMemoryMode mode, size_t max_bytes = 0);
  // Forgets what is kept of filters for the class.
  void forget_filters(uint64_t class_number) {
    classes_.find(view(), class_number).filters.forget();
  }
  const ClassMemory& classes() const { return classes_; }

  // Where a sampled cycle begins; upstream shares this between all profiles and never resets it.
  size_t next_start() const { return next_start_; }
  void set_next_start(size_t start) { next_start_ = start; }

  // Restricts the cycles to the nodes of a placement, by rows with nodes in node order: no other is
  // a candidate. Empty: all nodes.
  void place_within(std::vector<uint32_t> rows);

  // Restarts the sequence of random ties, which depend on the seed and their number, as in a new
  // evaluator.
  void restart_ties() { ties_broken_ = 0; }

  // Puts the pod on the node in the cluster, then runs the Reserve plugins in order. If a plugin
  // refuses, Unreserve runs for all in reverse order, and the pod is removed again. `start`, if
  // given, is the pod's start time.
  Result<Status> assume(CycleState& state, const Pod& pod, uint32_t row, Time start = {});
  // The pod as it is to be assumed on the row, if its status differs there: its devices take
  // resources of the node (PluginData::allocatable_on()). Null: as it is.
  PodRef assumed_otherwise(const CycleState& state, const Pod& pod, uint32_t row) const {
    return framework_->accounting().allocatable == AllocatableClaims::kNone
               ? PodRef()
               : with_allocatable(state, pod, row);
  }
  // Runs Unreserve and removes an assumed pod from its node.
  Result<void> forget(CycleState& state, const Pod& pod);

  // Reserve and Unreserve alone, for callers that manage assumed pods themselves. The node may be
  // gone. These and the functions up to run_post_bind() make a BindingRun of their own.
  Result<Status> run_reserve(CycleState& state, const Pod& pod, Str node);
  Result<void> run_unreserve(CycleState& state, const Pod& pod, Str node);
  // `waits` gets the plugins that ask to wait. With status Wait the caller adds the pod to
  // services().waiting_pods().
  Result<Status> run_permit(CycleState& state, const Pod& pod, Str node,
                            std::vector<PermitWait>* waits);
  // Blocks by the services' clock until the pod is allowed, rejected or timed out.
  Result<Status> wait_on_permit(const Pod& pod);
  Result<Status> run_pre_bind_pre_flights(CycleState& state, const Pod& pod, Str node);
  Result<Status> run_pre_bind(CycleState& state, const Pod& pod, Str node);
  Result<Status> run_bind(CycleState& state, const Pod& pod, Str node);
  Result<void> run_post_bind(CycleState& state, const Pod& pod, Str node);
  // Upstream's parallelism: the number of threads of a call, including the calling thread. With
  // more than one, PreBind plugins that allow it run in parallel, and preemption tries nodes in
  // parallel; else plugins run in order, and a failure ends a group.
  uint32_t parallelism() const { return parallelism_; }
  static constexpr uint32_t kMaxParallelism = 1024;
  Result<void> set_parallelism(uint32_t threads);

  // Upstream's SignPod as JSON; "" if this pod or this profile cannot be signed.
  std::string sign_pod(const Pod& pod) const;

  // `node` "": any node.
  Result<Ref<const Decision>> check(const Pod& pod, Str node, bool judge_excluded,
                                    bool score = false);
  // The same with the caller's state, which is filled for later calls.
  Result<Ref<const Decision>> check(CycleState& state, const Pod& pod, Str node,
                                    const CheckOptions& options);
  // Decisions about several pods, as check() makes them one after the other. Up to `calls` pods at
  // once are with extenders meanwhile, if these are concurrent. An error has the pod's index as
  // path.
  Result<std::vector<Ref<const Decision>>> check_each(Span<const Pod*> pods,
                                                      const CheckOptions& options, uint32_t calls);
  static constexpr size_t kCheckedTogether = 64;  // pods whose states and verdicts exist at once

 private:
  static PodRef with_allocatable(const CycleState& state, const Pod& pod, uint32_t row);
  friend class LimitScope;
  friend class DryRunScope;

  // Held while plugins that may not change the cluster run: up to PostFilter. A busy evaluator
  // already holds this, possibly on several threads.
  class ReadOnlyScope {
   public:
    explicit ReadOnlyScope(const Evaluator& e) : judging_(e.busy_ ? nullptr : e.cluster_.get()) {}

   private:
    Cluster::Judging judging_;
  };
  // Held by a call that uses the workspace.
  class ExclusiveUse {
   public:
    explicit ExclusiveUse(Evaluator& e) : evaluator_(e), scope_(e) { e.busy_ = true; }
    ~ExclusiveUse() { evaluator_.busy_ = false; }
    ExclusiveUse(const ExclusiveUse&) = delete;
    ExclusiveUse& operator=(const ExclusiveUse&) = delete;

   private:
    Evaluator& evaluator_;
    ReadOnlyScope scope_;
  };
  // The limits of one call. They keep their clock even if a plugin replaces the evaluator's
  // services.
  class CallLimits {
   public:
    CallLimits(const Limits& limits, const Services& services) {
      if (limits.cancel == nullptr && limits.deadline_ns == 0) return;
      clock_ = services.deadline_clock_ref();
      watch_.emplace(limits, *clock_);
    }
    const LimitWatch* watch() const { return watch_ ? &*watch_ : nullptr; }

   private:
    Ref<Clock> clock_;
    std::optional<LimitWatch> watch_;
  };

  // The argument for plugins. Within a call with the same state that call's limits stay in force.
  Call call_with(const LimitWatch* limits) { return {view(), *services_, limits, this}; }
  // Of the placement, if there is one.
  const std::vector<uint32_t>& candidate_order() const {
    return placed_within_.empty() ? view().order() : placed_within_;
  }
  uint32_t candidate(Str name) const {
    const uint32_t r = view().find_node(name);
    const bool outside =
        r != kNoId && !placed_within_.empty() && (placement_bits_[r / 64] >> (r % 64) & 1) == 0;
    return outside ? kNoId : r;
  }
  size_t candidate_count() const {
    return placed_within_.empty() ? view().node_count() : placed_within_.size();
  }
  Call call_inside(const CycleState& state) {
    const Call* around = PluginScope::call_of(state);
    return call_with(around == nullptr ? nullptr : around->limits);
  }

  // Has the pods of the view counted as the framework wants it.
  Result<void> count_pods() const {
    if (view().accounting() == framework_->accounting()) [[likely]]
      return {};
    return count_pods_anew();
  }
  Result<void> count_pods_anew() const;
  // Guards data that plugins have prepared and are running with.
  Result<void> may_replace(const CycleState& state) const {
    return state.in_use() ? in_use() : Result<void>();
  }
  static Error too_deep();
  static Error busy();
  static Error in_use();
  Result<void> may_read(const CycleState& state) const;
  Result<void> may_reserve() const;
  Result<void> tie(CycleState& state) const;
  Result<void> tie_to_pod(CycleState& state, const Pod& pod) const;
  // Runs before a single node is judged.
  Result<void> prepare_one(CycleState& state, const Pod& pod) const;
  Result<Status> pre_filter(CycleState& state, const Pod& pod, const Call& call) const;
  Result<Status> ask_pre_filter(CycleState& state, const Pod& pod, const Call& call) const;
  Result<Status> post_filter(const PostFilterCall& call, std::optional<Nomination>* nomination);
  bool may_use_threads(const CycleState& state) const;
  Result<Status> change_pod(FilterPass::Change change, CycleState& state, const Pod& pod,
                            const Pod& other, const NodeView& node);

  // Searches (evaluator_search.cpp).
  Result<void> may_search(const CycleState& state, const Pod& pod) const;
  void candidates(const CycleState& state, const SearchOptions& options);
  Result<void> judge_class(CycleState& state, const Pod& pod, const Call& call,
                           uint64_t class_number);

  // Filter of many nodes (evaluator_filter.cpp).
  void mask(const CycleState& state, const FilterOptions& options, size_t words);
  Error node_error(FilterPass& pass, uint32_t row) const;
  // Why each row does not take the pod, with nominated pods.
  Result<StatusTable> statuses_of(FilterPass& pass, const Call& call, const Pod& pod,
                                  Span<uint32_t> rows);

  // Decisions (evaluator_check.cpp).
  struct Checked {
    size_t judged = 0, feasible = 0;
    bool failed = false;  // a plugin gave an Error on a node
  };
  Result<Checked> check_nodes(CycleState& state, const Pod& pod, const Call& call,
                              Decision::Source* source);
  void add_pod_facts(const Call& call, const Pod& pod, const Status& status, Decision* d) const;
  void add_missing_nodes(Decision* d) const;
  struct Question;
  Result<void> check_some(Span<const Pod*> pods, const CheckOptions& options, uint32_t calls,
                          std::vector<Ref<const Decision>>* out);
  Result<void> judge(const Call& call, Str node, const CheckOptions& options, Question* q);
  void ask_to_filter(Question* q) const;
  Result<void> decide(const Call& call, const CheckOptions& options, Question* q);
  void ask_to_prioritize(Question* q) const;
  Result<void> finish_scores(Question* q) const;
  Result<void> score_decision(const Call& call, Question* q);
  Result<void> ask_post_filter(CycleState& state, const Pod& pod, const Call& call, Decision* d);

  // Scores (evaluator_score.cpp).
  ScoreSet scored_rows(const uint64_t* feasible);
  Result<void> ready_to_score(CycleState& state, const Pod& pod, size_t words) const;

  // Cycles (evaluator_cycle.cpp, evaluator_choose.cpp, evaluator_kept.cpp).
  Result<void> cycle(CycleState& state, const Pod& pod, const Call& call,
                     const CycleOptions& options, CycleOutcome* out);
  struct Choice;
  Result<void> choose(CycleState& state, const Pod& pod, const Call& call,
                      const CycleOptions& options, KeptClass* kept, bool followed,
                      NodeStatuses* said, ExtenderVerdicts* extended, CycleOutcome* out);
  Result<void> choose_nominated(Choice* c);
  Result<void> find_feasible(Choice* c);
  Result<void> choose_best(Choice* c);
  Result<FilterWalk> walk_one_by_one(FilterPass& pass, const Call& call, const FilterPolicy& policy,
                                     NodeStatuses* said);
  Result<void> explain_failure(CycleState& state, const Pod& pod, const Call& call,
                               const CycleOptions& options, const NodeStatuses& said,
                               const ExtenderVerdicts& extended, CycleOutcome* out);
  Result<void> run_post_filter_after(CycleState& state, const Pod& pod, const Call& call,
                                     const CycleOptions& options, const NodeStatuses& statuses,
                                     CycleOutcome* out);
  KeptClass* find_kept(const CycleState& state, const Pod& pod, const CycleOptions& options);
  Result<bool> follow_filters(CycleState& state, const Pod& pod, const Call& call, KeptClass* kept);
  Result<void> take_filters(CycleState& state, const Pod& pod, const Call& call, bool followed,
                            KeptClass* kept);
  bool may_keep_scores(const Pod& pod, const CycleOptions& options) const;
  bool foreign_scores() const;
  bool may_keep_failure(const CycleState& state, const Pod& pod, const CycleOptions& options) const;
  Result<bool> choose_by_class(CycleState& state, const Pod& pod, const Call& call,
                               const CycleOptions& options, KeptClass* kept, CycleOutcome* out);
  void tell_kept(CycleState& state, const Pod& pod, const Call& call, const CycleOptions& options,
                 bool scored) const;
  Result<void> compare_outcome(const Pod& pod, const Call& call, const CycleOptions& options,
                               const CycleOutcome& kept, size_t start, uint64_t ties);
  uint32_t nominated_row(const Pod& pod) const;

  // Extenders (evaluator_extend.cpp).
  Result<Status> filter_extended(const Pod& pod, ExtendedNodes* nodes,
                                 ExtenderVerdicts* verdicts) const;
  // PreScore and Score, into work_.totals, of nodes in whose place extenders may have returned
  // others. A Status other than Success is upstream's Error of the whole point.
  Result<Status> score_left(CycleState& state, const Pod& pod, const Call& call,
                            const ExtendedNodes& nodes, const CycleOptions& observed,
                            ScoreTable* table);
  static void add_scores(const std::vector<ExtenderScores>& said, Span<uint32_t> rows,
                         int64_t* totals, ScoreTable* table);
  // The same with the extenders' scores; `scored` says which nodes have some.
  Result<Status> score_extended(CycleState& state, const Pod& pod, const Call& call,
                                const ExtendedNodes& nodes, const CycleOptions& observed,
                                ScoreTable* table, std::vector<bool>* scored);
  uint32_t pick_extended(const ExtendedNodes& nodes, const std::vector<bool>& scored,
                         const CycleOptions& options, int64_t* total);
  Result<void> choose_extended(CycleState& state, const Pod& pod, const Call& call,
                               const CycleOptions& options, ExtendedNodes nodes,
                               ExtenderVerdicts* extended, CycleOutcome* out);
  ExtendedNodes left_by_filters(const Decision::Source& source) const;
  void take_rejections(Span<uint32_t> asked, Span<uint32_t> left, const ExtenderVerdicts& extended,
                       Decision::Source* source) const;
  size_t nodes_to_find(size_t nodes) const;

  // Binding (evaluator_binding.cpp).
  bool may_hold_back(const Pod& pod) const;
  bool has_to_reserve(const CycleState& state) const;
  Status reserve_all(CycleState& state, const Pod& pod, Str node, uint32_t row);
  void unreserve_all(CycleState& state, const Pod& pod, Str node, uint32_t row);
  template <typename F>
  auto in_binding(CycleState& state, const Pod& pod, Str node, uint32_t row, F&& f);
  template <typename F>
  Result<Status> at_binding(CycleState& state, const Pod& pod, Str node, F&& f);

  FrameworkRef framework_;
  mutable bool counted_alike_ = false;  // of a snapshot: all pods count as the framework wants it
  Ref<Cluster> cluster_;
  SnapshotRef snapshot_;
  Ref<Services> services_ = make_ref<Services>();
  std::vector<Ref<Services>> replaced_;         // while plugins that got them may run
  std::shared_ptr<Subscription> subscription_;  // of framework and cluster; null: not needed
  std::shared_ptr<SortedNodes> sorted_;         // of the nodes of the latest decision
  Workspace work_;
  FewChanges few_;  // since what is kept of a class was brought up to date
  ClassMemory classes_;
  size_t next_start_ = 0;
  std::vector<uint32_t> placed_within_;
  std::vector<uint64_t> placement_bits_;
  const std::vector<bool>* left_out_ = nullptr;
  uint64_t ties_broken_ = 0;
  uint32_t parallelism_ = 1;
  bool comparing_ = false;  // a cycle that goes on from a kept one is compared with a whole one
  bool busy_ = false;       // plugins may then ask this evaluator about one node at a time only
};

// Limits of a call that is made of several: calls without limits of their own use these.
class LimitScope {
 public:
  LimitScope(Evaluator& evaluator, CycleState& state, const Limits& limits)
      : limits_(limits, evaluator.services()),
        call_(evaluator.call_with(limits_.watch())),
        scope_(state, call_, false) {}

 private:
  Evaluator::CallLimits limits_;
  Call call_;
  PluginScope scope_;
};

// Held while copies of nodes are tried out (dry_run_scope.cpp): plugins may then ask this evaluator
// about one node at a time only, because all threads of the crew may run them at once.
class DryRunScope {
 public:
  DryRunScope(Evaluator& evaluator, const CycleState& state);
  ~DryRunScope() { evaluator_.busy_ = before_; }
  DryRunScope(const DryRunScope&) = delete;
  DryRunScope& operator=(const DryRunScope&) = delete;
  const Crew& crew() const { return crew_; }

 private:
  Evaluator& evaluator_;
  bool before_;
  Crew crew_;
};

}  // namespace libsched
