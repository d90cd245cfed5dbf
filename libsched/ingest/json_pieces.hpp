// Pieces of JSON text for the forms that become JSON on their way in: texts and times, which are
// most of what these write.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

// Tells whether 8 bytes are ASCII that needs no escape.
inline bool is_plain(const char* bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  uint64_t w = 0;
  std::memcpy(&w, bytes, sizeof w);
  const uint64_t quote = w ^ (kOnes * '"'), backslash = w ^ (kOnes * '\\');
  // A byte below 0x20, or 0 in one of the others, borrows from its high bit.
  return ((w | (w - kOnes * 0x20) | (quote - kOnes) | (backslash - kOnes)) & kHigh) == 0;
}

// How many bytes at the start of a text are known to be ASCII that needs no escape: all of nearly
// every text of 8 bytes or more.
inline size_t plain_start(Str text) {
  size_t begin = 0;
  while (begin + 8 <= text.size() && is_plain(text.data() + begin)) begin += 8;
  const bool to_the_end = begin != 0 && begin + 8 > text.size() &&
                          is_plain(text.data() + (text.size() - 8));  // and some bytes once more
  return to_the_end ? text.size() : begin;
}

// Appends a quotation mark and 2006-01-02T15:04:05. The year has at most four digits.
inline void append_date_time(std::string& out, int year, int month, int day, int second_of_day) {
  char text[] = "\"0000-00-00T00:00:00";
  const auto two = [&](size_t at, int number) {
    text[at] = static_cast<char>('0' + number / 10);
    text[at + 1] = static_cast<char>('0' + number % 10);
  };
  two(1, year / 100);
  two(3, year % 100);
  two(6, month);
  two(9, day);
  two(12, second_of_day / 3600);
  two(15, second_of_day / 60 % 60);
  two(18, second_of_day % 60);
  out.append(text, sizeof text - 1);
}

}  // namespace libsched
