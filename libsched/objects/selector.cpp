// Matching of selectors. Terms are ORed, requirements ANDed; NotIn and DoesNotExist also hold
// if the key is absent; Gt and Lt compare as 64-bit integers and fail on anything else.
#include "libsched/objects/selector.hpp"

#include <charconv>

namespace libsched {
namespace {

bool has_value(const Requirement& r, Str value) {
  return std::find(r.values.begin(), r.values.end(), value) != r.values.end();
}

bool compares(const Requirement& r, Str label) {
  if (r.values.size() != 1) return false;
  const auto have = parse_int64(label);
  const auto limit = parse_int64(r.values[0]);
  if (!have || !limit) return false;
  return r.op == SelectorOp::kGt ? *have > *limit : *have < *limit;
}

}  // namespace

std::optional<int64_t> parse_int64(Str s) {
  if (!s.empty() && s.front() == '+') {
    s.remove_prefix(1);
    if (!s.empty() && s.front() == '-') return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

Requirement has_label(const Label& label) {
  Requirement r;
  r.key = label.key;
  r.op = SelectorOp::kIn;
  r.values = {&label.value, 1};
  r.values_present = true;
  r.key_hash = label.key_hash;
  return r;
}

bool requirement_matches(const Requirement& r, Labels labels) {
  const Label* label = find_label(labels, r.key);
  switch (r.op) {
    case SelectorOp::kIn: return label != nullptr && has_value(r, label->value);
    case SelectorOp::kNotIn: return label == nullptr || !has_value(r, label->value);
    case SelectorOp::kExists: return label != nullptr;
    case SelectorOp::kDoesNotExist: return label == nullptr;
    case SelectorOp::kGt:
    case SelectorOp::kLt: return label != nullptr && compares(r, label->value);
    case SelectorOp::kUnknown: return false;
  }
  return false;
}

bool selector_matches(const LabelSelector& s, Labels labels) {
  if (!s.present) return false;
  for (const Label& wanted : s.match_labels) {
    const Label* label = find_label(labels, wanted.key);
    if (label == nullptr || label->value != wanted.value) return false;
  }
  for (const Requirement& r : s.match_expressions) {
    if (!requirement_matches(r, labels)) return false;
  }
  return true;
}

bool field_requirement_matches(const Requirement& r, Str node_name) {
  if (r.values.size() != 1) return false;
  const Str field = r.key == "metadata.name" ? node_name : Str();  // an unknown field reads as ""
  if (r.op == SelectorOp::kIn) return field == r.values[0];
  return r.op == SelectorOp::kNotIn && field != r.values[0];
}

bool term_matches(const NodeSelectorTerm& term, Labels labels, Str node_name) {
  if (term.empty()) return false;
  for (const Requirement& r : term.match_expressions) {
    if (!r.valid) return false;
  }
  for (const Requirement& r : term.match_fields) {
    if (!r.valid) return false;
  }
  for (const Requirement& r : term.match_expressions) {
    if (!requirement_matches(r, labels)) return false;
  }
  if (node_name.empty()) return true;  // upstream asks no field of an object without fields
  for (const Requirement& r : term.match_fields) {
    if (!field_requirement_matches(r, node_name)) return false;
  }
  return true;
}

bool node_selector_matches(const NodeSelector& s, Labels labels, Str node_name) {
  for (const NodeSelectorTerm& term : s.terms) {
    if (term_matches(term, labels, node_name)) return true;
  }
  return false;
}

}  // namespace libsched
