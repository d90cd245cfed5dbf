// Times as documents have them, at the ends of their range, too.
#include "libsched/ingest/write/parts.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace libsched::write_parts_test {

std::string text_of(int64_t ns) {
  JsonText json;
  json.object([&] { write_time_if(json, "at", {ns, true}); });
  return json.take();
}

TEST_CASE("A time is written with the fraction of its second, also before 1970") {
  CHECK(text_of(1'500'000'000) == R"({"at":"1970-01-01T00:00:01.500000000Z"})");
  CHECK(text_of(-1) == R"({"at":"1969-12-31T23:59:59.999999999Z"})");
  CHECK(text_of(-1'000'000'000) == R"({"at":"1969-12-31T23:59:59Z"})");
  CHECK(text_of(std::numeric_limits<int64_t>::max()) ==
        R"({"at":"2262-04-11T23:47:16.854775807Z"})");
  CHECK(text_of(std::numeric_limits<int64_t>::min()) ==
        R"({"at":"1677-09-21T00:12:43.145224192Z"})");
}

}  // namespace libsched::write_parts_test
