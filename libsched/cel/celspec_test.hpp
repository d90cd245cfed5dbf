// For tests: the expressions of CEL's conformance tests with upstream's recorded answers
// (tests/tables/celspec.jsonl.gz).
#pragma once

#include <doctest/doctest.h>
#include <simdjson.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "libsched/ingest/unpack.hpp"

namespace libsched {

// A test: exactly one of compile_error, error and value is not "".
struct CelspecRow {
  std::string expression;
  std::string_view compile_error, error, value;
};

template <typename F>
void for_each_celspec_row(F&& f) {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/tests/tables/celspec.jsonl.gz", std::ios::binary);
  REQUIRE(file.good());
  const std::string packed((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  const auto lines = unpack(packed, size_t{16} << 20);
  REQUIRE(lines.ok());
  simdjson::dom::parser json;
  simdjson::dom::document_stream rows;
  const simdjson::padded_string text(lines->text());
  REQUIRE(json.parse_many(text).get(rows) == simdjson::SUCCESS);
  for (const simdjson::dom::element row : rows) {
    const auto member = [&](const char* name) {
      std::string_view value;
      return row[name].get(value) == simdjson::SUCCESS ? value : std::string_view();
    };
    f(CelspecRow{std::string(member("expression")), member("compileError"), member("error"),
                 member("value")});
  }
}

}  // namespace libsched
