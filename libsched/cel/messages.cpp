// The messages, their fields, and how values become them.
#include "libsched/cel/messages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libsched/base/base64.hpp"
#include "libsched/cel/any_message.hpp"
#include "libsched/cel/lib/duration.hpp"

namespace libsched::cel {
namespace {

constexpr MessageField kBool[] = {{"value", "bool", "bool"}};
constexpr MessageField kBytes[] = {{"value", "bytes", "[]uint8"}};
constexpr MessageField kDouble[] = {{"value", "double", "float64"}};
constexpr MessageField kFloat[] = {{"value", "double", "float32"}};
constexpr MessageField kInt32[] = {{"value", "int", "int32"}};
constexpr MessageField kInt64[] = {{"value", "int", "int64"}};
constexpr MessageField kString[] = {{"value", "string", "string"}};
constexpr MessageField kUint32[] = {{"value", "uint", "uint32"}};
constexpr MessageField kUint64[] = {{"value", "uint", "uint64"}};
constexpr MessageField kList[] = {{"values", "list(dyn)", "*structpb.ListValue"}};
constexpr MessageField kStruct[] = {{"fields", "map(string, dyn)", "*structpb.Struct"}};
constexpr MessageField kValue[] = {{"null_value", "int", "int32"},
                                   {"number_value", "double", "float64"},
                                   {"string_value", "string", "string"},
                                   {"bool_value", "bool", "bool"},
                                   {"struct_value", "map(string, dyn)", "*structpb.Struct"},
                                   {"list_value", "list(dyn)", "*structpb.ListValue"}};
constexpr MessageField kTime[] = {{"seconds", "int", "int64"}, {"nanos", "int", "int32"}};
constexpr MessageField kAny[] = {{"type_url", "string", "string"}, {"value", "bytes", "[]uint8"}};
constexpr MessageField kDevice[] = {{"driver", "string", ""},
                                    {"allowMultipleAllocations", "bool", ""},
                                    {"attributes", "attributes", ""},
                                    {"capacity", "capacity", ""}};

constexpr Message kMessages[] = {
    {"google.protobuf.BoolValue", "bool", true, kBool},
    {"google.protobuf.BytesValue", "bytes", true, kBytes},
    {"google.protobuf.DoubleValue", "double", true, kDouble},
    {"google.protobuf.FloatValue", "double", true, kFloat},
    {"google.protobuf.Int32Value", "int", true, kInt32},
    {"google.protobuf.Int64Value", "int", true, kInt64},
    {"google.protobuf.StringValue", "string", true, kString},
    {"google.protobuf.UInt32Value", "uint", true, kUint32},
    {"google.protobuf.UInt64Value", "uint", true, kUint64},
    {"google.protobuf.ListValue", "list(dyn)", false, kList},
    {"google.protobuf.Struct", "map(string, dyn)", false, kStruct},
    {"google.protobuf.Value", "dyn", false, kValue},
    {"google.protobuf.Duration", "google.protobuf.Duration", false, kTime},
    {"google.protobuf.Timestamp", "google.protobuf.Timestamp", false, kTime},
    {"google.protobuf.Empty", "google.protobuf.Empty", false, {}},
    {"google.protobuf.Any", "google.protobuf.Any", false, kAny},
    {"kubernetes.DRADevice", "kubernetes.DRADevice", false, kDevice},
};

const Type* type_of_text(Str text, Arena& arena, bool is_wrapper) {
  for (int k = 0; k <= static_cast<int>(TypeKind::kTimestamp); ++k) {
    const Type* const t = simple_type(static_cast<TypeKind>(k));
    if (t->name != text) continue;
    if (!is_wrapper) return t;
    Type* const wrapper = arena.make<Type>();
    *wrapper = *t;
    wrapper->is_wrapper = true;
    return wrapper;
  }
  const Type* const string = simple_type(TypeKind::kString);
  if (text == "list(dyn)") return make_list_type(arena, simple_type(TypeKind::kDyn));
  if (text == "map(string, dyn)") return make_map_type(arena, string, simple_type(TypeKind::kDyn));
  if (text == "attributes" || text == "capacity") {
    const Type* const inner =
        text == "attributes" ? simple_type(TypeKind::kAny)
                             : make_named_type(arena, TypeKind::kStruct, "kubernetes.Quantity");
    return make_map_type(arena, string, make_map_type(arena, string, inner));
  }
  return make_named_type(arena, TypeKind::kStruct, text);
}

// Optional values become what is in them.
const Value& inside(const Value& v) {
  const Value* out = &v;
  while (out->kind == ValueKind::kOptional && out->inner != nullptr) out = out->inner;
  return *out;
}

// The value as JSON has it: numbers are doubles, what JSON lacks are texts.
Value to_json(Machine& m, const Value& value) {
  const Value& v = inside(value);
  if (!m.spend(8) || !m.enter()) return m.stop_value();
  constexpr double kExact = 9007199254740991;
  Value out = v;
  switch (v.kind) {
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kDouble:
    case ValueKind::kString: break;
    case ValueKind::kInt: {
      const auto d = static_cast<double>(v.integer);
      out = std::abs(d) <= kExact ? Value::of_double(d) : m.string(std::to_string(v.integer));
      break;
    }
    case ValueKind::kUint: {
      const auto d = static_cast<double>(v.uinteger);
      out = d <= kExact ? Value::of_double(d) : m.string(std::to_string(v.uinteger));
      break;
    }
    case ValueKind::kBytes: out = m.string(base64(v.text())); break;
    case ValueKind::kDuration: out = m.string(format_duration(v.integer)); break;
    case ValueKind::kTimestamp: out = m.string(format_timestamp(*v.timestamp)); break;
    case ValueKind::kList: {
      List* const list = m.new_list(v.list->size);
      for (uint32_t i = 0; list != nullptr && i < v.list->size; ++i) {
        const Value element = to_json(m, v.list->items[i]);
        if (element.is_error()) return element;
        list->items[list->size++] = element;
      }
      out = list == nullptr ? m.stop_value() : Value::of_list(list);
      break;
    }
    case ValueKind::kEmpty: {
      Map* const map = m.new_map(0);
      out = map == nullptr ? m.stop_value() : Value::of_map(map);
      break;
    }
    default: {
      if (!v.is_map()) return m.fail(native_error(v, "*structpb.Value"));
      const Map* const all = m.whole(v);
      Map* const map = all == nullptr ? nullptr : m.new_map(all->size);
      for (uint32_t i = 0; map != nullptr && i < all->size; ++i) {
        if (all->keys[i].kind != ValueKind::kString)
          return m.fail(native_error(all->keys[i], "string"));
        const Value entry = to_json(m, all->values[i]);
        if (entry.is_error()) return entry;
        if (!m.put(map, all->keys[i], entry)) return m.stop_value();
      }
      out = map == nullptr ? m.stop_value() : Value::of_map(map);
    }
  }
  m.leave();
  return m.stopped() ? m.stop_value() : out;
}

// The value that the field gets, or the error of one that does not fit.
Value to_field(Machine& m, const MessageField& field, const Value& v) {
  const auto is = [&](ValueKind kind) { return v.kind == kind; };
  const Str type = field.type;
  if (type == "list(dyn)" || type == "map(string, dyn)") {
    const bool fits = type == "list(dyn)" ? is(ValueKind::kList) : v.is_map();
    // An error without text: upstream's is about the field, not about a conversion.
    return fits ? to_json(m, v) : Value::error("");
  }
  const bool fits =
      (type == "bool" && is(ValueKind::kBool)) || (type == "int" && is(ValueKind::kInt)) ||
      (type == "uint" && is(ValueKind::kUint)) || (type == "double" && is(ValueKind::kDouble)) ||
      (type == "string" && is(ValueKind::kString)) || (type == "bytes" && is(ValueKind::kBytes));
  if (!fits) return m.fail(native_error(v, field.native));
  if (field.native == "int32" && v.integer != static_cast<int32_t>(v.integer))
    return Value::error("integer overflow");
  if (field.native == "uint32" && v.uinteger != static_cast<uint32_t>(v.uinteger))
    return Value::error("unsigned integer overflow");
  if (field.native != "float32") return v;
  // A float that is too large is infinite.
  const bool is_large = std::abs(v.number) >= 0x1.ffffffp127;
  return Value::of_double(is_large ? std::copysign(HUGE_VAL, v.number)
                                   : static_cast<double>(static_cast<float>(v.number)));
}

Value zero_of(Machine& m, Str type) {
  if (type == "bool") return Value::boolean(false);
  if (type == "int") return Value::of(0);
  if (type == "uint") return Value::of_uint(0);
  if (type == "double") return Value::of_double(0);
  if (type == "string") return Value::string("");
  if (type == "bytes") return Value::of_text(ValueKind::kBytes, "");
  if (type == "list(dyn)") return Value::of_list(m.new_list(0));
  if (type == "map(string, dyn)") return Value::of_map(m.new_map(0));
  return {};
}

// Seconds and nanoseconds, cut off at what a duration holds.
int64_t nanoseconds(int64_t seconds, int64_t nanos) {
  int64_t out = 0;
  if (__builtin_mul_overflow(seconds, int64_t{1'000'000'000}, &out) ||
      __builtin_add_overflow(out, nanos, &out))
    return seconds < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  return out;
}

}  // namespace

const Message* find_message(Str name) {
  for (const Message& message : kMessages)
    if (message.name == name) return &message;
  return nullptr;
}

Value make_time(Machine& m, bool is_duration, int64_t seconds, int64_t nanos) {
  if (is_duration) return Value::of_integer(ValueKind::kDuration, nanoseconds(seconds, nanos));
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t rest = nanos % kSecond;
  seconds += nanos / kSecond - (rest < 0 ? 1 : 0);
  rest += rest < 0 ? kSecond : 0;
  Value v = Value::of_text(ValueKind::kTimestamp, {});
  v.timestamp = m.memory().make(Timestamp{seconds, static_cast<int32_t>(rest), 0});
  return v;
}

const MessageField* find_field(const Message& message, Str name) {
  for (const MessageField& field : message.fields)
    if (field.name == name) return &field;
  return nullptr;
}

const Type* message_type(const Message& message, Arena& arena) {
  return type_of_text(message.type, arena, message.is_wrapper);
}

const Type* field_type(const MessageField& field, Arena& arena) {
  return type_of_text(field.type, arena, false);
}

Value make_message(Machine& m, const Message& message, Span<const Value*> given) {
  if (message.name == "kubernetes.DRADevice") return m.fail("unknown type '", message.name, "'");
  if (message.name == "google.protobuf.Empty") return Value::of_integer(ValueKind::kEmpty, 0);
  std::vector<Value> values(message.fields.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = Value::error("");
    if (given[i] == nullptr) continue;
    values[i] = to_field(m, message.fields[i], inside(*given[i]));
    if (m.stopped()) return m.stop_value();
    if (values[i].is_error() && values[i].size == 0)
      return m.fail("unsupported field type for " + std::string(message.name) + '.' +
                    std::string(message.fields[i].name) + ": " + std::string(type_name(*given[i])));
    if (values[i].is_error())
      return m.fail("field type conversion error for " + std::string(message.name) + '.' +
                    std::string(message.fields[i].name) +
                    " value type: " + std::string(values[i].text()));
  }
  if (message.name == "google.protobuf.Any") {
    const auto field = [&](size_t i) { return values[i].is_error() ? Str() : values[i].text(); };
    return value_of_any(m, field(0), field(1));
  }
  if (message.name == "google.protobuf.Value") {
    // One of the fields; upstream sets them in any order, and the last one stays.
    for (size_t i = values.size(); i-- > 1;)
      if (!values[i].is_error()) return values[i];
    return {};
  }
  if (message.fields.size() == 2) {
    const auto number = [&](size_t i) { return values[i].is_error() ? 0 : values[i].integer; };
    return make_time(m, message.name == "google.protobuf.Duration", number(0), number(1));
  }
  return values[0].is_error() ? zero_of(m, message.fields[0].type) : values[0];
}

std::string native_error(const Value& v, Str native) {
  const std::string to(native);
  const auto of = [&](Str type) {
    return "type conversion error from '" + std::string(type) + "' to '" + to + "'";
  };
  switch (v.kind) {
    case ValueKind::kString: return "unsupported native conversion from string to '" + to + "'";
    case ValueKind::kInt:
    case ValueKind::kUint:
      return "unsupported type conversion from '" + std::string(type_name(v)) + "' to " + to;
    case ValueKind::kDouble: return "type conversion error from Double to '" + to + "'";
    case ValueKind::kBool: return "type conversion error from bool to '" + to + "'";
    case ValueKind::kBytes: return "type conversion error from Bytes to '" + to + "'";
    case ValueKind::kList: return "type conversion error from list to '" + to + "'";
    case ValueKind::kSemver: return of("Semver");
    case ValueKind::kQuantity: return of("Quantity");
    case ValueKind::kUrl: return of("URL");
    case ValueKind::kIp: return of("IP");
    case ValueKind::kCidr: return of("CIDR");
    case ValueKind::kFormat: return of("Format");
    case ValueKind::kTimestamp: return of("Timestamp");
    case ValueKind::kDuration: return of("Duration");
    case ValueKind::kNull: return of("null_type");
    case ValueKind::kEmpty: return of("*dynamicpb.Message");
    case ValueKind::kType: return "type conversion not supported for 'type'";
    case ValueKind::kOptional: return "optional.none() dereference";
    case ValueKind::kError: return std::string(v.text());
    default: return "type conversion error from map to '" + to + "'";
  }
}

}  // namespace libsched::cel
