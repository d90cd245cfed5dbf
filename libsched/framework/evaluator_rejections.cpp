// Evaluator: which plugins reject which nodes.
#include <algorithm>
#include <tuple>

#include "libsched/framework/evaluator.hpp"

namespace libsched {
namespace {

int64_t number_of(const Fact& fact, Str name) {
  for (const Fact::Field& f : fact.fields)
    if (f.name == name)
      if (const auto* n = std::get_if<int64_t>(&f.value)) return *n;
  return 0;
}

// Of the request, the part that is not free.
double shortage_of(const Facts& facts) {
  double out = 0;
  for (const Fact& f : facts.list()) {
    const auto asked = static_cast<double>(number_of(f, "requested"));
    const auto left = static_cast<double>(std::max<int64_t>(number_of(f, "free"), 0));
    if (asked > left) out += (asked - left) / asked;
  }
  return out;
}

}  // namespace

Result<Rejections> Evaluator::reject_each(const Pod& pod, size_t most, const Limits& given) {
  LIBSCHED_TRY(check_idle());
  const CallLimits limits(given, *services_);
  const Call call = call_with(limits.watch());
  LIBSCHED_TRY(call.check_limits());
  if (cluster_) cluster_->refresh();
  const ExclusiveUse use(*this);
  const View& v = view();
  Rejections out;
  CycleState state;
  if (v.node_count() == 0) return out;
  const Result<Status> pre = pre_filter(state, pod, call);
  if (!pre.ok()) return pre.error();
  if (!pre->success()) return out;
  FilterPass pass(*framework_, state, pod, call);
  LIBSCHED_TRY(pass.prepare(&work_, true));
  const std::vector<FilterStep> steps = work_.steps;
  const auto call_of = [&](const FilterStep& step) {
    return FilterCall{call, pod, state, step.data, step.pre_filtered};
  };
  const size_t words = v.word_count();
  std::vector<uint32_t> rejections(words * 64);
  std::vector<uint64_t> alive(words), errors(words), excluded(words);
  std::vector<std::pair<const FilterStep*, std::vector<uint64_t>>> rejected;
  for (const FilterStep& step : steps) {
    for (size_t w = 0; w < words; ++w) alive[w] = v.live().word(w);
    std::fill(errors.begin(), errors.end(), 0);
    step.plugin->filter(call_of(step), {0, words, alive.data(), errors.data()});
    LIBSCHED_TRY(call.check_limits());
    Rejections::ByPlugin by{framework_->plugins()[step.index].name, {}, 0};
    for (size_t w = 0; w < words; ++w) {
      alive[w] = v.live().word(w) & ~alive[w] & ~errors[w];
      for_each_bit(alive[w], w * 64, [&](size_t row) {
        ++rejections[row];
        ++by.count;
      });
    }
    if (by.count == 0) continue;
    by.rows = alive;
    rejected.emplace_back(&step, alive);
    out.plugins.push_back(std::move(by));
  }
  for (uint32_t r = 0; r < v.row_count(); ++r) {
    if (v.node(r) == nullptr || state.pre_filter().allows(v.row(r).name)) continue;
    excluded[r / 64] |= uint64_t{1} << (r % 64);
    ++rejections[r];
  }
  // As many nodes as are asked for have at most so many rejections.
  std::vector<uint32_t> rows;
  for (uint32_t r = 0; r < v.row_count(); ++r)
    if (v.node(r) != nullptr && rejections[r] != 0) rows.push_back(r);
  if (rows.empty() || most == 0) return out;
  std::vector<uint32_t> counts;
  for (const uint32_t r : rows) counts.push_back(rejections[r]);
  const auto last = counts.begin() + static_cast<ptrdiff_t>(std::min(most, counts.size()) - 1);
  std::nth_element(counts.begin(), last, counts.end());
  const uint32_t limit = *last;
  std::vector<std::tuple<uint32_t, double, Str, uint32_t>> ranked;
  for (const uint32_t r : rows) {
    if (rejections[r] > limit) continue;
    double shortage = 0;
    for (const auto& [step, bits] : rejected) {
      if (!has_bit(bits, r)) continue;
      Facts facts;
      const Status s = rejection(*framework_, *step, call_of(*step), r);
      step->plugin->node_facts(call_of(*step), r, s, &facts);
      shortage += shortage_of(facts);
    }
    ranked.emplace_back(rejections[r], shortage, v.row(r).name, r);
  }
  std::sort(ranked.begin(), ranked.end());
  for (const auto& [count, shortage, name, r] : ranked) {
    if (out.nearest.size() == most) break;
    NodeLacks& node = out.nearest.emplace_back(NodeLacks{std::string(name), {}, shortage});
    if (has_bit(excluded, r)) {
      const Status s = absent_status(state.pre_filter());
      node.lacks.push_back({std::string(s.plugin), s, {}});
    }
    for (const auto& [step, bits] : rejected) {
      if (!has_bit(bits, r)) continue;
      Lack& lack = node.lacks.emplace_back();
      lack.plugin = framework_->plugins()[step->index].name;
      lack.status = rejection(*framework_, *step, call_of(*step), r);
      step->plugin->node_facts(call_of(*step), r, lack.status, &lack.facts);
    }
  }
  return out;
}

}  // namespace libsched
