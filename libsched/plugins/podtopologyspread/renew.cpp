// Counts of hard constraints that follow the pods, and the verdicts by them: of the rows and
// domains alone whose counts, or the smallest count, have changed.
#include "libsched/plugins/podtopologyspread/filter.hpp"

#include <algorithm>
#include <utility>

#include "libsched/base/mirrored_items.hpp"
#include "libsched/base/prefetch.hpp"

namespace libsched {
namespace {

using Judged = HardConstraints::Judged;

bool by_row(const HardConstraint& c) { return c.column->unique(); }

bool full(const HardConstraint& c, size_t domain) {
  return c.pods_in(static_cast<int32_t>(domain)) > c.most;
}

void judge_all(const View& view, const HardConstraint& c, Judged* out) {
  const size_t words = view.word_count();
  out->accepted.assign(words, ~uint64_t{0});
  judge(view, c, {0, words, out->accepted.data(), nullptr});
  if (by_row(c)) return;
  out->full.resize(c.column->domains.size());
  for (size_t d = 0; d < out->full.size(); ++d) out->full[d] = full(c, d) ? 1 : 0;
}

// Where each row is a domain of its own, and the smallest count is as before.
void judge_rows(const HardConstraint& c, std::span<const uint32_t> rows, Judged* out,
                std::vector<uint32_t>* hit) {
  const MirroredItems counts(c.counts->rows);
  const MirroredItems domains(c.column->domain);
  for (const uint32_t r : rows) prefetch(&counts[r]);  // they lie scattered
  for (const uint32_t r : rows) {
    const bool eligible = (c.eligible[r / 64] >> (r % 64) & 1) != 0;
    const int64_t pods = eligible ? counts[r] : 0;
    const bool accepts = domains[r] != TopologyColumn::kNone && pods <= c.most;
    uint64_t& word = out->accepted[r / 64];
    if ((word >> (r % 64) & 1) == uint64_t{accepts}) continue;
    word ^= uint64_t{1} << (r % 64);
    hit->push_back(r);
  }
}

// Returns whether a domain became full or ceased to be. The constraint has counts and sums.
bool judge_domains(const View& view, const HardConstraint& c, Judged* out) {
  const auto& domains = c.column->domains;
  std::vector<uint32_t>& changed = out->changed;
  changed.clear();
  const MirroredItems sums(c.sums->sum);
  for (size_t d = 0, end = out->full.size(); d < end; ++d)
    if ((sums[d] > c.most) != (out->full[d] != 0)) changed.push_back(static_cast<uint32_t>(d));
  size_t opened = 0, closed = 0;
  for (const uint32_t d : changed)
    if (domains[d].rows != 0) ++(out->full[d] != 0 ? opened : closed);
  if (opened + closed == 0) return false;
  if (opened != 0 && out->full.size() <= kFewDomains) {
    size_t stay = 0;
    for (size_t d = 0; d < out->full.size(); ++d)
      stay += out->full[d] != 0 && domains[d].rows != 0 ? 1 : 0;
    stay -= opened;
    // Mostly all others open once each has got a pod.
    if (opened > stay) {
      judge_all(view, c, out);
      return true;
    }
  }
  const size_t words = out->accepted.size();
  for (const uint32_t d : changed) {
    const bool now = out->full[d] == 0;
    out->full[d] = now ? 1 : 0;
    if (domains[d].rows == 0) continue;
    const Posting& rows = view.labels().pair(domains[d].pair).rows;
    now ? rows.and_not_into(0, words, out->accepted.data())
        : rows.or_into(0, words, out->accepted.data());
  }
  return true;
}

}  // namespace

Plugin::Renewed renew_hard(const View& view, std::span<const uint32_t> rows, HardConstraints* data,
                           std::vector<uint32_t>* hit) {
  using enum Plugin::Renewed;
  if (data->shared) return kNo;
  Plugin::Renewed out = kSame;
  std::vector<Judged> judged = std::exchange(data->judged, {});
  const bool first = judged.empty();
  judged.resize(data->list.size());
  data->values.resize(data->list.size());
  if (!view.tables().current(data->known, data->values.data())) return kNo;
  for (size_t i = 0; i < data->list.size(); ++i) {
    HardConstraint& c = data->list[i];
    if (c.changed) return kNo;
    c.counts = std::move(data->values[i].counts);
    c.sums = std::move(data->values[i].sums);
    if (c.counts && !c.sums) {
      c.sums = view.tables().sums(c.counts, c.column, c.eligible);
      data->known[i].sums = c.sums->serial;
    }
    const int64_t before = c.most;
    const bool counted = c.counts && c.counts->version != c.version;
    if (counted) {
      c.version = c.counts->version;
      c.recount();
    }
    if (first) {
      judge_all(view, c, &judged[i]);
      out = kAll;
    } else if (!counted) {
      continue;
    } else if (!by_row(c)) {
      if (judge_domains(view, c, &judged[i])) out = kAll;
    } else if (c.most == before) {
      judge_rows(c, rows, &judged[i], hit);
      if (out == kSame && !hit->empty()) out = kRows;
    } else {
      judge_all(view, c, &judged[i]);
      out = kAll;
    }
  }
  data->judged = std::move(judged);
  return out;
}

}  // namespace libsched
