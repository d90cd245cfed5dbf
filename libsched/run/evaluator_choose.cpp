// Evaluator: the part of a scheduling cycle after PreFilter, up to the choice of a node.
#include <algorithm>

#include "libsched/run/evaluator.hpp"
#include "libsched/run/observed_point.hpp"
#include "libsched/run/score_pass.hpp"

namespace libsched {
namespace {

constexpr size_t kMinFeasibleNodes = 100;
constexpr int64_t kMinPercentage = 5;

}  // namespace

// Upstream's numFeasibleNodesToFind.
size_t Evaluator::nodes_to_find(size_t nodes) const {
  if (nodes < kMinFeasibleNodes) return nodes;
  int64_t percentage = framework_->percentage_of_nodes_to_score();
  const auto n = static_cast<int64_t>(nodes);
  if (percentage == 0) percentage = std::max(kMinPercentage, 50 - n / 125);
  return std::max(kMinFeasibleNodes, static_cast<size_t>(n * percentage / 100));
}

uint32_t Evaluator::nominated_row(const Pod& pod) const {
  return pod.status.nominated_node_name.empty() ? kNoId : candidate(pod.status.nominated_node_name);
}

// As FilterPass::walk(), but judges one node after the other; `said` gets each node's status.
Result<FilterWalk> Evaluator::walk_one_by_one(FilterPass& pass, const Call& call,
                                              const FilterPolicy& policy, NodeStatuses* said) {
  FilterWalk out;
  const std::vector<uint32_t>& nodes = policy.order(view());
  const bool filtering = !framework_->at(ExtensionPoint::kFilter).empty();
  work_.judged.clear();
  work_.feasible.assign(view().word_count(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const size_t position = (policy.start + i) % nodes.size();
    const uint32_t r = nodes[position];
    Status s;
    if (filtering) LIBSCHED_TRY(pass.judge_with_nominated(NodeView(view(), r), &s));
    LIBSCHED_TRY(call.check_limits());
    if (s.success()) {
      if (out.count == policy.limit) return out;  // one more than wanted: it does not count
      if (out.count++ == 0) {
        out.first = r;
        out.position = position;
      }
      work_.feasible[r / 64] |= uint64_t{1} << (r % 64);
    }
    const bool failed = !s.success() && !s.rejected();
    work_.judged.push_back(r);
    said->set(r, std::move(s));
    if (failed) {
      out.failed = r;
      return out;
    }
    ++out.processed;
  }
  return out;
}

// What the steps of a choice have in common.
struct Evaluator::Choice {
  CycleState& state;
  const Pod& pod;
  const Call& call;
  const CycleOptions& options;
  KeptClass* kept;
  bool followed;
  NodeStatuses* said;
  ExtenderVerdicts* extended;
  CycleOutcome* out;
  FilterPass pass;
  FilterPolicy policy;
  uint32_t rejected = kNoId;  // the nominated node, if it does not take the pod
  FilterWalk found;
};

Result<void> Evaluator::choose(CycleState& state, const Pod& pod, const Call& call,
                               const CycleOptions& options, KeptClass* kept, bool followed,
                               NodeStatuses* said, ExtenderVerdicts* extended, CycleOutcome* out) {
  const ExclusiveUse use(*this);
  Choice c{state,    pod,  call,     options, kept,
           followed, said, extended, out,     FilterPass(*framework_, state, pod, call)};
  LIBSCHED_TRY(choose_nominated(&c));
  if (out->row != kNoId) return {};
  LIBSCHED_TRY(find_feasible(&c));
  if (!out->status.success()) return {};
  if (framework_->extenders().empty()) return choose_best(&c);
  FeasibleOrder all(c.policy.order(view()), c.policy.start, work_.feasible.data(), c.found.count,
                    &work_.feasible_rows);
  ExtendedNodes left{{all.rows().begin(), all.rows().end()}, {}};
  return choose_extended(state, pod, call, options, std::move(left), extended, out);
}

// The nominated node, if it still takes the pod, is chosen before any other is judged.
Result<void> Evaluator::choose_nominated(Choice* c) {
  const uint32_t nominated = nominated_row(c->pod);
  if (nominated == kNoId) return {};
  Status there;
  ObservedPoint point(c->options, CyclePoint::kFilterNominated, c->pod, c->state);
  if (!framework_->at(ExtensionPoint::kFilter).empty())
    LIBSCHED_TRY(c->pass.judge_with_nominated(NodeView(view(), nominated), &there));
  LIBSCHED_TRY(c->call.check_limits());
  if (c->options.node_by_node && there.rejected()) c->said->set(nominated, there);
  NodeStatuses one;
  if (c->options.observer != nullptr) one.set(nominated, there);
  point.event().judged = {&nominated, 1};
  point.event().statuses = &one;
  point.end(nullptr);
  if (there.rejected()) c->rejected = nominated;
  if (there.success() && !framework_->extenders().empty()) {
    ExtendedNodes alone{{nominated}, {}};
    const Result<Status> asked = filter_extended(c->pod, &alone, c->extended);
    if (!asked.ok()) return asked.error();
    c->extended->narrowed = false;  // upstream's diagnosis does not know
    if (c->extended->statuses.has(nominated)) c->rejected = nominated;
    // An error is only logged.
    if (alone.rows.empty() || !asked->success()) there = Status(Code::kUnschedulable);
  }
  if (!there.success()) return {};
  c->out->row = nominated;
  c->out->feasible = c->out->evaluated = 1;
  return {};
}

// Filters the nodes. The outcome's status is then an Error of a plugin, or says that no node is
// left, or is a Success.
Result<void> Evaluator::find_feasible(Choice* c) {
  const View& v = view();
  const CycleOptions& options = c->options;
  FilterPolicy& policy = c->policy;
  policy.beyond = true;
  mask(c->state, {}, v.word_count());
  policy.rows = work_.alive.data();
  if (!placed_within_.empty()) {
    for (size_t w = 0; w < work_.alive.size(); ++w) work_.alive[w] &= placement_bits_[w];
    policy.list = &placed_within_;
  }
  const PreFilterResult& narrowed = c->state.pre_filter();
  if (!narrowed.all_nodes) {
    // Upstream walks over a set in random order: here by name.
    work_.narrowed.clear();
    for (const std::string& name : narrowed.nodes)
      if (const uint32_t r = candidate(name); r != kNoId) work_.narrowed.push_back(r);
    policy.list = &work_.narrowed;
    if (options.node_by_node && !framework_->behaviours().no_absent_status)
      c->said->absent = absent_status(
          narrowed, c->rejected == kNoId ? Str() : Str(c->said->at(c->rejected).plugin));
  }
  const std::vector<uint32_t>& nodes = policy.order(v);
  if (options.sampling) {
    const bool several = !framework_->at(ExtensionPoint::kScore).empty() ||
                         framework_->any_extender_filters() ||
                         framework_->any_extender_prioritizes();
    const size_t wanted = several ? nodes_to_find(nodes.size()) : 1;
    if (wanted < nodes.size()) policy.limit = wanted;
    if (!nodes.empty()) policy.start = next_start_ % nodes.size();
  }
  ObservedPoint point(options, CyclePoint::kFilter, c->pod, c->state);
  // Without a Filter plugin upstream ignores nominated pods, too.
  LIBSCHED_TRY(c->pass.prepare(&work_, !framework_->at(ExtensionPoint::kFilter).empty()));
  if (!narrowed.all_nodes) c->kept = nullptr;
  if (c->kept != nullptr)
    LIBSCHED_TRY(take_filters(c->state, c->pod, c->call, c->followed, c->kept));
  const Result<FilterWalk> walked = options.node_by_node
                                        ? walk_one_by_one(c->pass, c->call, policy, c->said)
                                        : c->pass.walk(policy);
  if (!walked.ok()) return walked.error();
  const FilterWalk& found = c->found = *walked;
  if (options.node_by_node) {
    point.event().judged = work_.judged;
    point.event().statuses = c->said;
  }
  point.end(nullptr);
  c->out->feasible = found.count;
  // The nominated node's status counts even where the walk has not reached it.
  c->out->evaluated = found.processed;
  if (c->rejected != kNoId) {
    size_t i = 0;
    while (i < found.processed && nodes[(policy.start + i) % nodes.size()] != c->rejected) ++i;
    if (i == found.processed) ++c->out->evaluated;
  }
  if (options.sampling) next_start_ = (next_start_ + c->out->evaluated) % candidate_count();
  Status& status = c->out->status;
  if (found.failed != kNoId) {
    if (options.node_by_node) {
      status = c->said->at(found.failed);
    } else {
      c->pass.stop_metering();  // it is asked again
      LIBSCHED_TRY(c->pass.judge_with_nominated(NodeView(v, found.failed), &status));
    }
    if (!status.success()) return {};
  }
  if (found.count == 0) status = Status(Code::kUnschedulable);
  return {};
}

// Scores the feasible nodes and picks one.
Result<void> Evaluator::choose_best(Choice* c) {
  CycleOutcome& out = *c->out;
  if (c->found.count == 1) {
    out.row = c->found.first;
    return {};
  }
  const View& v = view();
  const CycleOptions& options = c->options;
  FeasibleOrder order(c->policy.order(v), c->policy.start, work_.feasible.data(), c->found.count,
                      &work_.feasible_rows);
  const size_t words = v.word_count();
  const ScoreSet set{words, c->found.count, work_.feasible.data(), &order, nullptr};
  ScorePass scores(*framework_, c->state, c->pod, c->call, &work_);
  const bool scoring = !framework_->at(ExtensionPoint::kScore).empty();
  if (scoring) {
    ObservedPoint point(options, CyclePoint::kPreScore, c->pod, c->state);
    Result<Status> pre = scores.pre_score(set);
    if (!pre.ok()) return std::move(pre.error());
    point.end(&*pre);
    out.status = std::move(*pre);
    if (!out.status.success()) return {};
  }
  const bool uniform = options.ties == TieMode::kUpstream && framework_->behaviours().uniform_ties;
  const TieMode ties = uniform ? TieMode::kRandom : options.ties;
  std::optional<ObservedPoint> point;
  if (scoring) point.emplace(options, CyclePoint::kScore, c->pod, c->state);
  int64_t offset = 0;
  ScoreTable table;
  const auto score_into = [&](auto* totals) -> Result<void> {
    if (totals->size() < words * 64) totals->resize(words * 64);
    Result<Status> scored =
        scores.score(set, totals->data(), options.node_by_node ? &table : nullptr, &offset);
    if (!scored.ok()) return std::move(scored.error());
    scores.count_scores(set);
    if (point) {
      if (options.node_by_node) point->event().scores = &table;
      point->end(&*scored);
    }
    out.status = std::move(*scored);
    if (!out.status.success()) return {};
    out.row = pick_row(v, set, totals->data(), ties, options.seed, &ties_broken_, &out.total);
    out.total = wrapping_add(out.total, offset);
    return {};
  };
  if (!framework_->narrow_scores()) return score_into(&work_.totals);
  LIBSCHED_TRY(score_into(&work_.narrow_totals));
  if (scoring && c->kept != nullptr && c->kept->lately() && out.status.success() &&
      may_keep_scores(c->pod, options))
    c->kept->scores.learn(
        {{*framework_, c->call, c->pod, c->state, work_}, c->kept->filters, classes_.places(v)},
        set, work_.narrow_totals.data(), offset);
  return {};
}

}  // namespace libsched
