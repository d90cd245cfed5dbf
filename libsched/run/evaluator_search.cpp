// Evaluator: searches of rows in an order of the caller's.
#include <algorithm>

#include "libsched/framework/score_columns.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {
Result<void> Evaluator::may_search(const CycleState& state, const Pod& pod) const {
  LIBSCHED_TRY(check_idle());
  if (state.framework() != framework_.get() || state.pod_serial() != pod.serial)
    return Error{Rc::kState, "run PreFilter for this pod with this cycle state first"};
  return may_read(state);
}

// Sets work_.alive to the rows that may be judged.
void Evaluator::candidates(const CycleState& state, const SearchOptions& options) {
  FilterOptions masked;
  masked.accept = options.accept;
  masked.accept_given = options.accept_given;
  mask(state, masked, view().word_count());
  if (!options.skip_unschedulable) return;
  const Bitmap& cordoned = view().unschedulable();
  const size_t words = std::min(work_.alive.size(), cordoned.word_count());
  for (size_t w = 0; w < words; ++w) work_.alive[w] &= ~cordoned.data()[w];
}

Result<PreFiltered> Evaluator::run_pre_filter(CycleState& state, const Pod& pod,
                                              uint64_t class_number) {
  LIBSCHED_TRY(check_idle());
  LIBSCHED_TRY(may_replace(state));
  const Call call = call_inside(state);
  const ExclusiveUse use(*this);
  const View& v = view();
  const KeptQuestion asked{*framework_, call, pod, state, work_};
  KeptClass& of_class = classes_.find(v, class_number);
  KeptFilters& kept = of_class.filters;
  const bool few = few_.read(v.log(), kept.cursor(), v.row_count());
  if (few && kept.can_follow(v)) {
    const Result<bool> followed = kept.follow(asked, few_);
    if (!followed.ok()) return followed.error();
    if (*followed) return PreFiltered{Status(), kept.concerns(), true};
  }
  Result<Status> said = pre_filter(state, pod, call);
  if (!said.ok()) return std::move(said.error());
  FilterPass pass(*framework_, state, pod, call);
  if (said->success()) LIBSCHED_TRY(pass.prepare(&work_, false));
  classes_.note_growth(&of_class);
  LIBSCHED_TRY(kept.take(asked, few ? &few_ : nullptr, said->success()));
  return PreFiltered{std::move(*said), kept.concerns(), !kept.outside()};
}

// Points the steps of the workspace to the verdicts that are kept of the pod's class.
Result<void> Evaluator::judge_class(CycleState& state, const Pod& pod, const Call& call,
                                    uint64_t class_number) {
  if (class_number == 0 || !classes_.pays(view())) return {};
  const View& v = view();
  const KeptQuestion asked{*framework_, call, pod, state, work_};
  KeptClass& kept = classes_.find(v, class_number);
  classes_.note_growth(&kept);
  if (v.log().distance(kept.filters.cursor()) != 0) {  // the state has stood through changes
    const bool few = few_.read(v.log(), kept.filters.cursor(), v.row_count());
    LIBSCHED_TRY(kept.filters.take(asked, few ? &few_ : nullptr, true));
  }
  return kept.filters.judge(asked, false);
}

