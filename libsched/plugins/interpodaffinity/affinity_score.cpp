// AffinityScore: the weights of preferred terms and of existing pods' terms, summed per domain.
#include "libsched/plugins/interpodaffinity/affinity_score.hpp"

namespace libsched {
namespace {

// Upstream multiplies weight and sign as 32-bit integers.
int64_t signed_weight(int32_t weight, int64_t sign) {
  const auto w = static_cast<uint32_t>(weight);
  return static_cast<int32_t>(sign < 0 ? 0u - w : w);
}

}  // namespace

AffinityScore::AffinityScore(const PreScoreCall& call, int32_t hard_weight,
                             ResolvedSelector resolved) {
  view_version = call.view.version();
  add_own(call, call.pod.spec.pod_affinity.preferred, resolved, 1);
  add_own(call, call.pod.spec.pod_anti_affinity.preferred, resolved, -1);
  add_existing(call, hard_weight);
  places_.clear();
  std::erase_if(keys_, [](const Key& k) { return !k.used; });
}

AffinityScore::Key& AffinityScore::key(const View& view, Str text) {
  constexpr size_t kFew = 16;
  if (places_.empty()) {
    for (Key& k : keys_)
      if (k.column->key == text) return k;
  } else if (const auto at = places_.find(text); at != places_.end()) {
    return keys_[at->second];
  }
  Key& k = keys_.emplace_back();
  k.column = view.tables().topology(view, text);
  k.score.resize(k.column->domains.size() + 1);
  if (keys_.size() > kFew)
    for (size_t i = places_.size(); i < keys_.size(); ++i) places_.emplace(keys_[i].column->key, i);
  return k;
}

void AffinityScore::add_own(const PreScoreCall& call, Span<PodAffinityTerm> terms,
                            ResolvedSelector resolved, int64_t sign) {
  const View& view = call.view;
  for (const PodAffinityTerm& t : terms) {
    if (call.exceeded()) return;
    CountKey selected;
    if (!add_selected(view, call.pod, t, resolved, &selected)) continue;
    const CountsRef counts = view.tables().counts(view, selected);
    if (counts->total == 0) continue;
    Key& k = key(view, t.topology_key);
    const Span<uint64_t> live{view.live().data(), view.live().word_count()};
    const SumsRef sums = view.tables().sums(counts, k.column, live);
    const int64_t weight = signed_weight(t.weight, sign);
    int32_t any = 0;
    sums->sum.for_each([&](size_t d, int32_t n) {
      k.score[d + 1] += weight * n;
      any |= n;
    });
    k.used = k.used || any != 0;
  }
}

void AffinityScore::add_existing(const PreScoreCall& call, int32_t hard_weight) {
  const View& view = call.view;
  const Namespace* ns = view.find_namespace(call.pod.meta.ns);
  const ExistingTerms& existing = view.existing_terms();
  size_t step = 0;
  existing.for_each_scored(call.pod, ns == nullptr ? Labels() : ns->meta.labels,
                           [&](const ExistingTerms::Term& t) {
                             if (call.exceeded(step++)) return;
                             const bool hard = t.kind == ExistingTerms::Kind::kRequired;
                             if (hard && hard_weight <= 0) return;
                             const int64_t weight = hard ? hard_weight : t.weight;
                             Key& k = key(view, existing.topology_key(t.key));
                             t.rows.for_each([&](uint32_t row, int32_t count) {
                               const int32_t d = k.column->domain[row];
                               if (d == TopologyColumn::kNone) return;
                               k.score[static_cast<size_t>(d) + 1] += weight * count;
                               k.used = true;
                             });
                           });
}

void AffinityScore::score(const Call& call, const ScoreSet& set, int64_t* scores) const {
  bool first = true;
  for (const Key& k : keys_) {
    if (call.exceeded()) return;
    const int64_t* of = k.score.data() + 1;
    for (size_t w = 0; w < set.words; ++w) {
      if (set.bits[w] == 0) continue;
      const int32_t* const domain = k.column->domain.run(w * 64);
      int64_t* const out = scores + w * 64;
      if (first) {
        for (size_t i = 0; i < 64; ++i) out[i] = of[domain[i]];
      } else {
        for (size_t i = 0; i < 64; ++i) out[i] += of[domain[i]];
      }
    }
    first = false;
  }
}

void AffinityScore::normalize(const ScoreSet& set, int64_t* scores) {
  if (set.count == 0) return;
  const auto [min, max] = score_range(set, scores);
  const auto low = min;
  const int64_t range = max - min;
  if (range <= 0) {
    set.for_each([&](uint32_t r) { scores[r] = 0; });
    return;
  }
  const auto normal = [range](int64_t above) {
    return static_cast<int64_t>(static_cast<double>(kMaxNodeScore) *
                                (static_cast<double>(above) / static_cast<double>(range)));
  };
  // One division for every possible value instead of every row.
  if (range < static_cast<int64_t>(set.count)) {
    std::vector<uint8_t> table(static_cast<size_t>(range) + 1);
    for (int64_t i = 0; i <= range; ++i)
      table[static_cast<size_t>(i)] = static_cast<uint8_t>(normal(i));
    set.for_each([&](uint32_t r) { scores[r] = table[static_cast<size_t>(scores[r] - low)]; });
    return;
  }
  set.for_each([&](uint32_t r) { scores[r] = normal(scores[r] - low); });
}

}  // namespace libsched
