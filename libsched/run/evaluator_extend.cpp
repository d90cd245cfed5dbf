// Evaluator: extenders, which are asked after the filters and beside Score.
#include <algorithm>

#include "libsched/run/evaluator.hpp"
#include "libsched/run/observed_point.hpp"
#include "libsched/run/score_pass.hpp"

namespace libsched {
namespace {

// A copy of the cluster with the nodes that an extender has returned in the place of its own.
// Upstream makes empty NodeInfos of them: PreScore still counts the pods of the snapshot, but Score
// sees neither pods nor images.
class ReturnedNodes {
 public:
  static Result<ReturnedNodes> put(const Cluster* cluster, const ExtendedNodes& nodes) {
    if (cluster == nullptr)
      return Error{Rc::kUnsupported,
                   "an extender has returned whole nodes, which can be scored on a cluster only, "
                   "not on a snapshot"};
    ReturnedNodes out;
    out.copy_ = cluster->clone();
    for (size_t i = 0; i < nodes.rows.size(); ++i) {
      if (!nodes.objects[i]) continue;
      const Ref<Node> bare = copy_node(*nodes.objects[i], nodes.objects[i]->meta.name, {});
      bare->images = {};
      LIBSCHED_TRY(out.copy_->replace_node(nodes.rows[i], bare));
      out.rows_.push_back(nodes.rows[i]);
    }
    return out;
  }
  Result<void> empty() {
    for (const uint32_t row : rows_)
      while (!view().row(row).pods.empty())
        LIBSCHED_TRY(copy_->take_pod(view().row(row).pods.back()));
    return {};
  }
  const View& view() const { return copy_->view(); }

 private:
  Ref<Cluster> copy_;
  std::vector<uint32_t> rows_;
};

}  // namespace

Result<Status> Evaluator::score_left(CycleState& state, const Pod& pod, const Call& call,
                                     const ExtendedNodes& nodes, const CycleOptions& observed,
                                     ScoreTable* table) {
  const size_t words = view().word_count(), count = nodes.rows.size();
  work_.feasible.assign(words, 0);
  for (const uint32_t r : nodes.rows) work_.feasible[r / 64] |= uint64_t{1} << (r % 64);
  FeasibleOrder order(nodes.rows, 0, work_.feasible.data(), count, &work_.feasible_rows);
  const ScoreSet set{words, count, work_.feasible.data(), &order, nullptr};
  std::optional<ReturnedNodes> returned;
  if (!nodes.objects.empty()) {
    Result<ReturnedNodes> made = ReturnedNodes::put(cluster_.get(), nodes);
    if (!made.ok()) return made.error();
    returned = std::move(*made);
  }
  const Call seen{returned ? returned->view() : call.view, call.services, call.limits, call.asker};
  ScorePass pass(*framework_, state, pod, seen, &work_);
  {
    ObservedPoint point(observed, CyclePoint::kPreScore, pod, state);
    Result<Status> pre = pass.pre_score(set);
    if (!pre.ok()) return std::move(pre.error());
    point.end(&*pre);
    if (!pre->success()) return pre;
  }
  if (returned) {
    LIBSCHED_TRY(returned->empty());
    pass.accept_stale();  // what PreScore has counted stays as it is
  }
  if (work_.totals.size() < words * 64) work_.totals.resize(words * 64);
  {
    ObservedPoint point(observed, CyclePoint::kScore, pod, state);
    Result<Status> ran = pass.score(set, work_.totals.data(), table);
    if (!ran.ok()) return std::move(ran.error());
    pass.count_scores(set);
    point.event().scores = observed.node_by_node ? table : nullptr;
    point.end(&*ran);
    if (!ran->success()) return ran;
  }
  if (framework_->at(ExtensionPoint::kScore).empty()) {  // then a node has no point
    std::fill(work_.totals.begin(), work_.totals.end(), 0);
    if (table != nullptr) table->totals.assign(count, 0);
  }
  return Status();
}

// Adds the scores of extenders to the totals by row and to the table, unless these are null.
void Evaluator::add_scores(const std::vector<ExtenderScores>& said, Span<uint32_t> rows,
                           int64_t* totals, ScoreTable* table) {
  for (const ExtenderScores& scores : said) {
    ScoreTable::Column column{scores.extender->traits().name, scores.extender->traits().weight};
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t weighted = wrapping_mul(scores.raw[i], scores.factor);
      if (totals != nullptr) totals[rows[i]] = wrapping_add(totals[rows[i]], weighted);
      if (table == nullptr) continue;
      column.raw.push_back(scores.raw[i]);
      column.normalized.push_back(wrapping_mul(scores.raw[i], kMaxNodeScore / 10));
      column.weighted.push_back(weighted);
      table->totals[i] = wrapping_add(table->totals[i], weighted);
    }
    if (table != nullptr && scores.extender->traits().prioritizes)
      table->columns.push_back(std::move(column));
  }
}

Result<Status> Evaluator::score_extended(CycleState& state, const Pod& pod, const Call& call,
                                         const ExtendedNodes& nodes, const CycleOptions& observed,
                                         ScoreTable* table, std::vector<bool>* scored) {
  Result<Status> ran = score_left(state, pod, call, nodes, observed, table);
  if (!ran.ok() || !ran->success()) return ran;
  const ExtenderPass extenders(*framework_, view(), pod);
  std::vector<IgnoredError> ignored;
  const Result<std::vector<ExtenderScores>> said = extenders.prioritize(nodes, &ignored);
  extenders.log_unscored(*services_, ignored);
  if (!said.ok()) return said.error();
  add_scores(*said, nodes.rows, work_.totals.data(), table);
  scored->assign(nodes.rows.size(), false);
  for (const ExtenderScores& scores : *said)
    for (size_t i = 0; i < nodes.rows.size(); ++i)
      if (scores.scored[i]) (*scored)[i] = true;
  return Status();
}

