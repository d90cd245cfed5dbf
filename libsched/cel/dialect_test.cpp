// Expressions that mean something else in other releases, with upstream's answers on both sides.
#include "libsched/cel/dialect.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "libsched/cel/cel.hpp"

namespace libsched::cel_dialect_test {

using namespace cel;

constexpr Dialect kOlder{.no_includes = true};
constexpr Dialect kNewer{.cel_go_29 = true};

struct Sample {
  Sample() {
    Attribute model{"model", Attribute::Kind::kString, 0, "A100", {}, {}};
    Attribute busy{"busy", Attribute::Kind::kBool, 1, {}, {}, {}};
    attributes = {model, busy};
    device.driver = "gpu.example.com";
    device.attributes = attributes;
  }
  std::vector<Attribute> attributes;
  Device device;
};

// The value or the error, with the cost: "true (4)".
std::string answer(Str expression, const Dialect& dialect, const Device& device = Sample().device,
                   bool any_result = true) {
  Options options;
  options.any_result = any_result;
  options.dialect = dialect;
  const auto program = compile(expression, options);
  if (!program.ok()) return program.error().message.substr(0, program.error().message.find('\n'));
  Scratch scratch;
  const Evaluation e = (*program)->evaluate(device, scratch);
  return (e.ok ? e.value : e.error) + " (" + std::to_string(e.cost) + ")";
}

void differs(Str expression, const std::string& today, const std::string& newer) {
  CAPTURE(expression);
  const Sample sample;
  CHECK_EQ(answer(expression, {}, sample.device), today);
  CHECK_EQ(answer(expression, kNewer, sample.device), newer);
}

std::string place(int column, const std::string& text) {
  return "compilation failed: ERROR: <input>:1:" + std::to_string(column) + ": " + text;
}

TEST_CASE("attributes have type dyn in newer dialects") {
  const Str model = "device.attributes['gpu.example.com'].model";
  const std::string all = std::string(model) + ".all(c, c != '')";
  differs(all,
          place(37,
                "expression of type 'any' cannot be range of a comprehension (must be list, "
                "map, or dynamic)"),
          "got 'types.String', expected iterable type (4)");
  differs("device.attributes['x'].y + [1] + 1u",
          place(32, "found no matching overload for '_+_' applied to '(list(int), uint)'"),
          place(32, "found no matching overload for '_+_' applied to '(list(int), uint)'"));
}

TEST_CASE("a selector may have the type of attributes") {
  const Sample sample;
  const auto selects = [&](Str expression, const Dialect& dialect) {
    return answer(expression, dialect, sample.device, false);
  };
  const Str busy = "device.attributes['gpu.example.com'].busy";
  CHECK_EQ(selects(busy, {}), "true (4)");
  CHECK_EQ(selects(busy, kNewer), "true (4)");
  CHECK_EQ(selects("dyn(true)", {}), "must evaluate to bool or the unknown type, not dyn");
  CHECK_EQ(selects("dyn(true)", kNewer), "true (0)");
  const Str wrapped = "google.protobuf.BoolValue{value: true}";
  CHECK_EQ(selects(wrapped, {}), "must evaluate to bool or the unknown type, not wrapper(bool)");
  CHECK_EQ(selects(wrapped, kNewer), "true (40)");
  CHECK_EQ(selects("google.protobuf.Any{}", kNewer),
           "must evaluate to bool or the unknown type, not google.protobuf.Any");
}

TEST_CASE("attributes may be lists in newer dialects") {
  const std::vector<int64_t> numbers = {1, 2};
  const std::vector<Attribute> attributes = {{"n", Attribute::Kind::kInts, 0, {}, numbers, {}}};
  Device device;
  device.driver = "gpu.example.com";
  device.attributes = attributes;
  CHECK_EQ(answer("true", {}, device), "attribute n: unsupported attribute value (0)");
  CHECK_EQ(answer("device.attributes['gpu.example.com'].n.exists(x, x == 2)", kNewer, device),
           "true (17)");
}

TEST_CASE("includes()") {
  const Str expression = "[1, 2].includes(1)";
  CHECK_EQ(answer(expression, kOlder),
           place(16, "undeclared reference to 'includes' (in container '')"));
  differs(expression, "true (1)", "true (2)");
  differs("['abcdefghijklmnopqrst', 'x'].includes('x')", "true (1)", "true (2)");
  differs("lists.range(100).includes(99)",
          "'includes' function cannot be applied to lists longer than 48 values (112)",
          "true (211)");
}

TEST_CASE("functions of newer dialects") {
  differs("duration(1)", place(10, "invalid duration argument"),
          place(9, "found no matching overload for 'duration' applied to '(int)'"));
  differs("duration(dyn(1))",
          "program instantiation failed: type conversion error from 'int' to "
          "'google.protobuf.Duration'",
          "program instantiation failed: no such overload: duration(int)");
  differs("lists.range(-1)", "[] (11)", "lists.range: size must be non-negative, got -1 (12)");
  differs("lists.range(1000001)", "operation cancelled: actual cost limit exceeded (1000012)",
          "lists.range: size 1000001 exceeds maximum allowed (1000000) (12)");
  differs("'abc'.indexOf('', -1)", "int(-1) (0)", "index out of range: -1 (0)");
  differs("'abc'.indexOf('', 7)", "int(7) (0)", "int(3) (0)");
  differs("'abc'.lastIndexOf('', 7)", "int(7) (0)", "int(3) (0)");
  differs("'abc'.lastIndexOf('', 2)", "int(2) (0)", "int(2) (0)");
  differs("[[1]].flatten(-1)", "level must be non-negative (10)",
          "level must be non-negative (12)");
}

TEST_CASE("optional values of newer dialects stay what they are") {
  differs("optional.of(1).optMap(x, optional.of(x))", "optional(int(1)) (7)",
          "optional(optional(int(1))) (7)");
  differs("cel.bind(o, optional.of(quantity('1')), o.value().isInteger())",
          "unsupported conversion to ref.Val: (*resource.Quantity)1 (5)", "true (5)");
  differs("cel.bind(o, optional.of(device.attributes), o.nope)", "optional() (4)",
          "optional({}) (5)");
  differs("dyn(1).orValue(2)", "int(1) (0)", "no such overload (0)");
  differs("dyn(1).or(optional.of(2))", "int(1) (0)", "no such overload (0)");
  differs("dyn(1 / 0).orValue(2)", "division by zero (2)", "division by zero (2)");
}

TEST_CASE("names of newer dialects") {
  differs("[1].map(device, .device.driver).size()",
          place(24, "type 'int' does not support field selection"), "int(1) (16)");
  differs("[1].map(x, .x)", "[int(1)] (14)",
          place(13, "undeclared reference to '.x' (in container '')"));
  differs("[1].map(google, google.protobuf.Timestamp)", "[type(google.protobuf.Timestamp)] (3)",
          place(23, "type 'int' does not support field selection"));
  differs("device{}", place(7, "'kubernetes.DRADevice' is not a type"),
          place(7, "undeclared reference to 'device' (in container '')"));
  differs("device.attributes.`gpu.example.com`.model", place(19, "unsupported syntax: '`'"),
          "\"A100\" (4)");
  differs("{'a-b': 1}.`a-b`", place(12, "unsupported syntax: '`'"), "int(1) (2)");
  differs("google.protobuf.BoolValue{`value`: true}", place(27, "unsupported syntax: '`'"),
          "true (40)");
}

TEST_CASE("costs of newer dialects") {
  differs("'abcdefghijklmnopqrstuvwxyz'.startsWith('')", "true (3)", "true (0)");
  differs("'abcdefghijklmnopqrstuvwxyz'.endsWith('xyzabcdefgh')", "false (3)", "false (2)");
  differs("matches('abcdefghijklmnopqrstuvwxyz', 'a.*z.*z.*z.*z.*z')", "false (1)", "false (12)");
  differs("'abcdefghijklmnopqrstuvwxyz'.matches('a.*z.*z.*z.*z.*z')", "false (12)", "false (12)");
}

}  // namespace libsched::cel_dialect_test
