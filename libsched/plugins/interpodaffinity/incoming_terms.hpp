// The (anti-)affinity terms of an incoming pod: parse errors, and the pods that they select.
#pragma once

#include <string>

#include "libsched/cluster/cluster.hpp"

namespace libsched {

// Returns upstream's error for lists that do not parse, or "".
std::string affinity_terms_error(const Pod& pod, const SelectorTexts& texts = {});

// What becomes of a term's namespace selector once it is resolved to names of namespaces.
enum class ResolvedSelector : uint8_t {
  kStays,  // if it matches a namespace without labels, the term selects pods of every namespace
  kGoes,   // unless it is empty, which selects every namespace
};

// Adds a rule for the pods that a term of `pod` selects; returns false if it can select none. The
// term's namespace selector is resolved to names of namespaces of `view`.
bool add_selected(const View& view, const Pod& pod, const PodAffinityTerm& term,
                  ResolvedSelector resolved, CountKey* key);

// Does the same for the pods that all of the terms select. Returns false also if there are no
// terms.
bool add_selected_by_all(const View& view, const Pod& pod, Span<PodAffinityTerm> terms,
                         ResolvedSelector resolved, CountKey* key);

// Returns upstream's error for the first term of a list that does not parse, or "".
std::string terms_error(Span<PodAffinityTerm> terms, const SelectorTexts& texts = {});

// Reports whether an anti-affinity term of the running pod `owner` selects the pod, whose namespace
// is `ns` (null: it has no object).
bool term_selects(const Pod& owner, const PodAffinityTerm& term, const Pod& pod,
                  const Namespace* ns);

// Reports whether the lists' terms parse. Upstream drops a running pod's list that does not.
bool terms_parse(Span<PodAffinityTerm> terms);

}  // namespace libsched
