// ScheduleAnyway constraints: PreScore, Score and NormalizeScore. Doubles are summed in the order
// of the constraints, as upstream does.
#include "libsched/plugins/podtopologyspread/score.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "libsched/plugins/podtopologyspread/by_key.hpp"
#include "libsched/plugins/podtopologyspread/go_log.hpp"
#include "libsched/plugins/podtopologyspread/row_kernels.hpp"
#include "libsched/plugins/podtopologyspread/soft_kernel.hpp"

namespace libsched {
namespace {

constexpr Str kHostname = "kubernetes.io/hostname";
constexpr std::array<int32_t, 64> kNoPods{};

// The number of distinct domains on the rows; rows without a domain count as the domain of "".
size_t distinct_domains(const TopologyColumn& column, const std::vector<uint64_t>& rows,
                        int32_t empty_domain) {
  std::vector<bool> seen(column.domains.size());
  size_t found = 0;
  uint64_t unlabelled = 0;
  for (size_t w = 0; w < rows.size(); ++w) {
    unlabelled |= rows[w] & ~column.labelled.word(w);
    if (found == column.in_use) continue;
    for_each_bit(rows[w] & column.labelled.word(w), w * 64, [&](size_t r) {
      const size_t d = static_cast<size_t>(column.domain[r]);
      if (!seen[d]) ++found;
      seen[d] = true;
    });
  }
  const bool known =
      empty_domain != TopologyColumn::kNone && seen[static_cast<size_t>(empty_domain)];
  return found + (unlabelled != 0 && !known ? 1 : 0);
}

// The domain of the value "", or kNone.
int32_t empty_domain_of(const View& view, const TopologyColumn& column) {
  const uint32_t pair =
      view.labels().find_pair(column.key, "", label_pair_hash(column.key_hash, ""));
  if (pair == kNoId) return TopologyColumn::kNone;
  for (size_t d = 0; d < column.domains.size(); ++d)
    if (column.domains[d].pair == pair) return static_cast<int32_t>(d);
  return TopologyColumn::kNone;
}

int64_t pods_without_domain(const CountTable& counts, const TopologyColumn& column,
                            Span<uint64_t> eligible) {
  int64_t n = 0;
  for (size_t w = 0; w < eligible.size(); ++w)
    for_each_bit(eligible[w] & ~column.labelled.word(w), w * 64,
                 [&](size_t r) { n += counts.rows[r]; });
  return n;
}

// Takes the feasible rows, and with them the weights, which depend on the number of domains of the
// scored rows.
void weigh(const uint64_t* feasible, SoftConstraints* data) {
  const size_t words = data->feasible.size();
  std::vector<uint64_t> scored(feasible, feasible + words);
  if (data->all_keys)
    for (const SoftConstraints::Term& t : data->terms)
      for (size_t w = 0; w < words; ++w) scored[w] &= t.column->labelled.word(w);
  size_t count = 0;
  for (size_t w = 0; w < words; ++w) {
    data->feasible[w] = feasible[w];
    data->ignored[w] = feasible[w] & ~scored[w];
    count += static_cast<size_t>(count_bits(scored[w]));
  }
  for (SoftConstraints::Term& t : data->terms) {
    const size_t size = t.by_row ? count : distinct_domains(*t.column, scored, t.empty);
    t.weight = go_log(static_cast<double>(size + 2));
  }
}

// Sets the scores of the domains of one constraint by its counts.
void value_domains(SoftConstraints::Term* t) {
  if (t->by_row) return;
  t->value.assign(t->column->domains.size() + 1, 0 * t->weight + t->offset);
  t->value[0] = 0;
  if (!t->sums) return;
  t->sums->sum.for_each([&](size_t d, int32_t n) {
    t->value[d + 1] = static_cast<double>(n) * t->weight + t->offset;
  });
  if (t->empty == TopologyColumn::kNone) return;
  // Upstream reads a missing label as "".
  const size_t e = static_cast<size_t>(t->empty);
  const int64_t n = t->sums->sum[e] + pods_without_domain(*t->counts, *t->column, t->eligible);
  t->value[e + 1] = static_cast<double>(n) * t->weight + t->offset;
}

}  // namespace

std::shared_ptr<SoftConstraints> count_soft(const SpreadSettings& settings,
                                            const PreScoreCall& call,
                                            const std::vector<SpreadConstraint>& constraints) {
  const View& view = call.view;
  const Pod& pod = call.pod;
  auto data = std::make_shared<SoftConstraints>();
  data->view_version = view.version();
  // With the system's default constraints a node may lack the zone and still be spread by hostname.
  data->all_keys = !pod.spec.spread.empty() || !settings.system_defaults;
  data->terms.resize(constraints.size());
  data->known.resize(constraints.size());
  data->feasible.resize(call.set.words);
  data->ignored.resize(call.set.words);
  EligibleRows rows(settings, view, pod);
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (call.exceeded()) return data;
    SoftConstraints::Term& t = data->terms[i];
    t.column = view.tables().topology(view, constraints[i].topology_key);
    t.by_row = constraints[i].topology_key == kHostname;
    if (data->all_keys) {
      rows.require(*t.column);
    } else if (!t.by_row) {
      t.empty = empty_domain_of(view, *t.column);
    }
  }
  weigh(call.set.bits, data.get());
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (call.exceeded()) return data;
    const SpreadConstraint& c = constraints[i];
    SoftConstraints::Term& t = data->terms[i];
    t.offset = static_cast<double>(static_cast<int32_t>(static_cast<uint32_t>(c.max_skew) - 1));
    if (c.selector.counts()) {
      t.counts = count_matching(view, pod, c.selector);
      t.version = t.counts->version;
      data->known[i] = {t.counts->place, t.counts->serial};
      if (!t.by_row) {
        const Span<uint64_t> eligible = rows.of(c);
        t.eligible.assign(eligible.begin(), eligible.end());
        t.sums = view.tables().sums(t.counts, t.column, t.eligible);
        data->known[i].sums = t.sums->serial;
      }
    }
  }
  if (settings.by_key) share_soft(data.get());
  for (SoftConstraints::Term& t : data->terms) value_domains(&t);
  return data;
}

