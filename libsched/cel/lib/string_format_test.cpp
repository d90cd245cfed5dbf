// string.format of all kinds of values.
#include "libsched/cel/lib/string_format.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace libsched::string_format_test {

using namespace cel;

using Values = std::vector<FormatValue>;

// Lists and maps that are vectors; a map's keys and values take turns.
class Vectors : public FormatSource {
 public:
  FormatValue element(const FormatValue& list, size_t index) const override {
    return static_cast<const FormatValue*>(list.owner)[index];
  }
  std::pair<FormatValue, FormatValue> entry(const FormatValue& map, size_t index) const override {
    return {element(map, 2 * index), element(map, 2 * index + 1)};
  }
};

FormatValue value(FormatKind kind, Str type_name) {
  FormatValue v;
  v.kind = kind;
  v.type_name = type_name;
  return v;
}
FormatValue integer(int64_t i) {
  FormatValue v = value(FormatKind::kInt, "int");
  v.int_value = i;
  return v;
}
FormatValue real(double d) {
  FormatValue v = value(FormatKind::kDouble, "double");
  v.double_value = d;
  return v;
}
FormatValue text(Str s, bool bytes = false) {
  FormatValue v =
      value(bytes ? FormatKind::kBytes : FormatKind::kString, bytes ? "bytes" : "string");
  v.text = s;
  return v;
}
FormatValue list(const Values& values) {
  FormatValue v = value(FormatKind::kList, "list");
  v.owner = values.data();
  v.size = values.size();
  return v;
}
FormatValue map(const Values& values) {
  FormatValue v = list(values);
  v.kind = FormatKind::kMap;
  v.type_name = "map";
  v.size /= 2;
  return v;
}

std::string formatted(Str format, const Values& arguments) {
  auto result = format_string(format, list(arguments), Vectors());
  return result ? *result : "error: " + result.error().message;
}

TEST_CASE("clauses take their arguments in order") {
  CHECK(formatted("%s=%d%%", {text("\u00e9"), integer(-5)}) == "\u00e9=-5%");
  CHECK(formatted("%x %X %o %b", {integer(-255), text("K\xff"), integer(8), integer(5)}) ==
        "-ff 4BFF 10 101");
  CHECK(formatted("%s", {real(1e21)}) == "1e+21");
}

TEST_CASE("numbers are English") {
  CHECK(formatted("%f", {real(1234567.5)}) == "1,234,567.500000");
  CHECK(formatted("%.2f", {real(-0.125)}) == "-0.12");
  CHECK(formatted("%.0f", {real(2.5)}) == "2");
  CHECK(formatted("%f", {real(-0.0)}) == "0.000000");
  CHECK(formatted("%e", {real(1234.5)}) == "1.234500\u00d710\u2070\u00b3");
  CHECK(formatted("%.1e", {real(-1e-100)}) == "-1.000000\u00d710\u207b\u00b9\u2070\u2070");
  CHECK(formatted("%.15e", {real(0)}) == "  0.000000\u00d710\u2070\u2070");
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(formatted("%f %e", {real(-infinity), real(infinity)}) == "-\u221e      \u221e");
  CHECK(formatted("%f", {text("-Infinity")}) == "-\u221e");
  CHECK(format_string("%.256f", list({real(1)}), Vectors()).error().rc == Rc::kUnsupported);
}

TEST_CASE("lists and maps are CEL literals with sorted keys") {
  const Values inner{text("a\"", true), real(1.5), real(std::numeric_limits<double>::infinity()),
                     value(FormatKind::kNull, "null_type")};
  const Values entries{text("b"), list(inner), integer(1), text("x")};
  CHECK(formatted("%s", {map(entries)}) == R"({"b":[b"a\"", 1.500000, "+Inf", null], 1:"x"})");
  FormatValue duration = value(FormatKind::kDuration, "google.protobuf.Duration");
  duration.int_value = 1'500'000'000;
  const Values times{duration, value(FormatKind::kTimestamp, "google.protobuf.Timestamp")};
  CHECK(formatted("%s %s", {duration, list(times)}) ==
        R"(1.5s [duration("1.5s"), timestamp("1970-01-01T00:00:00Z")])");
}

TEST_CASE("errors name the clause") {
  CHECK(formatted("%s", {}) == "error: index 0 out of range");
  CHECK(formatted("%", {integer(1)}) == "error: unexpected end of string");
  CHECK(formatted("%z", {integer(1)}) ==
        R"(error: could not parse formatting clause: unrecognized formatting clause "z")");
  CHECK(formatted("%.", {integer(1)}) ==
        "error: could not parse formatting clause: error while parsing precision: could not find "
        "end of precision specifier");
  CHECK(formatted("%.f", {real(1)}) ==
        "error: could not parse formatting clause: error while parsing precision: error while "
        R"(converting precision to integer: strconv.Atoi: parsing "": invalid syntax)");
  CHECK(formatted("%d", {real(1)}) ==
        "error: error during formatting: decimal clause can only be used on integers, was given "
        "double");
  const Values other{value(FormatKind::kOther, "optional_type")};
  CHECK(formatted("%s", {list(other)}) ==
        "error: error during formatting: no formatting function for optional_type");
  const Values key{real(1), integer(1)};
  CHECK(formatted("%s", {map(key)}) ==
        "error: error during formatting: no formatting function for map key of type double");
}

TEST_CASE("deep nesting ends in a limit") {
  std::vector<Values> levels(300);
  for (size_t i = 1; i < levels.size(); ++i) levels[i] = {list(levels[i - 1])};
  CHECK(format_string("%s", list(levels.back()), Vectors()).error().rc == Rc::kLimit);
}

class Refusing : public ClauseCheck {
 public:
  explicit Refusing(char verb) : verb_(verb) {}
  std::string check(char verb, size_t) override {
    return verb == verb_ ? clause_error(verb, "list") : "";
  }

 private:
  char verb_;
};

TEST_CASE("a format is checked without values") {
  Refusing check('o');
  CHECK(*check_format("%s %% %.3f", 5, check) == 2);
  CHECK(check_format("%s%s", 1, check).error().message == "index 1 out of range");
  CHECK(check_format("%", 0, check).error().message == "unexpected end of string");
  CHECK(check_format("%s%o", 2, check).error().message ==
        "error during formatting: octal clause can only be used on integers, was given list");
}

}  // namespace libsched::string_format_test
