// Evaluator: decisions.
#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "libsched/run/evaluator.hpp"
#include "libsched/run/score_pass.hpp"

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

namespace {

// Puts the rows of a decision's scores, which are indexes into its nodes, into their order.
void sort_by_name(ScoreTable* table) {
  const std::vector<uint32_t> rows = table->rows;
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  const auto sort = [&](auto* list) {
    if (list->empty()) return;
    const auto before = *list;
    for (size_t i = 0; i < order.size(); ++i) (*list)[i] = before[order[i]];
  };
  sort(&table->rows);
  sort(&table->totals);
  for (ScoreTable::Column& c : table->columns)
    for (auto* list : {&c.raw, &c.normalized, &c.weighted}) sort(list);
}

}  // namespace

// A decision in the making. Extenders are asked between the steps, on any thread.
struct Evaluator::Question {
  Question(CycleState& its_state, const Pod& its_pod) : state(its_state), pod(its_pod) {}

  CycleState& state;
  const Pod& pod;
  Decision::Source source;
  std::optional<Status> gate;
  Checked checked;
  // Whether extenders filter, what they are asked about, and what they say.
  bool filters = false;
  std::vector<uint32_t> asked;
  ExtendedNodes left;
  ExtenderVerdicts extended;
  std::optional<Result<Status>> passed;
  Ref<Decision> decision;
  // Whether they prioritize the nodes that are left.
  bool prioritizes = false;
  std::optional<Result<std::vector<ExtenderScores>>> scores;
  std::vector<IgnoredError> unscored;
};

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
  Question q(state, pod);
  {
    const ExclusiveUse use(*this);  // until PostFilter
    LIBSCHED_TRY(judge(call, node, options, &q));
    if (q.filters) ask_to_filter(&q);
    LIBSCHED_TRY(decide(call, options, &q));
    if (q.prioritizes) ask_to_prioritize(&q);
    LIBSCHED_TRY(finish_scores(&q));
  }
  Decision& d = *q.decision;
  if (d.error.empty() && options.post_filter && d.feasible_count == 0)
    LIBSCHED_TRY(ask_post_filter(state, pod, call, &d));
  if (cluster_) d.finish_before_change(*cluster_);
  return Ref<const Decision>(q.decision);
}

Result<std::vector<Ref<const Decision>>> Evaluator::check_each(Span<const Pod*> pods,
                                                               const CheckOptions& options,
                                                               uint32_t calls) {
  const std::vector<ExtenderRef>& extenders = framework_->extenders();
  const bool at_once = calls > 1 && !extenders.empty() && !options.post_filter &&
                       std::all_of(extenders.begin(), extenders.end(),
                                   [](const auto& e) { return e->traits().concurrent; });
  const size_t most = at_once ? std::max<size_t>(calls, kCheckedTogether) : 1;
  std::vector<Ref<const Decision>> out;
  while (out.size() < pods.size()) {
    const size_t count = std::min(most, pods.size() - out.size());
    LIBSCHED_TRY(check_some(pods.subspan(out.size(), count), options, calls, &out));
  }
  return out;
}

// Takes some pods through each step together, because only one at a time may use the workspace.
Result<void> Evaluator::check_some(Span<const Pod*> pods, const CheckOptions& options,
                                   uint32_t calls, std::vector<Ref<const Decision>>* out) {
  const auto about = [&](size_t i, Error error) {
    const std::string path = "pods[" + std::to_string(out->size() + i) + "]";
    error.path = error.path.empty() ? path : path + "." + error.path;
    return error;
  };
  if (pods.size() == 1) {
    const Ref<CycleState> state = make_ref<CycleState>();
    Result<Ref<const Decision>> made = check(*state, *pods[0], {}, options);
    if (!made.ok()) return about(0, std::move(made.error()));
    out->push_back(std::move(*made));
    return {};
  }
  LIBSCHED_TRY(check_idle());
  const CallLimits limits(options.limits, *services_);
  const Call call = call_with(limits.watch());
  LIBSCHED_TRY(call.check_limits());
  if (cluster_) cluster_->refresh();
  const ExclusiveUse use(*this);
  std::vector<Ref<CycleState>> states;
  std::vector<Question> questions;
  questions.reserve(pods.size());
  for (const Pod* pod : pods)
    questions.emplace_back(*states.emplace_back(make_ref<CycleState>()), *pod);

  const auto in_order = [&](const auto& step) -> Result<void> {
    for (size_t i = 0; i < questions.size(); ++i)
      if (Result<void> done = step(&questions[i]); !done.ok())
        return about(i, std::move(done.error()));
    return call.check_limits();
  };
  const auto at_once = [&](bool Question::* wanted, const auto& step) {
    std::vector<Question*> asking;
    for (Question& q : questions)
      if (q.*wanted) asking.push_back(&q);
    std::atomic<size_t> next{0};
    Crew(static_cast<uint32_t>(std::clamp<size_t>(asking.size(), 1, calls))).run([&](bool) {
      for (size_t i = 0; (i = next.fetch_add(1)) < asking.size() && !call.exceeded();)
        step(asking[i]);
    });
    return call.check_limits();
  };
  LIBSCHED_TRY(in_order([&](Question* q) { return judge(call, {}, options, q); }));
  LIBSCHED_TRY(at_once(&Question::filters, [&](Question* q) { ask_to_filter(q); }));
  LIBSCHED_TRY(in_order([&](Question* q) { return decide(call, options, q); }));
  LIBSCHED_TRY(at_once(&Question::prioritizes, [&](Question* q) { ask_to_prioritize(q); }));
  LIBSCHED_TRY(in_order([&](Question* q) { return finish_scores(q); }));
  for (Question& q : questions) {
    if (cluster_) q.decision->finish_before_change(*cluster_);
    out->emplace_back(std::move(q.decision));
  }
  return {};
}