Result<FilterOutcome> Evaluator::find_first(CycleState& state, const Pod& pod,
                                            const SearchOptions& options) {
  LIBSCHED_TRY(may_search(state, pod));
  FilterOutcome out;
  const Span<uint32_t> order = options.order;
  if (order.empty()) return out;
  const size_t count = options.count == 0 ? order.size() : std::min(options.count, order.size());
  const CallLimits limits(options.limits, *services_);
  const Call call = call_with(limits.watch());
  const ExclusiveUse use(*this);
  const size_t words = view().word_count();
  // Most searches end at one of the first rows: the others are not looked at before they are
  // needed.
  const bool narrowed = !state.pre_filter().all_nodes;
  if (narrowed) candidates(state, options);
  const Bitmap &live = view().live(), &cordoned = view().unschedulable();
  const auto may_take = [&](uint32_t r) {
    if (narrowed) return has_bit(work_.alive, r);
    if (!live.test(r) || (options.skip_unschedulable && cordoned.test(r))) return false;
    return !options.accept_given || (r / 64 < options.accept.size() && has_bit(options.accept, r));
  };
  FilterPass pass(*framework_, state, pod, call);
  const auto place = [&](size_t i) {
    const size_t k = options.start + i;
    return k < order.size() ? k : k % order.size();
  };
  if (count == 1) {  // costs nothing that grows with the nodes
    const size_t k = place(0);
    if (!may_take(order[k])) return out;
    LIBSCHED_TRY(call.check_limits());
    Status status;
    LIBSCHED_TRY(pass.judge(NodeView(view(), order[k]), &status));
    LIBSCHED_TRY(call.check_limits());
    if (status.success()) out = {1, order[k], k};
    return out;
  }
  LIBSCHED_TRY(pass.prepare(&work_, false));
  work_.errors.assign(words, 0);
  // The first of `found` among some places.
  const auto pick = [&](const std::vector<uint64_t>& found, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t k = place(i);
      if (!has_bit(found, order[k])) continue;
      out = {1, order[k], k};
      return true;
    }
    return false;
  };
  constexpr size_t kSteps[] = {8, 64};
  std::vector<uint64_t>& chunk = work_.chunk;
  chunk.assign(words, 0);
  size_t few = 0;
  for (const size_t step : kSteps) {
    const size_t end = std::min(count, step);
    size_t low = words, high = 0;
    for (size_t i = few; i < end; ++i) {
      const uint32_t r = order[place(i)];
      if (!may_take(r)) continue;
      const size_t word = r / 64;
      chunk[word] |= uint64_t{1} << (r % 64);
      low = std::min(low, word);
      high = std::max(high, word + 1);
    }
    if (low < high) {
      const RowSet set{low, high - low, chunk.data() + low, work_.errors.data() + low};
      LIBSCHED_TRY(pass.judge(set, nullptr));
      if (pick(chunk, few, end)) return out;  // else no bit of chunk is left
    }
    few = end;
  }
  if (few == count) return out;
  if (!narrowed) candidates(state, options);
  std::vector<uint64_t>& found = work_.feasible;
  if (options.whole && count == order.size()) {
    found = work_.alive;
    for (size_t i = 0; i < few; ++i) {  // no node is asked about twice
      const uint32_t r = order[place(i)];
      found[r / 64] &= ~(uint64_t{1} << (r % 64));
    }
  } else {
    found.assign(words, 0);
    for (size_t i = few; i < count; ++i) {
      const uint32_t r = order[place(i)];
      if (has_bit(work_.alive, r)) found[r / 64] |= uint64_t{1} << (r % 64);
    }
  }
  LIBSCHED_TRY(judge_class(state, pod, call, options.class_number));
  LIBSCHED_TRY(pass.judge({0, words, found.data(), work_.errors.data()}, nullptr));
  const size_t passed = column_kernels().ones(found.data(), words);
  constexpr size_t kFew = 32;  // more than that are sooner met on the way through the order
  if (passed > kFew || (passed != 0 && options.places.empty())) {
    pick(found, few, count);
    return out;
  }
  size_t nearest = count;
  for (size_t w = 0; passed != 0 && w < words; ++w) {
    for_each_bit(found[w], w * 64, [&](size_t row) {
      const size_t at = options.places[row];
      const size_t behind =
          at >= options.start ? at - options.start : at + order.size() - options.start;
      if (behind >= nearest) return;
      nearest = behind;
      out = {1, static_cast<uint32_t>(row), at};
    });
  }
  return out;
}

Result<size_t> Evaluator::find_all(CycleState& state, const Pod& pod, const SearchOptions& options,
                                   uint64_t* bits, uint8_t* of_row) {
  LIBSCHED_TRY(may_search(state, pod));
  const CallLimits limits(options.limits, *services_);
  const Call call = call_with(limits.watch());
  const ExclusiveUse use(*this);
  const size_t words = view().word_count();
  candidates(state, options);
  std::vector<uint64_t>& found = work_.feasible;
  if (options.whole) {
    found = work_.alive;
  } else {
    found.assign(words, 0);
    for (const uint32_t r : options.order)
      if (has_bit(work_.alive, r)) found[r / 64] |= uint64_t{1} << (r % 64);
  }
  FilterPass pass(*framework_, state, pod, call);
  LIBSCHED_TRY(pass.prepare(&work_, false));
  work_.errors.assign(words, 0);
  const RowSet set{0, words, found.data(), work_.errors.data()};
  if (of_row == nullptr) {
    LIBSCHED_TRY(judge_class(state, pod, call, options.class_number));
    LIBSCHED_TRY(pass.judge(set, nullptr));
  } else {
    for (size_t w = 0; w < words; ++w)
      for_each_bit(found[w], w * 64, [&](size_t row) { of_row[row] = 0; });
    Verdicts verdicts;
    verdicts.begin(0, words);
    LIBSCHED_TRY(pass.judge(set, &verdicts));
    verdicts.plugins(*framework_, of_row);
  }
  if (bits != nullptr) std::copy(found.begin(), found.end(), bits);
  return column_kernels().ones(found.data(), words);
}

}  // namespace libsched
