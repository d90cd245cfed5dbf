// KeptFilters: which plugins are asked again. (Rows: kept_filters_rows.cpp.)
#include "libsched/kept/kept_filters.hpp"

#include <algorithm>
#include <utility>

#include "libsched/framework/plugin_scope.hpp"

namespace libsched {

// Held while what is kept and the state are brought up to date.
class KeptFilters::Update {
 public:
  Update(KeptFilters* kept, CycleState* state) : kept_(kept), state_(state) {}
  ~Update() {
    if (kept_ == nullptr) return;
    kept_->forget();
    state_->abandon();
  }
  Update(const Update&) = delete;
  Update& operator=(const Update&) = delete;
  void done() { kept_ = nullptr; }

 private:
  KeptFilters* kept_;
  CycleState* state_;
};

size_t KeptFilters::bytes() const {
  constexpr size_t kPod = 4096;  // with its entries
  size_t out = (entries_ ? kPod + words_ * 64 : 0) + parts_.capacity() * sizeof(Part) +
               asked_.capacity() * sizeof(uint64_t) + steps_.capacity() * sizeof(FilterStep);
  for (const std::vector<uint64_t>& a : accepted_)
    out += sizeof a + a.capacity() * sizeof(uint64_t);
  return out;
}

void KeptFilters::find_parts(const Framework& framework) {
  for (uint32_t i = 0; i < framework.plugins().size(); ++i) {
    Part part;
    part.index = i;
    part.plugin = framework.plugins()[i].plugin.get();
    part.pre_filters = framework.runs_at(ExtensionPoint::kPreFilter, i);
    if (part.plugin != nullptr &&
        (part.pre_filters || framework.runs_at(ExtensionPoint::kFilter, i)))
      parts_.push_back(part);
  }
  accepted_.resize(parts_.size());
}

// Sums up which changes matter, so that others cost nothing.
void KeptFilters::note_relevant(const Framework& framework) {
  relevant_ = 0;
  relevant_rows_ = kNodeChanged;
  bound_ = false;
  watch_.clear();
  row_parts_.clear();
  for (uint32_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    const bool bound = bound_to_view(entries_->list[p.index].data.get());
    if (p.reads.any != 0 || bound) watch_.push_back(i);
    relevant_ |= p.reads.any;
    if (bound) relevant_ |= p.reads.row | kNodeChanged;
    bound_ = bound_ || bound;
    if (p.step == kNoId) continue;
    row_parts_.push_back(i);
    relevant_rows_ |= p.reads.row;
  }
  note_entries(framework);
}

ChangeKinds KeptFilters::concerns() const {
  if (outside_ || bound_) return kAllChanges;
  ChangeKinds out = 0;
  for (const Part& p : parts_) out |= p.reads.others ? kAllChanges : p.reads.any;
  return out;
}

void KeptFilters::note_entries(const Framework& framework) {
  std::vector<uint32_t>& bound = entries_->bound ? *entries_->bound : entries_->bound.emplace();
  bound.clear();
  for (uint32_t i = 0; i < entries_->list.size(); ++i) {
    const CycleState::Entry& e = entries_->list[i];
    if (bound_to_view(e.data.get()) || bound_to_view(e.score_data.get())) bound.push_back(i);
  }
  entries_->reserves = framework.has_to_reserve(entries_->list);
}

Result<void> KeptFilters::take(const KeptQuestion& asked, const FewChanges* changes, bool passed) {
  const View& v = asked.call.view;
  Update update(this, &asked.state);
  if (parts_.empty()) find_parts(asked.framework);
  words_ = v.word_count();
  asked_.clear();
  judged_anew_.clear();
  steps_.clear();
  if (passed) steps_ = asked.work.steps;
  if (changes != nullptr) list_changed(asked, *changes);
  entries_ = asked.state.share_entries();
  follows_ = passed;
  outside_ = reserves_ = false;
  for (uint32_t i = 0; i < parts_.size(); ++i) {
    Part& p = parts_[i];
    if (!p.declared || changes == nullptr || p.reads.any_hit(changes->all())) {
      p.reads = p.plugin->depends_on(v, asked.pod).filter;
      p.declared = !p.reads.outside && !p.reads.others;
      p.met = p.judged = p.failed = false;
    }
    outside_ = outside_ || p.reads.outside;
    follows_ = follows_ && p.declared && asked.framework.namesakes(p.index).size() == 1;
    CycleState::Entry& entry = entries_->list[p.index];
    if (entry.data) entry.pod = PodRef::share(&asked.pod);
    reserves_ =
        reserves_ || (entry.data && (asked.framework.runs_at(ExtensionPoint::kReserve, p.index) ||
                                     asked.framework.runs_at(ExtensionPoint::kPreBind, p.index)));
    const auto at = std::find_if(steps_.begin(), steps_.end(),
                                 [&](const FilterStep& s) { return s.index == p.index; });
    p.step = at == steps_.end() ? kNoId : static_cast<uint32_t>(at - steps_.begin());
    p.judged = p.judged && p.step != kNoId;
    if (!p.judged) continue;
    accepted_[i].resize(words_);
    p.judged = judge_rows(asked, changed_by(asked, *changes, p.reads.row | kNodeChanged), i);
  }
  std::erase_if(rejecting_, [&](uint32_t i) { return !parts_[i].judged; });
  LIBSCHED_TRY(asked.call.check_limits());  // the last data may be unfinished
  narrowed_ = asked.state.pre_filter();
  ids_ = v.ids_epoch();
  cursor_ = v.log().cursor();
  if (passed) note_relevant(asked.framework);
  update.done();
  return {};
}

Result<void> KeptFilters::judge(const KeptQuestion& asked, bool at_once) {
  for (uint32_t i = 0; i < parts_.size(); ++i) {
    Part& p = parts_[i];
    if (p.step == kNoId || !p.declared || p.failed) continue;
    if (!p.judged) {
      if (!std::exchange(p.met, true) && (!at_once || reserves_)) continue;
      accepted_[i].resize(words_);
      if (!judge_all(asked, i)) {
        LIBSCHED_TRY(asked.call.check_limits());
        p.failed = true;
        continue;
      }
      p.judged = true;
      asked_.clear();
    }
    asked.work.steps[p.step].accepted = accepted_[i].data();
  }
  return {};
}

void KeptFilters::drop_unused() {
  if (follows_ && !reserves_) return;
  follows_ = false;
  entries_ = {};
  steps_.clear();
}

bool KeptFilters::complete() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& p) { return p.step == kNoId || p.judged; });
}

