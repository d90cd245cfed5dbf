// DoNotSchedule constraints when a pod joins or leaves after PreFilter: upstream's updateWithPod
// and its pair of critical paths.
#include <utility>
#include <vector>

#include "libsched/plugins/podtopologyspread/by_key.hpp"

namespace libsched {

// The two smallest domains by PreFilter's counts. Upstream iterates over a Go map, so the choice
// among equal ones is random there; here the value that sorts first wins.
void HardConstraint::begin_changes(const View& view) {
  changed = true;
  if (!sums) {
    // The selector counts no existing pod, but matches pods that join later.
    DomainSums none;
    none.sum.resize(column->domains.size());
    std::vector<int32_t> rows(column->domains.size());
    for (size_t w = 0; w < eligible.size(); ++w)
      for_each_bit(eligible[w], w * 64,
                   [&](size_t r) { ++rows[static_cast<size_t>(column->domain[r])]; });
    none.rows = Cow(std::move(rows));
    none.eligible = Cow(eligible);
    none.find_min();
    sums = SumsRef(std::move(none));
  }
  const auto value = [&](int32_t d) -> const std::string& {
    return view.labels().pair(column->domains[static_cast<size_t>(d)].pair).value;
  };
  const auto before = [&](const Path& a, const Path& b) {
    if (a.pods != b.pods) return a.pods < b.pods;
    return b.domain == TopologyColumn::kNone || value(a.domain) < value(b.domain);
  };
  sums.edit().sum.thaw();
  paths = {};
  for (size_t d = 0; d < sums->sum.size(); ++d) {
    if ((*sums->rows)[d] == 0) continue;
    const Path path{static_cast<int32_t>(d), sums->sum[d]};
    if (before(path, paths[0])) {
      paths[1] = paths[0];
      paths[0] = path;
    } else if (before(path, paths[1])) {
      paths[1] = path;
    }
  }
}

// Upstream's criticalPaths.update.
void HardConstraint::follow(int32_t domain, int64_t pods) {
  if (domain == paths[0].domain || domain == paths[1].domain) {
    paths[domain == paths[0].domain ? 0 : 1].pods = pods;
    if (paths[0].pods > paths[1].pods) std::swap(paths[0], paths[1]);
  } else if (pods < paths[0].pods) {
    paths[1] = paths[0];
    paths[0] = {domain, pods};
  } else if (pods < paths[1].pods) {
    paths[1] = {domain, pods};
  }
}

void HardConstraint::change(const View& view, uint32_t row, int32_t delta) {
  if (!changed) begin_changes(view);
  const int32_t domain = column->domain[row];
  const int32_t now = sums.edit().sum.edit(static_cast<size_t>(domain)) += delta;
  follow(domain, now);
  recount();
}

void change_hard(const View& view, const Pod& pod, const Pod& other, uint32_t row, int32_t delta,
                 HardConstraints* data) {
  if (other.meta.ns != pod.meta.ns) return;
  data->judged.clear();
  for (size_t i = 0; i < data->list.size(); ++i) {
    HardConstraint& c = data->list[i];
    // Eligible rows have the keys of all constraints.
    if (row / 64 >= c.eligible.size() || (c.eligible[row / 64] >> (row % 64) & 1) == 0) continue;
    if (!c.constraint.selector.matches(other.meta.labels)) continue;
    if (data->shared)
      change_shared(view, i, row, delta, data);
    else
      c.change(view, row, delta);
  }
}

}  // namespace libsched
