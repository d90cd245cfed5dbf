// Facts about selectors.
#include "libsched/plugins/selector_facts.hpp"

#include <algorithm>

namespace libsched {
namespace {

void add_requirement(const Requirement& r, Fact* fact) {
  // A nodeSelector's requirements have no text.
  fact->text("key", r.key)
      .text("operator", r.op == SelectorOp::kIn ? Str("In") : r.op_text)
      .texts("values", r.values);
}

void add_found(Labels labels, Str key, Fact* fact) {
  if (const Label* label = find_label(labels, key)) fact->text("found", label->value);
}

std::string requirement_text(const Requirement& r) {
  std::vector<Str> values(r.values.begin(), r.values.end());
  std::sort(values.begin(), values.end());
  std::string list;
  for (const Str v : values) list.append(list.empty() ? "" : ",").append(v);
  const std::string key(r.key);
  switch (r.op) {
    case SelectorOp::kIn: return values.size() == 1 ? key + "=" + list : key + " in (" + list + ")";
    case SelectorOp::kNotIn: return key + " notin (" + list + ")";
    case SelectorOp::kExists: return key;
    case SelectorOp::kDoesNotExist: return "!" + key;
    case SelectorOp::kGt: return key + ">" + list;
    case SelectorOp::kLt: return key + "<" + list;
    case SelectorOp::kUnknown: break;
  }
  return key + " " + std::string(r.op_text) + " (" + list + ")";
}

}  // namespace

void add_missing_labels(Labels wanted, const Node& node, const Fact& begun, Facts* facts) {
  for (const Label& label : wanted) {
    const Label* has = find_label(node.meta.labels, label.key);
    if (has != nullptr && has->value == label.value) continue;
    Fact& fact = facts->add(begun);
    add_requirement(has_label(label), &fact);
    add_found(node.meta.labels, label.key, &fact);
  }
}

void add_unmatched(const NodeSelector& selector, Labels labels, Str node_name, const Fact& begun,
                   Facts* facts) {
  if (selector.terms.empty()) facts->add(begun).text("problem", "there is no term");
  for (size_t i = 0; i < selector.terms.size(); ++i) {
    const NodeSelectorTerm& term = selector.terms[i];
    Fact of_term = begun;
    of_term.number("term", static_cast<int64_t>(i));
    if (term.empty()) facts->add(of_term).text("problem", "the term is empty");
    const auto explain = [&](Span<Requirement> list, const char* of, auto error, auto holds,
                             auto found) {
      for (const Requirement& r : list) {
        if (r.valid && holds(r)) continue;
        Fact& fact = facts->add(of_term).text("of", of);
        add_requirement(r, &fact);
        found(r, &fact);
        if (!r.valid) fact.text("problem", error(r));
      }
    };
    explain(
        term.match_expressions, "labels", [](const Requirement& r) { return requirement_error(r); },
        [&](const Requirement& r) { return requirement_matches(r, labels); },
        [&](const Requirement& r, Fact* fact) { add_found(labels, r.key, fact); });
    explain(
        term.match_fields, "fields",
        [](const Requirement& r) { return field_requirement_error(r); },
        [&](const Requirement& r) { return field_requirement_matches(r, node_name); },
        [&](const Requirement& r, Fact* fact) {
          if (r.key == "metadata.name") fact->text("found", node_name);
        });
  }
}

std::string selector_text(const std::vector<Requirement>& requirements) {
  std::vector<const Requirement*> sorted;
  for (const Requirement& r : requirements) sorted.push_back(&r);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Requirement* a, const Requirement* b) { return a->key < b->key; });
  std::string out;
  for (const Requirement* r : sorted) out += (out.empty() ? "" : ",") + requirement_text(*r);
  return out;
}

std::string selector_text(const LabelSelector& selector) {
  std::vector<Requirement> all;
  for (const Label& label : selector.match_labels) all.push_back(has_label(label));
  all.insert(all.end(), selector.match_expressions.begin(), selector.match_expressions.end());
  return selector_text(all);
}

}  // namespace libsched
