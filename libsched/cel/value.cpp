// Names of types, equality and order of values.
#include "libsched/cel/value.hpp"

#include <cmath>

#include "libsched/cel/lib/format.hpp"
#include "libsched/cel/machine.hpp"

namespace libsched::cel {
namespace {

int sign(bool less, bool greater) { return static_cast<int>(greater) - static_cast<int>(less); }

int compare_double_int(double d, int64_t i) {
  if (d < -0x1p63) return -1;
  if (d > 0x1p63) return 1;
  const auto other = static_cast<double>(i);
  return sign(d<other, d> other);
}

int compare_double_uint(double d, uint64_t u) {
  if (d < 0) return -1;
  if (d > 0x1p64) return 1;
  const auto other = static_cast<double>(u);
  return sign(d<other, d> other);
}

int compare_int_uint(int64_t i, uint64_t u) {
  if (i < 0 || u >> 63 != 0) return -1;
  return sign(i<static_cast<int64_t>(u), i> static_cast<int64_t>(u));
}

bool is_number(const Value& v) {
  return v.kind == ValueKind::kInt || v.kind == ValueKind::kUint || v.kind == ValueKind::kDouble;
}

// Of two numbers, neither NaN.
int compare_numbers(const Value& a, const Value& b) {
  if (a.kind == b.kind) {
    if (a.kind == ValueKind::kInt) return sign(a.integer<b.integer, a.integer> b.integer);
    if (a.kind == ValueKind::kUint) return sign(a.uinteger<b.uinteger, a.uinteger> b.uinteger);
    return sign(a.number<b.number, a.number> b.number);
  }
  if (a.kind == ValueKind::kDouble)
    return b.kind == ValueKind::kInt ? compare_double_int(a.number, b.integer)
                                     : compare_double_uint(a.number, b.uinteger);
  if (b.kind == ValueKind::kDouble) return -compare_numbers(b, a);
  return a.kind == ValueKind::kInt ? compare_int_uint(a.integer, b.uinteger)
                                   : -compare_int_uint(b.integer, a.uinteger);
}

bool is_nan(const Value& v) { return v.kind == ValueKind::kDouble && std::isnan(v.number); }

Value equal_lists(Machine& m, const List& a, const List& b) {
  if (a.size != b.size) return Value::boolean(false);
  Value error = Value::boolean(true);
  for (uint32_t i = 0; i < a.size; ++i) {
    const Value same = equal(m, a.items[i], b.items[i]);
    if (same.is_false() || m.stopped()) return same;
    if (a.is_sum && same.is_error() && !error.is_error()) error = same;
  }
  return error;
}

Value equal_maps(Machine& m, const Value& a, const Value& b) {
  Map* const left = m.whole(a);
  Map* const right = left == nullptr ? nullptr : m.whole(b);
  if (right == nullptr) return m.stop_value();
  if (left->size != right->size) return Value::boolean(false);
  for (uint32_t i = 0; i < left->size; ++i) {
    const auto other = m.look_up(b, left->keys[i]);
    if (!other) return Value::boolean(false);
    const Value same = equal(m, left->values[i], *other);
    if (same.is_false() || m.stopped()) return same;
  }
  return Value::boolean(true);
}

// Of objects of Kubernetes' libraries, which compare only with their own type.
Value equal_objects(Machine& m, const Value& a, const Value& b) {
  const bool is_pointer = b.kind == ValueKind::kQuantity && (b.flags & Value::kPointer) != 0;
  if (b.kind != a.kind || is_pointer) return Value::error(kNoOverload);
  if (!m.spend(a.text_bytes() / 8)) return m.stop_value();
  switch (a.kind) {
    case ValueKind::kQuantity:
      return Value::boolean(a.quantity->value.compare(b.quantity->value) == 0);
    case ValueKind::kSemver: return Value::boolean(compare(*a.semver, *b.semver) == 0);
    case ValueKind::kUrl: return Value::boolean(a.url->text == b.url->text);
    case ValueKind::kIp: return Value::boolean(*a.ip == *b.ip);
    case ValueKind::kCidr: return Value::boolean(*a.cidr == *b.cidr);
    default: {
      const auto title = [](const Value& v) {
        return formats()[static_cast<size_t>(v.integer)].title;
      };
      return Value::boolean(title(a) == title(b));
    }
  }
}

Value equal_inside(Machine& m, const Value& a, const Value& b) {
  if (a.is_error()) return a;
  if (is_number(a) && is_number(b))
    return Value::boolean(!is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0);
  if (a.kind >= ValueKind::kQuantity && a.kind <= ValueKind::kFormat) return equal_objects(m, a, b);
  if (a.is_map()) return b.is_map() ? equal_maps(m, a, b) : Value::boolean(false);
  if (a.kind != b.kind) return Value::boolean(false);
  switch (a.kind) {
    case ValueKind::kNull:
    case ValueKind::kEmpty: return Value::boolean(true);
    case ValueKind::kString:
    case ValueKind::kBytes:
      if (!m.spend(a.size / 16)) return m.stop_value();
      return Value::boolean(a.text() == b.text());
    case ValueKind::kType: return Value::boolean(a.text() == b.text());
    case ValueKind::kTimestamp: return Value::boolean(compare(*a.timestamp, *b.timestamp) == 0);
    case ValueKind::kList: return equal_lists(m, *a.list, *b.list);
    case ValueKind::kOptional:
      if (a.inner == nullptr || b.inner == nullptr) return Value::boolean(a.inner == b.inner);
      return equal_by_left(m, *a.inner, *b.inner);
    default: return Value::boolean(a.integer == b.integer);
  }
}

}  // namespace

size_t Value::text_bytes() const {
  switch (kind) {
    case ValueKind::kString:
    case ValueKind::kBytes: return size;
    case ValueKind::kSemver: return semver->pre.size() + semver->build.size();
    case ValueKind::kUrl: return url->source.size() + url->text.size();
    default: return 0;
  }
}

Str type_name(const Value& v) {
  switch (v.kind) {
    case ValueKind::kError: return "error";
    case ValueKind::kNull: return "null_type";
    case ValueKind::kBool: return "bool";
    case ValueKind::kInt: return "int";
    case ValueKind::kUint: return "uint";
    case ValueKind::kDouble: return "double";
    case ValueKind::kString: return "string";
    case ValueKind::kBytes: return "bytes";
    case ValueKind::kDuration: return "google.protobuf.Duration";
    case ValueKind::kTimestamp: return "google.protobuf.Timestamp";
    case ValueKind::kList: return "list";
    case ValueKind::kType: return "type";
    case ValueKind::kOptional: return "optional_type";
    case ValueKind::kEmpty: return "google.protobuf.Empty";
    case ValueKind::kQuantity: return "kubernetes.Quantity";
    case ValueKind::kSemver: return "kubernetes.Semver";
    case ValueKind::kUrl: return "kubernetes.URL";
    case ValueKind::kIp: return "net.IP";
    case ValueKind::kCidr: return "net.CIDR";
    case ValueKind::kFormat: return "kubernetes.NamedFormat";
    default: return "map";
  }
}

Str go_type_name(const Value& v) {
  switch (v.kind) {
    case ValueKind::kError: return "*types.Err";
    case ValueKind::kNull: return "types.Null";
    case ValueKind::kBool: return "types.Bool";
    case ValueKind::kInt: return "types.Int";
    case ValueKind::kUint: return "types.Uint";
    case ValueKind::kDouble: return "types.Double";
    case ValueKind::kString: return "types.String";
    case ValueKind::kBytes: return "types.Bytes";
    case ValueKind::kDuration: return "types.Duration";
    case ValueKind::kTimestamp: return "types.Timestamp";
    case ValueKind::kList:
      return v.list->is_sum       ? "*types.concatList"
             : v.list->is_mutable ? "*types.mutableList"
                                  : "*types.baseList";
    case ValueKind::kType: return "*types.Type";
    case ValueKind::kOptional: return "*types.Optional";
    case ValueKind::kEmpty: return "*types.protoObj";
    case ValueKind::kQuantity:
      return (v.flags & Value::kPointer) != 0 ? "*cel.Quantity" : "cel.Quantity";
    case ValueKind::kSemver: return "cel.Semver";
    case ValueKind::kUrl: return "cel.URL";
    case ValueKind::kIp: return "cel.IP";
    case ValueKind::kCidr: return "cel.CIDR";
    case ValueKind::kFormat: return "cel.Format";
    case ValueKind::kDomains: return "cel.mapper";
    default: return "*types.baseMap";
  }
}

Value equal(Machine& m, const Value& a, const Value& b) {
  const bool null_a = a.kind == ValueKind::kNull, null_b = b.kind == ValueKind::kNull;
  if (null_a || null_b) return Value::boolean(null_a == null_b);
  return equal_by_left(m, a, b);
}

Value equal_by_left(Machine& m, const Value& a, const Value& b) {
  if (!m.spend(6) || !m.enter()) return m.stop_value();
  const Value out = equal_inside(m, a, b);
  m.leave();
  return out;
}

Value compare(Machine& m, const Value& a, const Value& b) {
  if (is_number(a)) {
    if (a.kind == ValueKind::kDouble && std::isnan(a.number))
      return Value::error("NaN values cannot be ordered");
    if (is_nan(b)) return Value::error("NaN values cannot be ordered");
    if (!is_number(b)) return b.is_error() ? b : Value::error(kNoOverload);
    return Value::of(compare_numbers(a, b));
  }
  if (a.kind != b.kind) return b.is_error() ? b : Value::error(kNoOverload);
  switch (a.kind) {
    case ValueKind::kBool:
    case ValueKind::kDuration: return Value::of(sign(a.integer<b.integer, a.integer> b.integer));
    case ValueKind::kString:
    case ValueKind::kBytes: {
      if (!m.spend(std::min(a.size, b.size) / 16)) return m.stop_value();
      const int order = a.text().compare(b.text());
      return Value::of(sign(order < 0, order > 0));
    }
    case ValueKind::kTimestamp: return Value::of(compare(*a.timestamp, *b.timestamp));
    default: return Value::error(kNoOverload);
  }
}

}  // namespace libsched::cel
