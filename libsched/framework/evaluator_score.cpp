// Evaluator: PreScore and Score, with upstream's order of calls, range check, weights and texts.
#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/framework/evaluator.hpp"
#include "libsched/framework/score_columns.hpp"

namespace libsched {
namespace {

Status plugin_failed(const char* doing, const std::string& name, const Status& s) {
  return Status::wrap(std::string(doing) + ": plugin " + go_quote(name) + " failed with: ", s);
}

bool out_of_range(int64_t score) { return score < kMinNodeScore || score > kMaxNodeScore; }

Status out_of_range_status(const std::string& plugin, int64_t score) {
  return Status::from_error("applying score defaultWeights on Score plugins: plugin " +
                            go_quote(plugin) + " returns an invalid score " +
                            std::to_string(score) +
                            ", it should in the range of [0, 100] after normalizing");
}

// The place of the first row, in the order of the calls, for which f(row) holds.
template <typename F>
size_t first_place(Span<uint32_t> rows, F&& f) {
  size_t i = 0;
  while (i < rows.size() && !f(rows[i])) ++i;
  return i;
}

}  // namespace

Result<void> Evaluator::ready_to_score(CycleState& state, const Pod& pod, size_t words) const {
  LIBSCHED_TRY(may_begin());
  LIBSCHED_TRY(bind_pod(state, pod));
  if (words < view().word_count())
    return Error{Rc::kInvalid,
                 "the bitmap of nodes has " + std::to_string(words) + " words, the view has " +
                     std::to_string(view().word_count()),
                 {},
                 {}};
  return {};
}

Result<Status> Evaluator::pre_score_set(CycleState& state, const Pod& pod, const ScoreSet& set) {
  for (CycleState::Entry& e : state.entries) {
    e.score_data.reset();
    e.skip_score = e.pre_scored = false;
  }
  const View& v = view();
  const uint64_t epoch = v.ids_epoch();
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreScore)) {
    const Framework::Instance& instance = framework_->plugins()[i];
    if (!instance.plugin) continue;
    LIBSCHED_TRY(go_on(state));
    CycleState::Entry& entry = state.entries[i];
    const Status s = instance.plugin->pre_score({v, pod, state, set}, &entry.score_data);
    if (s.code == Code::kSkip) {
      for (const uint32_t j : framework_->namesakes(i)) state.entries[j].skip_score = true;
      continue;
    }
    if (!s.success())
      return Status::wrap("running PreScore plugin " + go_quote(instance.name) + ": ", s);
    entry.pre_scored = true;
    if (entry.score_data && entry.score_data->ids_epoch != 0) entry.score_data->ids_epoch = epoch;
  }
  LIBSCHED_TRY(go_on(state));
  return Status();
}

