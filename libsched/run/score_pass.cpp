// ScorePass: upstream's order of calls, range check, weights and texts.
//
// All plugins score before any normalises. Working column by column needs less
// memory and gives the same results; only a foreign NormalizeScore could tell
// the difference, and for it every plugin's scores are kept until all are
// there. The error that is returned does not depend on it: those of Score come
// before those of NormalizeScore before scores out of range; within each, the
// first node's, then the first plugin's.
#include "libsched/run/score_pass.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/framework/score_columns.hpp"
#include "libsched/run/filter_pass.hpp"

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

// The place of the first row, in the order of the calls, for which f(row)
// holds.
template <typename F>
size_t first_place(Span<uint32_t> rows, F&& f) {
  size_t i = 0;
  while (i < rows.size() && !f(rows[i])) ++i;
  return i;
}

}  // namespace

// The failure that counts so far.
class ScorePass::Failure {
 public:
  enum Stage : uint8_t { kScore, kNormalize, kRange, kNone };

  bool none() const { return stage_ == kNone; }
  // Whether a plugin's scores still have to be normalised.
  bool wanted() const { return stage_ > kNormalize; }
  bool before(Stage stage, size_t place) const {
    return stage_ < stage || (stage_ == stage && place_ <= place);
  }
  void fail(Stage stage, size_t place, Status status) {
    if (before(stage, place)) return;
    stage_ = stage;
    place_ = place;
    status_ = std::move(status);
  }
  Status take() { return std::move(status_); }

 private:
  Stage stage_ = kNone;
  size_t place_ = 0;
  Status status_;
};

// The sums and the table while plugins score.
template <typename Total>
class ScorePass::Sums {
 public:
  Sums(const ScoreSet& set, Total* totals, ScoreTable* table, Failure* failure)
      : set_(set), totals_(totals), table_(table), failure_(*failure) {
    if (table_ != nullptr) table_->rows.assign(set.rows().begin(), set.rows().end());
  }

  // The totals hold a sum from now on.
  void begin() {
    if (!std::exchange(summed_, true)) std::fill_n(totals_, set_.words * 64, 0);
  }
  bool begun() const { return summed_; }
  void take_begun() { summed_ = true; }  // a plugin has begun them
  // Records raw scores, then normalised ones; `column` is of the plugin with
  // this name.
  void raw(const std::string& plugin, int64_t weight, const Scored& scored, const int64_t* column) {
    if (table_ == nullptr) return;
    ScoreTable::Column& c = table_->columns.emplace_back();
    c.plugin = plugin;
    c.weight = weight;
    for (const uint32_t r : table_->rows)
      c.raw.push_back(scored.uniform ? scored.value : column[r]);
  }
  void add(const std::string& plugin, int64_t weight, const Scored& scored, const int64_t* column) {
    if (scored.uniform) {
      if (out_of_range(scored.value))
        failure_.fail(Failure::kRange, 0, out_of_range_status(plugin, scored.value));
    } else if (!in_range(weight, column)) {
      const size_t at =
          first_place(set_.rows(), [&](uint32_t r) { return out_of_range(column[r]); });
      failure_.fail(Failure::kRange, at, out_of_range_status(plugin, column[set_.rows()[at]]));
    }
    if (!failure_.none()) return;
    if (scored.uniform) constant_ = wrapping_add(constant_, wrapping_mul(scored.value, weight));
    if (table_ == nullptr) return;
    ScoreTable::Column& c = table_->columns.back();
    for (const uint32_t r : table_->rows) {
      c.normalized.push_back(scored.uniform ? scored.value : column[r]);
      c.weighted.push_back(wrapping_mul(c.normalized.back(), weight));
    }
  }

