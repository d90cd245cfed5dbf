// Conversions between types, and @not_strictly_false.
#include "libsched/base/go_float.hpp"
#include "libsched/base/utf8.hpp"
#include "libsched/cel/functions.hpp"
#include "libsched/cel/lib/duration.hpp"
#include "libsched/cel/lib/numbers.hpp"

namespace libsched::cel {
namespace {

Value no_conversion(const Call& c, Str to) {
  return c.m.fail("type conversion error from '", type_name(c[0]),
                  "' to '" + std::string(to) + "'");
}

Value unchanged(const Call& c) { return c[0]; }

Value text_to_bool(const Call& c) {
  const auto v = parse_bool(c.text(0));
  return v ? Value::boolean(*v) : no_conversion(c, "bool");
}

Value text_to_bytes(const Call& c) { return Value::of_text(ValueKind::kBytes, c.text(0)); }

Value int_to_double(const Call& c) { return Value::of_double(static_cast<double>(c[0].integer)); }
Value uint_to_double(const Call& c) { return Value::of_double(static_cast<double>(c[0].uinteger)); }
Value text_to_double(const Call& c) {
  const auto v = parse_double(c.text(0));
  return v ? Value::of_double(*v) : no_conversion(c, "double");
}

Value int_to_duration(const Call& c) { return no_conversion(c, "google.protobuf.Duration"); }
Value text_to_duration(const Call& c) {
  const auto v = parse_duration(c.text(0));
  return v ? Value::of_integer(ValueKind::kDuration, *v)
           : no_conversion(c, "google.protobuf.Duration");
}

Value double_to_integer(const Call& c) {
  const auto v = double_to_int(c[0].number);
  return v ? Value::of(*v) : Value::error("integer overflow");
}
Value duration_to_int(const Call& c) { return Value::of(c[0].integer); }
Value text_to_int(const Call& c) {
  const auto v = parse_int(c.text(0));
  return v ? Value::of(*v) : no_conversion(c, "int");
}
Value timestamp_to_int(const Call& c) { return Value::of(c[0].timestamp->seconds); }
Value uint_to_int(const Call& c) {
  if (c[0].uinteger >> 63 != 0) return Value::error("integer overflow");
  return Value::of(c[0].integer);
}

Value double_to_unsigned(const Call& c) {
  const auto v = double_to_uint(c[0].number);
  return v ? Value::of_uint(*v) : Value::error("unsigned integer overflow");
}
Value int_to_uint(const Call& c) {
  if (c[0].integer < 0) return Value::error("unsigned integer overflow");
  return Value::of_uint(c[0].uinteger);
}
Value text_to_uint(const Call& c) {
  const auto v = parse_uint(c.text(0));
  return v ? Value::of_uint(*v) : no_conversion(c, "uint");
}

Value bool_to_text(const Call& c) { return Value::string(c[0].integer != 0 ? "true" : "false"); }
Value bytes_to_text(const Call& c) {
  if (!valid_utf8(c.text(0)))
    return Value::error("invalid UTF-8 in bytes, cannot convert to string");
  return Value::string(c.text(0));
}
Value double_to_text(const Call& c) { return c.m.string(go_float(c[0].number)); }
Value duration_to_text(const Call& c) { return c.m.string(format_duration(c[0].integer)); }
Value int_to_text(const Call& c) { return c.m.string(std::to_string(c[0].integer)); }
Value uint_to_text(const Call& c) { return c.m.string(std::to_string(c[0].uinteger)); }
Value timestamp_to_text(const Call& c) { return c.m.string(format_timestamp(*c[0].timestamp)); }
Value ip_to_text(const Call& c) { return c.m.string(to_string(*c[0].ip)); }
Value cidr_to_text(const Call& c) { return c.m.string(to_string(*c[0].cidr)); }

Value to_timestamp(const Call& c, const Result<Timestamp>& t) {
  if (!t.ok()) return c.m.fail(t.error().message);
  Value v = Value::of_text(ValueKind::kTimestamp, {});
  v.timestamp = c.m.memory().make(*t);
  return v;
}
Value int_to_timestamp(const Call& c) { return to_timestamp(c, timestamp_of(c[0].integer)); }
Value text_to_timestamp(const Call& c) { return to_timestamp(c, parse_timestamp(c.text(0))); }

Value not_strictly_false(const Call& c) {
  return c[0].kind == ValueKind::kBool ? c[0] : Value::boolean(true);
}

constexpr NamedBound kConversions[] = {
    {"bool_to_bool", unary(unchanged)},
    {"string_to_bool", unary(text_to_bool)},
    {"bytes_to_bytes", unary(unchanged)},
    {"string_to_bytes", unary(text_to_bytes)},
    {"double_to_double", unary(unchanged)},
    {"int64_to_double", unary(int_to_double)},
    {"string_to_double", unary(text_to_double)},
    {"uint64_to_double", unary(uint_to_double)},
    {"duration_to_duration", unary(unchanged)},
    {"int64_to_duration", unary(int_to_duration)},
    {"string_to_duration", unary(text_to_duration)},
    {"int64_to_int64", unary(unchanged)},
    {"double_to_int64", unary(double_to_integer)},
    {"duration_to_int64", unary(duration_to_int)},
    {"string_to_int64", unary(text_to_int)},
    {"timestamp_to_int64", unary(timestamp_to_int)},
    {"uint64_to_int64", unary(uint_to_int)},
    {"string_to_string", unary(unchanged)},
    {"bool_to_string", unary(bool_to_text)},
    {"bytes_to_string", unary(bytes_to_text)},
    {"double_to_string", unary(double_to_text)},
    {"duration_to_string", unary(duration_to_text)},
    {"int64_to_string", unary(int_to_text)},
    {"timestamp_to_string", unary(timestamp_to_text)},
    {"uint64_to_string", unary(uint_to_text)},
    {"ip_to_string", unary(ip_to_text)},
    {"cidr_to_string", unary(cidr_to_text)},
    {"timestamp_to_timestamp", unary(unchanged)},
    {"int64_to_timestamp", unary(int_to_timestamp)},
    {"string_to_timestamp", unary(text_to_timestamp)},
    {"uint64_to_uint64", unary(unchanged)},
    {"double_to_uint64", unary(double_to_unsigned)},
    {"int64_to_uint64", unary(int_to_uint)},
    {"string_to_uint64", unary(text_to_uint)},
    {"not_strictly_false", {not_strictly_false, Arity::kUnary, false}},
    {"__not_strictly_false__", {not_strictly_false, Arity::kUnary, false}},
};

}  // namespace

Span<NamedBound> conversions() { return kConversions; }

}  // namespace libsched::cel
