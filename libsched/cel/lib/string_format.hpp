// string.format() of version 2 of CEL's strings: clauses, numbers and error texts.
//
// Values come as FormatValues; those in lists and maps are asked for when they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/cel/lib/timestamp.hpp"

namespace libsched::cel {

enum class FormatKind : uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kType,
  kList,
  kMap,
  kOther,  // cannot be formatted
};

struct FormatValue {
  FormatKind kind = FormatKind::kNull;
  Str type_name;          // of errors, such as "map"
  int64_t int_value = 0;  // kBool, kInt and kDuration
  uint64_t uint_value = 0;
  double double_value = 0;
  Timestamp timestamp;
  Str text;                     // of kString and kBytes; the name that a kType is
  const void* owner = nullptr;  // the list or map, for FormatSource
  size_t size = 0;              // of the list or map
};

class FormatSource {
 public:
  virtual ~FormatSource() = default;
  virtual FormatValue element(const FormatValue& list, size_t index) const = 0;
  // Key and value of the entry at a place, in any order that does not change.
  virtual std::pair<FormatValue, FormatValue> entry(const FormatValue& map, size_t index) const = 0;
};

// Rc::kLimit for lists and maps that are nested deeper than 200 or texts beyond kMostBytes of strings.hpp.
Result<std::string> format_string(Str format, const FormatValue& arguments,
                                  const FormatSource& source);

// Walks over the clauses of a format. An argument's check returns its error's text or "".
class ClauseCheck {
 public:
  virtual ~ClauseCheck() = default;
  // `verb` is one of "sdfebxXo".
  virtual std::string check(char verb, size_t argument) = 0;
};
// The number of arguments that a format takes, or the error of the first wrong clause.
Result<size_t> check_format(Str format, size_t arguments, ClauseCheck& check);

// What a clause says of an argument of the wrong type.
std::string clause_error(char verb, Str type_name);

}  // namespace libsched::cel