// `column_` holds one plugin's scores at a time; the order of the errors is upstream's: all plugins
// score before one normalises, and the first node that fails decides, then the first plugin.
Result<Status> Evaluator::score_set(CycleState& state, const Pod& pod, const ScoreSet& set,
                                    int64_t* totals, ScoreTable* table, int64_t* offset) {
  const View& v = view();
  const size_t n = set.words * 64;
  const uint64_t epoch = v.ids_epoch();
  if (offset != nullptr) *offset = 0;
  if (table != nullptr) *table = {};
  if (set.count == 0) {
    if (totals != nullptr) std::fill(totals, totals + n, 0);
    // Upstream has no nodes normalized, too.
    int64_t none = 0;
    for (const uint32_t i : framework_->at(ExtensionPoint::kScore)) {
      const CycleState::Entry& entry = state.entries[i];
      const Framework::Instance& instance = framework_->plugins()[i];
      if (entry.skip_score || !instance.plugin || !instance.plugin->normalizes() ||
          !instance.plugin->foreign())
        continue;
      const ScoreCall call{
          v, pod, state, entry.score_data.get(), entry.data.get(), entry.pre_scored};
      if (const Status s = instance.plugin->normalize(call, set, &none); !s.success())
        return plugin_failed("running Normalize on Score plugins", instance.name, s);
    }
    return Status();
  }
  if (column_.size() < n) column_.resize(n);
  int64_t* const scores = column_.data();
  int64_t constant = 0;  // of the plugins with uniform scores
  bool summed = false;   // whether `totals` holds a sum yet
  size_t failed_at = set.count, invalid_at = set.count;
  Status failed, unnormalized, invalid;
  ScoreSet judged = set;
  if (table != nullptr) table->rows.assign(set.rows().begin(), set.rows().end());

  const std::vector<uint32_t>& order = framework_->at(ExtensionPoint::kScore);
  const auto asked = [&](uint32_t i) {
    return !state.entries[i].skip_score && framework_->plugins()[i].plugin != nullptr;
  };
  const auto call_of = [&](const CycleState::Entry& entry) -> ScoreCall {
    return {v, pod, state, entry.score_data.get(), entry.data.get(), entry.pre_scored};
  };
  // Asks one plugin for all scores; nothing if it, or a node of it, failed.
  const auto ask = [&](uint32_t i) -> Result<std::optional<Scored>> {
    const CycleState::Entry& entry = state.entries[i];
    const Framework::Instance& instance = framework_->plugins()[i];
    for (const PluginData* data : {entry.data.get(), entry.score_data.get()})
      if (data != nullptr && ((data->ids_epoch != 0 && data->ids_epoch != epoch) ||
                              (data->view_version != 0 && data->view_version != v.version())))
        return stale(instance.name);
    LIBSCHED_TRY(go_on(state));
    const ScoreCall call = call_of(entry);
    score_errors_.assign(set.words, 0);
    judged.errors = score_errors_.data();
    const Scored scored = instance.plugin->score(call, judged, scores);
    LIBSCHED_TRY(go_on(state));
    if (std::all_of(score_errors_.begin(), score_errors_.end(), [](uint64_t w) { return w == 0; }))
      return std::optional<Scored>(scored);
    const auto bad = [&](uint32_t r) { return (score_errors_[r / 64] >> (r % 64) & 1) != 0; };
    const size_t at = first_place(set.rows(), bad);
    if (at < failed_at) {
      failed_at = at;
      failed = plugin_failed("running Score plugins", instance.name,
                             instance.plugin->score_status(call, set.rows()[at]));
    }
    return std::optional<Scored>();
  };

  // Upstream normalizes when all plugins have given their scores, and not if one failed. Column by
  // column needs less memory and gives the same, but a foreign NormalizeScore could tell.
  const bool in_turn = order.size() > 1 && std::any_of(order.begin(), order.end(), [&](uint32_t i) {
                         const Plugin* p = framework_->plugins()[i].plugin.get();
                         return p != nullptr && p->foreign() && p->normalizes();
                       });
  struct Kept {
    Scored scored;
    std::vector<int64_t> scores;
  };
  std::vector<Kept> kept(in_turn ? order.size() : 0);
  for (size_t k = 0; k < kept.size(); ++k) {
    if (!asked(order[k])) continue;
    const Result<std::optional<Scored>> scored = ask(order[k]);
    if (!scored.ok()) return scored.error();
    if (*scored) kept[k] = {**scored, std::vector<int64_t>(scores, scores + n)};
  }
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t i = order[k];
    if (!asked(i)) continue;
    const Framework::Instance& instance = framework_->plugins()[i];
    const Plugin& plugin = *instance.plugin;
    const int64_t weight = framework_->score_weights()[k];
    const ScoreCall call = call_of(state.entries[i]);
    Scored scored;
    if (in_turn && failed_at == set.count) {
      scored = kept[k].scored;
      std::copy(kept[k].scores.begin(), kept[k].scores.end(), scores);
    } else if (!in_turn) {
      const Result<std::optional<Scored>> now = ask(i);
      if (!now.ok()) return now.error();
      if (*now) scored = **now;
    }
    // Nothing is normalised after a failure.
    if (failed_at != set.count || !unnormalized.success()) continue;
    ScoreTable::Column* column = nullptr;
    if (table != nullptr) {
      column = &table->columns.emplace_back();
      column->plugin = instance.name;
      column->weight = weight;
      for (const uint32_t r : table->rows)
        column->raw.push_back(scored.uniform ? scored.value : scores[r]);
    }
    if (plugin.normalizes()) {
      if (scored.uniform) {
        scored.value = plugin.normalize_uniform(call, scored.value);
      } else if (const Status s = plugin.normalize(call, set, scores); !s.success()) {
        unnormalized = plugin_failed("running Normalize on Score plugins", instance.name, s);
        continue;
      }
      LIBSCHED_TRY(go_on(state));
    }
    bool in_range = true;
    if (scored.uniform) {
      if (out_of_range(scored.value) && invalid_at > 0) {
        invalid_at = 0;
        invalid = out_of_range_status(instance.name, scored.value);
      }
    } else if (totals != nullptr && invalid_at == set.count) {
      in_range = column_kernels().add(set.bits, set.words, scores, weight, !summed, totals);
      summed = true;
    } else {
      const auto [min, max] = score_range(set, scores);
      in_range = !out_of_range(min) && !out_of_range(max);
    }
    if (!in_range) {
      const size_t at =
          first_place(set.rows(), [&](uint32_t r) { return out_of_range(scores[r]); });
      if (at < invalid_at) {
        invalid_at = at;
        invalid = out_of_range_status(instance.name, scores[set.rows()[at]]);
      }
    }
    if (invalid_at != set.count) continue;
    if (column != nullptr) {
      for (const uint32_t r : table->rows) {
        column->normalized.push_back(scored.uniform ? scored.value : scores[r]);
        column->weighted.push_back(wrapping_mul(column->normalized.back(), weight));
      }
    }
    if (scored.uniform) constant = wrapping_add(constant, wrapping_mul(scored.value, weight));
  }
  for (Status* s : {&failed, &unnormalized, &invalid})
    if (!s->success()) {
      if (table != nullptr) *table = {};
      return std::move(*s);
    }
  if (totals != nullptr && !summed) std::fill(totals, totals + n, 0);
  if (offset != nullptr) {
    *offset = constant;
  } else if (totals != nullptr && constant != 0) {
    for (size_t r = 0; r < n; ++r) totals[r] = wrapping_add(totals[r], constant);
  }
  if (table != nullptr) {
    table->totals.assign(table->rows.size(), 0);
    for (const ScoreTable::Column& c : table->columns)
      for (size_t r = 0; r < c.weighted.size(); ++r)
        table->totals[r] = wrapping_add(table->totals[r], c.weighted[r]);
    // Without any Score plugin in the profile every node gets one point.
    if (order.empty()) table->totals.assign(table->rows.size(), 1);
  }
  if (totals != nullptr && order.empty()) std::fill(totals, totals + n, 1);
  return Status();
}

