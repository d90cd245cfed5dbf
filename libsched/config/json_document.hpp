// JsonValue: a JSON document in memory as the configuration decoder needs it: members in document
// order, duplicates kept, the source text of every value at hand.
//
// parse_json_document() refuses what Go's encoding/json refuses, with its words. A string with
// broken UTF-8 or a lone surrogate is accepted and repaired with U+FFFD, as there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

struct JsonValue {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  Str raw;           // the value in the document's text, which must outlive this
  std::string text;  // a string without quotes and escapes; "" for other kinds
  struct Member;
  std::vector<JsonValue> items;  // of an array
  std::vector<Member> members;   // of an object

  bool is_null() const { return kind == Kind::kNull; }
  bool is_true() const { return kind == Kind::kBool && raw == "true"; }
  // What Go's type errors call a value of this kind.
  Str kind_name() const;
  // Brings the members of all objects into byte order of their names, as maps are written by Go.
  void sort_members();
};

struct JsonValue::Member {
  std::string first;  // the name
  JsonValue second;
};

inline constexpr int kMaxJsonDepth = 200;

// Values deeper than kMaxJsonDepth are an Rc::kLimit error.
Result<JsonValue> parse_json_document(Str text);

// Valid JSON without blanks, and with the characters that HTML minds escaped: as Go writes it.
std::string compact_json(Str json);

}  // namespace libsched
