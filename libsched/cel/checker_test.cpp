// The type checker against upstream's recorded answers for the expressions of CEL's conformance
// tests (tests/tables/celspec.jsonl.gz).
#include "libsched/cel/checker.hpp"

#include <doctest/doctest.h>

#include <string>

#include "libsched/cel/celspec_test.hpp"
#include "libsched/cel/parser.hpp"

namespace libsched::cel_checker_test {

using namespace cel;

struct Checked {
  std::string error, type;
};

Checked checked(Str expression, const Options& options = {}) {
  Arena arena;
  Issues issues(expression);
  Expr* const tree = parse(expression, arena, issues, options.dialect);
  if (tree != nullptr) check(tree, arena, options, issues);
  if (!issues.empty()) return {"compilation failed: " + issues.text(), {}};
  return {{}, type_string(tree->type)};
}

TEST_CASE("the expressions of the conformance tests have upstream's errors") {
  size_t count = 0, refused = 0;
  for_each_celspec_row([&](const CelspecRow& row) {
    const std::string& expression = row.expression;
    std::string_view upstream = row.compile_error;
    if (upstream.starts_with("program instantiation failed")) upstream = {};  // comes later
    CAPTURE(expression);
    const std::string ours = checked(expression).error;
    if (upstream.find("Syntax error") != std::string_view::npos)
      CHECK(!ours.empty());
    else
      CHECK(ours == upstream);
    ++count;
    refused += ours.empty() ? 0 : 1;
  });
  CHECK(count > 1300);
  CHECK(refused > 200);
}

TEST_CASE("device selectors are checked") {
  CHECK(checked("device.driver == 'gpu.example.com'").type == "bool");
  CHECK(checked("device.attributes['a'].b").type == "google.protobuf.Any");
  CHECK(checked("device.attributes['a'].b", {.list_attributes = true}).type == "dyn");
  CHECK(checked("device.capacity['a'].memory").type == "kubernetes.Quantity");
  CHECK(checked("device.nothere").error.find("undefined field 'nothere'") != std::string::npos);
  CHECK(checked("quantity('1') > quantity('2')")
            .error.find("found no matching overload for '_>_' applied to '(kubernetes.Quantity, "
                        "kubernetes.Quantity)'") != std::string::npos);
  CHECK(checked("duration(null)").error.find("1:10: invalid duration argument") !=
        std::string::npos);
  CHECK(checked("!-1").error.find("no matching overload for '!_' applied to '(int)'") !=
        std::string::npos);
  CHECK(checked("nothing").error.find("undeclared reference to 'nothing' (in container '')") !=
        std::string::npos);
}

}  // namespace libsched::cel_checker_test
