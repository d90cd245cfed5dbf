// The proleptic Gregorian calendar, in days since 1970-01-01.
#pragma once

#include <cstdint>

namespace libsched::cel {

struct Date {
  int64_t year = 0;
  int month = 0;  // 1..12
  int day = 0;    // 1..31
};

int64_t floor_div(int64_t a, int64_t b);
int days_in_month(int month, int64_t year);
int64_t days_from_date(int64_t year, int month, int day);
Date date_from_days(int64_t days);
int day_of_week(int64_t days);  // 0 is Sunday

}  // namespace libsched::cel
