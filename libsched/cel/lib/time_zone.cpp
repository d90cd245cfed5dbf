// Offsets of time zones: those written as numbers here, those with names from the table.
#include "libsched/cel/lib/time_zone.hpp"

#include <string>

#include "libsched/base/quote.hpp"
#include "libsched/cel/lib/numbers.hpp"
#include "libsched/cel/lib/time_zone_rules.hpp"

namespace libsched::cel {
namespace {

Result<int64_t> parse_part(Str text) {
  const auto value = parse_int(text);
  if (value) return *value;
  const size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const bool number = text.size() > sign && text.find_first_not_of("0123456789", sign) == Str::npos;
  return invalid("", "strconv.Atoi: parsing " + go_quote(text) +
                         (number ? ": value out of range" : ": invalid syntax"));
}

// Hours and minutes, without any limit, wrap around as upstream's do.
Result<int64_t> written_offset(Str zone, size_t colon) {
  auto hours = parse_part(zone.substr(0, colon));
  if (!hours) return std::move(hours.error());
  auto minutes = parse_part(zone.substr(colon + 1));
  if (!minutes) return std::move(minutes.error());
  const auto hour = static_cast<uint64_t>(*hours);
  const auto minute = static_cast<uint64_t>(*minutes);
  const uint64_t total = zone[0] == '-' ? hour * 60 - minute : hour * 60 + minute;
  constexpr uint64_t kMinute = 60'000'000'000;
  // Upstream multiplies into nanoseconds, so large offsets wrap there once more.
  return static_cast<int64_t>(total * kMinute) / 1'000'000'000;
}

}  // namespace

Result<int64_t> zone_offset(Str zone, int64_t unix_seconds) {
  if (const size_t colon = zone.find(':'); colon != Str::npos) return written_offset(zone, colon);
  if (zone.empty() || zone == "UTC") return int64_t{0};
  if (zone.find("..") != Str::npos || zone[0] == '/' || zone[0] == '\\')
    return invalid("", "time: invalid location name");
  if (const auto offset = named_zone_offset(zone, unix_seconds)) return int64_t{*offset};
  return invalid("", "unknown time zone " + std::string(zone));
}

}  // namespace libsched::cel