  // `plugins`: whether the profile has Score plugins; without them every node
  // gets one point.
  void finish(bool plugins, int64_t* offset) {
    if (totals_ != nullptr) begin();
    const size_t n = set_.words * 64;
    if (offset != nullptr) {
      *offset = constant_;
    } else if (totals_ != nullptr && constant_ != 0) {
      for (size_t r = 0; r < n; ++r)
        totals_[r] = static_cast<Total>(wrapping_add(totals_[r], constant_));
    }
    if (!plugins && totals_ != nullptr) std::fill_n(totals_, n, 1);
    if (table_ == nullptr) return;
    table_->totals.assign(table_->rows.size(), plugins ? 0 : 1);
    for (const ScoreTable::Column& c : table_->columns)
      for (size_t r = 0; r < c.weighted.size(); ++r)
        table_->totals[r] = wrapping_add(table_->totals[r], c.weighted[r]);
  }

 private:
  // Adds the column to the totals as long as they are meaningful.
  bool in_range(int64_t weight, const int64_t* column) {
    if (totals_ == nullptr || !failure_.none()) {
      const auto [min, max] = score_range(set_, column);
      return !out_of_range(min) && !out_of_range(max);
    }
    const bool first = !std::exchange(summed_, true);
    const ColumnKernels& kernels = column_kernels();
    if constexpr (sizeof(Total) == sizeof(int32_t)) {
      return kernels.add_narrow(set_.bits, set_.words, column, weight, first, totals_);
    } else {
      return kernels.add(set_.bits, set_.words, column, weight, first, totals_);
    }
  }

  const ScoreSet& set_;
  Total* totals_;
  ScoreTable* table_;
  Failure& failure_;
  int64_t constant_ = 0;  // of the plugins with uniform scores
  bool summed_ = false;   // whether the totals hold a sum yet
};

Result<Status> ScorePass::pre_score(const ScoreSet& set) {
  state_.forget_pre_score();
  Result<Status> ran = ask_pre_score(set);
  if (!ran.ok())
    state_.forget_pre_score();  // the limits ended it, and the last data may be unfinished
  return ran;
}

Result<Status> ScorePass::ask_pre_score(const ScoreSet& set) {
  const uint64_t epoch = call_.view.ids_epoch();
  for (const uint32_t i : framework_.at(ExtensionPoint::kPreScore)) {
    const Framework::Instance& instance = framework_.plugins()[i];
    if (!instance.plugin) continue;
    if (call_.limits != nullptr) LIBSCHED_TRY(call_.check_limits());
    std::shared_ptr<PluginData> data;
    const PluginTimer timer(state_.timer(), TimedPoint::kPreScore, i);
    const Status s = instance.plugin->pre_score({call_, pod_, state_, set}, &data);
    timer.took_alone(s.code);
    const std::span<CycleState::Entry> entries = state_.edit_entries();
    CycleState::Entry& entry = entries[i];
    entry.score_data = std::move(data);
    if (s.code == Code::kSkip) {
      for (const uint32_t j : framework_.namesakes(i)) entries[j].skip_score = true;
      continue;
    }
    if (state_.meter() != nullptr) state_.meter()->evaluated_alone(CountedPoint::kPreScore, i);
    if (!s.success())
      return Status::wrap("running PreScore plugin " + go_quote(instance.name) + ": ", s);
    entry.pre_scored = true;
    if (entry.score_data && entry.score_data->ids_epoch != 0) entry.score_data->ids_epoch = epoch;
  }
  LIBSCHED_TRY(call_.check_limits());
  return Status();
}

// Upstream also normalises an empty list of nodes.
Result<Status> ScorePass::score_none(const ScoreSet& set) {
  int64_t none = 0;
  for (const uint32_t i : framework_.at(ExtensionPoint::kScore)) {
    const Framework::Instance& instance = framework_.plugins()[i];
    if (!asked(i) || !instance.plugin->normalizes() || !instance.plugin->foreign()) continue;
    if (const Status s = normalize(i, set, &none); !s.success())
      return plugin_failed("running Normalize on Score plugins", instance.name, s);
  }
  return Status();
}

// Whether the plugin's data is of another state of the view.
bool ScorePass::stale_data(uint32_t plugin) const {
  const CycleState::Entry& entry = state_.entries()[plugin];
  const View& v = call_.view;
  for (const PluginData* data : {entry.data.get(), entry.score_data.get()})
    if (data != nullptr &&
        ((data->ids_epoch != 0 && data->ids_epoch != v.ids_epoch()) ||
         (!accepts_stale_ && data->view_version != 0 && data->view_version != v.version())))
      return true;
  return false;
}

