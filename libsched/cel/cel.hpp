// Devices as expressions of the Common Expression Language see them, and the answers of
// expressions.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/quantity.hpp"

namespace libsched::cel {

// One attribute of a device. `name` is qualified ("gpu.example.com/model") or belongs to the
// driver's domain.
struct Attribute {
  enum class Kind : uint8_t {
    kNone,  // a value that this version does not know: every selector fails
    kInt,
    kBool,
    kString,
    kVersion,
    kInts,
    kBools,
    kStrings,
    kVersions,
  };
  Str name;
  Kind kind = Kind::kNone;
  int64_t number = 0;     // kInt; kBool: 0 or 1
  Str text;               // kString, kVersion
  Span<int64_t> numbers;  // kInts; kBools: 0 or 1 each
  Span<Str> texts;        // kStrings, kVersions
};

struct Capacity {
  Str name;
  Quantity value;
  Str written;  // the text that `value` was parsed from, which decides how it is printed; may be ""
};

// A view of a device. Names are distinct; upstream picks one at random where `x` and `<driver>/x`
// both stand.
struct Device {
  Str driver;
  bool allow_multiple_allocations = false;
  Span<Attribute> attributes;
  Span<Capacity> capacity;
};

enum class Match : uint8_t { kNo, kYes, kError };

struct MatchResult {
  Match match = Match::kNo;
  uint64_t cost = 0;
  std::string error;  // of kError
};

}  // namespace libsched::cel
