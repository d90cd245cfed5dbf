// Answers that are deep, large or odd: what counts is read, and the rest does no harm.
#include "net/src/remote/said.hpp"

#include <doctest/doctest.h>

#include "libsched/base/go_json.hpp"
#include "net/src/remote/answer.hpp"
#include "net/src/remote/description.hpp"

namespace libsched::said_test {

using namespace remote;  // NOLINT(google-build-using-namespace)

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string error_of(const std::string& text) {
  const auto said = object_of(text);
  return said.ok() ? "" : said.error().message;
}

TEST_CASE("a whole text is one object") {
  const std::string text =
      "\xef\xbb\xbf {\"id\": 7, \"more\": [{}], \"co\\u0064e\": \"Error\", \"need\": null, \"id\": "
      "8} ";
  const auto said = object_of(text);
  REQUIRE(said.ok());
  CHECK(said->find("id") == "8");
  CHECK(said->find("code") == "\"Error\"");
  CHECK(said->find("need").empty());
  CHECK(said->find("queue").empty());
  for (const char* bad : {"", "{", "{} {}", "{\"a\":1}x", "{\"a\":\"\xff\"}", "{nope}"})
    CHECK(error_of(bad) == "the answer is no JSON");
  for (const char* other : {"[]", "1", "null", "\"{}\""})
    CHECK(error_of(other) == "the answer is no JSON object");
}

TEST_CASE("an answer may be deep, but not without end") {
  CHECK(error_of("{\"x\":" + nested(9'999) + "}").empty());
  CHECK(error_of("{\"x\":" + nested(10'000) + "}") == "the answer is nested too deep");
  CHECK(error_of("{\"x\":" + std::string(2'000'000, '[')) == "the answer is nested too deep");
  // Whatever member is deep, no function reads it by calling itself.
  for (const std::string_view member : Said::kMembers) {
    CAPTURE(member);
    const std::string text = "{\"" + std::string(member) + "\":" + nested(9'999) + "}";
    auto answer = answer_of(text);
    REQUIRE(answer.ok());
    Question question;
    question.point = Point::kScore;
    static_cast<void>(read_columns(question, {}, &*answer).ok());
    static_cast<void>(description_of(answer->said).ok());
    libsched_status* status = nullptr;
    REQUIRE(libsched_status_create(&status, nullptr) == LIBSCHED_OK);
    static_cast<void>(read_status(answer->said, "", status).ok());
    static_cast<void>(for_each_rejected(question, *answer, status, [](size_t, int) {}).ok());
    libsched_status_unref(status);
    CHECK(json_without_space(answer->said.find(member)).size() == 2 * 9'999);
  }
}

TEST_CASE("lists have no more entries than somebody asked for") {
  const auto list_of = [](const char* key, const char* entry, size_t count) {
    std::string text = std::string("{\"protocol\":1,\"") + key + "\":[";
    for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::string(entry);
    return text + "]}";
  };
  Question question;
  question.count = 3;
  auto codes = answer_of(list_of("codes", "0", 1'000'000));
  const auto read = read_columns(question, {}, &*codes);
  REQUIRE(!read.ok());
  CHECK(read.error().message == "1000000 entries for 3 nodes");
  CHECK(codes->codes.capacity() < 100);

  auto reasons = answer_of(list_of("reasons", "\"\"", kMostEntries + 1));
  libsched_status* status = nullptr;
  REQUIRE(libsched_status_create(&status, nullptr) == LIBSCHED_OK);
  CHECK(read_status(reasons->said, "", status).error().message == "more than 65536");
  libsched_status_unref(status);
  CHECK(description_of(reasons->said).error().message == "more than 65536");
  const auto events = answer_of(
      list_of("events", "{\"resource\":\"Pod\",\"actions\":[\"Add\"]}", kMostEntries + 1));
  CHECK(description_of(events->said).error().message == "more than 65536");
}

TEST_CASE("a message has the beginning of what was said") {
  CHECK(shown("short") == "short");
  const std::string text = std::string(199, 'x') + "\u00e9" + std::string(1000, 'y');
  CHECK(shown(text) == std::string(199, 'x') + "...");
  const auto answer = answer_of("{\"code\":\"" + std::string(1'000'000, 'x') + "\"}");
  CHECK(read_status(answer->said, "", nullptr).error().message.size() < 300);
}

TEST_CASE("whole numbers are those that fit") {
  for (const char* good : {"0", "-9223372036854775808", "9223372036854775807"})
    CHECK(number_of(good, "").ok());
  for (const char* bad : {"9223372036854775808", "1.0", "1e2", "\"1\"", "[1]", "true"})
    CHECK_FALSE(number_of(bad, "").ok());
}

}  // namespace libsched::said_test
