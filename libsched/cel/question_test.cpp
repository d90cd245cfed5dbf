// Questions about the devices of a ResourceSlice, and the parts of a chain.
#include "libsched/cel/question.hpp"

#include <doctest/doctest.h>

#include "libsched/cel/celspec_test.hpp"
#include "libsched/cel/split.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::cel_question_test {

using namespace cel;

std::string answers(Str expression, const Options& options = {}) {
  const auto objects = parse_objects(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpus}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {model: {string: a100}, numa: {int: 0}}
    capacity: {memory: {value: 40Gi}}
  - name: gpu-1
    attributes: {model: {string: h100}}
    capacity: {memory: {value: 80Gi}}
)",
                                     {});
  REQUIRE(objects.ok());
  std::vector<const ResourceSlice*> slices;
  for (const StoredObject& o : objects->stored)
    slices.push_back(static_cast<const ResourceSlice*>(o.object.get()));
  const auto question = Question::ask(expression, options);
  return question.ok() ? (*question)->devices_json(slices)
                       : question.error().path + " " + question.error().message;
}

bool has(const std::string& json, std::string part) {
  for (char& c : part)
    if (c == '`') c = '"';  // for readable tests
  return json.find(part) != std::string::npos;
}

TEST_CASE("devices that do not match come with the part that stands in the way") {
  const std::string json = answers(
      "device.driver == 'gpu.example.com' && (device.attributes['gpu.example.com'].model == 'a100' "
      "|| false)");
  CHECK(has(json, "`device`:`gpu-0`,`node`:`n1`,`match`:true,`cost`:"));
  CHECK(has(json, "`device`:`gpu-1`,`node`:`n1`,`match`:false,`cost`:"));
  CHECK(has(json,
            "`because`:{`expression`:`(device.attributes['gpu.example.com'].model == 'a100' || "
            "false)`,`answer`:`false`}"));
  const std::string failing = answers("true && device.attributes['gpu.example.com'].numa == 0");
  CHECK(has(failing,
            "`match`:null,`cost`:5,`error`:`no such key: numa`,`because`:{`expression`:"
            "`device.attributes['gpu.example.com'].numa == 0`,`answer`:`no such key: numa`}"));
}

TEST_CASE("an obstacle is of the kind of the answer, and comes with the value that it compares") {
  const std::string json = answers(
      "device.attributes['gpu.example.com'].numa == 0 && "
      "device.attributes['gpu.example.com'].model == 'b200'");
  CHECK(has(json,
            "`device`:`gpu-1`,`node`:`n1`,`match`:false,`cost`:10,`because`:{`expression`:"
            "`device.attributes['gpu.example.com'].model == 'b200'`,`answer`:`false`,`subject`:"
            "`device.attributes['gpu.example.com'].model`,`value`:`\\`h100\\``}}"));
  Options cheap;
  cheap.cost_limit = 12;
  const std::string limited = answers("[1, 2].all(x, x > 0) && [1, 2].all(x, x > 0)", cheap);
  CHECK(has(limited, "`match`:null"));
  CHECK(has(limited, "`error`:`operation cancelled: actual cost limit exceeded`"));
}

TEST_CASE("values of any type") {
  Options options;
  options.any_result = true;
  const std::string json = answers("device.capacity['gpu.example.com'].memory", options);
  CHECK(has(json, "`device`:`gpu-0`,`node`:`n1`,`value`:`quantity(40Gi)`,`cost`:4"));
}

TEST_CASE("an expression that does not compile has a place") {
  CHECK(answers("true &&\n nothing").starts_with("2:2 compilation failed: ERROR: <input>:2:2:"));
  CHECK(answers("1").starts_with(" must evaluate to bool"));
}

