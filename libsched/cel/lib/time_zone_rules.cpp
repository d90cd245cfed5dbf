// Looks zones up in the table. Calendars of rules are worked out for the year of the moment.
#include "libsched/cel/lib/time_zone_rules.hpp"

#include <algorithm>
#include <iterator>

#include "libsched/cel/lib/calendar.hpp"

namespace libsched::cel {
namespace {

struct ZoneName {
  const char* name;
  int zone;
};

// `count` changes from `start` on in kMoments and kOffsetBehind.
struct Zone {
  int start;
  int count;
  int first_offset;  // in kOffsets, before the first change
  int rule;          // behind the last change, -1 if there is none
};

// The week 5 is the last one that has the day; 0 is Sunday. The second is of the local day.
struct YearDate {
  int month;
  int week;
  int day;
  int second;
};

struct YearRule {
  int standard;
  int summer;
  YearDate start;
  YearDate end;
};

#include "libsched/cel/lib/time_zone_table.inc"  // NOLINT(build/include)

int64_t local_second(const YearDate& d, int64_t year) {
  const int64_t first = days_from_date(year, d.month, 1);
  int64_t day = first + (d.day - day_of_week(first) + 7) % 7 + 7 * (d.week - 1);
  while (day >= first + days_in_month(d.month, year)) day -= 7;
  return day * 86'400 + d.second;
}

int32_t offset_by_rule(const YearRule& rule, int64_t moment) {
  const int64_t year = date_from_days(floor_div(moment + rule.standard, 86'400)).year;
  const int64_t start = local_second(rule.start, year) - rule.standard;
  const int64_t end = local_second(rule.end, year) - rule.summer;
  const bool summer =
      start < end ? moment >= start && moment < end : moment >= start || moment < end;
  return summer ? rule.summer : rule.standard;
}

}  // namespace

std::optional<int32_t> named_zone_offset(Str name, int64_t unix_seconds) {
  const ZoneName* const found =
      std::lower_bound(std::begin(kNames), std::end(kNames), name,
                       [](const ZoneName& zone, Str sought) { return Str(zone.name) < sought; });
  if (found == std::end(kNames) || found->name != name) return std::nullopt;
  const Zone& zone = kZones[found->zone];
  const int64_t* const moments = kMoments + zone.start;
  const auto passed = std::upper_bound(moments, moments + zone.count, unix_seconds) - moments;
  if (passed == 0 && zone.count > 0) return kOffsets[zone.first_offset];
  if (passed == zone.count && zone.rule >= 0)
    return offset_by_rule(kRules[zone.rule], unix_seconds);
  return passed == 0 ? kOffsets[zone.first_offset]
                     : kOffsets[kOffsetBehind[zone.start + passed - 1]];
}

}  // namespace libsched::cel
