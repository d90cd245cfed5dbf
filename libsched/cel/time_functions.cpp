// Parts of timestamps and durations.
#include "libsched/cel/functions.hpp"
#include "libsched/cel/lib/duration.hpp"

namespace libsched::cel {
namespace {

template <TimePart part>
Value of_timestamp(const Call& c) {
  if (c.args.size() == 1) return Value::of(time_part(part, *c[0].timestamp));
  const auto value = time_part(part, *c[0].timestamp, c.text(1));
  return value.ok() ? Value::of(*value) : c.m.fail(value.error().message);
}

template <int64_t (*part)(int64_t)>
Value of_duration(const Call& c) {
  return Value::of(part(c[0].integer));
}

constexpr NamedBound kTimeFunctions[] = {
    {"timestamp_to_year", {of_timestamp<TimePart::kFullYear>, Arity::kUnary}},
    {"timestamp_to_year_with_tz", {of_timestamp<TimePart::kFullYear>, Arity::kBinary}},
    {"timestamp_to_month", {of_timestamp<TimePart::kMonth>, Arity::kUnary}},
    {"timestamp_to_month_with_tz", {of_timestamp<TimePart::kMonth>, Arity::kBinary}},
    {"timestamp_to_day_of_year", {of_timestamp<TimePart::kDayOfYear>, Arity::kUnary}},
    {"timestamp_to_day_of_year_with_tz", {of_timestamp<TimePart::kDayOfYear>, Arity::kBinary}},
    {"timestamp_to_day_of_month", {of_timestamp<TimePart::kDayOfMonth>, Arity::kUnary}},
    {"timestamp_to_day_of_month_with_tz", {of_timestamp<TimePart::kDayOfMonth>, Arity::kBinary}},
    {"timestamp_to_day_of_month_1_based", {of_timestamp<TimePart::kDate>, Arity::kUnary}},
    {"timestamp_to_day_of_month_1_based_with_tz", {of_timestamp<TimePart::kDate>, Arity::kBinary}},
    {"timestamp_to_day_of_week", {of_timestamp<TimePart::kDayOfWeek>, Arity::kUnary}},
    {"timestamp_to_day_of_week_with_tz", {of_timestamp<TimePart::kDayOfWeek>, Arity::kBinary}},
    {"timestamp_to_hours", {of_timestamp<TimePart::kHours>, Arity::kUnary}},
    {"timestamp_to_hours_with_tz", {of_timestamp<TimePart::kHours>, Arity::kBinary}},
    {"timestamp_to_minutes", {of_timestamp<TimePart::kMinutes>, Arity::kUnary}},
    {"timestamp_to_minutes_with_tz", {of_timestamp<TimePart::kMinutes>, Arity::kBinary}},
    {"timestamp_to_seconds", {of_timestamp<TimePart::kSeconds>, Arity::kUnary}},
    {"timestamp_to_seconds_tz", {of_timestamp<TimePart::kSeconds>, Arity::kBinary}},
    {"timestamp_to_milliseconds", {of_timestamp<TimePart::kMilliseconds>, Arity::kUnary}},
    {"timestamp_to_milliseconds_with_tz", {of_timestamp<TimePart::kMilliseconds>, Arity::kBinary}},
    {"duration_to_hours", {of_duration<duration_hours>, Arity::kUnary}},
    {"duration_to_minutes", {of_duration<duration_minutes>, Arity::kUnary}},
    {"duration_to_seconds", {of_duration<duration_seconds>, Arity::kUnary}},
    {"duration_to_milliseconds", {of_duration<duration_milliseconds>, Arity::kUnary}},
};

}  // namespace

Span<NamedBound> time_functions() { return kTimeFunctions; }

}  // namespace libsched::cel