// Upstream breaks ties by random numbers that only nodes have that an extender has scored: any of
// these may be chosen, by the seed. Without such a node its heap decides.
uint32_t Evaluator::pick_extended(const ExtendedNodes& nodes, const std::vector<bool>& scored,
                                  const CycleOptions& options, int64_t* total) {
  const std::vector<uint32_t>& rows = nodes.rows;
  const auto of = [&](size_t i) { return work_.totals[rows[i]]; };
  int64_t top = of(0);
  for (size_t i = 1; i < rows.size(); ++i) top = std::max(top, of(i));
  *total = top;
  std::vector<size_t> best, random;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (of(i) != top) continue;
    best.push_back(i);
    if (scored[i]) random.push_back(i);
  }
  const bool uniform = options.ties == TieMode::kRandom || framework_->behaviours().uniform_ties;
  const auto draw = [&](const std::vector<size_t>& from) {
    return rows[from.size() == 1 ? from[0]
                                 : from[mixed(options.seed, ties_broken_++) % from.size()]];
  };
  if (options.ties == TieMode::kName) {
    return rows[*std::min_element(best.begin(), best.end(), [&](size_t a, size_t b) {
      return view().row(rows[a]).name < view().row(rows[b]).name;
    })];
  }
  if (uniform) return draw(best);
  if (!random.empty()) return draw(random);
  size_t i = 0;
  while (of(i) != top) i = next_in_heap(i, rows.size());
  return rows[i];
}

// The part of a cycle after the filters have left nodes.
Result<void> Evaluator::choose_extended(CycleState& state, const Pod& pod, const Call& call,
                                        const CycleOptions& options, ExtendedNodes nodes,
                                        ExtenderVerdicts* extended, CycleOutcome* out) {
  const size_t rejected = out->evaluated - nodes.rows.size();
  Result<Status> passed = filter_extended(pod, &nodes, extended);
  if (!passed.ok()) return std::move(passed.error());
  LIBSCHED_TRY(call.check_limits());
  out->status = std::move(*passed);
  if (!out->status.success()) return {};
  out->feasible = nodes.rows.size();
  out->evaluated = out->feasible + rejected + extended->statuses.size() + extended->unknown.size();
  if (nodes.rows.empty()) {
    out->status = Status(Code::kUnschedulable);
    return {};
  }
  if (nodes.rows.size() == 1) {
    out->row = nodes.rows[0];
    return {};
  }
  ScoreTable table;
  std::vector<bool> scored;
  Result<Status> ran = score_extended(state, pod, call, nodes, options,
                                      options.node_by_node ? &table : nullptr, &scored);
  if (!ran.ok()) return std::move(ran.error());
  out->status = std::move(*ran);
  if (out->status.success()) out->row = pick_extended(nodes, scored, options, &out->total);
  return {};
}

Result<Status> Evaluator::filter_extended(const Pod& pod, ExtendedNodes* nodes,
                                          ExtenderVerdicts* verdicts) const {
  Result<Status> passed = ExtenderPass(*framework_, view(), pod).filter(nodes, verdicts);
  ExtenderPass::log_skipped(*services_, verdicts->ignored);
  return passed;
}

// The nodes that the filters of a decision have left, which extenders are asked about.
ExtendedNodes Evaluator::left_by_filters(const Decision::Source& source) const {
  const View& v = view();
  ExtendedNodes nodes;
  const size_t first = source.verdicts.first_word() * 64;
  const auto left = [&](uint32_t r) {
    return r >= first && has_bit(work_.alive, static_cast<uint32_t>(r - first)) &&
           (!source.judge_excluded || source.narrowed.allows(v.row(r).name));
  };
  if (source.only != kNoId) {
    if (left(source.only)) nodes.rows.push_back(source.only);
  } else {
    for (const uint32_t r : v.order())
      if (left(r)) nodes.rows.push_back(r);
  }
  return nodes;
}

// Makes verdicts of the extenders' rejections: `asked` are the rows that they were asked about, and
// `left` those that they have left.
void Evaluator::take_rejections(Span<uint32_t> asked, Span<uint32_t> left,
                                const ExtenderVerdicts& extended, Decision::Source* source) const {
  std::vector<uint64_t> kept(view().word_count());
  for (const uint32_t r : left) kept[r / 64] |= uint64_t{1} << (r % 64);
  for (const uint32_t r : asked)
    if (!has_bit(kept, r) && !extended.statuses.has(r))
      source->verdicts.reject(r, extended.statuses.absent, {});
  const size_t first = source->verdicts.first_word() * 64, words = source->verdicts.words();
  for (const auto& [r, status] : extended.statuses.all())
    if (!has_bit(kept, r) && r >= first && r < first + words * 64)
      source->verdicts.reject(r, status, {});
  source->extended = true;
  source->extender_narrowed = extended.narrowed;
  for (const auto& [name, status] : extended.unknown) source->unknown.push_back(status);
}

}  // namespace libsched
