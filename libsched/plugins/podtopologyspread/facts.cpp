// Facts of PodTopologySpread: the domain of a node and its count, beside the smallest count.
#include "libsched/plugins/podtopologyspread/filter.hpp"
#include "libsched/plugins/selector_facts.hpp"

namespace libsched {
namespace {

int64_t domain_count(const HardConstraint& c) {
  if (c.sums) return c.sums->domains;
  std::vector<bool> seen(c.column->domains.size());
  int64_t count = 0;
  for (size_t w = 0; w < c.eligible.size(); ++w)
    for_each_bit(c.eligible[w], w * 64, [&](size_t r) {
      const size_t d = static_cast<size_t>(c.column->domain[r]);
      count += seen[d] ? 0 : 1;
      seen[d] = true;
    });
  return count;
}

}  // namespace

void add_hard_facts(const View& view, const HardConstraints& data, uint32_t row, Str reason,
                    Facts* facts) {
  for (const HardConstraint& c : data.list) {
    const int32_t domain = c.column->domain[row];
    const bool labelled = domain != TopologyColumn::kNone;
    if (labelled && c.pods_in(domain) <= c.most) continue;
    Fact& fact = facts->add(reason);
    fact.text("topologyKey", c.constraint.topology_key)
        .text("selector", selector_text(c.constraint.selector.requirements))
        .number("maxSkew", c.constraint.max_skew);
    if (!labelled) continue;
    const int64_t pods = c.pods_in(domain);
    const uint32_t pair = c.column->domains[static_cast<size_t>(domain)].pair;
    fact.text("domain", view.labels().pair(pair).value)
        .number("pods", pods)
        .number("fewest", c.smallest())
        .flag("self", c.self)
        .number("skew", pods + (c.self ? 1 : 0) - c.smallest())
        .number("domains", domain_count(c))
        .number("minDomains", c.constraint.min_domains);
  }
}

}  // namespace libsched
