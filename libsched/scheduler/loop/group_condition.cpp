// Conditions of PodGroups, as apimachinery's SetStatusCondition changes them.
#include "libsched/scheduler/loop/group_condition.hpp"

#include <string>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

std::string digits(int64_t n, size_t width) {
  const std::string out = std::to_string(n);
  return out.size() < width ? std::string(width - out.size(), '0') + out : out;
}

// RFC 3339 in full seconds, by the Gregorian calendar, whose years here begin in March.
std::string time_text(int64_t ns) {
  constexpr int64_t kDay = 86400, kEra = 146097;  // days of 400 years
  const int64_t seconds = ns / 1'000'000'000 - (ns % 1'000'000'000 < 0 ? 1 : 0);
  const int64_t day = seconds / kDay - (seconds % kDay < 0 ? 1 : 0);
  const int64_t second = seconds - day * kDay;
  const int64_t since = day + 719468;  // the first of March of the year 0
  const int64_t in_era = since % kEra;
  const int64_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const int64_t in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t months = (5 * in_year + 2) / 153;
  const int64_t month = months < 10 ? months + 3 : months - 9;
  const int64_t year = year_of_era + since / kEra * 400 + (month <= 2 ? 1 : 0);
  return digits(year, 4) + "-" + digits(month, 2) + "-" +
         digits(in_year - (153 * months + 2) / 5 + 1, 2) + "T" + digits(second / 3600, 2) + ":" +
         digits(second / 60 % 60, 2) + ":" + digits(second % 60, 2) + "Z";
}

// A merge patch replaces the whole list.
std::string patch_of(const PodGroup& group) {
  std::string list;
  for (const PodGroup::Condition& c : group.conditions) {
    list += (list.empty() ? "{" : ",{");
    list += "\"type\":" + json_quote(c.type) + ",\"status\":" + json_quote(c.status) +
            ",\"lastTransitionTime\":" + json_quote(c.last_transition) +
            ",\"reason\":" + json_quote(c.reason) + ",\"message\":" + json_quote(c.message) + "}";
  }
  return "{\"status\":{\"conditions\":[" + list + "]}}";
}

}  // namespace

void set_condition(const PodGroup& group, const PodGroup::Condition& wanted, int64_t now_ns,
                   ApiClient& api) {
  PodGroup::Condition next = wanted;
  const std::string now = time_text(now_ns);
  next.last_transition = now;
  if (const PodGroup::Condition* has = group.find_condition(wanted.type)) {
    if (has->status == "True" && wanted.status != "True") return;
    if (has->status == wanted.status && has->reason == wanted.reason &&
        has->message == wanted.message)
      return;
    if (has->status == wanted.status) next.last_transition = has->last_transition;
  }
  const PodGroupRef changed = with_condition(group, next);
  static_cast<void>(
      api.update_object(StoredKind::kPodGroup, ObjectRef(changed), patch_of(*changed)));
}

}  // namespace libsched