bool SoftConstraints::release() {
  if (shared) return false;
  bool any = false;
  for (Term& t : terms) {
    any = any || t.counts;
    t.counts = {};
    t.sums = {};
  }
  return any;
}

Plugin::Rescored rescore_soft(const RescoreCall& call, SoftConstraints* data) {
  const size_t words = data->feasible.size();
  if (data->shared || call.set.words != words) return Plugin::Rescored::kNo;
  std::vector<Tables::Values> values(data->terms.size());
  if (!call.view.tables().current(data->known, values.data())) return Plugin::Rescored::kNo;
  bool counted = false;
  for (size_t i = 0; i < values.size(); ++i) {
    SoftConstraints::Term& t = data->terms[i];
    t.counts = std::move(values[i].counts);
    t.sums = std::move(values[i].sums);
    if (!t.counts) continue;  // it counts no pod
    if (!t.by_row && !t.sums) {
      t.sums = call.view.tables().sums(t.counts, t.column, t.eligible);
      data->known[i].sums = t.sums->serial;
    }
    counted = counted || t.counts->version != t.version;
    t.version = t.counts->version;
  }
  const bool same = std::equal(data->feasible.begin(), data->feasible.end(), call.set.bits);
  if (same && !counted) return Plugin::Rescored::kSame;
  if (!same) weigh(call.set.bits, data);
  std::vector<uint64_t> scored(words), named(words);
  uint64_t ignored = 0;
  for (size_t w = 0; w < words; ++w) {
    scored[w] = data->feasible[w] & ~data->ignored[w];
    ignored |= data->ignored[w];
  }
  std::vector<SoftColumn> columns;
  columns.reserve(data->terms.size());
  for (SoftConstraints::Term& t : data->terms) {
    value_domains(&t);
    SoftColumn& c = columns.emplace_back();
    c.domain = t.column->domain.items();
    if (c.domain == nullptr || t.offset < 0) return Plugin::Rescored::kNo;
    if (!t.by_row) {
      c.value = t.value.data();
      c.values = t.value.size();
      continue;
    }
    // The same for all of them: they have one key.
    for (size_t w = 0; w < words; ++w) named[w] = t.column->labelled.word(w);
    c.labelled = named.data();
    c.weight = t.weight;
    c.offset = t.offset;
    c.counts = t.counts ? t.counts->rows.items() : nullptr;
    if (t.counts && c.counts == nullptr) return Plugin::Rescored::kNo;
  }
  const SoftKernels& kernels = soft_kernels();
  SoftRange range;
  if (!kernels.score(columns, {scored.data(), words}, call.scratch, &range))
    return Plugin::Rescored::kNo;
  kernels.normalize(call.scratch, words, range, call.scores);
  for (size_t w = 0; ignored != 0 && w < words; ++w)
    for_each_bit(data->ignored[w], w * 64, [&](size_t r) { call.scores[r] = 0; });
  return Plugin::Rescored::kAll;
}