// PreEnqueue, PreFilter and Filter.
Result<void> Evaluator::judge(const Call& call, Str node, const CheckOptions& options,
                              Question* q) {
  const View& v = view();
  Decision::Source& source = q->source;
  source.framework = framework_;
  source.cluster = cluster_;
  source.snapshot = snapshot_;
  source.services = services_;
  source.pod = PodRef::share(&q->pod);
  source.judge_excluded = options.judge_excluded;
  source.facts = options.facts;
  if (!node.empty()) {
    source.only = v.find_node(node);
    if (source.only == kNoId)
      return Error{Rc::kNotFound, "node \"" + std::string(node) + "\" is not in the cluster"};
  }
  if (Status s = run_pre_enqueue(q->pod); !s.success()) q->gate = std::move(s);
  source.all_nodes = source.only == kNoId ? v.node_count() : 1;
  if (v.node_count() == 0) return {};
  Result<Status> pre = pre_filter(q->state, q->pod, call);
  if (!pre.ok()) return std::move(pre.error());
  source.narrowed = q->state.pre_filter();
  for (size_t i = 0; i < q->state.entries().size(); ++i)
    if (q->state.entries()[i].skip_filter) source.skipped.set(i);
  if (pre->success()) {
    Result<Checked> done = check_nodes(q->state, q->pod, call, &source);
    if (!done.ok()) return std::move(done.error());
    q->checked = *done;
    if (!framework_->extenders().empty() && !q->checked.failed) {
      q->filters = true;
      q->left = left_by_filters(source);
      q->asked = q->left.rows;
    }
  }
  source.pre_filter = std::move(*pre);
  return {};
}

void Evaluator::ask_to_filter(Question* q) const {
  q->passed = ExtenderPass(*framework_, view(), q->pod).filter(&q->left, &q->extended);
}

// Makes the decision, but for the extenders' scores.
Result<void> Evaluator::decide(const Call& call, const CheckOptions& options, Question* q) {
  if (q->filters) {
    ExtenderPass::log_skipped(*services_, q->extended.ignored);
    if (!q->passed->ok()) return q->passed->error();
    if (q->passed->value().success()) {
      take_rejections(q->asked, q->left.rows, q->extended, &q->source);
    } else {
      q->source.error = q->passed->value().message();
      q->left = {};
    }
    q->checked.feasible = q->left.rows.size();
  }
  const std::string extender_error = q->source.error;
  q->decision = make_ref<Decision>(std::move(q->source));
  Decision* const d = q->decision.get();
  for (const IgnoredError& e : q->extended.ignored)
    d->extender_failures.push_back({e.extender->traits().name, "filter", e.message});
  if (options.facts) {
    if (q->gate) add_pod_facts(call, q->pod, *q->gate, d);
    d->pre_enqueue_facts = d->pod_facts.list().size();
    if (d->pre_filter) add_pod_facts(call, q->pod, *d->pre_filter, d);
    add_missing_nodes(d);
    // At once: plugins ask the view for counts, as only its writer may.
    static_cast<void>(d->details());
  }
  d->pre_enqueue = std::move(q->gate);
  d->node_count = q->checked.judged;
  if (view().node_count() == 0) {
    d->error = "no nodes available to schedule pods";
  } else if (!d->pre_filter->success() && !d->pre_filter->rejected()) {
    d->error = d->pre_filter->message();
  } else if (!extender_error.empty()) {
    d->error = extender_error;
  } else if (q->checked.failed) {
    d->error = d->details().error;
  }
  if (!d->error.empty()) return {};
  d->feasible_count = q->checked.feasible;
  if (!options.score || d->feasible_count == 0) return {};
  return score_decision(call, q);
}

