// Answers with many entries, and with the same entry again.
#include "net/src/extender/answers.hpp"

#include <doctest/doctest.h>

namespace libsched::answers_test {

std::string repeated(const std::string& begin, const std::string& entry, size_t count,
                     const std::string& end) {
  std::string text = begin;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + entry;
  return text + end;
}

TEST_CASE("the last entry of a key counts") {
  const auto failed = decode_filter_result(
      R"({"FailedNodes":{"a":"1","b":"2","a":"3"},"FailedNodes":{"b":null}})", 2);
  REQUIRE(failed.ok());
  REQUIRE(failed->failed.size() == 4);  // in their order: the core sets one after the other
  CHECK(failed->failed[2] == std::pair<std::string, std::string>("a", "3"));
  CHECK(failed->failed[3] == std::pair<std::string, std::string>("b", ""));

  const auto victims = decode_preemption_result(
      R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"1"}]},"b":{},"a":{"Pods":[{"UID":"2"}]}}})",
      2);
  REQUIRE(victims.ok());
  REQUIRE(victims->size() == 2);
  CHECK((*victims)[0].node == "a");
  CHECK((*victims)[0].uids == std::vector<std::string>{"2"});
}

TEST_CASE("an answer may name more nodes than it was asked about, but not any number") {
  const size_t most = kMostMore + 1;
  const auto message = [](const auto& result) {
    return result.ok() ? std::string() : result.error().message;
  };
  const std::string many = "the answer has too many entries";
  struct Form {
    const char *begin, *entry, *end;
  };
  for (const auto& [begin, entry, end] :
       {Form{R"({"FailedNodes":{)", R"("a":"")", "}}"},
        Form{R"({"FailedAndUnresolvableNodes":{)", R"("a":"")", "}}"},
        Form{R"({"NodeNames":[)", R"("a")", "]}"}, Form{R"({"Nodes":{"items":[)", "{}", "]}}"}}) {
    CAPTURE(begin);
    CHECK(message(decode_filter_result(repeated(begin, entry, most, end), 1)).empty());
    CHECK(message(decode_filter_result(repeated(begin, entry, most + 1, end), 1)) == many);
  }
  CHECK(message(decode_priorities(repeated("[", "{}", most, "]"), 1)).empty());
  CHECK(message(decode_priorities(repeated("[", "{}", most + 1, "]"), 1)) == many);
  for (const auto& [begin, entry, end] :
       {Form{R"({"NodeNameToMetaVictims":{)", R"("a":{})", "}}"},
        Form{R"({"NodeNameToMetaVictims":{"a":{"Pods":[)", "{}", "]}}}"}})
    CHECK(message(decode_preemption_result(repeated(begin, entry, most + 1, end), 1)) == many);
}

TEST_CASE("answers with values of wrong types have Go's errors") {
  const auto text = [](std::string_view value) {
    return decode_filter_result(value, 1).error().message;
  };
  CHECK(text("[]") == "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult");
  CHECK(text("{\"nodeNames\":\"a\"}") ==
        "json: cannot unmarshal string into Go struct field ExtenderFilterResult.NodeNames of type "
        "[]string");
  CHECK(decode_priorities("[{\"Host\":\"a\",\"Score\":1.5}]", 1).error().message ==
        "json: cannot unmarshal number 1.5 into Go struct field HostPriority.Score of type int64");
  const auto good = decode_filter_result(
      "{\"NODES\":{\"items\":[{},{}]},\"FailedNodes\":{\"a\":\"b\"},\"other\":1}", 2);
  REQUIRE(good.ok());
  CHECK(good->nodes->size() == 2);
  CHECK(good->failed.size() == 1);
}

}  // namespace libsched::answers_test