TEST_CASE("the parts of a chain") {
  const auto parts = [](Str expression) {
    const auto question = Question::ask(expression);
    REQUIRE(question.ok());
    std::string out;
    for (const auto& part : (*question)->parts()) out += part.text + ";";
    return out;
  };
  CHECK(parts("true && (false || true) &&  [1].all(x, x > 0 && true)") ==
        "true;(false || true);[1].all(x, x > 0 && true);");
  CHECK(parts("true && false || true") == "true && false || true;");
  CHECK(parts("true ? true && true : false") == "true ? true && true : false;");
  CHECK(parts(" 'a && b' == 'a' ") == "'a && b' == 'a';");
  CHECK(parts("true&&(false && ((1 < 2)))") == "true;false;((1 < 2));");
  CHECK(parts("(true && false) // &&\n && true") == "true;false;true;");
  CHECK(parts("device.attributes['a'].?b.hasValue() && true") ==
        "device.attributes['a'].?b.hasValue();true;");
  CHECK(parts("cel.bind(a, 1, cel.bind(b, a + 1, a == 1 && b == 1)) && true") ==
        "a == 1;b == 1;true;");
  CHECK(parts("cel.bind(a, true, a)") == "cel.bind(a, true, a);");
}

TEST_CASE("an expression is true if each of its parts is, and false if one is") {
  Options options;
  options.any_result = true;
  Scratch scratch;
  size_t asked = 0, chains = 0;
  const auto check = [&](const std::string& expression) {
    CAPTURE(expression);
    const auto question = Question::ask(expression, options);
    if (!question.ok()) return;
    ++asked;
    chains += (*question)->parts().size() > 1 ? 1 : 0;
    bool all = true, some_false = false, some_fail = false;
    CHECK(!(*question)->parts().empty());
    for (const Question::Part& part : (*question)->parts()) {
      const Match match = part.program->match({}, scratch).match;
      all = all && match == Match::kYes;
      some_false = some_false || match == Match::kNo;
      some_fail = some_fail || match == Match::kError;
    }
    const Match whole = (*question)->program().match({}, scratch).match;
    CHECK((whole == Match::kYes) == all);
    CHECK((whole == Match::kNo) == some_false);
    CHECK((whole == Match::kError) == (some_fail && !some_false));
    const auto obstacle = (*question)->obstacle({}, whole, scratch);
    CHECK(obstacle.has_value() == (whole != Match::kYes));
  };
  for_each_celspec_row([&](const CelspecRow& row) {
    check(std::string(row.expression));
    check("(" + std::string(row.expression) + "\n) && device.driver == ''");
    check("cel.bind(x, device.driver, x != '' && (" + std::string(row.expression) + "\n))");
  });
  CHECK(asked > 1500);
  CHECK(chains > 300);
}

TEST_CASE("what a part compares") {
  const auto subjects = [](Str expression) {
    const auto question = Question::ask(expression);
    REQUIRE(question.ok());
    std::string out;
    for (const auto& part : (*question)->parts()) out += part.subject + ";";
    return out;
  };
  CHECK(subjects("device.capacity['a'].b.compareTo(quantity('1')) >= 0 && true") ==
        "device.capacity['a'].b;;");
  CHECK(subjects("'x' == device.driver && device.driver in ['x', 'y']") ==
        "device.driver;device.driver;");
  CHECK(subjects("!device.driver.startsWith('A') && !has(device.attributes['a'].b)") ==
        "device.driver;;");
  CHECK(subjects("device.allowMultipleAllocations && (device.driver + 'a' == 'b')") ==
        ";device.driver + 'a';");
  CHECK(subjects("cel.bind(a, device.driver, a != 'x' && a == 'y')") == "a;a;");
}

TEST_CASE("a long chain has a limited number of parts") {
  for (const std::string term : {"true", "(true && true)"}) {
    std::string chain = term;
    for (int i = 0; i < 2000; ++i) chain += " && " + term;
    const auto question = Question::ask(chain);
    REQUIRE(question.ok());
    CHECK((*question)->parts().size() == kMostConjuncts);
  }
}

}  // namespace libsched::cel_question_test
