// Texts and times as pieces of JSON.
#include "libsched/ingest/json_pieces.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace libsched::json_pieces_test {

bool needs_care(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

TEST_CASE("No byte that needs an escape, or is not ASCII, is taken for plain") {
  for (size_t size = 0; size < 40; ++size) {
    std::string text(size, 'x');
    CHECK(plain_start(text) == (size < 8 ? 0 : size));
    for (size_t at = 0; at < size; ++at)
      for (int byte = 0; byte < 256; ++byte) {
        text.assign(size, byte % 2 == 0 ? '!' : '~');
        text[at] = static_cast<char>(byte);
        const size_t plain = plain_start(text);
        REQUIRE(plain <= size);
        REQUIRE(
            std::none_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(plain), needs_care));
      }
  }
}

TEST_CASE("Times have two digits for each number and four for the year") {
  std::string out;
  append_date_time(out, 7, 1, 2, 0);
  append_date_time(out, 9999, 12, 31, 86399);
  append_date_time(out, 2024, 2, 29, 3661);
  CHECK(out == "\"0007-01-02T00:00:00\"9999-12-31T23:59:59\"2024-02-29T01:01:01");
}

}  // namespace libsched::json_pieces_test
