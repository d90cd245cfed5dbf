// KeptScores: the scores of plugins that follow the pods of any node or the set of feasible nodes.
//
// Whatever changes one score may change all, so all are made again: by the plugin in one pass
// (KeepsAnswers::rescore), or else by PreScore, Score and NormalizeScore. They are small numbers by
// row, and stay as they are if no change concerns the plugin.
#include <algorithm>

#include "libsched/framework/score_columns.hpp"
#include "libsched/kept/kept_scores.hpp"

namespace libsched {

// Brings the scores of whole parts up to date, and the totals if there are new ones. Returns false
// if the cycle has to be run as a whole.
bool KeptScores::rescore(const Asked& asked, const FewChanges& changes) {
  const View& v = asked.call.view;
  if (totals_.feasible() == 0) return false;
  FeasibleOrder order(v.order(), 0, feasible_.data(), totals_.feasible(),
                      &asked.work.feasible_rows);
  const ScoreSet set{words_, totals_.feasible(), feasible_.data(), &order, nullptr};
  small_.resize(wholes_ * words_ * 64);
  const ChangeKinds all = changes.all();
  const auto hit = [&](const Part& p) {
    const PluginData* const data = asked.filters.entries()->list[p.index].score_data.get();
    return set_changed_ || p.reads.any_hit(all) || (all & p.reads.row) != 0 ||
           (data != nullptr && data->view_version == PluginData::kReleased);
  };
  bool any = false;
  for (Part& p : parts_) {
    if (!p.whole) continue;
    if (!hit(p)) {
      PluginData* const data = asked.filters.entries()->list[p.index].score_data.get();
      if (bound_to_view(data)) data->view_version = v.version();
      continue;
    }
    const Plugin::Rescored how = rescore_part(asked, changes, set, &p);
    if (how == Plugin::Rescored::kNo) return false;
    any = any || how == Plugin::Rescored::kAll;
    p.small_known = p.small_known || how == Plugin::Rescored::kAll;
  }
  if (!any) return true;
  for (Part& p : parts_) {
    if (p.whole && !p.small_known && !score_again(asked, set, p)) return false;
    p.small_known = p.whole;
  }
  add_rescored(asked);
  return true;
}

// Asks the plugin for all scores. kNo: the cycle has to be run as a whole.
Plugin::Rescored KeptScores::rescore_part(const Asked& asked, const FewChanges& changes,
                                          const ScoreSet& set, Part* part) {
  const View& v = asked.call.view;
  Plugin::Rescored how = Plugin::Rescored::kNo;
  if ((changes.all() & (part->reads.any | part->reads.row) & ~kRenewable) == 0) {
    LineVector<int32_t>& scratch = asked.work.rescored;
    if (scratch.size() < words_ * 64) scratch.resize(words_ * 64);
    PluginData* const data = asked.filters.entries()->list[part->index].score_data.get();
    how = part->plugin->rescore({asked.call, asked.pod, set, data, scratch.data(), small(*part)});
    if (how != Plugin::Rescored::kNo && bound_to_view(data)) data->view_version = v.version();
  }
  if (how != Plugin::Rescored::kNo || asked.call.exceeded()) return how;
  if (part->pre_scores) {
    std::shared_ptr<PluginData> fresh;
    const Status s = part->plugin->pre_score({asked.call, asked.pod, asked.state, set}, &fresh);
    if (!s.success() || asked.call.exceeded()) return how;
    if (fresh && fresh->ids_epoch != 0) fresh->ids_epoch = v.ids_epoch();
    asked.filters.edit_entry(asked, part->index).score_data = std::move(fresh);
  }
  const Reads now = part->plugin->depends_on(v, asked.pod).score;
  if (now.outside) return how;
  part->reads = now;
  note_relevant(asked);
  return score_again(asked, set, *part) ? Plugin::Rescored::kAll : how;
}

// Score and NormalizeScore. Returns false if they fail.
bool KeptScores::score_again(const Asked& asked, const ScoreSet& set, const Part& part) {
  const std::optional<Scored> s =
      ask_scores(asked, set, part, asked.filters.entries()->list[part.index]);
  if (!s) return false;
  const int64_t* const column = asked.work.column.data();
  bool fits = true;
  uint8_t* const out = small(part);
  set.for_each([&](uint32_t r) {
    const int64_t score = s->uniform ? s->value : column[r];
    fits = fits && score >= kMinNodeScore && score <= kMaxNodeScore;
    out[r] = static_cast<uint8_t>(score);
  });
  return fits && !asked.call.exceeded();
}

// All totals anew: the sums and the scores of whole parts.
void KeptScores::add_rescored(const Asked& asked) {
  const NodePlaces& places = asked.places;
  const size_t words = places.words();
  LineVector<uint8_t>& placed = asked.work.placed_scores;
  if (placed.size() < words * 64) placed.resize(words * 64);
  const int32_t* sums = sums_.data();
  int32_t* const totals = totals_.edit_totals();
  for (const Part& p : parts_) {
    if (!p.whole) continue;
    const uint8_t* scores = small(p);
    if (!places.as_rows()) {
      const std::vector<uint32_t>& rows = places.rows();
      for (size_t i = 0; i < rows.size(); ++i) placed[i] = scores[rows[i]];
      scores = placed.data();
    }
    column_kernels().add_small(sums, scores, static_cast<int32_t>(p.weight), words, totals);
    sums = totals;
  }
  totals_.touch_all();
}

}  // namespace libsched
