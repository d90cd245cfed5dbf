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

// Calls f(expression, compile_error) for each row; the error is "" if upstream compiles it.
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
    std::string_view error;
    if (row["compileError"].get(error) != simdjson::SUCCESS) error = {};
    f(std::string(std::string_view(row["expression"])), error);
  }
}

}  // namespace libsched
