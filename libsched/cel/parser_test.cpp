// The parser against upstream's recorded answers for the expressions of CEL's conformance tests
// (tests/tables/celspec.jsonl.gz), and its limits.
#include "libsched/cel/parser.hpp"

#include <doctest/doctest.h>

#include <string>

#include "libsched/cel/celspec_test.hpp"

namespace libsched::cel_parser_test {

using namespace cel;

// "" if the expression can be parsed, else upstream's text.
std::string error_of(Str expression) {
  Arena arena;
  Issues issues(expression);
  const Expr* const tree = parse(expression, arena, issues);
  CHECK((tree == nullptr) == !issues.empty());
  return issues.empty() ? "" : "compilation failed: " + issues.text();
}

std::string repeated(Str text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST_CASE("the expressions of the conformance tests are parsed, or refused with upstream's texts") {
  size_t count = 0, refused = 0;
  for_each_celspec_row([&](const CelspecRow& row) {
    const std::string& expression = row.expression;
    std::string_view upstream = row.compile_error;
    CAPTURE(expression);
    const std::string ours = error_of(expression);
    const bool syntax = upstream.find("Syntax error") != std::string_view::npos;
    // The checker's errors come later. Of a syntax error only that there is one is the same.
    if (syntax) CHECK(!ours.empty());
    if (!syntax && !ours.empty()) CHECK(ours == upstream);
    ++count;
    refused += ours.empty() ? 0 : 1;
  });
  CHECK(count == 1540);
  CHECK(refused == 7);
}

TEST_CASE("errors of the parser have upstream's texts and carets") {
  CHECK(error_of("has(1)") ==
        "compilation failed: ERROR: <input>:1:5: invalid argument to has() macro\n | has(1)\n"
        " | ....^");
  CHECK(error_of("[1].map(x.y, 1)") ==
        "compilation failed: ERROR: <input>:1:10: argument is not an identifier\n"
        " | [1].map(x.y, 1)\n | .........^");
  CHECK(error_of("device.`a`") ==
        "compilation failed: ERROR: <input>:1:8: unsupported syntax: '`'\n | device.`a`\n"
        " | .......^");
  for (const char* broken : {"", "1 +", "(", "f(1,)", "'open", "1 ? 2", "a b", "\"\\q\"", "@"}) {
    CAPTURE(broken);
    CHECK(error_of(broken) != "");
  }
}

TEST_CASE("depth and length are limited, a balanced chain is not") {
  const std::string deep = repeated("(", 300) + "1" + repeated(")", 300);
  CHECK(error_of(deep).find("expression recursion limit exceeded: 250") != std::string::npos);
  CHECK(error_of(repeated("(", 200) + "1" + repeated(")", 200)) == "");
  CHECK(error_of("true" + repeated(" && true", 2000)) == "");
  CHECK(error_of("1" + repeated(" + 1", 2000)) != "");
  CHECK(error_of("'" + repeated("x", kMostCodePoints) + "'") != "");
  CHECK(error_of(repeated("!", 50'001) + "true") == "");
}

}  // namespace libsched::cel_parser_test
