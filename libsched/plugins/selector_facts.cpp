// Facts about selectors.
#include "libsched/plugins/selector_facts.hpp"

#include <algorithm>

#include "libsched/base/near_name.hpp"

namespace libsched {
namespace {

void add_requirement(const Requirement& r, Fact* fact) {
  // A nodeSelector's requirements have no text.
  fact->text("key", r.key)
      .text("operator", r.op == SelectorOp::kIn ? Str("In") : r.op_text)
      .texts("values", r.values);
}

bool same_but_case(Str a, Str b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// The parts of a label's key before and after the slash.
std::pair<Str, Str> parts_of(Str key) {
  const size_t slash = key.find('/');
  return slash == Str::npos ? std::pair(Str(), key)
                            : std::pair(key.substr(0, slash), key.substr(slash + 1));
}

// The label that may be meant by a key that the node lacks: the same name with another prefix, of
// several one with a wanted value, or a similar name with the same prefix. Null: there is none.
const Label* near_label(Labels labels, Str key, Span<Str> values) {
  const auto [prefix, name] = parts_of(key);
  const auto wanted = [&](Str value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  const Label* renamed = nullptr;
  NearName near(name);
  for (const Label& label : labels) {
    const auto [own_prefix, own_name] = parts_of(label.key);
    if (same_but_case(own_name, name) &&
        (renamed == nullptr || (wanted(label.value) && !wanted(renamed->value))))
      renamed = &label;
    if (own_prefix == prefix) near.offer(own_name);
  }
  if (renamed != nullptr || near.name().empty()) return renamed;
  return find_label(labels, prefix.empty() ? near.name() : std::string(prefix) + "/" + near.name());
}

// The value of the node's label and, where that may only be misspelt, "near".
void add_found(Labels labels, Str key, SelectorOp op, Span<Str> values, Fact* fact) {
  const Label* label = find_label(labels, key);
  if (label != nullptr) fact->text("found", label->value);
  const bool wants_label = op != SelectorOp::kNotIn && op != SelectorOp::kDoesNotExist;
  if (label == nullptr) {
    label = wants_label ? near_label(labels, key, values) : nullptr;
  } else if (op != SelectorOp::kIn || std::none_of(values.begin(), values.end(), [&](Str value) {
               return value != label->value && same_but_case(value, label->value);
             })) {
    label = nullptr;
  }
  if (label != nullptr)
    fact->text("near", std::string(label->key).append("=").append(label->value));
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
    add_found(node.meta.labels, label.key, SelectorOp::kIn, {&label.value, 1}, &fact);
  }
}

void add_unmatched(const View& view, const NodeSelector& selector, Labels labels, Str node_name,
                   const Fact& begun, Facts* facts) {
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
        [&](const Requirement& r, Fact* fact) { add_found(labels, r.key, r.op, r.values, fact); });
    explain(
        term.match_fields, "fields",
        [](const Requirement& r) { return field_requirement_error(r); },
        [&](const Requirement& r) { return field_requirement_matches(r, node_name); },
        [&](const Requirement& r, Fact* fact) {
          if (r.key != "metadata.name") return;
          fact->text("found", node_name);
          if (r.op == SelectorOp::kIn &&
              std::none_of(r.values.begin(), r.values.end(),
                           [&](Str name) { return view.find_node(name) != kNoId; }))
            fact->flag("exists", false);
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
