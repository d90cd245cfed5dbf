// Facts of InterPodAffinity: the domain of a node under each topology key that is not as the terms
// demand, the pods that count there, and one of them.
#include <algorithm>

#include "libsched/plugins/interpodaffinity/affinity_filter.hpp"
#include "libsched/plugins/interpodaffinity/incoming_terms.hpp"
#include "libsched/plugins/selector_facts.hpp"

namespace libsched {
namespace {

// The first required anti-affinity term of a running pod that has the key and selects the pod.
const PodAffinityTerm* selecting_term(const Pod& running, Str key, const Pod& pod,
                                      const Namespace* ns) {
  const Span<PodAffinityTerm> terms = running.spec.pod_anti_affinity.required;
  if (terms.empty() || !terms_parse(terms)) return nullptr;
  for (const PodAffinityTerm& t : terms)
    if (t.topology_key == key && term_selects(running, t, pod, ns)) return &t;
  return nullptr;
}

}  // namespace

void AffinityFilter::facts(const FilterCall& call, uint32_t row, Str reason, Facts* out) const {
  const auto broken = static_cast<Rule>(rule(row));
  for (const Key& k : keys_) {
    const int32_t domain = k.column->domain[row];
    const bool labelled = domain != TopologyColumn::kNone;
    const int32_t pods = count(k, broken, row);
    const bool holds = broken == kAffinity
                           ? !k.required || (labelled && (pods > 0 || first_of_group()))
                           : pods <= 0;
    if (holds) continue;
    Fact begun{std::string(reason), {}};
    begun.text("topologyKey", k.column->key);
    if (labelled) {
      const uint32_t pair = k.column->domains[static_cast<size_t>(domain)].pair;
      begun.text("domain", call.view.labels().pair(pair).value);
    }
    switch (broken) {
      case kAffinity: {
        std::vector<std::string> wanted;
        for (const PodAffinityTerm& t : call.pod.spec.pod_affinity.required)
          if (t.topology_key == k.column->key) wanted.push_back(selector_text(t.selector));
        Fact& fact = out->add(begun);
        fact.texts("selectors", std::vector<Str>(wanted.begin(), wanted.end()));
        if (labelled) fact.number("pods", pods);
        break;
      }
      case kAnti: add_anti_facts(call, k, row, begun, out); break;
      case kExistingAnti: add_existing_fact(call, k, row, begun, out); break;
    }
  }
}

// A fact for each term of the pod that selects pods in the node's domain.
void AffinityFilter::add_anti_facts(const FilterCall& call, const Key& k, uint32_t row,
                                    const Fact& begun, Facts* out) const {
  const View& view = call.view;
  const TopologyColumn& column = *k.column;
  const NodeView judged = call.node(row);
  for (const PodAffinityTerm& t : call.pod.spec.pod_anti_affinity.required) {
    CountKey selected;
    if (t.topology_key != column.key || !add_selected(view, call.pod, t, resolved_, &selected))
      continue;
    const CountRule rule(selected);
    const CountsRef counts = view.tables().counts(view, selected);
    int64_t pods = 0;
    const Pod* first = nullptr;
    const std::string* node = nullptr;
    const auto visit = [&](const NodeView& there) {
      there.any_pod([&](const Pod& p) {
        if (!rule.counts(p)) return false;
        if (first == nullptr) {
          first = &p;
          node = &there.name();
        }
        ++pods;
        return false;
      });
    };
    visit(judged);
    const uint32_t pair = column.domains[static_cast<size_t>(column.domain[row])].pair;
    view.labels().pair(pair).rows.for_each([&](uint32_t r) {
      if (r == row || counts->rows[r] == 0) return;
      if (first != nullptr) {
        pods += counts->rows[r];
      } else {
        visit(NodeView(view, r));
      }
    });
    if (first == nullptr) continue;
    out->add(begun)
        .text("selector", selector_text(t.selector))
        .number("pods", pods)
        .pod(first->meta)
        .text("node", *node);
  }
}

// A fact with a running pod of the domain whose term selects the pod.
void AffinityFilter::add_existing_fact(const FilterCall& call, const Key& k, uint32_t row,
                                       const Fact& begun, Facts* out) {
  const View& view = call.view;
  const Pod& pod = call.pod;
  const TopologyColumn& column = *k.column;
  const Namespace* ns = view.find_namespace(pod.meta.ns);
  const ExistingTerms& existing = view.existing_terms();
  std::vector<uint32_t> rows;
  existing.for_each_anti(pod, ns == nullptr ? Labels() : ns->meta.labels,
                         [&](const ExistingTerms::Term& t) {
                           if (existing.topology_key(t.key) != column.key) return;
                           t.rows.for_each([&](uint32_t r, int32_t) {
                             if (r != row && column.domain[r] == column.domain[row])
                               rows.push_back(r);
                           });
                         });
  std::sort(rows.begin(), rows.end());
  Fact& fact = out->add(begun).number("terms", count(k, kExistingAnti, row));
  const auto found = [&](const NodeView& there) {
    return there.any_pod([&](const Pod& p) {
      const PodAffinityTerm* term = selecting_term(p, column.key, pod, ns);
      if (term == nullptr) return false;
      fact.text("selector", selector_text(term->selector)).pod(p.meta).text("node", there.name());
      return true;
    });
  };
  if (found(call.node(row))) return;
  for (const uint32_t r : rows)
    if (found(NodeView(view, r))) return;
}

}  // namespace libsched
