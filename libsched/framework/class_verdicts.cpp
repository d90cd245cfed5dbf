// ClassVerdicts: which plugins are asked again, and about which rows.
#include "libsched/framework/class_verdicts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

// Beyond this many words one call for all of them costs less than one for each.
constexpr size_t kFewWords = 8;

bool any(const std::vector<uint64_t>& bits) {
  return std::any_of(bits.begin(), bits.end(), [](uint64_t w) { return w != 0; });
}

FilterCall call_of(const FilterStep& step, const FilterCall& call) {
  return {call, call.pod, call.state, step.data, step.pre_filtered};
}

}  // namespace

LoggedChanges::Rows& LoggedChanges::group(ChangeKinds key) {
  for (size_t i = 0; i < used_; ++i)
    if (groups_[i].key == key) return groups_[i];
  if (used_ == kGroups) return groups_[kGroups - 1];
  Rows& fresh = groups_[used_++];
  fresh.key = key;
  fresh.kinds = 0;
  fresh.bits.assign(words_, 0);
  return fresh;
}

void LoggedChanges::read(const ChangeLog& log, const ChangeLog::Cursor& since, size_t words) {
  words_ = words;
  used_ = 0;
  // Mostly the entries are of one group, and two of them in turn of one row.
  constexpr ChangeKinds kNone = kAllChanges;
  ChangeKinds seen = 0, unsaid = 0, key = kNone;
  uint32_t last = kNoId;
  Rows* at = nullptr;
  known = log.for_each_since(since, [&](uint32_t row, ChangeKinds kinds) {
    seen |= kinds;
    if (row / 64 >= words) return;
    if ((kinds & ~kAssumedChanged) != key) {
      if (at != nullptr) at->kinds |= unsaid;
      key = kinds & ~kAssumedChanged;
      at = &group(key);
      unsaid = 0;
      last = kNoId;
    }
    unsaid |= kinds;
    if (row == last) return;
    last = row;
    at->bits[row / 64] |= uint64_t{1} << (row % 64);
  });
  if (at != nullptr) at->kinds |= unsaid;
  all = seen;
}

bool LoggedChanges::hit(const Reads& reads, std::vector<uint64_t>* bits) const {
  if (!reads.row_hit(all)) return false;
  bool found = false;
  for (size_t i = 0; i < used_; ++i) {
    if (!reads.row_hit(groups_[i].kinds)) continue;
    const std::vector<uint64_t>& rows = groups_[i].bits;
    if (!std::exchange(found, true)) {
      bits->assign(rows.begin(), rows.end());
    } else {
      for (size_t w = 0; w < words_; ++w) (*bits)[w] |= rows[w];
    }
  }
  return found;
}

// Judges the rows of Workspace::hit. Returns false if an answer is an Error.
Result<bool> ClassVerdicts::judge(const FilterStep& step, const FilterCall& call, Workspace* work,
                                  Kept* kept) {
  const std::vector<uint64_t>& rows = work->hit;
  std::vector<uint64_t>&alive = work->alive_hit, &errors = work->errors;
  const size_t words = rows.size();
  const Bitmap& live = call.view.live();
  alive.resize(words);
  errors.resize(words);
  kept->accepted.resize(words);
  std::array<size_t, kFewWords> few;
  size_t hit = 0;
  for (size_t w = 0; w < words; ++w) {
    if (rows[w] == 0) continue;
    if (hit < kFewWords) few[hit] = w;
    ++hit;
  }
  const FilterCall asked = call_of(step, call);
  if (hit <= kFewWords) {
    for (const size_t w : std::span(few).first(hit)) {
      alive[w] = rows[w] & live.word(w);
      errors[w] = 0;
      if (alive[w] != 0) step.plugin->filter(asked, {w, 1, &alive[w], &errors[w]});
      if (errors[w] != 0) return false;
      kept->accepted[w] = (kept->accepted[w] & ~rows[w]) | alive[w];
    }
    LIBSCHED_TRY(call.check_limits());
    return true;
  }
  for (size_t w = 0; w < words; ++w) {
    alive[w] = rows[w] & live.word(w);
    errors[w] = 0;
  }
  step.plugin->filter(asked, {0, words, alive.data(), errors.data()});
  LIBSCHED_TRY(call.check_limits());
  if (any(errors)) return false;
  for (size_t w = 0; w < words; ++w) kept->accepted[w] = (kept->accepted[w] & ~rows[w]) | alive[w];
  return true;
}

Result<void> ClassVerdicts::follow(const Framework& framework, const FilterCall& call,
                                   const LoggedChanges& changes, Workspace* work) {
  std::vector<FilterStep>& steps = work->steps;
  const std::vector<uint32_t>& plugins = framework.at(ExtensionPoint::kFilter);
  const size_t words = call.view.word_count();
  kept_.resize(plugins.size());
  size_t next = 0;
  for (size_t k = 0; k < plugins.size(); ++k) {
    Kept& kept = kept_[k];
    if (next == steps.size() || steps[next].index != plugins[k]) {  // it is not asked this time
      kept.declared = kept.whole = false;
      continue;
    }
    FilterStep& step = steps[next++];
    if (!kept.declared || !changes.known || kept.reads.any_hit(changes.all)) {
      kept.whole = false;
      kept.reads = step.plugin->depends_on(call.view, call.pod).filter;
      kept.declared = !kept.reads.outside && !kept.reads.others;
      continue;
    }
    if (kept.whole && !changes.hit(kept.reads, &work->hit)) {
      kept.accepted.resize(words);
    } else {
      if (!std::exchange(kept.whole, true)) work->hit.assign(words, ~uint64_t{0});
      const Result<bool> judged = judge(step, call, work, &kept);
      if (!judged.ok()) return judged.error();
      if (!*judged) {
        kept.declared = kept.whole = false;
        continue;
      }
    }
    step.accepted = kept.accepted.data();
  }
  return {};
}

Result<void> ClassVerdicts::compare(const Framework& framework, const FilterCall& call,
                                    std::span<const FilterStep> steps) const {
  const View& v = call.view;
  const size_t words = v.word_count();
  std::vector<uint64_t> alive(words), errors(words);
  for (const FilterStep& step : steps) {
    if (step.accepted == nullptr) continue;
    for (size_t w = 0; w < words; ++w) alive[w] = v.live().word(w);
    step.plugin->filter(call_of(step, call), {0, words, alive.data(), errors.data()});
    LIBSCHED_TRY(call.check_limits());
    for (size_t w = 0; w < words; ++w) {
      const uint64_t other = (alive[w] ^ step.accepted[w]) & v.live().word(w);
      if (other == 0) continue;
      const auto row = static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(other)));
      const std::string& name = framework.plugins()[step.index].name;
      return Error{Rc::kInternal,
                   "plugin " + go_quote(name) + " filters by more than it declares to read",
                   "node " + v.row(row).name, name};
    }
  }
  return {};
}

size_t ClassVerdicts::bytes() const {
  size_t out = kept_.capacity() * sizeof(Kept);
  for (const Kept& k : kept_) out += k.accepted.capacity() * sizeof(uint64_t);
  return out;
}

}  // namespace libsched
