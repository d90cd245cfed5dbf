// KeptScores: what is kept of a whole cycle, and which plugins are asked again. (Rows:
// kept_scores_rows.cpp.)
#include "libsched/kept/kept_scores.hpp"

#include <algorithm>
#include <utility>

#include "libsched/base/prefetch.hpp"
#include "libsched/framework/plugin_scope.hpp"

namespace libsched {

size_t KeptScores::bytes() const {
  return parts_.capacity() * sizeof(Part) + totals_.bytes() +
         (static_.capacity() + sums_.capacity()) * sizeof(int32_t) + small_.capacity() +
         (feasible_.capacity() + scored_.capacity()) * sizeof(uint64_t);
}

// Notes what each plugin reads. Returns false if some answer cannot be shared by a class.
bool KeptScores::note_parts(const Asked& asked) {
  const Framework& framework = asked.framework;
  if (!framework.narrow_scores() || asked.filters.reserves()) return false;
  const std::span<const CycleState::Entry> entries = std::as_const(asked.state).entries();
  const std::vector<uint32_t>& scorers = framework.at(ExtensionPoint::kScore);
  parts_.clear();
  wholes_ = 0;
  for (uint32_t i = 0; i < framework.plugins().size(); ++i) {
    Part part;
    part.index = i;
    part.plugin = framework.plugins()[i].plugin.get();
    if (part.plugin == nullptr) continue;
    part.pre_scores = framework.runs_at(ExtensionPoint::kPreScore, i);
    const auto scorer = std::find(scorers.begin(), scorers.end(), i);
    part.scores = scorer != scorers.end() && !entries[i].skip_score;
    if (part.plugin->foreign() && (framework.runs_at(ExtensionPoint::kReserve, i) ||
                                   framework.runs_at(ExtensionPoint::kPreBind, i)))
      return false;
    if (!part.pre_scores && scorer == scorers.end()) continue;
    if (part.plugin->foreign() || framework.namesakes(i).size() != 1) return false;
    part.reads = part.plugin->depends_on(asked.call.view, asked.pod).score;
    if (part.reads.outside) return false;
    if (part.scores) {
      part.weight = framework.score_weights()[static_cast<size_t>(scorer - scorers.begin())];
      part.whole = part.reads.others || (part.reads.any & kPodsChanged) != 0 ||
                   ((part.reads.row & kPodsChanged) != 0 && part.plugin->normalizes());
      part.dynamic = !part.whole && (part.reads.row & kPodsChanged) != 0;
      part.small = wholes_;
      wholes_ += part.whole ? 1 : 0;
    } else if (part.reads.others) {
      return false;
    }
    parts_.push_back(part);
  }
  return true;
}

// Sums up which changes matter, so that others cost nothing.
void KeptScores::note_relevant(const Asked& asked) {
  relevant_ = static_rows_ = dynamic_rows_ = 0;
  bound_ = false;
  watch_.clear();
  dynamic_parts_.clear();
  for (uint32_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    if (p.whole) continue;
    const bool bound = bound_to_view(asked.filters.entries()->list[p.index].score_data.get());
    if (p.reads.any != 0 || bound) watch_.push_back(i);
    relevant_ |= p.reads.any;
    if (bound) relevant_ |= p.reads.row;
    bound_ = bound_ || bound;
    if (!p.scores) continue;
    if (p.dynamic) dynamic_parts_.push_back(i);
    (p.dynamic ? dynamic_rows_ : static_rows_) |= p.reads.row;
  }
  asked.filters.note_entries(asked.framework);
}

void KeptScores::learn(const Asked& asked, const ScoreSet& set, const int32_t* totals,
                       int64_t offset) {
  forget();
  const View& v = asked.call.view;
  words_ = v.word_count();
  if (set.words != words_ || !asked.filters.can_follow(v) || !asked.filters.complete() ||
      !note_parts(asked))
    return;
  feasible_.assign(v.live().data(), v.live().data() + words_);
  asked.filters.intersect(&feasible_, &asked.work.row_sets);
  // Else something has a say that is not known here, as nominated pods.
  if (!std::equal(feasible_.begin(), feasible_.end(), set.bits)) return;
  offset_ = offset;
  if (!take_totals(asked, set, totals)) return;
  order_ = v.order_membership();
  asked.filters.share_entries(asked.state);
  note_relevant(asked);
  pod_ = PodRef::share(&asked.pod);
  ready_ = true;
}

// Takes the totals, and what is in them of which plugins. Returns false if it cannot be told.
bool KeptScores::take_totals(const Asked& asked, const ScoreSet& set, const int32_t* by_row) {
  const NodePlaces& places = asked.places;
  totals_.begin(places);
  static_.assign(places.words() * 64, 0);
  scored_.assign(places.words(), 0);
  int32_t* const by_place = totals_.edit_totals();
  if (places.as_rows()) {
    set.for_each([&](uint32_t r) { by_place[r] = by_row[r]; });
    std::copy_n(set.bits, scored_.size(), scored_.begin());
  } else {
    set.for_each([&](uint32_t r) {
      const uint32_t place = places.of(r);
      by_place[place] = by_row[r];
      scored_[place / 64] |= uint64_t{1} << (place % 64);
    });
  }
  totals_.take(scored_.data());
  all_scored_ = set.count == places.count();
  sums_.clear();
  if (wholes_ != 0) sums_.assign(by_place, by_place + places.words() * 64);
  varied_ = false;
  int64_t same = -offset_;  // what static_ has of every node
  for (const Part& p : parts_) {
    if (!p.scores || p.dynamic) continue;
    const CycleState::Entry& e = std::as_const(asked.state).entries()[p.index];
    const std::optional<Scored> s = ask_scores(asked, set, p, e);
    if (!s || asked.call.exceeded()) return false;
    if (!p.whole && s->uniform) {
      same += s->value * p.weight;
      continue;
    }
    varied_ = varied_ || (!p.whole && p.plugin->normalizes());
    int32_t* const into = p.whole ? sums_.data() : static_.data();
    const auto weight = static_cast<int32_t>(p.whole ? -p.weight : p.weight);
    const int64_t* const column = asked.work.column.data();
    set.for_each([&](uint32_t r) {
      into[places.of(r)] += static_cast<int32_t>(s->uniform ? s->value : column[r]) * weight;
    });
  }
  for (int32_t& at : static_) at += static_cast<int32_t>(same);
  return true;
}

// What the plugin says of the rows of the set, after NormalizeScore: the scores are in
// Workspace::column unless they are uniform. Nothing if it fails.
std::optional<Scored> KeptScores::ask_scores(const Asked& asked, const ScoreSet& set,
                                             const Part& part, const CycleState::Entry& entry) {
  std::vector<uint64_t>& errors = asked.work.few_errors;
  if (errors.size() < words_) errors.resize(words_);
  bool failed = false;
  ScoreSet judged = set;
  judged.errors = errors.data();
  judged.failed = &failed;
  int64_t* const column = asked.work.column.data();
  const ScoreCall call = score_call_of(asked, entry);
  Scored out = part.plugin->score(call, judged, column);
  if (failed) std::fill(errors.begin(), errors.end(), 0);
  if (failed || asked.call.exceeded()) return std::nullopt;
  if (!part.plugin->normalizes()) return out;
  if (out.uniform) {
    out.value = part.plugin->normalize_uniform(call, out.value);
  } else if (!part.plugin->normalize(call, set, column).success()) {
    return std::nullopt;
  }
  return out;
}

ScoreCall KeptScores::score_call_of(const Asked& asked, const CycleState::Entry& entry) {
  return {asked.call,       asked.pod,       asked.state, entry.score_data.get(),
          entry.data.get(), entry.pre_scored};
}

void KeptScores::fetch(const View& view, const NodePlaces& places, const FewChanges& changes) {
  for (const FewChanges::Row& r : changes.rows()) {
    if (!view.live().test(r.row)) continue;
    const uint32_t place = places.of(r.row);
    prefetch(&static_[place]);
    totals_.fetch(place);
  }
}

// Returns false if the scores of all rows may have changed of a plugin that is not whole.
bool KeptScores::renew_scores(const Asked& asked, const FewChanges& changes) {
  const View& v = asked.call.view;
  for (const uint32_t i : watch_) {
    const Part& p = parts_[i];
    PluginData* const data = asked.filters.entries()->list[p.index].score_data.get();
    const bool bound = bound_to_view(data);
    if (!p.reads.any_hit(changes.all()) && !(bound && p.reads.row_hit(changes.all()))) {
      if (bound && data->view_version == PluginData::kReleased) return false;
      if (bound) data->view_version = v.version();
      continue;
    }
    if (p.scores || !p.pre_scores) return false;
    FeasibleOrder order(v.order(), 0, feasible_.data(), totals_.feasible(),
                        &asked.work.feasible_rows);
    const ScoreSet set{words_, totals_.feasible(), feasible_.data(), &order, nullptr};
    if ((changes.all() & (p.reads.any | p.reads.row) & ~kRenewable) == 0 &&
        p.plugin->rescore({asked.call, asked.pod, set, nullptr, nullptr, nullptr}) ==
            Plugin::Rescored::kSame)
      continue;
    std::shared_ptr<PluginData> none;
    const Status s = p.plugin->pre_score({asked.call, asked.pod, asked.state, set}, &none);
    if (s.code != Code::kSkip || asked.call.exceeded()) return false;
  }
  return true;
}

Result<bool> KeptScores::follow(const Asked& asked, const FewChanges& changes) {
  const ChangeKinds all = changes.all();
  if ((all & (kNodeChanged | kOrderChanged | static_rows_)) != 0) return false;
  const PluginScope scope(asked.state, asked.call, true);
  set_changed_ = false;
  const bool stand = asked.filters.set_changed() ? take_all(asked) : take_rows(asked);
  if (!stand || (varied_ && set_changed_)) return false;
  if (((bound_ || (all & relevant_) != 0) && !renew_scores(asked, changes)) ||
      ((all & dynamic_rows_) != 0 && !score_changed(asked, changes)) ||
      (wholes_ != 0 && !rescore(asked, changes))) {
    LIBSCHED_TRY(asked.call.check_limits());
    return false;
  }
  return true;
}

// Scores the changed rows that have totals. Returns false if a plugin fails.
bool KeptScores::score_changed(const Asked& asked, const FewChanges& changes) {
  std::span<const uint32_t> rows = asked.filters.changed_by(asked, changes, dynamic_rows_);
  const auto lacks = [&](uint32_t r) { return !scored(asked.places.of(r)); };
  if (std::any_of(rows.begin(), rows.end(), lacks)) {
    std::vector<uint32_t>& left = asked.work.few_rows;
    left.assign(rows.begin(), rows.end());
    std::erase_if(left, lacks);
    rows = left;
  }
  return rows.empty() || take_scores(asked, rows);
}

void KeptScores::count(const Asked& asked, PluginMeter* meter) const {
  const size_t feasible = totals_.feasible();
  if (feasible < 2) return;  // one node is not scored
  for (const Part& p : parts_) {
    if (asked.filters.entries()->list[p.index].pre_scored)
      meter->evaluated_alone(CountedPoint::kPreScore, p.index);
    if (p.scores) meter->evaluated_alone(CountedPoint::kScore, p.index, feasible);
  }
}

}  // namespace libsched