void score_soft(const SoftConstraints& data, const Call& call, const ScoreSet& set,
                int64_t* scores) {
  // Of nodes that an extender has returned upstream's Score knows no pods; only then has the view
  // changed since PreScore.
  const bool emptied = data.view_version != call.view.version();
  alignas(64) double sum[64];
  for (size_t w = 0; w < set.words; ++w) {
    if (set.bits[w] == 0) continue;
    if (call.exceeded(w)) return;
    std::fill(sum, sum + 64, 0.0);
    for (const SoftConstraints::Term& t : data.terms) {
      const int32_t* domain = t.column->domain.run(w * 64);
      if (!t.by_row) {
        const double* value = t.value.data() + 1;
        for (size_t i = 0; i < 64; ++i) sum[i] += value[domain[i]];
        continue;
      }
      const bool everywhere = t.column->labelled.word(w) == ~uint64_t{0};
      const int32_t* count = t.counts && !emptied ? t.counts->rows.run(w * 64) : kNoPods.data();
      if (everywhere) {
        for (size_t i = 0; i < 64; ++i)
          sum[i] += static_cast<double>(count[i]) * t.weight + t.offset;
      } else {
        for (size_t i = 0; i < 64; ++i)
          sum[i] += domain[i] >= 0 ? static_cast<double>(count[i]) * t.weight + t.offset : 0.0;
      }
    }
    round_rows(sum, scores + w * 64);
    for_each_bit(data.ignored[w], w * 64, [&](size_t r) { scores[r] = 0; });
  }
}

void normalize_soft(const SoftConstraints& data, const ScoreSet& set, int64_t* scores) {
  constexpr int64_t kInvalid = -1;  // upstream's mark of ignored nodes; a real -1 is taken for it
  int64_t min = std::numeric_limits<int64_t>::max(), max = 0;
  for (size_t w = 0; w < set.words; ++w)
    range_of_rows(scores + w * 64, set.bits[w] & ~data.ignored[w], &min, &max);
  const auto normalized = [&](int64_t s) {
    if (s == kInvalid) return int64_t{0};
    return max == 0 ? kMaxNodeScore : kMaxNodeScore * (max + min - s) / max;
  };
  // Divisions are slow, and scores are close together: one division per value instead of per node.
  constexpr size_t kTable = 1024;
  if (min <= max && static_cast<uint64_t>(max - min) < std::min(kTable, set.count)) {
    std::array<int64_t, kTable> table;
    for (int64_t s = min; s <= max; ++s) table[static_cast<size_t>(s - min)] = normalized(s);
    // Ignored rows have a score of 0, which may be outside of the table.
    for (size_t w = 0; w < set.words; ++w) {
      int64_t* const of_word = scores + w * 64;
      if ((set.bits[w] & ~data.ignored[w]) == ~uint64_t{0}) {
        for (size_t i = 0; i < 64; ++i) of_word[i] = table[static_cast<size_t>(of_word[i] - min)];
        continue;
      }
      for_each_bit(set.bits[w] & ~data.ignored[w], 0,
                   [&](size_t i) { of_word[i] = table[static_cast<size_t>(of_word[i] - min)]; });
    }
  } else {
    set.for_each([&](uint32_t r) { scores[r] = normalized(scores[r]); });
  }
  for (size_t w = 0; w < set.words; ++w)
    for_each_bit(data.ignored[w], w * 64, [&](size_t r) { scores[r] = 0; });
}

}  // namespace libsched
