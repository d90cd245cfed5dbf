// DoNotSchedule constraints: a node is rejected if its domain would then hold more than maxSkew
// pods above the emptiest domain.
#include "libsched/plugins/podtopologyspread/filter.hpp"

#include <algorithm>
#include <limits>

#include "libsched/plugins/podtopologyspread/by_key.hpp"
#include "libsched/plugins/podtopologyspread/row_kernels.hpp"

namespace libsched {
namespace {

int64_t smallest_count(const HardConstraint& c) {
  constexpr int64_t kNone = std::numeric_limits<int32_t>::max();  // upstream's without domains
  uint32_t domains = 0;
  int64_t min = kNone;
  if (c.changed) {
    domains = c.sums->domains;
    min = c.paths[0].pods;
  } else if (c.sums) {
    domains = c.sums->domains;
    min = c.sums->min;
  } else {
    // No pod is counted: only the number of domains matters.
    std::vector<bool> seen(c.column->domains.size());
    for (size_t w = 0; w < c.eligible.size(); ++w)
      for_each_bit(c.eligible[w], w * 64, [&](size_t r) {
        const size_t d = static_cast<size_t>(c.column->domain[r]);
        if (!seen[d]) ++domains;
        seen[d] = true;
      });
    if (domains != 0) min = 0;
  }
  if (domains == 0 && c.constraint.idle_without_domains) return kNone;
  return static_cast<int64_t>(domains) < c.constraint.min_domains ? 0 : min;
}

void judge_unique(const HardConstraint& c, const RowSet& set) {
  // Each row is its own domain: its own count, or 0 if it does not count. A word of rows at a time.
  const bool full_at_none = c.most < 0;
  const int32_t most =
      static_cast<int32_t>(std::clamp<int64_t>(c.most, -1, std::numeric_limits<int32_t>::max()));
  for (size_t i = 0; i < set.words; ++i) {
    const size_t w = set.first_word + i;
    uint64_t& alive = set.alive[i];
    alive &= c.column->labelled.word(w);
    if (alive == 0) continue;
    const uint64_t over = rows_above(c.counts->rows.run(w * 64), most);
    alive &= ~(over & c.eligible[w]);
    if (full_at_none) alive &= c.eligible[w];
  }
}

}  // namespace

void HardConstraint::recount() {
  most = constraint.max_skew + smallest_count(*this) - (self ? 1 : 0);
}

std::shared_ptr<HardConstraints> count_hard(const SpreadSettings& settings,
                                            const PreFilterCall& call,
                                            std::vector<SpreadConstraint> constraints) {
  const View& view = call.view;
  auto data = std::make_shared<HardConstraints>();
  data->view_version = view.version();
  data->list.resize(constraints.size());
  data->known.resize(constraints.size());
  EligibleRows rows(settings, view, call.pod);
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (call.exceeded()) return data;
    HardConstraint& c = data->list[i];
    c.constraint = std::move(constraints[i]);
    c.column = view.tables().topology(view, c.constraint.topology_key);
    rows.require(*c.column);
  }
  for (size_t i = 0; i < data->list.size(); ++i) {
    if (call.exceeded()) return data;
    HardConstraint& c = data->list[i];
    const Span<uint64_t> eligible = rows.of(c.constraint);
    c.eligible.assign(eligible.begin(), eligible.end());
    c.self = c.constraint.selector.matches(call.pod.meta.labels);
    if (c.constraint.selector.counts()) {
      c.counts = count_matching(view, call.pod, c.constraint.selector);
      c.sums = view.tables().sums(c.counts, c.column, c.eligible);
      c.version = c.counts->version;
      data->known[i] = {c.counts->place, c.counts->serial, c.sums->serial};
    }
    c.recount();
  }
  if (settings.by_key) share_hard(data.get());
  return data;
}

bool HardConstraints::release() {
  if (shared) return false;
  bool any = false;
  for (HardConstraint& c : list) {
    any = any || c.counts;
    c.counts = {};
    c.sums = {};
  }
  return any;
}

std::shared_ptr<PluginData> HardConstraints::clone() const {
  auto out = std::make_shared<HardConstraints>();
  static_cast<PluginData&>(*out) = *this;
  out->list = list;
  out->shared = shared;
  out->known = known;
  return out;
}

void judge(const View& view, const HardConstraint& c, const RowSet& set) {
  const TopologyColumn& column = *c.column;
  const auto full = [&](int32_t d) { return c.pods_in(d) > c.most; };
  if (set.scattered()) {
    set.for_each([&](uint32_t r) {
      if (column.domain[r] == TopologyColumn::kNone || full(column.domain[r])) set.reject(r);
    });
    return;
  }
  if (c.counts && column.unique() && !c.changed) return judge_unique(c, set);
  for (size_t i = 0; i < set.words; ++i) set.alive[i] &= column.labelled.word(set.first_word + i);
  if (!c.sums) {
    if (c.most < 0) set.reject_all();
    return;
  }
  if (column.domains.size() > kFewDomains) {
    set.for_each([&](uint32_t r) {
      if (full(column.domain[r])) set.reject(r);
    });
    return;
  }
  for (size_t d = 0; d < column.domains.size(); ++d)
    if (column.domains[d].rows != 0 && full(static_cast<int32_t>(d)))
      view.labels()
          .pair(column.domains[d].pair)
          .rows.and_not_into(set.first_word, set.words, set.alive);
}

void judge_hard(const Call& call, const HardConstraints& data, const RowSet& set) {
  const bool judged = !data.judged.empty() && !set.single();
  for (size_t i = 0; i < data.list.size(); ++i) {
    if (call.exceeded()) return;
    if (!judged) {
      judge(call.view, data.list[i], set);
      continue;
    }
    const uint64_t* const accepted = data.judged[i].accepted.data();
    set.keep([&](size_t w) { return accepted[w]; });
  }
}

Code hard_code(const HardConstraints& data, uint32_t row) {
  for (const HardConstraint& c : data.list) {
    const int32_t d = c.column->domain[row];
    if (d == TopologyColumn::kNone) return Code::kUnschedulableAndUnresolvable;
    if (c.pods_in(d) > c.most) return Code::kUnschedulable;
  }
  return Code::kSuccess;
}

Status hard_status(const HardConstraints& data, uint32_t row) {
  const Code code = hard_code(data, row);
  if (code == Code::kSuccess) return Status();
  const std::string full = "node(s) didn't match pod topology spread constraints";
  return Status(code, code == Code::kUnschedulable ? full : full + " (missing required label)");
}

}  // namespace libsched
