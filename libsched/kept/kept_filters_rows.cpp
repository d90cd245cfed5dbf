// KeptFilters: the rows that plugins accept.
#include <algorithm>
#include <bit>
#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/framework/score_columns.hpp"
#include "libsched/kept/kept_filters.hpp"

namespace libsched {

FilterCall KeptFilters::call_of(const KeptQuestion& asked, const Part& part) const {
  const FilterStep& step = steps_[part.step];
  return {asked.call, asked.pod, asked.state, step.data, step.pre_filtered};
}

bool KeptFilters::rejects(uint32_t part) const {
  return std::find(rejecting_.begin(), rejecting_.end(), part) != rejecting_.end();
}

// Asks about every row. Returns false if an answer is an Error, or if limits are exceeded.
bool KeptFilters::judge_all(const KeptQuestion& asked, uint32_t part) {
  const Bitmap& live = asked.call.view.live();
  std::vector<uint64_t>&alive = accepted_[part], &errors = asked.work.few_errors;
  alive.assign(live.data(), live.data() + words_);
  if (errors.size() < words_) errors.resize(words_);
  parts_[part].plugin->filter(call_of(asked, parts_[part]),
                              {0, words_, alive.data(), errors.data()});
  uint64_t failed = 0, rejected = 0;
  const uint64_t *const before = live.data(), *const after = alive.data();
  uint64_t* const error = errors.data();
  for (size_t w = 0, end = words_; w < end; ++w) {
    failed |= std::exchange(error[w], 0);
    rejected |= before[w] & ~after[w];
  }
  if (failed != 0 || asked.call.exceeded()) return false;
  if (rejected != 0 && !rejects(part)) rejecting_.push_back(part);
  return true;
}

// Asks about these rows. Returns false if an answer is an Error, or if limits are exceeded.
bool KeptFilters::judge_rows(const KeptQuestion& asked, std::span<const uint32_t> rows,
                             uint32_t part) {
  if (rows.empty()) return true;
  std::vector<uint64_t>&alive = asked.work.few_bits, &errors = asked.work.few_errors;
  if (alive.size() < words_) alive.resize(words_);
  if (errors.size() < words_) errors.resize(words_);
  judged_anew_.reserve(judged_anew_.size() + rows.size());
  for (const uint32_t r : rows) alive[r / 64] |= uint64_t{1} << (r % 64);
  parts_[part].plugin->filter(call_of(asked, parts_[part]),
                              {0, words_, alive.data(), errors.data(), rows});
  uint64_t failed = 0;
  bool rejected = false;
  for (const uint32_t r : rows) {
    failed |= errors[r / 64];
    rejected = rejected || !has_bit(alive, r);
  }
  // Mostly it accepted every row, and still does.
  const bool all = !rejects(part);
  if (rejected || !all || added_) {
    uint64_t* const accepted = accepted_[part].data();
    for (const uint32_t r : rows) {
      const uint64_t bit = uint64_t{1} << (r % 64);
      if (((accepted[r / 64] ^ alive[r / 64]) & bit) == 0) continue;
      accepted[r / 64] ^= bit;
      judged_anew_.push_back(r);
    }
  }
  for (const uint32_t r : rows) alive[r / 64] = errors[r / 64] = 0;
  if (rejected && all) rejecting_.push_back(part);
  return failed == 0 && !asked.call.exceeded();
}

void KeptFilters::intersect(std::vector<uint64_t>* rows, std::vector<const uint64_t*>* sets) const {
  sets->clear();
  for (const uint32_t p : rejecting_) sets->push_back(accepted_[p].data());
  column_kernels().intersect(rows->data(), words_, sets->data(), sets->size());
}

// Lists the changed rows of nodes.
void KeptFilters::list_changed(const KeptQuestion& asked, const FewChanges& changes) {
  const Bitmap& live = asked.call.view.live();
  std::vector<uint32_t>& rows = asked.work.changed_rows;
  rows.clear();
  common_ = kAllChanges;
  added_ = (changes.all() & kNodeChanged) != 0;
  for (const FewChanges::Row& r : changes.rows()) {
    if (!live.test(r.row)) continue;
    rows.push_back(r.row);
    common_ &= r.kinds;
  }
}

std::span<const uint32_t> KeptFilters::changed_by(const KeptQuestion& asked,
                                                  const FewChanges& changes,
                                                  ChangeKinds kinds) const {
  if ((common_ & kinds) != 0) return asked.work.changed_rows;
  std::vector<uint32_t>& rows = asked.work.hit_rows;
  rows.clear();
  for (const FewChanges::Row& r : changes.rows())
    if ((r.kinds & kinds) != 0 && asked.call.view.live().test(r.row)) rows.push_back(r.row);
  return rows;
}

void KeptFilters::count_filter(const KeptQuestion& asked, PluginMeter* meter) {
  if (asked_.empty()) {
    const Bitmap& live = asked.call.view.live();
    std::vector<uint64_t>& left = asked.work.alive_hit;
    left.assign(live.data(), live.data() + words_);
    asked_.reserve(steps_.size());  // a lack of memory leaves it empty
    for (uint32_t s = 0; s < steps_.size(); ++s) {
      asked_.push_back(column_kernels().ones(left.data(), words_));
      const auto part =
          std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.step == s; });
      const uint64_t* const accepted = accepted_[static_cast<size_t>(part - parts_.begin())].data();
      column_kernels().intersect(left.data(), words_, &accepted, 1);
    }
  }
  for (size_t s = 0; s < steps_.size(); ++s)
    meter->evaluated_alone(CountedPoint::kFilter, steps_[s].index, asked_[s]);
}

Result<void> KeptFilters::compare(const KeptQuestion& asked) const {
  const View& v = asked.call.view;
  std::vector<uint64_t> alive(words_), errors(words_);
  for (uint32_t i = 0; i < parts_.size(); ++i) {
    const Part& p = parts_[i];
    if (!p.judged) continue;
    alive.assign(v.live().data(), v.live().data() + words_);
    p.plugin->filter(call_of(asked, p), {0, words_, alive.data(), errors.data()});
    LIBSCHED_TRY(asked.call.check_limits());
    for (size_t w = 0; w < words_; ++w) {
      const uint64_t other = (alive[w] ^ accepted_[i][w]) & v.live().word(w);
      if (other == 0) continue;
      const auto row = static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(other)));
      const std::string& name = asked.framework.plugins()[p.index].name;
      return Error{Rc::kInternal,
                   "plugin " + go_quote(name) + " filters by more than it declares to read",
                   "node " + v.row(row).name, name};
    }
  }
  return {};
}

}  // namespace libsched
