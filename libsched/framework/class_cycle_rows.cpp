// ClassCycle: the rows that have changed: which of them plugins accept, and their totals.
#include <algorithm>
#include <utility>

#include "libsched/base/prefetch.hpp"
#include "libsched/framework/class_cycle.hpp"
#include "libsched/framework/score_columns.hpp"

namespace libsched {

bool ClassCycle::accepted(uint32_t row) const {
  for (const uint32_t s : rejecting_)
    if (!has_bit(accepted_[s], row)) return false;
  return true;
}

// Asks about every row. Returns false if an answer is an Error.
bool ClassCycle::judge_all(const Asked& asked, Part* part) {
  const Bitmap& live = asked.call.view.live();
  std::vector<uint64_t>&alive = accepted_[part->step], &errors = asked.work.errors;
  const PluginData* const data = steps_[part->step].data;
  alive.resize(words_);
  if (data != nullptr && part->plugin->judged(*data, alive)) return !asked.call.exceeded();
  alive.assign(live.data(), live.data() + words_);
  errors.assign(words_, 0);
  part->plugin->filter(call_of(asked, *part), {0, words_, alive.data(), errors.data()});
  uint64_t failed = 0;
  for (size_t w = 0; w < words_; ++w) failed |= errors[w];
  return failed == 0 && !asked.call.exceeded();
}

// Asks about these rows. Returns false if an answer is an Error.
bool ClassCycle::judge_rows(const Asked& asked, std::span<const uint32_t> rows, Part* part) {
  if (rows.empty()) return true;
  std::vector<uint8_t>& rejected = asked.work.few_rejected;
  rejected.assign(rows.size(), 0);
  if (!part->plugin->filter_rows(call_of(asked, *part), rows, rejected.data()) &&
      !reject_rows(asked, rows, *part))
    return false;
  if (asked.call.exceeded()) return false;
  if (!part->rejects) {  // it accepts every row: mostly it still does
    if (std::find(rejected.begin(), rejected.end(), 1) == rejected.end()) return true;
    note_rejecting(part);
  }
  uint64_t* const accepted = accepted_[part->step].data();
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t r = rows[i];
    uint64_t& word = accepted[r / 64];
    if ((word >> (r % 64) & 1) != rejected[i]) continue;
    word ^= uint64_t{1} << (r % 64);
    judged_anew_.push_back(r);
  }
  return true;
}

// The same by Plugin::filter(), in Workspace::few_rejected.
bool ClassCycle::reject_rows(const Asked& asked, std::span<const uint32_t> rows, const Part& part) {
  std::vector<uint64_t>&alive = asked.work.few_bits, &errors = asked.work.few_errors;
  if (alive.size() < words_) alive.resize(words_);
  if (errors.size() < words_) errors.resize(words_);
  for (const uint32_t r : rows) alive[r / 64] |= uint64_t{1} << (r % 64);
  part.plugin->filter(call_of(asked, part), {0, words_, alive.data(), errors.data()});
  uint64_t failed = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    failed |= errors[rows[i] / 64];
    asked.work.few_rejected[i] = has_bit(alive, rows[i]) ? 0 : 1;
  }
  for (const uint32_t r : rows) alive[r / 64] = errors[r / 64] = 0;
  return failed == 0;
}

// What all plugins say of all rows.
bool ClassCycle::take_all(const Asked& asked) {
  const Bitmap& live = asked.call.view.live();
  std::vector<uint64_t>& now = asked.work.alive_hit;
  now.assign(live.data(), live.data() + words_);
  std::vector<const uint64_t*>& sets = asked.work.row_sets;
  sets.clear();
  for (const uint32_t s : rejecting_) sets.push_back(accepted_[s].data());
  column_kernels().intersect(now.data(), words_, sets.data(), sets.size());
  const NodePlaces& places = asked.places;
  set_changed_ = now != feasible_;
  if (!set_changed_) return true;
  if (places.as_rows()) {
    totals_.take(now.data());
  } else {
    std::vector<uint64_t>& placed = asked.work.placed_rows;
    placed.assign(totals_.bits(), totals_.bits() + places.words());
    for (size_t w = 0; w < words_; ++w)
      for_each_bit(now[w] ^ feasible_[w], w * 64, [&](size_t r) {
        const uint32_t place = places.of(static_cast<uint32_t>(r));
        placed[place / 64] ^= uint64_t{1} << (place % 64);
      });
    totals_.take(placed.data());
  }
  feasible_.swap(now);
  if (all_scored_) return true;
  uint64_t missing = 0;
  for (size_t w = 0; w < scored_.size(); ++w) missing |= totals_.bits()[w] & ~scored_[w];
  return missing == 0;
}

