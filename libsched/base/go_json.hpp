// JSON as Go's encoding/json reads it: the first value of a text, with Go's errors.
//
// A value is a piece of the text. go_value() checks the whole value, so that the functions that
// walk through it afterwards cannot fail.
#pragma once

#include <string>
#include <string_view>

#include "libsched/base/result.hpp"

namespace libsched {

// The first value of a text, without white space around it. Errors: Go's Decoder.Decode's; of a
// text that ends before the value does "unexpected EOF", or "EOF" if there is none, with code kIo.
Result<std::string_view> go_value(std::string_view text);

enum class JsonKind : char { kNull, kBool, kNumber, kString, kArray, kObject };
JsonKind json_kind(std::string_view value);
// Go's word for the kind, such as "bool".
const char* json_kind_name(JsonKind kind);
// The text of a string, with U+FFFD for what is no UTF-8.
std::string json_string(std::string_view value);
// A value without white space, whose strings have the fewest escapes.
std::string json_without_space(std::string_view value);
// A value without white space whose strings keep their escapes, as Go compacts it: with HTML's
// special characters escaped, and U+FFFD for what is no UTF-8.
std::string compact_json(std::string_view value);

// Decodes the escape sequence of a checked string whose backslash is at `at`, and moves `at` behind
// it. Half a surrogate pair alone is U+FFFD.
uint32_t read_json_escape(std::string_view text, size_t& at);

// Walks through a checked value: next() gives the members of an object, with `key`, or the items of
// an array.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view value) : text_(value), object_(value[0] == '{'), at_(1) {}
  bool next();
  std::string_view key;  // as it is written, with quotation marks
  std::string_view value;

 private:
  void pass_space();
  size_t end_of_value() const;

  std::string_view text_;
  bool object_;
  size_t at_;
};

// Whether a key, as it is written, is this name for Go, which ignores the case of letters.
bool go_names(std::string_view key, std::string_view name);

}  // namespace libsched
