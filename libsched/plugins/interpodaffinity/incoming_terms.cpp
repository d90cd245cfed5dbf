// Terms of an incoming pod: upstream's parse errors, and the translation to CountKey.
#include "libsched/plugins/interpodaffinity/incoming_terms.hpp"

#include <algorithm>

namespace libsched {
std::string terms_error(Span<PodAffinityTerm> terms, const SelectorTexts& texts) {
  for (const PodAffinityTerm& t : terms) {
    for (const LabelSelector* s : {&t.selector, &t.namespace_selector})
      if (std::string e = s->present ? label_selector_error(*s, texts) : std::string(); !e.empty())
        return e;
  }
  return {};
}

std::string affinity_terms_error(const Pod& pod, const SelectorTexts& texts) {
  if (!pod.has_pod_affinity) return {};
  const PodAffinity& a = pod.spec.pod_affinity;
  const PodAffinity& anti = pod.spec.pod_anti_affinity;
  const std::pair<const char*, Span<PodAffinityTerm>> lists[] = {
      {"requiredAffinityTerms: ", a.required},
      {"requiredAntiAffinityTerms: ", anti.required},
      {"preferredAffinityTerms: ", a.preferred},
      {"preferredAntiAffinityTerms: ", anti.preferred},
  };
  std::vector<std::string> errors;
  for (const auto& [name, terms] : lists)
    if (const std::string e = terms_error(terms, texts); !e.empty()) errors.push_back(name + e);
  if (errors.size() <= 1) return errors.empty() ? "" : errors[0];
  std::string out = "[";
  for (const std::string& e : errors) out += (out.size() == 1 ? "" : ", ") + e;
  return out + "]";
}

bool term_selects(const Pod& owner, const PodAffinityTerm& term, const Pod& pod,
                  const Namespace* ns) {
  ExistingTerms::Term existing;
  existing.owner = PodRef::share(&owner);
  existing.term = &term;
  existing.own_namespace = term.namespaces.empty() && !term.namespace_selector.present;
  return existing.selects(pod, ns == nullptr ? Labels() : ns->meta.labels);
}

bool terms_parse(Span<PodAffinityTerm> terms) { return terms_error(terms).empty(); }

namespace {

bool selects_any_namespace(const LabelSelector& by_labels, ResolvedSelector resolved) {
  if (resolved == ResolvedSelector::kStays) return selector_matches(by_labels, {});
  return by_labels.present && by_labels.match_labels.empty() && by_labels.match_expressions.empty();
}

}  // namespace

bool add_selected(const View& view, const Pod& pod, const PodAffinityTerm& term,
                  ResolvedSelector resolved, CountKey* key) {
  if (!term.selector.present) return false;
  CountKey::Term& t = key->terms.emplace_back();
  const LabelSelector& by_labels = term.namespace_selector;
  if (term.namespaces.empty() && !by_labels.present) {
    t.namespaces.push_back(pod.meta.ns);
  } else if (selects_any_namespace(by_labels, resolved)) {
    t.any_namespace = true;
  } else {
    t.namespaces.assign(term.namespaces.begin(), term.namespaces.end());
    if (by_labels.present)
      view.objects().for_each<Namespace>([&](const Namespace& ns) {
        if (selector_matches(by_labels, ns.meta.labels)) t.namespaces.push_back(ns.meta.name);
      });
  }
  t.add(term.selector);
  return t.any_namespace || !t.namespaces.empty();
}

bool add_selected_by_all(const View& view, const Pod& pod, Span<PodAffinityTerm> terms,
                         ResolvedSelector resolved, CountKey* key) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& t) {
    return add_selected(view, pod, t, resolved, key);
  });
}

}  // namespace libsched