// Lets the plugin add its scores to the totals, if it can and nobody looks at the time.
bool ScorePass::add_scores(size_t place, const ScoreSet& set, int32_t* totals, bool first) const {
  const uint32_t i = framework_.at(ExtensionPoint::kScore)[place];
  const Plugin& plugin = *framework_.plugins()[i].plugin;
  if (plugin.normalizes() || plugin.foreign()) return false;
  if (state_.timer() != nullptr || stale_data(i)) return false;
  return plugin.add_scores(call_of(i), set,
                           static_cast<uint32_t>(framework_.score_weights()[place]), totals, first);
}

// Gets all scores of one plugin. Nodes that fail are marked, and then the
// scores are meaningless.
Result<Scored> ScorePass::ask(uint32_t plugin, const ScoreSet& set, int64_t* scores) {
  const Framework::Instance& instance = framework_.plugins()[plugin];
  if (stale_data(plugin)) return stale(instance.name);
  LIBSCHED_TRY(call_.check_limits());
  std::vector<uint64_t>& errors = work_.score_errors;
  if (std::exchange(work_.score_failed, false)) errors.clear();
  if (errors.size() < set.words) errors.assign(set.words, 0);
  ScoreSet judged = set;
  judged.errors = errors.data();
  judged.failed = &work_.score_failed;
  // All nodes together are one execution.
  const PluginTimer timer(state_.timer(), TimedPoint::kScore, plugin);
  const Scored scored = instance.plugin->score(call_of(plugin), judged, scores);
  if (state_.timer() != nullptr)
    timer.took_alone(work_.score_failed ? Code::kError : Code::kSuccess);
  LIBSCHED_TRY(call_.check_limits());
  return scored;
}

Status ScorePass::normalize(uint32_t plugin, const ScoreSet& set, int64_t* scores) const {
  const PluginTimer timer(state_.timer(), TimedPoint::kNormalizeScore, plugin);
  Status out = framework_.plugins()[plugin].plugin->normalize(call_of(plugin), set, scores);
  timer.took_alone(out.code);
  return out;
}

int64_t ScorePass::normalize_uniform(uint32_t plugin, int64_t score) const {
  const PluginTimer timer(state_.timer(), TimedPoint::kNormalizeScore, plugin);
  const int64_t out =
      framework_.plugins()[plugin].plugin->normalize_uniform(call_of(plugin), score);
  timer.took_alone(Code::kSuccess);
  return out;
}

// As upstream with one worker, which goes from node to node.
void ScorePass::count_scores(const ScoreSet& set) const {
  if (state_.meter() == nullptr) return;
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kScore);
  for (size_t k = 0; k < order.size(); ++k) {
    if (!asked(order[k])) continue;
    const size_t nodes = !failed_ ? set.count : failed_->node + (k <= failed_->place ? 1 : 0);
    state_.meter()->evaluated_alone(CountedPoint::kScore, order[k], nodes);
  }
}

// Records a failure of the plugin.
Result<Scored> ScorePass::ask_place(size_t place, const ScoreSet& set, int64_t* scores,
                                    Failure* failure) {
  const uint32_t plugin = framework_.at(ExtensionPoint::kScore)[place];
  const Result<Scored> asked = ask(plugin, set, scores);
  if (!asked.ok()) return asked;
  if (work_.score_failed) {
    const Framework::Instance& instance = framework_.plugins()[plugin];
    const std::vector<uint64_t>& errors = work_.score_errors;
    const auto bad = [&](uint32_t r) { return has_bit(errors, r); };
    const size_t at = first_place(set.rows(), bad);
    if (!failure->before(Failure::kScore, at)) {
      failed_ = {at, place};
      failure->fail(Failure::kScore, at,
                    plugin_failed("running Score plugins", instance.name,
                                  instance.plugin->score_status(call_of(plugin), set.rows()[at])));
    }
  }
  return asked;
}

