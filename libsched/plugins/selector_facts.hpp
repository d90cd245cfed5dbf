// Facts about selectors: what a selector of nodes wants and what a node has, and a label selector
// as a text.
#pragma once

#include <string>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

// Adds a fact, starting as a copy of `begun`, for each pair of a nodeSelector that the node lacks:
// "key", "operator", "values", "found" unless the node has no such label, and "near": a label of
// the node that may be meant.
void add_missing_labels(Labels wanted, const Node& node, const Fact& begun, Facts* facts);

// Adds facts, starting as copies of `begun`, that tell why a selector matches no node with these
// labels and this name: for each term its number, and one fact for each requirement that does not
// hold, as above, with "of" for labels or fields. "problem" is the error of a requirement that does
// not parse, or says that the term has no requirement; a selector without terms gives one fact.
// "exists" is false where a term wants nodes by name of which the view has none.
void add_unmatched(const View& view, const NodeSelector& selector, Labels labels, Str node_name,
                   const Fact& begun, Facts* facts);

// As upstream prints a labels.Selector: "a=b,c in (d,e),!f"; "" selects everything.
std::string selector_text(const std::vector<Requirement>& requirements);
std::string selector_text(const LabelSelector& selector);

}  // namespace libsched
