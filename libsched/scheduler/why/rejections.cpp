// See rejections.hpp.
#include "libsched/scheduler/why/rejections.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "libsched/run/evaluator.hpp"

namespace libsched {
namespace {

// Of these facts' names, docs/facts.md says what they mean for any plugin.

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

// A row as it is with the nominated pods that the pod has to yield to.
struct CrowdedRow {
  FilterPass::Crowded crowded;
  std::optional<NodeView> node;
  std::vector<FilterStep> steps;
  std::vector<bool> rejects;  // by step: only because of these pods, or with other numbers

  FilterCall call_of(const Call& call, const Pod& pod, size_t step) const {
    FilterCall out{call, pod, *crowded.state, steps[step].data, steps[step].pre_filtered};
    out.single = &*node;
    return out;
  }
};

Result<void> crowd(const Framework& framework, const FilterPass& pass, const Call& call,
                   const Pod& pod, uint32_t row, CrowdedRow* out) {
  const Result<bool> yields = pass.crowd(NodeView(call.view, row), &out->crowded);
  if (!yields.ok()) return yields.error();
  out->rejects.resize(framework.at(ExtensionPoint::kFilter).size());
  if (!*yields || !out->crowded.added.success()) return {};
  Workspace work;
  FilterPass with(framework, *out->crowded.state, pod, call);
  LIBSCHED_TRY(with.prepare(&work, false));
  out->steps = std::move(work.steps);
  out->node.emplace(*out->crowded.node);
  for (size_t i = 0; i < out->steps.size(); ++i) {
    uint64_t alive = uint64_t{1} << (row % 64), errors = 0;
    out->steps[i].plugin->filter(out->call_of(call, pod, i), {row / 64, 1, &alive, &errors});
    out->rejects[i] = alive == 0 && errors == 0;
    LIBSCHED_TRY(call.check_limits());
  }
  return {};
}

}  // namespace

Result<Rejections> reject_each(Evaluator& judge, const Pod& pod, size_t most,
                               const Limits& limits) {
  const Framework& framework = judge.framework();
  const View& v = judge.view();
  Rejections out;
  CycleState state;
  if (v.node_count() == 0) return out;
  const Cluster::Judging judging(judge.cluster());
  const LimitScope scope(judge, state, limits);
  const Call& call = *PluginScope::call_of(state);
  const Result<Status> pre = judge.run_pre_filter(state, pod);
  if (!pre.ok()) return pre.error();
  if (!pre->success()) return out;
  Workspace work;
  FilterPass pass(framework, state, pod, call);
  LIBSCHED_TRY(pass.prepare(&work, true));
  const std::vector<FilterStep>& steps = work.steps;
  CycleState none;  // of facts
  const auto add_facts = [&](const FilterStep& step, const FilterCall& asked, uint32_t r,
                             const Status& s, Facts* facts) {
    step.plugin->node_facts({asked, asked.pod, none, asked.data, asked.pre_filtered, asked.single},
                            r, s, facts);
  };
  const auto facts_of = [&](const FilterStep& step, const FilterCall& asked, uint32_t r) {
    Facts facts;
    add_facts(step, asked, r, rejection(framework, step, asked, r), &facts);
    return facts;
  };
  const size_t words = v.word_count();
  std::map<uint32_t, CrowdedRow> crowded;
  if (pass.judges_apart()) {
    const std::vector<uint64_t> nominated = work.nominated;
    for (size_t w = 0; w < words; ++w) {
      Result<void> done;
      for_each_bit(nominated[w] & v.live().word(w), w * 64, [&](size_t row) {
        const auto r = static_cast<uint32_t>(row);
        if (done.ok()) done = crowd(framework, pass, call, pod, r, &crowded[r]);
      });
      LIBSCHED_TRY(done);
    }
  }
  // The call that rejects the row: with nominated pods there, if the plugin rejects it so.
  const auto call_of = [&](size_t step, uint32_t r) {
    const auto at = crowded.find(r);
    if (at != crowded.end() && at->second.rejects[step]) return at->second.call_of(call, pod, step);
    const FilterStep& s = steps[step];
    return FilterCall{call, pod, state, s.data, s.pre_filtered};
  };
  std::vector<uint32_t> rejections(words * 64);
  std::vector<uint64_t> alive(words), errors(words), excluded(words);
  std::vector<std::pair<size_t, std::vector<uint64_t>>> rejected;  // by step
  for (size_t i = 0; i < steps.size(); ++i) {
    const FilterStep& step = steps[i];
    for (size_t w = 0; w < words; ++w) alive[w] = v.live().word(w);
    std::fill(errors.begin(), errors.end(), 0);
    step.plugin->filter(call_of(i, kNoId), {0, words, alive.data(), errors.data()});
    LIBSCHED_TRY(call.check_limits());
    for (auto& [r, row] : crowded) {
      if (!row.rejects[i]) continue;
      const uint64_t bit = uint64_t{1} << (r % 64);
      const bool alone = (alive[r / 64] & bit) == 0;
      row.rejects[i] = !alone || !(facts_of(step, row.call_of(call, pod, i), r) ==
                                   facts_of(step, call_of(i, kNoId), r));
      alive[r / 64] &= ~bit;
    }
    Rejections::ByPlugin by{framework.plugins()[step.index].name, {}, 0};
    for (size_t w = 0; w < words; ++w) {
      alive[w] = v.live().word(w) & ~alive[w] & ~errors[w];
      for_each_bit(alive[w], w * 64, [&](size_t row) {
        ++rejections[row];
        ++by.count;
      });
    }
    if (by.count == 0) continue;
    by.rows = alive;
    rejected.emplace_back(i, alive);
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
      shortage += shortage_of(facts_of(steps[step], call_of(step, r), r));
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
      lack.plugin = framework.plugins()[steps[step].index].name;
      const FilterCall asked = call_of(step, r);
      lack.status = rejection(framework, steps[step], asked, r);
      add_facts(steps[step], asked, r, lack.status, &lack.facts);
      if (const auto at = crowded.find(r); at != crowded.end() && at->second.rejects[step])
        add_nominated_facts(at->second.crowded.pods, v.row(r).name, lack.status, &lack.facts);
    }
  }
  return out;
}

}  // namespace libsched
