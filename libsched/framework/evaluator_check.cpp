// Evaluator: decisions.
#include <algorithm>
#include <bit>

#include "libsched/framework/evaluator.hpp"
#include "libsched/framework/score_pass.hpp"

namespace libsched {

// Judges the nodes that a decision is about.
Result<Evaluator::Checked> Evaluator::check_nodes(CycleState& state, const Pod& pod,
                                                  const Call& call, Decision::Source* source) {
  const View& v = view();
  const bool one = source->only != kNoId;
  const bool all = source->judge_excluded || state.pre_filter().all_nodes;
  source->judged = true;
  source->verdicts.begin(one ? source->only / 64 : 0, one ? 1 : v.word_count(), source->facts);
  const size_t words = source->verdicts.words();
  work_.alive.assign(words, 0);
  if (one) {
    if (all || state.pre_filter().allows(v.row(source->only).name))
      work_.alive[0] = uint64_t{1} << (source->only % 64);
  } else if (all) {
    std::copy(v.live().data(), v.live().data() + std::min(words, v.live().word_count()),
              work_.alive.begin());
    if (!sorted_ || !sorted_->of(v)) sorted_ = std::make_shared<SortedNodes>(v);
    source->sorted = sorted_;
  } else {
    for (const std::string& name : state.pre_filter().nodes)
      if (const uint32_t r = v.find_node(name); r != kNoId)
        work_.alive[r / 64] |= uint64_t{1} << (r % 64);
  }
  Checked out;
  for (const uint64_t w : work_.alive) out.judged += static_cast<size_t>(count_bits(w));
  work_.errors.assign(words, 0);
  FilterPass pass(*framework_, state, pod, call);
  LIBSCHED_TRY(pass.prepare(&work_, true));
  LIBSCHED_TRY(
      pass.judge({source->verdicts.first_word(), words, work_.alive.data(), work_.errors.data()},
                 &source->verdicts));
  for (const uint64_t w : work_.errors) out.failed = out.failed || w != 0;
  for (const uint64_t w : work_.alive) out.feasible += static_cast<size_t>(count_bits(w));
  // Excluded nodes that would take the pod are not feasible.
  if (source->judge_excluded && !state.pre_filter().all_nodes) {
    out.feasible = 0;
    for (size_t w = 0; w < words; ++w)
      for_each_bit(work_.alive[w], (source->verdicts.first_word() + w) * 64, [&](size_t r) {
        if (state.pre_filter().allows(v.row(static_cast<uint32_t>(r)).name)) ++out.feasible;
      });
  }
  return out;
}

Result<Ref<const Decision>> Evaluator::check(const Pod& pod, Str node, bool judge_excluded,
                                             bool score) {
  CycleState state;
  return check(state, pod, node, {judge_excluded, score, {}});
}

Result<Ref<const Decision>> Evaluator::check(CycleState& state, const Pod& pod, Str node,
                                             const CheckOptions& options) {
  LIBSCHED_TRY(check_idle());
  LIBSCHED_TRY(may_replace(state));
  const CallLimits limits(options.limits, *services_);
  const Call call = call_with(limits.watch());
  LIBSCHED_TRY(call.check_limits());
  if (cluster_) cluster_->refresh();
  std::optional<ExclusiveUse> use(std::in_place, *this);  // until PostFilter
  const View& v = view();
  Decision::Source source;
  source.framework = framework_;
  source.cluster = cluster_;
  source.snapshot = snapshot_;
  source.services = services_;
  source.pod = PodRef::share(&pod);
  source.judge_excluded = options.judge_excluded;
  source.facts = options.facts;
  if (!node.empty()) {
    source.only = v.find_node(node);
    if (source.only == kNoId)
      return Error{
          Rc::kNotFound, "node \"" + std::string(node) + "\" is not in the cluster", {}, {}};
  }
  std::optional<Status> gate;
  if (Status s = run_pre_enqueue(pod); !s.success()) gate = std::move(s);
  source.all_nodes = source.only == kNoId ? v.node_count() : 1;
  Checked checked;
  ExtendedNodes extended;
  std::string extender_error;
  if (v.node_count() != 0) {
    Result<Status> pre = pre_filter(state, pod, call);
    if (!pre.ok()) return std::move(pre.error());
    source.narrowed = state.pre_filter();
    for (size_t i = 0; i < state.entries().size(); ++i)
      if (state.entries()[i].skip_filter) source.skipped.set(i);
    if (pre->success()) {
      Result<Checked> done = check_nodes(state, pod, call, &source);
      if (!done.ok()) return std::move(done.error());
      checked = *done;
      if (!framework_->extenders().empty() && !checked.failed) {
        Result<ExtendedNodes> left = extend_check(pod, &source);
        if (!left.ok()) return std::move(left.error());
        extended = std::move(*left);
        extender_error = source.error;
        checked.feasible = extended.rows.size();
      }
    }
    source.pre_filter = std::move(*pre);
  }
  Ref<Decision> d = make_ref<Decision>(std::move(source));
  if (options.facts) {
    if (gate) add_pod_facts(call, pod, *gate, d.get());
    d->pre_enqueue_facts = d->pod_facts.list().size();
    if (d->pre_filter) add_pod_facts(call, pod, *d->pre_filter, d.get());
    // At once: plugins ask the view for counts, as only its writer may.
    static_cast<void>(d->details());
  }
  d->pre_enqueue = std::move(gate);
  d->node_count = checked.judged;
  if (v.node_count() == 0) {
    d->error = "no nodes available to schedule pods";
  } else if (!d->pre_filter->success() && !d->pre_filter->rejected()) {
    d->error = d->pre_filter->message();
  } else if (!extender_error.empty()) {
    d->error = extender_error;
  } else if (checked.failed) {
    d->error = d->details().error;
  }
  if (d->error.empty()) {
    d->feasible_count = checked.feasible;
    if (options.score && d->feasible_count != 0)
      LIBSCHED_TRY(score_decision(state, pod, call, extended, d.get()));
    if (options.post_filter && d->feasible_count == 0) {
      use.reset();
      LIBSCHED_TRY(ask_post_filter(state, pod, call, d.get()));
    }
  }
  if (cluster_) d->finish_before_change(*cluster_);
  return Ref<const Decision>(d);
}

// The facts of PreEnqueue's or PreFilter's rejection.
void Evaluator::add_pod_facts(const Call& call, const Pod& pod, const Status& status,
                              Decision* d) const {
  if (!status.rejected()) return;
  if (status.plugin.empty()) {  // several plugins together leave no node
    const std::vector<std::string>& by = d->narrowed.restricted;
    d->pod_facts.add(status.reasons[0]).texts("plugins", std::vector<Str>(by.begin(), by.end()));
    return;
  }
  for (const Framework::Instance& i : framework_->plugins()) {
    if (!i.plugin || i.name != status.plugin) continue;
    i.plugin->pod_facts(call, pod, status, &d->pod_facts);
    return;
  }
}

// Scores the nodes that fit.
Result<void> Evaluator::score_decision(CycleState& state, const Pod& pod, const Call& call,
                                       const ExtendedNodes& extended, Decision* d) {
  const std::vector<uint32_t>& rows = d->details().names->rows;
  work_.feasible.assign(view().word_count(), 0);
  std::vector<uint32_t> index(view().row_count());
  std::vector<uint32_t> listed;
  for (const uint32_t i : d->details().feasible) {
    work_.feasible[rows[i] / 64] |= uint64_t{1} << (rows[i] % 64);
    index[rows[i]] = i;
    listed.push_back(rows[i]);
  }
  FeasibleOrder order(listed, 0, work_.feasible.data(), listed.size(), &work_.feasible_rows);
  const ScoreSet set{work_.feasible.size(), listed.size(), work_.feasible.data(), &order, nullptr};
  d->scored = true;
  ScorePass pass(*framework_, state, pod, call, &work_);
  Status s;
  if (!framework_->extenders().empty()) {
    std::vector<bool> scored;
    Result<Status> ran = score_extended(state, pod, call, extended, {}, &d->scores, &scored);
    if (!ran.ok()) return std::move(ran.error());
    s = std::move(*ran);
    // Without a Score plugin upstream gives every node one point and runs no PreScore.
  } else if (!framework_->at(ExtensionPoint::kScore).empty()) {
    Result<Status> pre = pass.pre_score(set);
    if (!pre.ok()) return std::move(pre.error());
    s = std::move(*pre);
  }
  if (s.success()) {
    for (size_t i = 0; i < state.entries().size(); ++i)
      if (state.entries()[i].skip_score) d->skip_score.push_back(framework_->plugins()[i].name);
    std::sort(d->skip_score.begin(), d->skip_score.end());
    if (framework_->extenders().empty()) {
      Result<Status> scored = pass.score(set, nullptr, &d->scores);
      if (!scored.ok()) return std::move(scored.error());
      s = std::move(*scored);
    }
  }
  if (!s.success()) {
    d->score_error = s.message();
    return {};
  }
  for (uint32_t& r : d->scores.rows) r = index[r];
  const int64_t top = *std::max_element(d->scores.totals.begin(), d->scores.totals.end());
  for (size_t i = 0; i < d->scores.rows.size(); ++i)
    if (d->scores.totals[i] == top) d->best.push_back(d->scores.rows[i]);
  return {};
}

// Asks PostFilter how room could be made.
Result<void> Evaluator::ask_post_filter(CycleState& state, const Pod& pod, const Call& call,
                                        Decision* d) {
  if (framework_->at(ExtensionPoint::kPostFilter).empty()) return {};
  const Decision::Details& details = d->details();
  NodeStatuses statuses;
  if (!d->pre_filter->success()) {
    statuses.absent = *d->pre_filter;
  } else {
    if (!d->narrowed.all_nodes) statuses.absent = absent_status(d->narrowed);
    for (size_t i = 0; i < d->node_count; ++i)
      if (!d->excluded(i)) statuses.set(details.names->rows[i], d->status(i));
  }
  Result<Status> ran =
      post_filter({call, pod, state, statuses, true, &d->preemption}, &d->nomination);
  if (!ran.ok()) return std::move(ran.error());
  d->fit_error_with_post_filter = details.fit_error;
  if (const std::string message = ran->message(); !message.empty())
    d->fit_error_with_post_filter += " " + message;
  d->post_filter = std::move(*ran);
  return {};
}

}  // namespace libsched