// The same of the changed rows.
bool ClassCycle::take_rows(const Asked& asked) {
  for (const uint32_t r : judged_anew_) {  // some perhaps twice
    if (accepted(r) == has_bit(feasible_, r)) continue;
    feasible_[r / 64] ^= uint64_t{1} << (r % 64);
    const uint32_t place = asked.places.of(r);
    totals_.flip(place);
    set_changed_ = true;
    if (!scored(place)) return false;
  }
  return true;
}

// The part of these rows' totals that follows pods. Returns false if a plugin fails.
bool ClassCycle::score_rows(const Asked& asked, std::span<const uint32_t> rows) {
  std::vector<int32_t>& fresh = asked.work.few_sums;
  if (fresh.size() < rows.size()) fresh.resize(rows.size());
  if (!add_scores(asked, rows) && !add_columns(asked, rows)) return false;
  int32_t* const totals = totals_.edit_totals();
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t place = asked.places.of(rows[i]);
    if (wholes_ == 0) {
      totals[place] = fresh[i];
    } else {  // what the other parts have said stays in the totals
      totals[place] += fresh[i] - sums_[place];
      sums_[place] = fresh[i];
    }
    totals_.touch(place);
  }
  return !asked.call.exceeded();
}

// Makes Workspace::few_sums what the totals of these rows are without parts that are whole. Returns
// false if a plugin does not score rows one by one.
bool ClassCycle::add_scores(const Asked& asked, std::span<const uint32_t> rows) {
  int32_t* const sums = asked.work.few_sums.data();
  for (size_t i = 0; i < rows.size(); ++i) sums[i] = static_[asked.places.of(rows[i])];
  for (const uint32_t at : dynamic_parts_) {
    const Part& p = parts_[at];
    const ScoreCall call = score_call_of(asked, entries_->list[p.index]);
    if (!p.plugin->score_rows(call, rows, static_cast<uint32_t>(p.weight), sums)) return false;
  }
  return true;
}

// The same by Plugin::score(). Returns false if a plugin fails, or a score is out of range.
bool ClassCycle::add_columns(const Asked& asked, std::span<const uint32_t> rows) {
  Workspace& work = asked.work;
  std::vector<uint64_t>&bits = work.few_bits, &errors = work.few_errors;
  if (bits.size() < words_) bits.resize(words_);
  if (errors.size() < words_) errors.resize(words_);
  for (const uint32_t r : rows) bits[r / 64] |= uint64_t{1} << (r % 64);
  bool failed = false, fits = true;
  const ScoreSet set{words_, rows.size(), bits.data(), nullptr, errors.data(), 0, &failed, rows};
  int32_t* const sums = work.few_sums.data();
  for (size_t i = 0; i < rows.size(); ++i) sums[i] = static_[asked.places.of(rows[i])];
  int64_t* const column = work.column.data();
  for (const uint32_t at : dynamic_parts_) {
    const Part& p = parts_[at];
    const ScoreCall call = score_call_of(asked, entries_->list[p.index]);
    const Scored s = p.plugin->score(call, set, column);
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t score = s.uniform ? s.value : column[rows[i]];
      fits = fits && score >= kMinNodeScore && score <= kMaxNodeScore;
      sums[i] += static_cast<int32_t>(score * p.weight);
    }
  }
  for (const uint32_t r : rows) bits[r / 64] = errors[r / 64] = 0;
  return fits && !failed;
}

// Lists the changed rows of nodes.
void ClassCycle::list_changed(const Asked& asked, const FewChanges& changes) {
  const Bitmap& live = asked.call.view.live();
  std::vector<uint32_t>& rows = asked.work.changed_rows;
  rows.clear();
  common_ = kAllChanges;
  for (const FewChanges::Row& r : changes.rows()) {
    if (!live.test(r.row)) continue;
    rows.push_back(r.row);
    common_ &= r.kinds;
    // The class has not looked at them since its last pod.
    const uint32_t place = asked.places.of(r.row);
    prefetch(&static_[place]);
    totals_.fetch(place);
  }
}

// Those of them with a change of these kinds.
std::span<const uint32_t> ClassCycle::changed_by(const Asked& asked, const FewChanges& changes,
                                                 ChangeKinds kinds) {
  if ((common_ & kinds) != 0) return asked.work.changed_rows;
  std::vector<uint32_t>& rows = asked.work.hit_rows;
  rows.clear();
  for (const FewChanges::Row& r : changes.rows())
    if ((r.kinds & kinds) != 0 && asked.call.view.live().test(r.row)) rows.push_back(r.row);
  return rows;
}

}  // namespace libsched