Error Evaluator::stale(const std::string& plugin) {
  return {Rc::kStale,
          "the view has changed since plugin " + go_quote(plugin) +
              " prepared itself: run PreFilter again",
          {},
          plugin};
}

// The caller's rows, those without a node left out.
ScoreSet Evaluator::scored_rows(const uint64_t* feasible) {
  const View& v = view();
  const size_t used = v.word_count();
  feasible_.assign(feasible, feasible + used);
  size_t count = 0;
  for (size_t w = 0; w < used; ++w) {
    feasible_[w] &= w < v.live().word_count() ? v.live().word(w) : 0;
    count += static_cast<size_t>(std::popcount(feasible_[w]));
  }
  return {used, count, feasible_.data(), nullptr, nullptr};
}

// Scores the nodes that fit.
Result<void> Evaluator::score_decision(CycleState& state, const Pod& pod, Decision* d) {
  const std::vector<uint32_t>& rows = d->details().names->rows;
  feasible_.assign(view().word_count(), 0);
  std::vector<uint32_t> index(view().row_count());
  std::vector<uint32_t> listed;
  for (const uint32_t i : d->details().feasible) {
    feasible_[rows[i] / 64] |= uint64_t{1} << (rows[i] % 64);
    index[rows[i]] = i;
    listed.push_back(rows[i]);
  }
  FeasibleOrder order(listed, 0, feasible_.data(), listed.size(), &feasible_rows_);
  const ScoreSet set{feasible_.size(), listed.size(), feasible_.data(), &order, nullptr};
  d->scored = true;
  // Without a Score plugin upstream gives every node one point and asks no PreScore.
  Status s;
  if (!framework_->at(ExtensionPoint::kScore).empty()) {
    Result<Status> pre = pre_score_set(state, pod, set);
    if (!pre.ok()) return std::move(pre.error());
    s = std::move(*pre);
  }
  if (s.success()) {
    for (size_t i = 0; i < state.entries.size(); ++i)
      if (state.entries[i].skip_score) d->skip_score.push_back(framework_->plugins()[i].name);
    std::sort(d->skip_score.begin(), d->skip_score.end());
    Result<Status> scored = score_set(state, pod, set, nullptr, &d->scores);
    if (!scored.ok()) return std::move(scored.error());
    s = std::move(*scored);
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

Result<Status> Evaluator::run_pre_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                                        size_t words) {
  LIBSCHED_TRY(ready_to_score(state, pod, words));
  LIBSCHED_TRY(may_replace(state));
  if (cluster_) cluster_->refresh();
  const Turn turn(this, &state);
  ScoreSet set = scored_rows(feasible);
  FeasibleOrder order(view().order(), 0, set.bits, set.count, &feasible_rows_);
  set.order = &order;
  return pre_score_set(state, pod, set);
}

Result<Status> Evaluator::run_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                                    size_t words, int64_t* totals, ScoreTable* table) {
  LIBSCHED_TRY(ready_to_score(state, pod, words));
  if (cluster_) cluster_->refresh();
  const Turn turn(this, &state);
  ScoreSet set = scored_rows(feasible);
  FeasibleOrder order(view().order(), 0, set.bits, set.count, &feasible_rows_);
  set.order = &order;
  return score_set(state, pod, set, totals, table);
}

}  // namespace libsched
