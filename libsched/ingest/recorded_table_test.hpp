// For tests: the recorded answers of upstream (tests/tables), parsed, and equality of JSON values.
#pragma once

#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "libsched/ingest/unpack.hpp"

namespace libsched {

class RecordedTable {
 public:
  // `name` is the file's, below tests/tables.
  explicit RecordedTable(const std::string& name) {
    std::ifstream file(LIBSCHED_SOURCE_DIR "/tests/tables/" + name, std::ios::binary);
    REQUIRE_MESSAGE(file.good(), name);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (is_packed(text)) text = unpack(text, size_t{64} << 20).value().text();
    REQUIRE(parser_.parse(simdjson::padded_string(text)).get(root_) == simdjson::SUCCESS);
  }
  simdjson::dom::element operator[](const char* key) const { return root_[key].value(); }
  simdjson::dom::element root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

inline std::string text_at(simdjson::dom::element value) {
  return std::string(std::string_view(value));
}

// Equality except for the order of members.
inline bool same_json(simdjson::dom::element a, simdjson::dom::element b) {
  using simdjson::dom::element_type;
  if (a.type() != b.type()) return false;
  if (a.type() == element_type::ARRAY) {
    const simdjson::dom::array x = a, y = b;
    if (x.size() != y.size()) return false;
    auto other = y.begin();
    for (const auto e : x) {
      if (!same_json(e, *other)) return false;
      ++other;
    }
    return true;
  }
  if (a.type() == element_type::OBJECT) {
    const simdjson::dom::object x = a, y = b;
    if (x.size() != y.size()) return false;
    for (const auto member : x) {
      simdjson::dom::element e;
      if (y[member.key].get(e) != simdjson::SUCCESS || !same_json(member.value, e)) return false;
    }
    return true;
  }
  return simdjson::minify(a) == simdjson::minify(b);
}

// Integers that simdjson has no type for, as strings.
inline std::string quote_long_integers(const std::string& json) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < json.size();) {
    const size_t end = std::max(i + 1, json.find_first_not_of("+-.0123456789eE", i));
    const std::string token = json.substr(i, std::min(end, json.size()) - i);
    const bool is_integer = token.find_first_not_of("-0123456789") == std::string::npos;
    if (!in_string && token.size() > 18 && is_integer) {
      out += '"' + token + '"';
    } else {
      out += token;
    }
    if (token == "\"") in_string = !in_string;
    if (token == "\\") out += json[i + 1];
    i += token.size() + (token == "\\");
  }
  return out;
}

inline bool same_json(const std::string& a, const std::string& b) {
  simdjson::dom::parser p, q;
  simdjson::dom::element x, y;
  const simdjson::padded_string long_a(quote_long_integers(a)), long_b(quote_long_integers(b));
  return p.parse(long_a).get(x) == simdjson::SUCCESS &&
         q.parse(long_b).get(y) == simdjson::SUCCESS && same_json(x, y);
}

}  // namespace libsched
