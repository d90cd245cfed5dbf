// Selectors as texts: the forms of kubectl, what they match, and errors.
#include "libsched/objects/selector_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace libsched::selector_text_test {
namespace {

// Whether the labels cores=16, empty=, pool=gpu and zone=a match.
bool matches(Str text) {
  const Label labels[] = {make_label("cores", "16"), make_label("empty", ""),
                          make_label("pool", "gpu"), make_label("zone", "a")};
  Arena arena;
  const Result<std::vector<Requirement>> wanted = parse_selector(text, arena);
  REQUIRE_MESSAGE(wanted.ok(), wanted.error().text());
  return std::ranges::all_of(*wanted,
                             [&](const Requirement& r) { return requirement_matches(r, labels); });
}
std::string refusal(Str text) {
  Arena arena;
  const Result<std::vector<Requirement>> wanted = parse_selector(text, arena);
  REQUIRE_FALSE(wanted.ok());
  CHECK(wanted.error().rc == Rc::kInvalid);
  return wanted.error().message;
}

}  // namespace

TEST_CASE("Selectors have kubectl's forms, joined by commas") {
  for (const Str text :
       {"pool=gpu", "pool==gpu", " pool = gpu ", "pool", "!spot", "spot!=x", "pool!=cpu",
        "pool in (cpu, gpu)", "pool in(gpu)", "pool notin (cpu)", "spot notin (a)", "cores>8",
        "cores < 32", "empty=", "empty=,pool", "empty in ()", "empty in (,x)",
        "pool=gpu,zone=a,!spot", "in!=x,notin notin (notin)"}) {
    CAPTURE(text);
    CHECK(matches(text));
  }
  for (const Str text :
       {"pool=cpu", "spot", "!pool", "pool!=gpu", "pool in (cpu)", "pool notin (gpu)", "cores>16",
        "pool>1", "pool=", "pool=gpu,zone=b", "spot in ()"}) {
    CAPTURE(text);
    CHECK_FALSE(matches(text));
  }
}

TEST_CASE("What is no selector is refused with the place") {
  CHECK(refusal("") == R"("": a label's key was expected)");
  CHECK(refusal("a=b,") == R"("": a label's key was expected)");
  CHECK(refusal("=b") == R"("=b": a label's key was expected)");
  CHECK(refusal("a=b=c") == R"("=c": a comma or the end was expected)");
  CHECK(refusal("a=b c") == R"("c": a comma or the end was expected)");
  CHECK(refusal("!a=b") == R"("=b": a comma or the end was expected)");
  CHECK(refusal("a b") == R"("b": an operator was expected: =, !=, in, notin, > or <)");
  CHECK(refusal("a in b") == R"("b": values in parentheses were expected)");
  CHECK(refusal("a in (b") == R"("": a comma or a parenthesis was expected)");
  CHECK(refusal("a>x") == R"("x" is no whole number)");
  CHECK(refusal("a_=b").find("name part") != std::string::npos);
  CHECK(refusal("a=_b").find("a valid label must be") != std::string::npos);
}

}  // namespace libsched::selector_text_test