Result<bool> KeptFilters::follow(const KeptQuestion& asked, const FewChanges& changes) {
  const View& v = asked.call.view;
  Update update(this, &asked.state);
  asked.state.adopt(asked.framework, asked.pod.serial, entries_);
  if (!narrowed_.all_nodes) asked.state.pre_filter() = narrowed_;
  const PluginScope scope(asked.state, asked.call, true);
  const ChangeKinds all = changes.all();
  ++followed_;
  set_changed_ = false;
  judged_anew_.clear();
  list_changed(asked, changes);
  if (words_ != v.word_count()) {
    words_ = v.word_count();
    for (uint32_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].judged) accepted_[i].resize(words_);
    asked_.clear();
  }
  if (bound_ || (all & relevant_) != 0) {
    const Result<bool> renewed = renew_data(asked, changes);
    if (!renewed.ok() || !*renewed) return renewed;
  }
  if ((all & relevant_rows_) != 0) {
    for (const uint32_t i : row_parts_) {
      Part& p = parts_[i];
      if (!p.judged || !p.reads.row_hit(all) || p.renewed_in == followed_) continue;
      if (judge_rows(asked, changed_by(asked, changes, p.reads.row | kNodeChanged), i)) continue;
      LIBSCHED_TRY(asked.call.check_limits());
      return false;
    }
  }
  if (set_changed_ || !judged_anew_.empty() || (all & kNodeChanged) != 0) asked_.clear();
  cursor_ = v.log().cursor();
  update.done();
  return true;
}

Result<bool> KeptFilters::renew_data(const KeptQuestion& asked, const FewChanges& changes) {
  const ChangeKinds all = changes.all();
  bool reads_changed = false;
  for (const uint32_t i : watch_) {
    Part& p = parts_[i];
    PluginData* const data = entries_->list[p.index].data.get();
    const bool bound = bound_to_view(data);
    if (p.reads.any_hit(all) ||
        (bound && (p.reads.row_hit(all) || data->view_version == PluginData::kReleased))) {
      const Result<bool> done = renew(asked, changes, i, &reads_changed);
      if (!done.ok() || !*done) return done;
      p.renewed_in = followed_;
    } else if (bound) {
      data->view_version = asked.call.view.version();
    }
  }
  if (reads_changed) note_relevant(asked.framework);
  return true;
}

