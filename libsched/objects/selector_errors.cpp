// The errors of upstream's selector parsers for a bad selector, in its field.Error notation
// ("path.key: Invalid value: "x": why"), aggregated like upstream's: equal texts once, several in
// brackets. A valid requirement builds no text at all, because parsers check each requirement.
#include "libsched/base/quote.hpp"
#include "libsched/objects/selector.hpp"

namespace libsched {
namespace {

using Errors = std::vector<std::string>;

std::string joined(const Errors& parts, Str separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string aggregated(const Errors& errors) {
  Errors unique;
  for (const std::string& e : errors) {
    if (std::find(unique.begin(), unique.end(), e) == unique.end()) unique.push_back(e);
  }
  if (unique.empty()) return {};
  return unique.size() == 1 ? unique[0] : "[" + joined(unique, ", ") + "]";
}

std::string child(Str path, Str name) {
  return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

std::string indexed(Str path, size_t i) {
  return std::string(path) + "[" + std::to_string(i) + "]";
}

std::string invalid_value(const std::string& field, const std::string& value, Str why) {
  return field + ": Invalid value: " + value + ": " + std::string(why);
}

std::string values_text(const Requirement& r, bool null_if_empty, const SelectorTexts& texts) {
  const bool go = texts.go_lists, null = r.values.empty() && null_if_empty;
  if (null) return go ? "[]string(nil)" : "null";
  std::string out = go ? "[]string{" : "[";
  for (size_t i = 0; i < r.values.size(); ++i) {
    if (i > 0) out += go ? ", " : ",";
    out += go ? go_quote(r.values[i]) : json_quote(r.values[i]);
  }
  return out += go ? '}' : ']';
}

std::string unsupported_operator(const Requirement& r, Str path, Str supported) {
  return child(path, "operator") + ": Unsupported value: " + json_quote(r.op_text) +
         ": supported values: " + std::string(supported);
}

// The errors of labels.NewRequirement. `absent`: an empty list of values reads as null.
void check_label_requirement(const Requirement& r, Str path, bool absent,
                             const SelectorTexts& texts, Errors& errors) {
  if (!is_qualified_name(r.key)) {
    errors.push_back(invalid_value(child(path, "key"), go_quote(r.key),
                                   joined(qualified_name_errors(r.key, texts.older_syntax), "; ")));
  }
  const auto bad_values = [&](Str why) {
    errors.push_back(invalid_value(child(path, "values"), values_text(r, absent, texts), why));
  };
  switch (r.op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      if (r.values.empty()) bad_values("for 'in', 'notin' operators, values set can't be empty");
      break;
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist:
      if (!r.values.empty()) bad_values("values set must be empty for exists and does not exist");
      break;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      if (r.values.size() != 1) {
        bad_values("for 'Gt', 'Lt' operators, exactly one value is required");
      }
      for (size_t i = 0; i < r.values.size(); ++i) {
        if (parse_int64(r.values[i])) continue;
        errors.push_back(invalid_value(indexed(child(path, "values"), i), go_quote(r.values[i]),
                                       "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      break;
    case SelectorOp::kUnknown: break;
  }
  for (size_t i = 0; i < r.values.size(); ++i) {
    if (is_label_value(r.values[i])) continue;
    errors.push_back(invalid_value(
        indexed(child(path, "values"), i) + "[" + std::string(r.key) + "]", go_quote(r.values[i]),
        joined(label_value_errors(r.values[i], texts.older_syntax), "; ")));
  }
}

void check_node_requirement(const Requirement& r, Str path, const SelectorTexts& texts,
                            Errors& errors) {
  if (r.op == SelectorOp::kUnknown) {
    errors.push_back(
        unsupported_operator(r, path, R"("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")"));
    return;
  }
  check_label_requirement(r, path, !r.values_present, texts, errors);
}

void check_field_requirement(const Requirement& r, Str path, const SelectorTexts& texts,
                             Errors& errors) {
  if (r.op != SelectorOp::kIn && r.op != SelectorOp::kNotIn) {
    errors.push_back(unsupported_operator(r, path, R"("In", "NotIn")"));
  } else if (r.values.size() != 1) {
    errors.push_back(invalid_value(child(path, "values"), values_text(r, !r.values_present, texts),
                                   "must have one element"));
  }
}

void check_term(const NodeSelectorTerm& term, const std::string& path, const SelectorTexts& texts,
                Errors& errors) {
  for (size_t i = 0; i < term.match_expressions.size(); ++i) {
    check_node_requirement(term.match_expressions[i], indexed(child(path, "matchExpressions"), i),
                           texts, errors);
  }
  for (size_t i = 0; i < term.match_fields.size(); ++i) {
    check_field_requirement(term.match_fields[i], indexed(child(path, "matchFields"), i), texts,
                            errors);
  }
}

}  // namespace

std::string requirement_error(const Requirement& r, Str path, const SelectorTexts& texts) {
  Errors errors;
  check_node_requirement(r, path, texts, errors);
  return aggregated(errors);
}

std::string field_requirement_error(const Requirement& r, Str path, const SelectorTexts& texts) {
  Errors errors;
  check_field_requirement(r, path, texts, errors);
  return aggregated(errors);
}

std::string node_selector_error(const NodeSelector& s, Str path, const SelectorTexts& texts) {
  Errors errors;
  const std::string terms = child(path, "nodeSelectorTerms");
  for (size_t i = 0; i < s.terms.size(); ++i)
    check_term(s.terms[i], indexed(terms, i), texts, errors);
  return aggregated(errors);
}

std::string preferred_terms_error(Span<PreferredSchedulingTerm> terms, Str path,
                                  const SelectorTexts& texts) {
  Errors errors;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].weight != 0) check_term(terms[i].preference, indexed(path, i), texts, errors);
  }
  return aggregated(errors);
}

std::string label_requirement_error(const Requirement& r, const SelectorTexts& texts) {
  if (r.op == SelectorOp::kGt || r.op == SelectorOp::kLt || r.op == SelectorOp::kUnknown) {
    return go_quote(r.op_text) + " is not a valid label selector operator";
  }
  Errors errors;
  check_label_requirement(r, {}, /*absent=*/true, texts, errors);
  return aggregated(errors);
}

std::string label_selector_error(const LabelSelector& s, const SelectorTexts& texts) {
  for (const Label& label : s.match_labels) {
    Requirement r;
    r.key = label.key;
    r.op = SelectorOp::kIn;  // a single value: the rules are those of Equals
    r.values = {&label.value, 1};
    if (std::string e = label_requirement_error(r, texts); !e.empty()) return e;
  }
  for (const Requirement& r : s.match_expressions) {
    if (std::string e = label_requirement_error(r, texts); !e.empty()) return e;
  }
  return {};
}

}  // namespace libsched
