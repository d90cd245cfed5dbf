// Kubernetes' quantities, semantic versions and named formats.
#include "libsched/cel/functions.hpp"
#include "libsched/cel/lib/format.hpp"

namespace libsched::cel {
namespace {

Value of_quantity(Machine& m, const QuantityValue& q, uint8_t flags) {
  Value v = Value::of_text(ValueKind::kQuantity, {}, flags);
  v.quantity = m.memory().make(q);
  return v;
}

const Quantity& quantity_of(const Value& v) { return v.quantity->value; }

Value quantity(const Call& c) {
  if (!c.m.spend(c.text(0).size() * 4)) return c.m.stop_value();
  const auto q = Quantity::parse(c.text(0));
  if (!q.ok()) return c.m.fail(q.error().message);
  return of_quantity(c.m, {*q, c.text(0)}, 0);
}
Value is_quantity(const Call& c) {
  if (!c.m.spend(c.text(0).size() * 4)) return c.m.stop_value();
  return Value::boolean(Quantity::parse(c.text(0)).ok());
}

Value quantity_sign(const Call& c) { return Value::of(quantity_of(c[0]).sign()); }
Value as_float(const Call& c) { return Value::of_double(quantity_of(c[0]).approximate()); }
Value is_integer(const Call& c) {
  return Value::boolean(quantity_of(c[0]).exact_int().has_value());
}
Value as_integer(const Call& c) {
  const auto exact = quantity_of(c[0]).exact_int();
  return exact ? Value::of(*exact) : Value::error("cannot convert value to integer");
}

int order(const Call& c) { return quantity_of(c[0]).compare(quantity_of(c[1])); }
Value quantity_greater(const Call& c) { return Value::boolean(order(c) > 0); }
Value quantity_less(const Call& c) { return Value::boolean(order(c) < 0); }
Value quantity_compare(const Call& c) { return Value::of(order(c)); }

template <bool adds>
Value quantity_sum(const Call& c) {
  const bool is_int = c[1].kind == ValueKind::kInt;
  const QuantityValue right =
      is_int ? QuantityValue{Quantity::from_int(c[1].integer), "1e0"} : *c[1].quantity;
  QuantityValue out = *c[0].quantity;
  // A zero takes over how the other is written.
  if (out.value.is_zero()) out.written = right.written;
  if (!c.m.spend(100)) return c.m.stop_value();
  if constexpr (adds)
    out.value.add(right.value);
  else
    out.value.subtract(right.value);
  return of_quantity(c.m, out, Value::kPointer);
}

Value semver(const Call& c) {
  if (!c.m.spend(c.text(0).size() * 4)) return c.m.stop_value();
  const bool normalize = c.args.size() == 2 && c[1].integer != 0;
  const auto version = parse_semver(c.text(0), normalize);
  if (!version.ok()) return c.m.fail(version.error().message);
  Value v = Value::of_text(ValueKind::kSemver, {});
  v.semver = c.m.memory().make(*version);
  return v;
}
Value is_semver(const Call& c) {
  if (!c.m.spend(c.text(0).size() * 4)) return c.m.stop_value();
  return Value::boolean(parse_semver(c.text(0), c.args.size() == 2 && c[1].integer != 0).ok());
}

Value major(const Call& c) { return Value::of(static_cast<int64_t>(c[0].semver->major)); }
Value minor(const Call& c) { return Value::of(static_cast<int64_t>(c[0].semver->minor)); }
Value patch(const Call& c) { return Value::of(static_cast<int64_t>(c[0].semver->patch)); }
int semver_order(const Call& c) { return compare(*c[0].semver, *c[1].semver); }
Value semver_greater(const Call& c) { return Value::boolean(semver_order(c) > 0); }
Value semver_less(const Call& c) { return Value::boolean(semver_order(c) < 0); }
Value semver_compare(const Call& c) { return Value::of(semver_order(c)); }

Value of_format(Format f) { return Value::of_integer(ValueKind::kFormat, static_cast<int64_t>(f)); }
template <Format f>
Value constant_format(const Call& /*c*/) {
  return of_format(f);
}
Value named_format(const Call& c) {
  const auto f = format_named(c.text(0));
  return f ? c.m.some(of_format(*f)) : kNoValue;
}
Value validate_text(const Call& c) {
  if (!c.m.spend(c.text(1).size() * 16)) return c.m.stop_value();
  const auto errors = validate(static_cast<Format>(c[0].integer), c.text(1));
  if (errors.empty()) return kNoValue;
  const Value list = c.m.strings({errors.begin(), errors.end()});
  return c.m.stopped() ? c.m.stop_value() : c.m.some(list);
}

constexpr Bound of_no_arguments(Implementation run) { return {run, Arity::kAny, true}; }

constexpr NamedBound kKubernetesFunctions[] = {
    {"string_to_quantity", unary(quantity)},
    {"is_quantity_string", unary(is_quantity)},
    {"quantity_sign", unary(quantity_sign)},
    {"quantity_get_float", unary(as_float)},
    {"quantity_get_int", unary(as_integer)},
    {"quantity_is_integer", unary(is_integer)},
    {"quantity_is_greater_than", binary(quantity_greater)},
    {"quantity_is_less_than", binary(quantity_less)},
    {"quantity_compare_to", binary(quantity_compare)},
    {"quantity_add", binary(quantity_sum<true>)},
    {"quantity_add_int", binary(quantity_sum<true>)},
    {"quantity_sub", binary(quantity_sum<false>)},
    {"quantity_sub_int", binary(quantity_sum<false>)},
    {"string_to_semver", unary(semver)},
    {"string_bool_to_semver", binary(semver)},
    {"is_semver_string", unary(is_semver)},
    {"is_semver_string_bool", binary(is_semver)},
    {"semver_major", unary(major)},
    {"semver_minor", unary(minor)},
    {"semver_patch", unary(patch)},
    {"semver_is_greater_than", binary(semver_greater)},
    {"semver_is_less_than", binary(semver_less)},
    {"semver_compare_to", binary(semver_compare)},
    {"format-named", unary(named_format)},
    {"format-validate", binary(validate_text)},
    {"format.byte", of_no_arguments(constant_format<Format::kByte>)},
    {"format.date", of_no_arguments(constant_format<Format::kDate>)},
    {"format.datetime", of_no_arguments(constant_format<Format::kDatetime>)},
    {"format.dns1035Label", of_no_arguments(constant_format<Format::kDns1035Label>)},
    {"format.dns1035LabelPrefix", of_no_arguments(constant_format<Format::kDns1035LabelPrefix>)},
    {"format.dns1123Label", of_no_arguments(constant_format<Format::kDns1123Label>)},
    {"format.dns1123LabelPrefix", of_no_arguments(constant_format<Format::kDns1123LabelPrefix>)},
    {"format.dns1123Subdomain", of_no_arguments(constant_format<Format::kDns1123Subdomain>)},
    {"format.dns1123SubdomainPrefix",
     of_no_arguments(constant_format<Format::kDns1123SubdomainPrefix>)},
    {"format.labelValue", of_no_arguments(constant_format<Format::kLabelValue>)},
    {"format.qualifiedName", of_no_arguments(constant_format<Format::kQualifiedName>)},
    {"format.uri", of_no_arguments(constant_format<Format::kUri>)},
    {"format.uuid", of_no_arguments(constant_format<Format::kUuid>)},
};

}  // namespace

Span<NamedBound> kubernetes_functions() { return kKubernetesFunctions; }

}  // namespace libsched::cel