bool ScorePass::normalizes_in_turn() const {
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kScore);
  return order.size() > 1 && std::any_of(order.begin(), order.end(), [&](uint32_t i) {
           const Plugin* p = framework_.plugins()[i].plugin.get();
           return p != nullptr && p->foreign() && p->normalizes();
         });
}

template <typename Total>
Result<Status> ScorePass::score(const ScoreSet& set, Total* totals, ScoreTable* table,
                                int64_t* offset) {
  if (offset != nullptr) *offset = 0;
  if (table != nullptr) *table = {};
  failed_.reset();
  const size_t n = set.words * 64;
  if (set.count == 0) {
    if (totals != nullptr) std::fill_n(totals, n, 0);
    return score_none(set);
  }
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kScore);
  const bool keep = normalizes_in_turn();
  const size_t columns = keep ? order.size() : 1;
  if (work_.column.size() < n * columns) work_.column.resize(n * columns);
  std::vector<Scored> all(keep ? columns : 0);
  Failure failure;
  Sums<Total> sums(set, totals, table, &failure);
  const auto column = [&](size_t k) { return work_.column.data() + (keep ? k * n : 0); };
  if (keep)
    for (size_t k = 0; k < order.size(); ++k) {
      if (!asked(order[k])) continue;
      const Result<Scored> scored = ask_place(k, set, column(k), &failure);
      if (!scored.ok()) return scored.error();
      all[k] = *scored;
    }
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t i = order[k];
    if (!asked(i)) continue;
    if constexpr (sizeof(Total) == sizeof(int32_t)) {
      if (table == nullptr && !keep && failure.wanted()) {
        if (add_scores(k, set, totals, !sums.begun())) {
          sums.take_begun();
          LIBSCHED_TRY(call_.check_limits());
          continue;
        }
      }
    }
    const Framework::Instance& instance = framework_.plugins()[i];
    Scored scored;
    if (keep) {
      scored = all[k];
    } else {
      const Result<Scored> now = ask_place(k, set, column(k), &failure);
      if (!now.ok()) return now.error();
      scored = *now;
    }
    if (!failure.wanted()) continue;  // nothing is normalised after a failure
    const int64_t weight = framework_.score_weights()[k];
    sums.raw(instance.name, weight, scored, column(k));
    if (instance.plugin->normalizes()) {
      if (scored.uniform) {
        scored.value = normalize_uniform(i, scored.value);
      } else if (const Status s = normalize(i, set, column(k)); !s.success()) {
        failure.fail(Failure::kNormalize, 0,
                     plugin_failed("running Normalize on Score plugins", instance.name, s));
        continue;
      }
      LIBSCHED_TRY(call_.check_limits());
    }
    sums.add(instance.name, weight, scored, column(k));
  }
  if (!failure.none()) {
    if (table != nullptr) *table = {};
    return failure.take();
  }
  sums.finish(!order.empty(), offset);
  return Status();
}

template Result<Status> ScorePass::score(const ScoreSet&, int32_t*, ScoreTable*, int64_t*);
template Result<Status> ScorePass::score(const ScoreSet&, int64_t*, ScoreTable*, int64_t*);

template <typename Total>
uint32_t pick_row(const View& view, const ScoreSet& set, const Total* totals, TieMode ties,
                  uint64_t seed, uint64_t* ties_broken, int64_t* best) {
  ColumnTop found;
  if constexpr (sizeof(Total) == sizeof(int32_t)) {
    found = column_kernels().top_narrow(set.bits, set.words, totals);
  } else {
    found = column_kernels().top(set.bits, set.words, totals);
  }
  *best = found.value;
  const auto top = static_cast<Total>(found.value);
  if (found.count == 1) {  // then no order is needed
    uint32_t only = kNoId;
    set.for_each([&](uint32_t r) { only = totals[r] == top ? r : only; });
    return only;
  }
  return pick_tie(view, set, totals, top, found.count, ties, seed, ties_broken);
}

template uint32_t pick_row(const View&, const ScoreSet&, const int32_t*, TieMode, uint64_t,
                           uint64_t*, int64_t*);
template uint32_t pick_row(const View&, const ScoreSet&, const int64_t*, TieMode, uint64_t,
                           uint64_t*, int64_t*);

}  // namespace libsched
