// JsonValue: a JSON document in memory for the configuration decoder: members in document
// order, duplicates and the source text of every value kept.
//
// parse_json_document() refuses the same texts as Go's encoding/json, with its errors. A string
// with broken UTF-8 or a lone surrogate is accepted and repaired with U+FFFD, as in Go.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/go_json.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

struct JsonValue {
  using Kind = JsonKind;

  Kind kind = Kind::kNull;
  Str raw;           // the value in the document's text, which must outlive this
  std::string text;  // a string without quotes and escapes; "" for other kinds
  struct Member;
  std::vector<JsonValue> items;  // of an array
  std::vector<Member> members;   // of an object

  bool is_null() const { return kind == Kind::kNull; }
  bool is_true() const { return kind == Kind::kBool && raw == "true"; }
  // The name of this kind in Go's type errors.
  Str kind_name() const { return json_kind_name(kind); }
  // Sorts the members of all objects by the bytes of their names, as Go writes maps.
  void sort_members();
};

struct JsonValue::Member {
  std::string first;  // the name
  JsonValue second;
};

inline constexpr size_t kMaxJsonDepth = 200;

// Values deeper than kMaxJsonDepth are an Rc::kLimit error.
Result<JsonValue> parse_json_document(Str text);

}  // namespace libsched
