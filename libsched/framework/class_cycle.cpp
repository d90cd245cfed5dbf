// ClassCycle: what is kept of a whole cycle, and which plugins are asked again. (Rows:
// class_cycle_rows.cpp.)
#include "libsched/framework/class_cycle.hpp"

#include <algorithm>
#include <utility>

#include "libsched/framework/plugin_scope.hpp"
#include "libsched/framework/score_columns.hpp"

namespace libsched {
namespace {

bool at_point(const Framework& framework, ExtensionPoint point, uint32_t plugin) {
  const std::vector<uint32_t>& list = framework.at(point);
  return std::find(list.begin(), list.end(), plugin) != list.end();
}

}  // namespace

void ClassCycle::forget() {
  entries_ = {};
  pod_ = {};
}

size_t ClassCycle::bytes() const {
  constexpr size_t kPod = 4096;  // with its entries
  size_t out = (ready() ? kPod : 0) + parts_.capacity() * sizeof(Part) + totals_.bytes() +
               (static_.capacity() + sums_.capacity()) * sizeof(int32_t) + small_.capacity() +
               (feasible_.capacity() + scored_.capacity()) * sizeof(uint64_t);
  for (const std::vector<uint64_t>& a : accepted_) out += a.capacity() * sizeof(uint64_t);
  return out;
}

bool ClassCycle::stands_in(const View& view) const {
  return ready() && view.order_membership() == order_ && view.ids_epoch() == ids_ &&
         view.word_count() == words_;
}

// Notes what each plugin reads. Returns false if some answer cannot be shared by a class.
bool ClassCycle::note_parts(const Asked& asked) {
  const Framework& framework = asked.framework;
  if (!framework.narrow_scores()) return false;
  const std::span<const CycleState::Entry> entries = std::as_const(asked.state).entries();
  const std::vector<uint32_t>& scorers = framework.at(ExtensionPoint::kScore);
  parts_.clear();
  wholes_ = 0;
  for (uint32_t i = 0; i < framework.plugins().size(); ++i) {
    Part part;
    part.index = i;
    part.plugin = framework.plugins()[i].plugin.get();
    part.pre_filters = at_point(framework, ExtensionPoint::kPreFilter, i);
    part.filters = at_point(framework, ExtensionPoint::kFilter, i);
    part.pre_scores = at_point(framework, ExtensionPoint::kPreScore, i);
    const auto scorer = std::find(scorers.begin(), scorers.end(), i);
    part.scores = scorer != scorers.end() && !entries[i].skip_score;
    if (part.plugin == nullptr) continue;
    const bool reserves = at_point(framework, ExtensionPoint::kReserve, i) ||
                          at_point(framework, ExtensionPoint::kPreBind, i);
    if (reserves && (part.plugin->foreign() || entries[i].data)) return false;
    if (!part.pre_filters && !part.filters && !part.pre_scores && scorer == scorers.end()) continue;
    if (part.plugin->foreign() || framework.namesakes(i).size() != 1) return false;
    const Dependencies reads = part.plugin->depends_on(asked.call.view, asked.pod);
    part.filter = part.pre_filters || part.filters ? reads.filter : Reads();
    part.score = part.pre_scores || scorer != scorers.end() ? reads.score : Reads();
    if (part.filter.others || part.filter.outside || part.score.outside) return false;
    if (part.scores) {
      part.weight = framework.score_weights()[static_cast<size_t>(scorer - scorers.begin())];
      part.whole = part.score.others || (part.score.any & kPodsChanged) != 0 ||
                   ((part.score.row & kPodsChanged) != 0 && part.plugin->normalizes());
      part.dynamic = !part.whole && (part.score.row & kPodsChanged) != 0;
      part.small = wholes_;
      wholes_ += part.whole ? 1 : 0;
    } else if (part.score.others) {
      return false;
    }
    parts_.push_back(part);
  }
  return true;
}

// Sums up which changes matter, so that others cost nothing.
void ClassCycle::note_cares(const Framework& framework, CycleState::Entries* entries) {
  filter_cares_ = score_cares_ = row_cares_ = static_rows_ = dynamic_rows_ = 0;
  filters_bound_ = scores_bound_ = false;
  for (std::vector<uint32_t>* list : {&filter_watch_, &score_watch_, &row_parts_, &dynamic_parts_})
    list->clear();
  std::vector<uint32_t>& bound = entries->bound ? *entries->bound : entries->bound.emplace();
  bound.clear();
  for (uint32_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    const CycleState::Entry& entry = entries->list[p.index];
    const bool filter_bound = bound_to_view(entry.data.get());
    const bool score_bound = !p.whole && bound_to_view(entry.score_data.get());
    if (filter_bound || bound_to_view(entry.score_data.get())) bound.push_back(p.index);
    if (p.filter.any != 0 || filter_bound) filter_watch_.push_back(i);
    if (!p.whole && (p.score.any != 0 || score_bound)) score_watch_.push_back(i);
    if (p.step != kNoId && p.filter.row != 0) row_parts_.push_back(i);
    if (p.scores && p.dynamic) dynamic_parts_.push_back(i);
    filter_cares_ |= p.filter.any;
    if (filter_bound) filter_cares_ |= p.filter.row;
    if (p.step != kNoId) row_cares_ |= p.filter.row;
    if (!p.whole) {
      score_cares_ |= p.score.any;
      if (score_bound) score_cares_ |= p.score.row;
    }
    if (p.scores && !p.whole) (p.dynamic ? dynamic_rows_ : static_rows_) |= p.score.row;
    filters_bound_ = filters_bound_ || filter_bound;
    scores_bound_ = scores_bound_ || score_bound;
  }
  entries->reserves = framework.has_to_reserve(entries->list);
}

void ClassCycle::learn(const Asked& asked, const ScoreSet& set, const int32_t* totals,
                       int64_t offset) {
  forget();
  const View& v = asked.call.view;
  words_ = v.word_count();
  if (set.words != words_ || !note_parts(asked)) return;
  steps_ = asked.work.steps;
  accepted_.resize(steps_.size());
  rejecting_.clear();
  asked_known_ = false;
  feasible_.assign(v.live().data(), v.live().data() + words_);
  Ref<CycleState::Entries> entries = asked.state.share_entries();
  for (Part& p : parts_) {
    const auto at = std::find_if(steps_.begin(), steps_.end(),
                                 [&](const FilterStep& s) { return s.index == p.index; });
    if (at == steps_.end()) continue;
    p.step = static_cast<uint32_t>(at - steps_.begin());
    std::vector<uint64_t>& rows = accepted_[p.step];
    if (at->accepted != nullptr) {
      rows.assign(at->accepted, at->accepted + words_);
      at->accepted = nullptr;
    } else if (!judge_all(asked, &p)) {
      return;
    }
    uint64_t rejected = 0;
    for (size_t w = 0; w < words_; ++w) {
      rejected |= v.live().word(w) & ~rows[w];
      feasible_[w] &= rows[w];
    }
    if (rejected != 0) note_rejecting(&p);
  }
  // Else something has a say that is not known here, as nominated pods.
  if (!std::equal(feasible_.begin(), feasible_.end(), set.bits)) return;

  offset_ = offset;
  if (!take_totals(asked, set, totals)) return;
  order_ = v.order_membership();
  ids_ = v.ids_epoch();
  pod_ = PodRef::share(&asked.pod);
  cursor_ = v.log().cursor();
  note_cares(asked.framework, entries.get());
  entries_ = std::move(entries);
}

// Takes the totals, and what is in them of which plugins. Returns false if it cannot be told.
bool ClassCycle::take_totals(const Asked& asked, const ScoreSet& set, const int32_t* by_row) {
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
std::optional<Scored> ClassCycle::ask_scores(const Asked& asked, const ScoreSet& set,
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

CycleState::Entry& ClassCycle::edit_entry(const Asked& asked, uint32_t plugin) {
  asked.state.let_go();
  if (!entries_->unique()) {  // an older state of the class has them as well
    Ref<CycleState::Entries> own = make_ref<CycleState::Entries>();
    own->list = entries_->list;
    entries_ = std::move(own);
  }
  asked.state.adopt(asked.framework, asked.pod.serial, entries_);
  return entries_->list[plugin];
}

FilterCall ClassCycle::call_of(const Asked& asked, const Part& part) const {
  const FilterStep& step = steps_[part.step];
  return {asked.call, asked.pod, asked.state, step.data, step.pre_filtered};
}

ScoreCall ClassCycle::score_call_of(const Asked& asked, const CycleState::Entry& entry) {
  return {asked.call,       asked.pod,       asked.state, entry.score_data.get(),
          entry.data.get(), entry.pre_scored};
}

void ClassCycle::note_rejecting(Part* part) {
  if (!std::exchange(part->rejects, true)) rejecting_.push_back(part->step);
}

// Brings one plugin's data up to date, and what it says of every row, if need be.
Result<bool> ClassCycle::renew(const Asked& asked, const FewChanges& changes, Part* part,
                               bool* reads_changed) {
  const View& v = asked.call.view;
  const PluginData* const data = entries_->list[part->index].data.get();
  Plugin::Renewed how = Plugin::Renewed::kNo;
  const ChangeKinds reads = part->filter.any | part->filter.row;
  const bool of_pods = (changes.all() & reads & ~kPodChanges) == 0;
  if (data != nullptr && part->step != kNoId && of_pods) {
    std::span<const uint32_t> rows = asked.work.changed_rows;
    if (rows.size() != changes.rows().size()) {  // some are of no node
      std::vector<uint32_t>& all = asked.work.hit_rows;
      all.clear();
      for (const FewChanges::Row& r : changes.rows()) all.push_back(r.row);
      rows = all;
    }
    PluginData* const own = entries_->list[part->index].data.get();
    asked.work.renewed_rows.clear();
    how = part->plugin->renew(asked.call, asked.pod, rows, own, &asked.work.renewed_rows);
    if (how != Plugin::Renewed::kNo) {
      *reads_changed = *reads_changed || !bound_to_view(own);
      own->view_version = v.version();
    }
  }
  switch (how) {
    case Plugin::Renewed::kSame: return true;
    case Plugin::Renewed::kRows: return judge_rows(asked, asked.work.renewed_rows, part);
    case Plugin::Renewed::kNo: {
      std::shared_ptr<PluginData> fresh;
      if (part->pre_filters) {
        PreFilterResult result;
        Result<Status> ran =
            part->plugin->pre_filter({asked.call, asked.pod, asked.state, &fresh}, &result);
        LIBSCHED_TRY(asked.call.check_limits());
        if (!ran.ok() || !result.all_nodes) return false;
        const bool skips = ran->code == Code::kSkip;
        if (!skips && !ran->success()) return false;
        if (skips != entries_->list[part->index].skip_filter) return false;
      }
      const Reads now = part->plugin->depends_on(v, asked.pod).filter;
      if (now.others || now.outside) return false;
      part->filter = now;
      if (part->step != kNoId) {
        if (!fresh) fresh = part->plugin->prepare(asked.call, asked.pod);
        LIBSCHED_TRY(asked.call.check_limits());
        if (fresh && fresh->ids_epoch != 0) fresh->ids_epoch = v.ids_epoch();
      }
      if (part->step != kNoId) steps_[part->step].data = fresh.get();
      edit_entry(asked, part->index).data = std::move(fresh);
      *reads_changed = true;
      if (part->step == kNoId) return true;
      break;
    }
    case Plugin::Renewed::kAll: break;
  }
  if (!judge_all(asked, part)) return false;
  note_rejecting(part);
  set_changed_ = true;  // perhaps
  return true;
}

Result<bool> ClassCycle::renew_filters(const Asked& asked, const FewChanges& changes) {
  const uint64_t version = asked.call.view.version();
  bool reads_changed = false;
  for (const uint32_t i : filter_watch_) {
    Part& p = parts_[i];
    PluginData* const data = entries_->list[p.index].data.get();
    const bool bound = bound_to_view(data);
    const bool hit =
        p.filter.any_hit(changes.all()) ||
        (bound && (p.filter.row_hit(changes.all()) || data->view_version == PluginData::kReleased));
    if (hit) {
      const Result<bool> done = renew(asked, changes, &p, &reads_changed);
      if (!done.ok() || !*done) return done;
      p.renewed_in = cycles_;
    } else if (bound) {
      data->view_version = version;
    }
  }
  if (reads_changed) note_cares(asked.framework, entries_.get());
  return true;
}

// Returns false if the scores of all rows may have changed of a plugin that is not whole.
bool ClassCycle::renew_scores(const Asked& asked, const FewChanges& changes) {
  const View& v = asked.call.view;
  for (const uint32_t i : score_watch_) {
    Part& p = parts_[i];
    PluginData* const data = entries_->list[p.index].score_data.get();
    const bool bound = bound_to_view(data);
    if (!p.score.any_hit(changes.all()) && !(bound && p.score.row_hit(changes.all()))) {
      if (bound && data->view_version == PluginData::kReleased) return false;
      if (bound) data->view_version = v.version();
      continue;
    }
    if (p.scores || !p.pre_scores) return false;
    FeasibleOrder order(v.order(), 0, feasible_.data(), totals_.feasible(),
                        &asked.work.feasible_rows);
    const ScoreSet set{words_, totals_.feasible(), feasible_.data(), &order, nullptr};
    if ((changes.all() & (p.score.any | p.score.row) & ~kPodChanges) == 0 &&
        p.plugin->rescore({asked.call, asked.pod, set, nullptr, nullptr, nullptr}) ==
            Plugin::Rescored::kSame)
      continue;
    std::shared_ptr<PluginData> none;
    const Status s = p.plugin->pre_score({asked.call, asked.pod, asked.state, set}, &none);
    if (s.code != Code::kSkip || asked.call.exceeded()) return false;
  }
  return true;
}

Result<bool> ClassCycle::follow(const Asked& asked, const FewChanges& changes) {
  const View& v = asked.call.view;
  asked.state.adopt(asked.framework, asked.pod.serial, entries_);
  const PluginScope scope(asked.state, asked.call, true);
  const ChangeKinds all = changes.all();
  if ((all & (kNodeChanged | kOrderChanged | static_rows_)) != 0) return false;
  ++cycles_;
  set_changed_ = false;
  judged_anew_.clear();
  list_changed(asked, changes);
  if (filters_bound_ || (all & filter_cares_) != 0) {
    const Result<bool> renewed = renew_filters(asked, changes);
    if (!renewed.ok() || !*renewed) return renewed;
  }
  if ((all & row_cares_) != 0) {
    for (const uint32_t i : row_parts_) {
      Part& p = parts_[i];
      if ((all & p.filter.row) == 0 || p.renewed_in == cycles_) continue;
      if (!judge_rows(asked, changed_by(asked, changes, p.filter.row), &p)) {
        LIBSCHED_TRY(asked.call.check_limits());
        return false;
      }
    }
  }
  if (set_changed_ || !judged_anew_.empty()) asked_known_ = false;
  if (!(set_changed_ ? take_all(asked) : take_rows(asked))) return false;
  if (varied_ && set_changed_) return false;
  if ((scores_bound_ || (all & score_cares_) != 0) && !renew_scores(asked, changes)) {
    LIBSCHED_TRY(asked.call.check_limits());
    return false;
  }
  if ((all & dynamic_rows_) != 0) {
    std::span<const uint32_t> rows = changed_by(asked, changes, dynamic_rows_);
    const auto lacks = [&](uint32_t r) { return !scored(asked.places.of(r)); };
    if (std::any_of(rows.begin(), rows.end(), lacks)) {
      std::vector<uint32_t>& left = asked.work.few_rows;
      left.assign(rows.begin(), rows.end());
      std::erase_if(left, lacks);
      rows = left;
    }
    if (!rows.empty() && !score_rows(asked, rows)) {
      LIBSCHED_TRY(asked.call.check_limits());
      return false;
    }
  }
  if (wholes_ != 0 && !rescore(asked, changes)) {
    LIBSCHED_TRY(asked.call.check_limits());
    return false;
  }
  cursor_ = v.log().cursor();
  return true;
}

void ClassCycle::count(const Asked& asked, PluginMeter* meter) {
  if (!asked_known_) {
    asked_.clear();
    const Bitmap& live = asked.call.view.live();
    std::vector<uint64_t>& left = asked.work.alive_hit;
    left.assign(live.data(), live.data() + words_);
    for (uint32_t s = 0; s < steps_.size(); ++s) {
      asked_.push_back(column_kernels().ones(left.data(), words_));
      if (std::find(rejecting_.begin(), rejecting_.end(), s) == rejecting_.end()) continue;
      const uint64_t* const accepted = accepted_[s].data();
      column_kernels().intersect(left.data(), words_, &accepted, 1);
    }
    asked_known_ = true;
  }
  for (size_t s = 0; s < steps_.size(); ++s)
    meter->evaluated_alone(CountedPoint::kFilter, steps_[s].index, asked_[s]);
  const size_t feasible = totals_.feasible();
  for (const Part& p : parts_) {
    const CycleState::Entry& entry = entries_->list[p.index];
    if (entry.pre_filtered) meter->evaluated_alone(CountedPoint::kPreFilter, p.index);
    if (feasible < 2) continue;  // one node is not scored
    if (entry.pre_scored) meter->evaluated_alone(CountedPoint::kPreScore, p.index);
    if (p.scores) meter->evaluated_alone(CountedPoint::kScore, p.index, feasible);
  }
}

}  // namespace libsched
