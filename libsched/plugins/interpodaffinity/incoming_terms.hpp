// The (anti-)affinity terms of an incoming pod: whether they parse, and which pods they select.
#pragma once

#include <string>

#include "libsched/cluster/cluster.hpp"

namespace libsched {

// Upstream's error of the lists that do not parse; "" if all do.
std::string affinity_terms_error(const Pod& pod);

// Adds the pods that a term of `pod` selects; false if there cannot be any. Its namespace selector
// is resolved to the names of the namespaces of `view`; it is matched against a namespace without
// labels as well, and then selects pods of every namespace (upstream keeps it when it resolves it).
bool add_selected(const View& view, const Pod& pod, const PodAffinityTerm& term, CountKey* key);

// The same for the pods that all of the terms select; false also if there are no terms.
bool add_selected_by_all(const View& view, const Pod& pod, Span<PodAffinityTerm> terms,
                         CountKey* key);

// Upstream's error of one list of terms, that of the first that does not parse; "" if all do.
std::string terms_error(Span<PodAffinityTerm> terms);

// Whether the lists' terms parse; upstream drops a running pod's list that does not.
bool terms_parse(Span<PodAffinityTerm> terms);

}  // namespace libsched