void Evaluator::ask_to_prioritize(Question* q) const {
  q->scores = ExtenderPass(*framework_, view(), q->pod).prioritize(q->left, &q->unscored);
}

// Adds the extenders' scores, and finds the best nodes.
Result<void> Evaluator::finish_scores(Question* q) const {
  Decision& d = *q->decision;
  if (q->prioritizes) {
    ExtenderPass(*framework_, view(), q->pod).log_unscored(*services_, q->unscored);
    for (const IgnoredError& e : q->unscored)
      d.extender_failures.push_back({e.extender->traits().name, "prioritize", e.message});
    if (!q->scores->ok()) return q->scores->error();
    add_scores(q->scores->value(), q->left.rows, nullptr, &d.scores);
    sort_by_name(&d.scores);  // extenders had them in the order in which they were found
  }
  if (d.scores.totals.empty() || !d.score_error.empty()) return {};
  const int64_t top = *std::max_element(d.scores.totals.begin(), d.scores.totals.end());
  for (size_t i = 0; i < d.scores.rows.size(); ++i)
    if (d.scores.totals[i] == top) d.best.push_back(d.scores.rows[i]);
  return {};
}

// A fact about the nodes that PreFilter asks for by name, if none of them is there.
void Evaluator::add_missing_nodes(Decision* d) const {
  const PreFilterResult& narrowed = d->narrowed;
  if (narrowed.all_nodes || narrowed.nodes.empty()) return;
  for (const std::string& name : narrowed.nodes)
    if (view().find_node(name) != kNoId) return;
  d->pod_facts.add(absent_status(narrowed).reasons[0])
      .texts("plugins", std::vector<Str>(narrowed.restricted.begin(), narrowed.restricted.end()))
      .texts("missing", std::vector<Str>(narrowed.nodes.begin(), narrowed.nodes.end()));
}

// The facts of PreEnqueue's or PreFilter's rejection.
void Evaluator::add_pod_facts(const Call& call, const Pod& pod, const Status& status,
                              Decision* d) const {
  if (!status.rejected() && status.code != Code::kError) return;
  if (status.rejected() && status.plugin.empty()) {  // several plugins together leave no node
    const std::vector<std::string>& by = d->narrowed.restricted;
    d->pod_facts.add(status.reasons[0]).texts("plugins", std::vector<Str>(by.begin(), by.end()));
    return;
  }
  for (const Framework::Instance& i : framework_->plugins()) {
    if (!i.plugin || i.name != status.plugin) continue;
    if (status.rejected() || i.plugin->explains_errors())
      i.plugin->pod_facts(call, pod, status, &d->pod_facts);
    return;
  }
}

// Scores the nodes that fit, by plugins.
Result<void> Evaluator::score_decision(const Call& call, Question* q) {
  Decision* const d = q->decision.get();
  const bool extended = !framework_->extenders().empty();
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
  ScorePass pass(*framework_, q->state, q->pod, call, &work_);
  Status s;
  if (extended) {
    Result<Status> ran = score_left(q->state, q->pod, call, q->left, {}, &d->scores);
    if (!ran.ok()) return std::move(ran.error());
    s = std::move(*ran);
    // Without a Score plugin upstream gives every node one point and runs no PreScore.
  } else if (!framework_->at(ExtensionPoint::kScore).empty()) {
    Result<Status> pre = pass.pre_score(set);
    if (!pre.ok()) return std::move(pre.error());
    s = std::move(*pre);
  }
  if (s.success()) {
    for (size_t i = 0; i < q->state.entries().size(); ++i)
      if (q->state.entries()[i].skip_score) d->skip_score.push_back(framework_->plugins()[i].name);
    std::sort(d->skip_score.begin(), d->skip_score.end());
    if (!extended) {
      Result<Status> scored = pass.score<int64_t>(set, nullptr, &d->scores);
      if (!scored.ok()) return std::move(scored.error());
      s = std::move(*scored);
    }
  }
  if (!s.success()) {
    d->score_error = s.message();
    return {};
  }
  for (uint32_t& r : d->scores.rows) r = index[r];
  q->prioritizes = extended;
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
    if (framework_->behaviours().no_absent_status) {
      statuses.absent = Status();
    } else if (!d->narrowed.all_nodes) {
      statuses.absent = absent_status(d->narrowed);
    }
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