// Brings one plugin's data up to date, and what it says of every row, if need be.
Result<bool> KeptFilters::renew(const KeptQuestion& asked, const FewChanges& changes, uint32_t part,
                                bool* reads_changed) {
  Part& p = parts_[part];
  PluginData* const data = entries_->list[p.index].data.get();
  Plugin::Renewed how = Plugin::Renewed::kNo;
  const ChangeKinds reads = p.reads.any | p.reads.row | kNodeChanged;
  if (data != nullptr && p.step != kNoId && (changes.all() & reads & ~kRenewable) == 0) {
    std::span<const uint32_t> rows = asked.work.changed_rows;
    if (rows.size() != changes.rows().size()) {  // some are of no node
      std::vector<uint32_t>& all = asked.work.hit_rows;
      all.clear();
      for (const FewChanges::Row& r : changes.rows()) all.push_back(r.row);
      rows = all;
    }
    asked.work.renewed_rows.clear();
    how = p.plugin->renew(asked.call, asked.pod, rows, data, &asked.work.renewed_rows);
    if (how != Plugin::Renewed::kNo) {
      *reads_changed = *reads_changed || !bound_to_view(data);
      data->view_version = asked.call.view.version();
    }
  }
  if (how == Plugin::Renewed::kSame) return true;
  if (how == Plugin::Renewed::kRows)
    return !p.judged || judge_rows(asked, asked.work.renewed_rows, part);
  if (how == Plugin::Renewed::kNo) {
    if (!prepare_anew(asked, &p)) {
      LIBSCHED_TRY(asked.call.check_limits());
      return false;
    }
    *reads_changed = true;
  }
  if (!p.judged) return true;
  if (!judge_all(asked, part)) return false;
  set_changed_ = true;  // perhaps
  return true;
}

// Asks PreFilter of the plugin. Returns false if its answer is of another kind than before, or if
// limits are exceeded.
bool KeptFilters::prepare_anew(const KeptQuestion& asked, Part* part) {
  const View& v = asked.call.view;
  std::shared_ptr<PluginData> fresh;
  if (part->pre_filters) {
    if (!narrowed_.all_nodes) return false;
    PreFilterResult result;
    const Result<Status> ran =
        part->plugin->pre_filter({asked.call, asked.pod, asked.state, &fresh}, &result);
    if (!ran.ok() || !result.all_nodes || asked.call.exceeded()) return false;
    const bool skips = ran->code == Code::kSkip;
    if ((!skips && !ran->success()) || skips != entries_->list[part->index].skip_filter)
      return false;
  }
  part->reads = part->plugin->depends_on(v, asked.pod).filter;
  if (part->reads.others || part->reads.outside) return false;
  if (part->step != kNoId) {
    if (!fresh) fresh = part->plugin->prepare(asked.call, asked.pod);
    if (asked.call.exceeded()) return false;
    if (fresh && fresh->ids_epoch != 0) fresh->ids_epoch = v.ids_epoch();
    steps_[part->step].data = fresh.get();
  }
  CycleState::Entry& entry = edit_entry(asked, part->index);
  entry.data = std::move(fresh);
  entry.pod = PodRef::share(&asked.pod);
  return true;
}

CycleState::Entry& KeptFilters::edit_entry(const KeptQuestion& asked, uint32_t plugin) {
  asked.state.let_go();
  const bool shared = !entries_->unique();  // an older state of the class has them as well
  asked.state.adopt(asked.framework, asked.pod.serial, entries_);
  if (shared) {
    Ref<CycleState::Entries> own = make_ref<CycleState::Entries>();
    own->list = entries_->list;
    entries_ = std::move(own);
    asked.state.adopt(asked.framework, asked.pod.serial, entries_);
  }
  return entries_->list[plugin];
}

void KeptFilters::count_pre_filter(PluginMeter* meter) const {
  for (const Part& p : parts_)
    if (entries_->list[p.index].pre_filtered)
      meter->evaluated_alone(CountedPoint::kPreFilter, p.index);
}

}  // namespace libsched
