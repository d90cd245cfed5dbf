// Functions of optional values; or() and orValue() are operations of the evaluator.
#include "libsched/cel/functions.hpp"

namespace libsched::cel {
namespace {

bool is_zero(Machine& m, const Value& v) {
  switch (v.kind) {
    case ValueKind::kNull:
    case ValueKind::kEmpty: return true;
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDuration: return v.integer == 0;
    case ValueKind::kDouble: return v.number == 0;
    case ValueKind::kString:
    case ValueKind::kBytes: return v.size == 0;
    case ValueKind::kList: return v.list->size == 0;
    // Go's zero time is the start of the year 1 in UTC.
    case ValueKind::kTimestamp:
      return v.timestamp->seconds == -62135596800 && v.timestamp->nanoseconds == 0;
    default: return v.is_map() && size_of(m, v) == 0;
  }
}

Value none(const Call& /*c*/) { return kNoValue; }
Value of(const Call& c) { return c.m.some(c[0]); }
Value of_non_zero(const Call& c) { return is_zero(c.m, c[0]) ? kNoValue : c.m.some(c[0]); }
Value has_value(const Call& c) { return Value::boolean(c[0].inner != nullptr); }
Value value(const Call& c) {
  return c[0].inner != nullptr ? *c[0].inner : Value::error("optional.none() dereference");
}

Value first(const Call& c) {
  const List& list = *c[0].list;
  return list.size == 0 ? kNoValue : c.m.some(list.items[0]);
}
Value last(const Call& c) {
  const List& list = *c[0].list;
  return list.size == 0 ? kNoValue : c.m.some(list.items[list.size - 1]);
}

Value unwrap(const Call& c) {
  const List& list = *c[0].list;
  List* const out = c.m.new_list(list.size);
  if (out == nullptr) return c.m.stop_value();
  for (uint32_t i = 0; i < list.size; ++i) {
    const Value& v = list.items[i];
    if (v.kind != ValueKind::kOptional)
      return c.m.fail("value ", go_text(c.m, v), " is not optional");
    if (v.inner != nullptr) out->items[out->size++] = *v.inner;
  }
  return Value::of_list(out);
}

constexpr NamedBound kOptionalFunctions[] = {
    {"optional_none", {none, Arity::kAny}},
    {"optional_of", {of, Arity::kUnary}},
    {"optional_ofNonZeroValue", {of_non_zero, Arity::kUnary}},
    {"optional_hasValue", {has_value, Arity::kUnary}},
    {"optional_value", {value, Arity::kUnary}},
    {"optional_unwrap", {unwrap, Arity::kUnary}},
    {"optional_unwrapOpt", {unwrap, Arity::kUnary}},
    {"list_first", {first, Arity::kUnary}},
    {"list_last", {last, Arity::kUnary}},
};

}  // namespace

Span<NamedBound> optional_functions() { return kOptionalFunctions; }

}  // namespace libsched::cel
