// KeptScores: the totals of rows that have changed.
#include <algorithm>

#include "libsched/framework/score_columns.hpp"
#include "libsched/kept/kept_scores.hpp"

namespace libsched {

// What all plugins say of all rows.
bool KeptScores::take_all(const Asked& asked) {
  const Bitmap& live = asked.call.view.live();
  std::vector<uint64_t>& now = asked.work.alive_hit;
  now.assign(live.data(), live.data() + words_);
  asked.filters.intersect(&now, &asked.work.row_sets);
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
bool KeptScores::take_rows(const Asked& asked) {
  for (const uint32_t r : asked.filters.judged_anew()) {  // some perhaps twice
    if (asked.filters.accepts(r) == has_bit(feasible_, r)) continue;
    feasible_[r / 64] ^= uint64_t{1} << (r % 64);
    const uint32_t place = asked.places.of(r);
    totals_.flip(place);
    set_changed_ = true;
    if (!scored(place)) return false;
  }
  return true;
}

// The part of these rows' totals that follows pods. Returns false if a plugin fails.
bool KeptScores::take_scores(const Asked& asked, std::span<const uint32_t> rows) {
  std::vector<int32_t>& fresh = asked.work.few_sums;
  if (fresh.size() < rows.size()) fresh.resize(rows.size());
  if (!add_scores(asked, rows)) return false;
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
// false if a plugin fails, or a score is out of range.
bool KeptScores::add_scores(const Asked& asked, std::span<const uint32_t> rows) {
  Workspace& work = asked.work;
  std::vector<uint64_t>&bits = work.few_bits, &errors = work.few_errors;
  if (bits.size() < words_) bits.resize(words_);
  if (errors.size() < words_) errors.resize(words_);
  for (const uint32_t r : rows) bits[r / 64] |= uint64_t{1} << (r % 64);
  bool failed = false, fits = true;
  const ScoreSet set{words_, rows.size(), bits.data(), nullptr, errors.data(), &failed, rows};
  int32_t* const sums = work.few_sums.data();
  for (size_t i = 0; i < rows.size(); ++i) sums[i] = static_[asked.places.of(rows[i])];
  int64_t* const column = work.column.data();
  for (const uint32_t at : dynamic_parts_) {
    const Part& p = parts_[at];
    const ScoreCall call = score_call_of(asked, asked.filters.entries()->list[p.index]);
    const Scored s = p.plugin->score(call, set, column);
    const auto weight = static_cast<uint32_t>(p.weight);
    uint64_t beyond = 0;
    const auto add = [&](size_t i, int64_t score) {
      beyond |= beyond_range(score);
      add_weighted(score, weight, &sums[i]);
    };
    for (size_t i = 0; i < rows.size() && !s.uniform; ++i) add(i, column[rows[i]]);
    for (size_t i = 0; i < rows.size() && s.uniform; ++i) add(i, s.value);
    fits = fits && !any_beyond(beyond);
  }
  for (const uint32_t r : rows) bits[r / 64] = errors[r / 64] = 0;
  return fits && !failed;
}

}  // namespace libsched
