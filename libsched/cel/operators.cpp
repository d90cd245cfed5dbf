// Operators and other functions that upstream binds once for all types.
#include <cmath>

#include "libsched/cel/functions.hpp"

namespace libsched::cel {
namespace {

constexpr Str kIntOverflow = "integer overflow";
constexpr Str kUintOverflow = "unsigned integer overflow";

// The error of an operator whose right side has the wrong type.
Value mismatch(const Value& right) { return right.is_error() ? right : Value::error(kNoOverload); }

Value new_timestamp(Machine& m, const Result<Timestamp>& t) {
  if (!t.ok()) return m.fail(t.error().message);
  Value v = Value::of_text(ValueKind::kTimestamp, {});
  v.timestamp = m.memory().make(*t);
  return v;
}

Value concatenated(const Call& c) {
  const Str a = c.text(0), b = c.text(1);
  if (!c.m.memory().fits(a.size() + b.size()) || !c.m.spend((a.size() + b.size()) / 8))
    return c.m.stop(kCostError);
  char* const out = static_cast<char*>(c.m.memory().allocate(a.size() + b.size()));
  std::copy(a.begin(), a.end(), out);
  std::copy(b.begin(), b.end(), out + a.size());
  return Value::of_text(c[0].kind, {out, a.size() + b.size()});
}

Value add_lists(const Call& c) {
  List* const left = c[0].list;
  const List* const right = c[1].list;
  if (left->is_mutable) {
    const uint32_t count = right->size;  // which may be the same list
    for (uint32_t i = 0; i < count; ++i) {
      const Value v = right->items[i];
      if (!c.m.append(left, v)) return c.m.stop_value();
    }
    return c[0];
  }
  if (left->size == 0) return c[1];
  if (right->size == 0) return c[0];
  List* const out = c.m.new_list(size_t{left->size} + right->size);
  if (out == nullptr) return c.m.stop_value();
  out->is_sum = true;
  for (const List* part : {static_cast<const List*>(left), right})
    for (uint32_t i = 0; i < part->size; ++i) out->items[out->size++] = part->items[i];
  return Value::of_list(out);
}

Value add(const Call& c) {
  const Value &a = c[0], &b = c[1];
  const bool is_duration = a.kind == ValueKind::kDuration;
  if (is_duration && b.kind == ValueKind::kTimestamp)
    return new_timestamp(c.m, add_duration(*b.timestamp, a.integer));
  if (a.kind == ValueKind::kTimestamp && b.kind == ValueKind::kDuration)
    return new_timestamp(c.m, add_duration(*a.timestamp, b.integer));
  if (a.kind == ValueKind::kTimestamp || a.kind != b.kind) return mismatch(b);
  switch (a.kind) {
    case ValueKind::kInt:
    case ValueKind::kDuration: {
      int64_t sum;
      if (__builtin_add_overflow(a.integer, b.integer, &sum)) return Value::error(kIntOverflow);
      return Value::of_integer(a.kind, sum);
    }
    case ValueKind::kUint: {
      uint64_t sum;
      if (__builtin_add_overflow(a.uinteger, b.uinteger, &sum)) return Value::error(kUintOverflow);
      return Value::of_uint(sum);
    }
    case ValueKind::kDouble: return Value::of_double(a.number + b.number);
    case ValueKind::kList: return add_lists(c);
    default: return concatenated(c);
  }
}

Value subtract(const Call& c) {
  const Value &a = c[0], &b = c[1];
  if (a.kind == ValueKind::kTimestamp) {
    if (b.kind == ValueKind::kDuration)
      return new_timestamp(c.m, subtract_duration(*a.timestamp, b.integer));
    if (b.kind != ValueKind::kTimestamp) return mismatch(b);
    const auto difference = cel::subtract(*a.timestamp, *b.timestamp);
    if (!difference.ok()) return c.m.fail(difference.error().message);
    return Value::of_integer(ValueKind::kDuration, *difference);
  }
  if (a.kind != b.kind) return mismatch(b);
  if (a.kind == ValueKind::kDouble) return Value::of_double(a.number - b.number);
  if (a.kind == ValueKind::kUint) {
    uint64_t out;
    if (__builtin_sub_overflow(a.uinteger, b.uinteger, &out)) return Value::error(kUintOverflow);
    return Value::of_uint(out);
  }
  int64_t out;
  if (__builtin_sub_overflow(a.integer, b.integer, &out)) return Value::error(kIntOverflow);
  return Value::of_integer(a.kind, out);
}

Value multiply(const Call& c) {
  const Value &a = c[0], &b = c[1];
  if (a.kind != b.kind) return mismatch(b);
  if (a.kind == ValueKind::kDouble) return Value::of_double(a.number * b.number);
  if (a.kind == ValueKind::kUint) {
    uint64_t out;
    if (__builtin_mul_overflow(a.uinteger, b.uinteger, &out)) return Value::error(kUintOverflow);
    return Value::of_uint(out);
  }
  int64_t out;
  if (__builtin_mul_overflow(a.integer, b.integer, &out)) return Value::error(kIntOverflow);
  return Value::of(out);
}

Value quotient(const Call& c, bool is_modulo) {
  const Value &a = c[0], &b = c[1];
  if (a.kind != b.kind) return mismatch(b);
  if (a.kind == ValueKind::kDouble) return Value::of_double(a.number / b.number);
  if (b.integer == 0) return Value::error(is_modulo ? "modulus by zero" : "division by zero");
  if (a.kind == ValueKind::kUint)
    return Value::of_uint(is_modulo ? a.uinteger % b.uinteger : a.uinteger / b.uinteger);
  if (a.integer == INT64_MIN && b.integer == -1) return Value::error(kIntOverflow);
  return Value::of(is_modulo ? a.integer % b.integer : a.integer / b.integer);
}
Value divide(const Call& c) { return quotient(c, false); }
Value modulo(const Call& c) { return quotient(c, true); }

Value negate(const Call& c) {
  const Value& v = c[0];
  if (v.kind == ValueKind::kBool) return Value::error(kNoOverload);
  if (v.kind == ValueKind::kDouble) return Value::of_double(-v.number);
  if (v.integer == INT64_MIN) return Value::error(kIntOverflow);
  return Value::of_integer(v.kind, -v.integer);
}

Value logical_not(const Call& c) {
  if (c[0].kind != ValueKind::kBool) return Value::error(kNoOverload);
  return Value::boolean(c[0].integer == 0);
}

// Tells whether the order of two values is one of those in `wanted`, as bits of order + 1.
template <int wanted>
Value ordered(const Call& c) {
  const Value order = compare(c.m, c[0], c[1]);
  if (order.kind != ValueKind::kInt) return order;
  return Value::boolean((wanted >> (order.integer + 1) & 1) != 0);
}

Value contains_value(const Call& c) {
  const Value& all = c[1];
  if (all.kind == ValueKind::kList) {
    for (uint32_t i = 0; i < all.list->size; ++i) {
      if (equal_by_left(c.m, c[0], all.list->items[i]).is_true()) return Value::boolean(true);
      if (c.m.stopped()) return c.m.stop_value();
    }
    return Value::boolean(false);
  }
  if (!all.is_map()) return Value::error(kNoOverload);
  Value map = all;
  // Here, unknown domains are not in the map.
  if (map.kind == ValueKind::kDomains) map.flags |= Value::kPlain;
  const bool is_key = c.m.look_up(map, c[0]).has_value();
  return c.m.stopped() ? c.m.stop_value() : Value::boolean(is_key);
}

Value size(const Call& c) { return Value::of(size_of(c.m, c[0])); }
Value type_of(const Call& c) { return Value::of_text(ValueKind::kType, type_name(c[0])); }
Value same(const Call& c) { return c[0]; }

Value matches(const Call& c) {
  if (c[0].kind != ValueKind::kString) return Value::error(kNoOverload);
  const Regex* re = c.regex;
  if (re == nullptr) {
    if (c[1].kind != ValueKind::kString) return Value::error(kNoOverload);
    std::string error;
    re = c.m.regex(c.text(1), &error);
    if (re == nullptr) return c.m.stopped() ? c.m.stop_value() : c.m.fail(error);
  }
  if (!c.m.spend(c.text(0).size() * re->byte_work())) return c.m.stop_value();
  return Value::boolean(re->matches(c.text(0)));
}

constexpr NamedTrait kOperators[] = {
    {"!_", kAnything, {logical_not, Arity::kUnary}},
    {"_+_", kAdder, {add, Arity::kBinary}},
    {"_-_", kSubtractor, {subtract, Arity::kBinary}},
    {"_*_", kMultiplier, {multiply, Arity::kBinary}},
    {"_/_", kDivider, {divide, Arity::kBinary}},
    {"_%_", kModder, {modulo, Arity::kBinary}},
    {"-_", kNegator, {negate, Arity::kUnary}},
    {"_<_", kComparer, {ordered<1>, Arity::kBinary}},
    {"_<=_", kComparer, {ordered<3>, Arity::kBinary}},
    {"_>_", kComparer, {ordered<4>, Arity::kBinary}},
    {"_>=_", kComparer, {ordered<6>, Arity::kBinary}},
    {"@in", kAnything, {contains_value, Arity::kBinary}},
    {"size", kSizer, {size, Arity::kUnary}},
    {"type", kAnything, {type_of, Arity::kUnary}},
    {"dyn", kAnything, {same, Arity::kUnary}},
    {"matches", kMatcher, {matches, Arity::kBinary}},
    {"sort", kLister, {sort_list, Arity::kUnary}},
    {"@sortByAssociatedKeys", kLister, {sort_by_keys, Arity::kBinary}},
};

}  // namespace

Span<NamedTrait> operators() { return kOperators; }

}  // namespace libsched::cel
