// Constraints of one topology key and action, which API servers refuse, in releases that count by
// key. Such constraints share their domains and counts.
#include "libsched/plugins/podtopologyspread/by_key.hpp"

#include "libsched/plugins/podtopologyspread/go_log.hpp"

namespace libsched {
namespace {

// Calls f(places) for each key that several of the constraints have; `key(i)` is that of one.
template <typename Key, typename F>
void for_each_repeated_key(size_t constraints, Key&& key, F&& f) {
  for (size_t i = 0; i < constraints; ++i) {
    std::vector<size_t> places;
    for (size_t j = 0; j < constraints; ++j)
      if (key(j) == key(i)) places.push_back(j);
    if (places.size() > 1 && places[0] == i) f(places);
  }
}

// Sums of a number for each row over the domains of the rows that `eligible` has.
template <typename Pods>
SumsRef sum_up(const TopologyColumn& column, const std::vector<uint64_t>& eligible, Pods&& pods) {
  DomainSums out;
  out.sum.resize(column.domains.size());
  std::vector<int32_t> rows(column.domains.size());
  for (size_t w = 0; w < eligible.size(); ++w)
    for_each_bit(eligible[w], w * 64, [&](size_t r) {
      const auto d = static_cast<size_t>(column.domain[r]);
      ++rows[d];
      out.sum.edit(d) += pods(r);
    });
  out.rows = Cow(std::move(rows));
  out.eligible = Cow(eligible);
  out.find_min();
  return SumsRef(std::move(out));
}

bool has(const std::vector<uint64_t>& rows, size_t row) {
  return row / 64 < rows.size() && (rows[row / 64] >> (row % 64) & 1) != 0;
}

}  // namespace

void share_hard(HardConstraints* data) {
  std::vector<HardConstraint>& list = data->list;
  for_each_repeated_key(
      list.size(), [&](size_t i) { return list[i].constraint.topology_key; },
      [&](const std::vector<size_t>& places) {
        std::vector<uint64_t> eligible;
        for (const size_t i : places) {
          eligible.resize(std::max(eligible.size(), list[i].eligible.size()));
          for (size_t w = 0; w < list[i].eligible.size(); ++w) eligible[w] |= list[i].eligible[w];
        }
        // The last constraint that accepts a node counts its pods.
        const SumsRef sums = sum_up(*list[places[0]].column, eligible, [&](size_t r) {
          int32_t pods = 0;
          for (const size_t i : places)
            if (has(list[i].eligible, r)) pods = list[i].counts ? list[i].counts->rows[r] : 0;
          return pods;
        });
        for (const size_t i : places) {
          list[i].counts = {};
          list[i].sums = sums;
          list[i].recount();
        }
        data->shared = true;
      });
}

void change_shared(const View& view, size_t place, uint32_t row, int32_t delta,
                   HardConstraints* data) {
  const Str key = data->list[place].constraint.topology_key;
  for (HardConstraint& c : data->list)
    if (c.constraint.topology_key == key) c.change(view, row, delta);
}

void share_soft(SoftConstraints* data) {
  std::vector<SoftConstraints::Term>& terms = data->terms;
  for_each_repeated_key(
      terms.size(), [&](size_t i) { return Str(terms[i].column->key); },
      [&](const std::vector<size_t>& places) {
        if (terms[places[0]].by_row) return;
        const TopologyColumn& column = *terms[places[0]].column;
        DomainSums sums;
        sums.sum.resize(column.domains.size());
        for (const size_t i : places)
          if (terms[i].sums)
            terms[i].sums->sum.for_each([&](size_t d, int32_t n) { sums.sum.edit(d) += n; });
        const SumsRef all(std::move(sums));
        for (const size_t i : places) {
          SoftConstraints::Term& t = terms[i];
          t.counts = {};
          t.sums = all;
          // The first constraint finds all domains, so the others have none.
          if (i != places[0]) t.weight = go_log(2);
        }
        data->shared = true;
      });
}

}  // namespace libsched
