// CronSchedule: when a CronJob is due, as the CronJob controller computes it (robfig/cron v3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

class CronSchedule {
 public:
  // Five fields, "@hourly" and the like, or "@every 1h30m". A time zone in the text is an error, as
  // it is for the API server. `zone` is a name of the IANA database. Errors: kInvalid, with
  // "schedule" or "timeZone" as the path.
  static Result<CronSchedule> parse(Str text, Str zone);

  // The first moment after this one (seconds since 1970); none: not within five years.
  std::optional<int64_t> next(int64_t after) const;

 private:
  uint64_t minute_ = 0, hour_ = 0, day_ = 0, month_ = 0, weekday_ = 0;  // bits
  bool any_day_ = false, any_weekday_ = false;
  int64_t every_ = 0;  // seconds; 0: by the fields
  std::string zone_;
};

}  // namespace libsched
