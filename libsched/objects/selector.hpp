// Label selectors and node selectors as written in objects, and the errors of upstream's parsers
// for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libsched/objects/meta.hpp"

namespace libsched {

enum class SelectorOp : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt, kUnknown };

// key op values; used for labels (matchExpressions) and node fields (matchFields).
struct Requirement {
  Str key;
  SelectorOp op = SelectorOp::kUnknown;
  Str op_text;  // as written, for error texts
  Span<Str> values;
  bool values_present = false;  // [] is not the same as absent to error texts
  uint64_t key_hash = 0;
  bool valid = true;  // false: upstream's parser refuses it (requirement_error says why)
};

// Returns the requirement that a label has this value. Borrows from the label.
Requirement has_label(const Label& label);

// metav1.LabelSelector. Absent (nil) matches nothing, present and empty matches everything.
struct LabelSelector {
  bool present = false;
  Labels match_labels;
  Span<Requirement> match_expressions;

  bool empty() const { return match_labels.empty() && match_expressions.empty(); }
};

// One of the ORed terms of a node selector.
struct NodeSelectorTerm {
  Span<Requirement> match_expressions;
  Span<Requirement> match_fields;

  // Upstream drops a term without any requirement.
  bool empty() const { return match_expressions.empty() && match_fields.empty(); }
};

struct NodeSelector {
  bool present = false;
  Span<NodeSelectorTerm> terms;
  bool terms_present = false;  // in a configuration, which prints [] and null as they are
};

struct PreferredSchedulingTerm {
  int32_t weight = 0;
  NodeSelectorTerm preference;
};

// How errors of selectors are worded, where releases differ.
struct SelectorTexts {
  bool go_lists = false;      // lists of values are []string{"a"} instead of ["a"]
  bool older_syntax = false;  // syntax errors: see qualified_name_errors()
};

// Upstream's error for a requirement of a node selector term ("" if it is valid), in
// matchExpressions and in matchFields. `path` is the requirement's path, which upstream puts
// before the field: "nodeSelectorTerms[0].matchExpressions[1]" gives
// "nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: ...". A valid one costs no memory.
std::string requirement_error(const Requirement& r, Str path = {}, const SelectorTexts& texts = {});
std::string field_requirement_error(const Requirement& r, Str path = {},
                                    const SelectorTexts& texts = {});

// All errors of a node selector and of preferred terms ("" without errors), as given by upstream's
// NewNodeSelector and NewPreferredSchedulingTerms.
std::string node_selector_error(const NodeSelector& s, Str path = {},
                                const SelectorTexts& texts = {});
std::string preferred_terms_error(Span<PreferredSchedulingTerm> terms, Str path = {},
                                  const SelectorTexts& texts = {});

// The same for metav1.LabelSelector, where Gt and Lt are no operators: of one requirement, and the
// first error of a selector.
std::string label_requirement_error(const Requirement& r, const SelectorTexts& texts = {});
std::string label_selector_error(const LabelSelector& s, const SelectorTexts& texts = {});

// These tell whether the labels satisfy one valid requirement, and a whole valid selector.
bool requirement_matches(const Requirement& r, Labels labels);
bool selector_matches(const LabelSelector& s, Labels labels);

// These tell whether a node satisfies one valid matchFields requirement, one term, any term. A
// term with an invalid requirement (valid == false) matches nothing; later terms are still tried.
bool field_requirement_matches(const Requirement& r, Str node_name);
bool term_matches(const NodeSelectorTerm& term, Labels labels, Str node_name);
bool node_selector_matches(const NodeSelector& s, Labels labels, Str node_name);

// Upstream's syntax checks: qualified names (label keys, resource names) and label values. The
// _errors variants give upstream's explanations, none if the text is valid; `older`: as releases
// do that speak of a qualified name instead of a label key, and of characters instead of bytes.
bool is_qualified_name(Str s);
bool is_label_value(Str s);
bool is_dns1123_subdomain(Str s);
std::vector<std::string> qualified_name_errors(Str s, bool older = false);
std::vector<std::string> label_value_errors(Str s, bool older = false);

// As Go's strconv.ParseInt(s, 10, 64): an optional sign and digits, nothing else.
std::optional<int64_t> parse_int64(Str s);

}  // namespace libsched
