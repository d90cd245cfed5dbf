// Matching and error texts of selectors.
#include "libsched/objects/selector.hpp"

#include <doctest/doctest.h>

namespace libsched::selector_test {

SelectorOp op_of(Str text) {
  constexpr Str kNames[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  for (size_t i = 0; i < 6; ++i) {
    if (kNames[i] == text) return static_cast<SelectorOp>(i);
  }
  return SelectorOp::kUnknown;
}

// Makes requirements and owns their values.
struct Maker {
  Requirement operator()(Str key, Str op, const std::vector<Str>& values = {}) {
    Requirement r;
    r.key = key;
    r.op = op_of(op);
    r.op_text = op;
    r.values = arena.copy(values);
    r.values_present = !values.empty();
    r.key_hash = hash_str(key);
    return r;
  }
  Arena arena;
};

const std::vector<Label> kLabels = {make_label("app", "web"), make_label("n", "7"),
                                    make_label("text", "x7"), make_label("zero", "")};

TEST_CASE("requirement_matches") {
  struct Case {
    Str key, op;
    std::vector<Str> values;
    bool want;
  };
  const Case cases[] = {
      {"app", "In", {"db", "web"}, true},
      {"app", "In", {"db"}, false},
      {"none", "In", {"web"}, false},
      {"zero", "In", {""}, true},
      {"none", "In", {""}, false},
      {"app", "NotIn", {"db"}, true},
      {"app", "NotIn", {"db", "web"}, false},
      {"none", "NotIn", {"web"}, true},
      {"app", "Exists", {}, true},
      {"zero", "Exists", {}, true},
      {"none", "Exists", {}, false},
      {"app", "DoesNotExist", {}, false},
      {"none", "DoesNotExist", {}, true},
      {"n", "Gt", {"6"}, true},
      {"n", "Gt", {"7"}, false},
      {"n", "Gt", {"-9223372036854775808"}, true},
      {"n", "Lt", {"+8"}, true},
      {"n", "Lt", {"007"}, false},
      {"n", "Lt", {"9223372036854775808"}, false},  // no int64
      {"n", "Lt", {"8", "9"}, false},               // not one value
      {"n", "Lt", {}, false},
      {"text", "Gt", {"1"}, false},
      {"zero", "Lt", {"1"}, false},
      {"none", "Lt", {"1"}, false},
      {"app", "Bogus", {"web"}, false},
  };
  Maker make;
  for (const Case& c : cases) {
    CAPTURE(c.key);
    CAPTURE(c.op);
    CHECK(requirement_matches(make(c.key, c.op, c.values), kLabels) == c.want);
  }
}

TEST_CASE("selector_matches: absent matches nothing, empty everything, else all must hold") {
  Maker make;
  LabelSelector s;
  CHECK_FALSE(selector_matches(s, kLabels));
  s.present = true;
  CHECK(selector_matches(s, kLabels));
  CHECK(selector_matches(s, {}));
  const std::vector<Label> wanted = {make_label("app", "web"), make_label("n", "7")};
  s.match_labels = wanted;
  CHECK(selector_matches(s, kLabels));
  CHECK_FALSE(selector_matches(s, {}));
  std::vector<Requirement> also = {make("text", "Exists"), make("none", "NotIn", {"a"})};
  s.match_expressions = also;
  CHECK(selector_matches(s, kLabels));
  also.push_back(make("app", "NotIn", {"web"}));
  s.match_expressions = also;
  CHECK_FALSE(selector_matches(s, kLabels));
  s.match_expressions = {};
  const std::vector<Label> other = {make_label("app", "db")};
  s.match_labels = other;
  CHECK_FALSE(selector_matches(s, kLabels));
}

TEST_CASE("node selectors: terms are ORed, invalid and empty ones match nothing") {
  Maker make;
  const auto matches = [&](std::vector<NodeSelectorTerm> terms, Str name = "n1") {
    NodeSelector s;
    s.present = true;
    s.terms = terms;
    return node_selector_matches(s, kLabels, name);
  };
  const std::vector<Requirement> web = {make("app", "In", {"web"})};
  const std::vector<Requirement> db = {make("app", "In", {"db"})};
  const std::vector<Requirement> n1 = {make("metadata.name", "In", {"n1"})};
  const std::vector<Requirement> not_n1 = {make("metadata.name", "NotIn", {"n1"})};
  const std::vector<Requirement> other_field = {make("metadata.uid", "In", {"u"})};
  std::vector<Requirement> refused = {make("app", "In", {"web"}), make("a b", "Exists")};
  refused[1].valid = false;

  CHECK_FALSE(matches({}));
  CHECK_FALSE(matches({{}}));
  CHECK(matches({{web, {}}}));
  CHECK_FALSE(matches({{db, {}}}));
  CHECK(matches({{db, {}}, {}, {web, n1}}));
  CHECK_FALSE(matches({{web, not_n1}}));
  CHECK_FALSE(matches({{web, n1}}, "n2"));
  CHECK(matches({{web, not_n1}}, "n2"));
  CHECK(matches({{web, n1}}, ""));  // without a name no field is asked
  CHECK_FALSE(matches({{{}, other_field}}));
  CHECK_FALSE(matches({{refused, {}}}));
  CHECK(matches({{refused, {}}, {web, {}}}));
}

TEST_CASE("errors of node selector requirements") {
  Maker make;
  CHECK(requirement_error(make("a", "In", {"x", ""})) == "");
  CHECK(requirement_error(make("a", "Gt", {"5"})) == "");
  CHECK(requirement_error(make("a", "Exists")) == "");
  CHECK(requirement_error(make("a", "Bogus", {"x"})) ==
        R"(operator: Unsupported value: "Bogus": supported values: "In", "NotIn", "Exists", )"
        R"("DoesNotExist", "Gt", "Lt")");
  CHECK(requirement_error(make("bad key!", "Exists")) ==
        "key: Invalid value: \"bad key!\": name part must consist of alphanumeric characters, "
        "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  "
        "or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
  Requirement none = make("a", "In");
  CHECK(requirement_error(none) ==
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
  none.values_present = true;
  CHECK(requirement_error(none, "terms[2]") ==
        "terms[2].values: Invalid value: []: for 'in', 'notin' operators, values set can't be "
        "empty");
  CHECK(requirement_error(make("a", "DoesNotExist", {"<x"})) ==
        R"([values: Invalid value: ["\u003cx"]: values set must be empty for exists and does not )"
        R"(exist, values[0][a]: Invalid value: "<x": a valid label must be an empty string or )"
        R"(consist of alphanumeric characters, '-', '_' or '.', and must start and end with an )"
        R"(alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for )"
        R"(validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')])");
  CHECK(requirement_error(make("a", "Lt", {"x", "1"})) ==
        R"([values: Invalid value: ["x","1"]: for 'Gt', 'Lt' operators, exactly one value is )"
        R"(required, values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be )"
        R"(an integer])");

  CHECK(field_requirement_error(make("metadata.name", "NotIn", {"n1"})) == "");
  CHECK(field_requirement_error(make("metadata.name", "In", {"a", "b"})) ==
        R"(values: Invalid value: ["a","b"]: must have one element)");
  CHECK(field_requirement_error(make("metadata.name", "Exists"), "f[0]") ==
        R"(f[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn")");
}

TEST_CASE("errors of whole node selectors carry paths, and equal ones appear once") {
  Maker make;
  const std::vector<Requirement> bad = {make("a", "Exists"), make("a", "In")};
  const std::vector<Requirement> field = {make("metadata.name", "Gt", {"1"})};
  const std::vector<NodeSelectorTerm> terms = {{}, {bad, field}};
  NodeSelector s;
  s.terms = terms;
  const std::string empty_set =
      ".values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
  const std::string no_operator =
      R"(.operator: Unsupported value: "Gt": supported values: "In", "NotIn")";
  CHECK(node_selector_error(s) == "[nodeSelectorTerms[1].matchExpressions[1]" + empty_set +
                                      ", nodeSelectorTerms[1].matchFields[0]" + no_operator + "]");
  const std::vector<PreferredSchedulingTerm> preferred = {{0, terms[1]}, {3, {bad, {}}}};
  CHECK(preferred_terms_error(preferred) == "[1].matchExpressions[1]" + empty_set);
  CHECK(preferred_terms_error({preferred.data(), 1}) == "");  // weight 0 isn't parsed
}

TEST_CASE("errors of label selectors: the first one, without a path") {
  Maker make;
  const auto error = [&](std::vector<Requirement> list, std::vector<Label> labels = {}) {
    LabelSelector s;
    s.present = true;
    s.match_labels = labels;
    s.match_expressions = list;
    return label_selector_error(s);
  };
  CHECK(error({}) == "");
  CHECK(error({make("a", "In", {"b"})}, {make_label("k", "v")}) == "");
  CHECK(error({make("a", "Bogus")}) == R"("Bogus" is not a valid label selector operator)");
  CHECK(error({make("a", "Gt", {"1"})}) == R"("Gt" is not a valid label selector operator)");
  CHECK(error({make("a", "NotIn"), make("a", "Bogus")}) ==
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
  CHECK(error({}, {make_label("k", std::string(64, 'v'))}) ==
        "values[0][k]: Invalid value: \"" + std::string(64, 'v') +
            "\": must be no more than 63 bytes");
}

TEST_CASE("errors of selectors may show lists as Go source does") {
  constexpr SelectorTexts kGoLists{.go_lists = true};
  Maker make;
  const std::vector<Requirement> bad = {make("a", "Exists", {"x", "y\"z"})};
  const std::vector<PreferredSchedulingTerm> preferred = {{3, {bad, {}}}};
  CHECK(
      preferred_terms_error(preferred, {}, kGoLists)
          .starts_with(
              R"([[0].matchExpressions[0].values: Invalid value: []string{"x", "y\"z"}: values set must be )"
              "empty for exists and does not exist, "));
  CHECK(label_requirement_error(make("a", "In"), kGoLists) ==
        "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be "
        "empty");
  NodeSelector s;
  const std::vector<Requirement> named = {make("metadata.name", "In", {"n1", "n2"})};
  const std::vector<NodeSelectorTerm> terms = {{{}, named}};
  s.terms = terms;
  CHECK(node_selector_error(s, {}, kGoLists) ==
        R"(nodeSelectorTerms[0].matchFields[0].values: Invalid value: []string{"n1", "n2"}: )"
        "must have one element");
}

TEST_CASE("errors of selectors may have the older texts of syntax") {
  constexpr SelectorTexts kOlder{.older_syntax = true};
  Maker make;
  const auto begins = [](const std::string& text, const std::string& begin) {
    return text.starts_with(begin);
  };
  const Requirement key = make("a/b/c", "Exists");
  CHECK(begins(label_requirement_error(key), R"(key: Invalid value: "a/b/c": a valid label key )"));
  CHECK(begins(label_requirement_error(key, kOlder),
               R"(key: Invalid value: "a/b/c": a qualified name must consist of )"));
  const std::string value(64, 'v');
  CHECK(label_requirement_error(make("k", "In", {value}), kOlder) ==
        "values[0][k]: Invalid value: \"" + value + "\": must be no more than 63 characters");
}

TEST_CASE("parse_int64 takes what Go's ParseInt takes") {
  CHECK(parse_int64("0") == 0);
  CHECK(parse_int64("-0") == 0);
  CHECK(parse_int64("+12") == 12);
  CHECK(parse_int64("0012") == 12);
  CHECK(parse_int64("9223372036854775807") == INT64_MAX);
  CHECK(parse_int64("-9223372036854775808") == INT64_MIN);
  for (const Str bad : {"", "+", "-", "+-1", "-+1", " 1", "1 ", "1_0", "0x1", "1.0", "1e3",
                        "9223372036854775808", "-9223372036854775809"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_int64(bad).has_value());
  }
}

}  // namespace libsched::selector_test
