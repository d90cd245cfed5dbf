// Facts of PodTopologySpread: the domain of a node and its count, beside the domain with the
// smallest count and what keeps the pod from a node there.
#include <algorithm>
#include <map>

#include "libsched/objects/toleration_index.hpp"
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

constexpr size_t kMostDomains = 8;  // that are named

// A node of an emptiest domain.
struct Emptiest {
  Str domain;
  const Node* node = nullptr;
  const Taint* taint = nullptr;  // that the pod does not tolerate
};

// The emptiest domains with a node of each: first those with a node that the pod tolerates, each by
// name. None if the smallest count is that of no domain.
std::vector<Emptiest> emptiest_domains(const View& view, const HardConstraint& c,
                                       const TolerationIndex& tolerations) {
  const int64_t fewest = c.smallest();
  std::map<int32_t, Emptiest> by_domain;
  for (size_t w = 0; w < c.eligible.size(); ++w)
    for_each_bit(c.eligible[w], w * 64, [&](size_t r) {
      const auto row = static_cast<uint32_t>(r);
      const int32_t domain = c.column->domain[row];
      if (domain == TopologyColumn::kNone || c.pods_in(domain) != fewest) return;
      const Node& node = *view.node(row);
      const auto taint = std::find_if(node.taints.begin(), node.taints.end(), [&](const Taint& t) {
        return (t.effect == TaintEffect::kNoSchedule || t.effect == TaintEffect::kNoExecute) &&
               !tolerations.covers(t);
      });
      const Taint* const found = taint == node.taints.end() ? nullptr : &*taint;
      const auto [at, fresh] = by_domain.try_emplace(domain);
      Emptiest& e = at->second;
      if (!fresh && std::pair(e.taint != nullptr, e.node->meta.name) <=
                        std::pair(found != nullptr, node.meta.name))
        return;
      const uint32_t pair = c.column->domains[static_cast<size_t>(domain)].pair;
      e = {view.labels().pair(pair).value, &node, found};
    });
  std::vector<Emptiest> out;
  for (const auto& [domain, e] : by_domain) out.push_back(e);
  std::sort(out.begin(), out.end(), [](const Emptiest& a, const Emptiest& b) {
    return std::pair(a.taint != nullptr, a.domain) < std::pair(b.taint != nullptr, b.domain);
  });
  return out;
}

// The emptiest domains of each constraint, kept from row to row.
class EmptiestOfAll final : public StateValue {
 public:
  static constexpr Str kKey = "PodTopologySpread.emptiest";

  EmptiestOfAll(const View& view, const Pod& pod, const SpreadSettings& settings,
                const HardConstraints& data)
      : of(&data) {
    const TolerationIndex tolerations(pod.spec.tolerations, settings.comparison_operators);
    for (const HardConstraint& c : data.list)
      list.push_back(emptiest_domains(view, c, tolerations));
  }
  std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const override {
    return self;
  }
  void* get() const override { return nullptr; }

  const HardConstraints* const of;
  std::vector<std::vector<Emptiest>> list;
};

std::shared_ptr<const EmptiestOfAll> emptiest_of_all(const FilterCall& call,
                                                     const SpreadSettings& settings,
                                                     const HardConstraints& data) {
  const auto known =
      std::dynamic_pointer_cast<const EmptiestOfAll>(call.state.read(EmptiestOfAll::kKey));
  if (known != nullptr && known->of == &data) return known;
  auto made = std::make_shared<EmptiestOfAll>(call.view, call.pod, settings, data);
  call.state.write(EmptiestOfAll::kKey, made);
  return made;
}

void add_emptiest(const std::vector<Emptiest>& domains, Fact* fact) {
  if (domains.empty()) return;
  std::vector<Str> names;
  for (const Emptiest& e : domains)
    if (names.size() < kMostDomains) names.push_back(e.domain);
  fact->texts("emptiest", names).text("emptiestNode", domains[0].node->meta.name);
  if (const Taint* t = domains[0].taint)
    fact->text("emptiestTaint", std::string(t->key)
                                    .append(t->value.empty() ? "" : "=")
                                    .append(t->value)
                                    .append(":")
                                    .append(t->effect_text));
}

}  // namespace

void add_hard_facts(const FilterCall& call, const SpreadSettings& settings,
                    const HardConstraints& data, uint32_t row, Str reason, Facts* facts) {
  const View& view = call.view;
  const auto emptiest = emptiest_of_all(call, settings, data);
  for (size_t i = 0; i < data.list.size(); ++i) {
    const HardConstraint& c = data.list[i];
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
    add_emptiest(emptiest->list[i], &fact);
  }
}

}  // namespace libsched
