// ScorePass: scores that are kept by class, of which only those of changed rows are asked for.
#include <bit>
#include <utility>

#include "libsched/framework/score_columns.hpp"
#include "libsched/framework/score_pass.hpp"

namespace libsched {
namespace {

bool in_range(int64_t score) { return score >= kMinNodeScore && score <= kMaxNodeScore; }

// Where there are so few rows in a word, a list of them costs less than words.
constexpr size_t kFewRows = 8;

// Lists the rows of `bits`, mostly without a branch that depends on them.
void list_rows(const std::vector<uint64_t>& bits, size_t count, std::vector<uint32_t>* out) {
  constexpr size_t kAtOnce = 3;
  if (out->size() < count + kAtOnce) out->resize(count + kAtOnce);
  uint32_t* at = out->data();
  for (size_t w = 0; w < bits.size(); ++w) {
    uint64_t left = bits[w];
    uint32_t* const end = at + count_bits(left);
    const auto next = [&] {
      *at++ = static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(left)));
      left &= left - 1;
    };
    for (size_t i = 0; i < kAtOnce; ++i) next();
    while (left != 0) next();
    at = end;
  }
}

// The rows of `bits`, of which there is one. `list` is for them.
ScoreSet part_of(const ScoreSet& set, const std::vector<uint64_t>& bits, size_t count,
                 std::vector<uint32_t>* list) {
  size_t first = 0, end = bits.size();
  while (bits[first] == 0) ++first;
  while (bits[end - 1] == 0) --end;
  ScoreSet out{end, count, bits.data(), set.order, nullptr, first};
  if (count <= (end - first) * kFewRows) {
    list_rows(bits, count, list);
    out.few = {list->data(), count};
  }
  return out;
}

// ColumnKernels::add() for the words of the set.
bool add(const ScoreSet& set, const int64_t* column, int64_t weight, bool first, int64_t* totals) {
  if (!set.few.empty()) {
    bool fits = true;
    for (const uint32_t r : set.few) {
      fits = fits && in_range(column[r]);
      totals[r] = wrapping_add(first ? 0 : totals[r], wrapping_mul(column[r], weight));
    }
    return fits;
  }
  const size_t w = set.first_word;
  return column_kernels().add(set.bits + w, set.words - w, column + w * 64, weight, first,
                              totals + w * 64);
}

}  // namespace

// Asks for missing raw scores. Returns false if a plugin fails, or a score does not fit.
Result<bool> ScorePass::score_missing(const ScoreSet& missing, ClassScores* kept) {
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kScore);
  int64_t constant = 0;
  bool summed = false;
  for (size_t k = 0; k < order.size(); ++k) {
    if (!asked(order[k])) continue;
    int64_t* const column = work_.column.data();
    const Result<Scored> scored = ask(order[k], missing, column);
    if (!scored.ok()) return scored.error();
    if (work_.score_failed) return false;
    const int64_t weight = framework_.score_weights()[k];
    if (framework_.plugins()[order[k]].plugin->normalizes()) {
      if (!kept->take_raw(static_cast<uint32_t>(k), missing, *scored, column)) return false;
    } else if (scored->uniform) {
      if (!in_range(scored->value)) return false;
      constant += scored->value * weight;
    } else if (!add(missing, column, weight, !std::exchange(summed, true), work_.totals.data())) {
      return false;
    }
  }
  kept->take_sums(missing, summed ? work_.totals.data() : nullptr, constant);
  return true;
}

// Totals of rows that have none, where plugins that normalise give different scores. The set holds
// the ends of their ranges, so each row gets what it would get in the whole set.
Result<bool> ScorePass::sum_missing(const ScoreSet& missing, ClassScores* kept) {
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kScore);
  bool summed = false;
  for (const ClassScores::Raw& raw : kept->raws()) {
    if (raw.uniform) continue;
    const uint32_t i = order[raw.plugin];
    int64_t* const column = work_.column.data();
    missing.for_each([&](uint32_t r) { column[r] = raw.scores[r]; });
    if (!normalize(i, missing, column).success()) return false;
    LIBSCHED_TRY(call_.check_limits());
    if (!add(missing, column, framework_.score_weights()[raw.plugin], !std::exchange(summed, true),
             work_.totals.data()))
      return false;
  }
  kept->take_totals(work_.normal, work_.totals.data());
  return true;
}

Result<bool> ScorePass::score_kept(const ScoreSet& set, ClassScores* kept, int64_t* offset) {
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kScore);
  std::vector<uint32_t>& places = work_.hit_rows;
  places.clear();
  for (size_t k = 0; k < order.size(); ++k)
    if (asked(order[k])) places.push_back(static_cast<uint32_t>(k));
  if (!kept->follows(places)) {
    kept->begin(framework_, call_.view, pod_, places);
    return false;
  }
  if (!kept->useful()) return false;
  kept->open(set.words);
  const size_t n = set.words * 64;
  if (work_.column.size() < n) work_.column.resize(n);
  if (work_.totals.size() < n) work_.totals.resize(n);
  const std::vector<uint64_t>& missing = work_.hit;
  if (const size_t count = kept->missing({set.bits, set.words}, &work_.hit); count != 0) {
    const Result<bool> scored = score_missing(part_of(set, missing, count, &work_.few_rows), kept);
    if (!scored.ok() || !*scored) return scored;
  }
  kept->take_set(set, &work_.hit);
  *offset = 0;
  for (const ClassScores::Raw& raw : kept->raws()) {
    if (!raw.uniform) continue;
    const uint32_t i = order[raw.plugin];
    const int64_t normal = normalize_uniform(i, raw.value);
    if (!in_range(normal)) return false;
    *offset += normal * framework_.score_weights()[raw.plugin];
  }
  if (kept->varied()) {
    if (const size_t count = kept->unsummed(&work_.normal); count != 0) {
      const Result<bool> summed =
          sum_missing(part_of(set, work_.normal, count, &work_.few_rows), kept);
      if (!summed.ok() || !*summed) return summed;
    }
  }
  kept->close();
  return true;
}

}  // namespace libsched
