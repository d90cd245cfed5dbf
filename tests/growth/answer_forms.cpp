// Answers of extenders and of plugins in other processes, which are read by hand.
#include "forms.hpp"

#ifdef GROWTH_OF_ANSWERS
#include "libsched/base/go_json.hpp"
#include "net/src/extender/answers.hpp"
#include "net/src/remote/answer.hpp"
#include "net/src/remote/description.hpp"

namespace growth {
namespace {

using namespace libsched;  // NOLINT(google-build-using-namespace)

// Members of an object, a third of which are there twice.
std::string members(size_t bytes, const std::string& begin, const std::string& value,
                    const std::string& end) {
  const auto item = [&](size_t i) {
    return "\"node-" + std::to_string(i % 3 == 0 ? i / 2 : i) + "\":" + value;
  };
  return repeat(bytes, begin, item, ",", end);
}

std::string items(size_t bytes, const std::string& begin, const std::string& item,
                  const std::string& end) {
  return repeat(bytes, begin, [&](size_t) { return item; }, ",", end);
}

constexpr size_t kAsked = 10'000'000;

bool is_filter_result(const std::string& text) {
  const auto value = go_value(text);
  return value.ok() && decode_filter_result(*value, kAsked).ok();
}
bool are_priorities(const std::string& text) {
  const auto value = go_value(text);
  return value.ok() && decode_priorities(*value, kAsked).ok();
}
bool are_victims(const std::string& text) {
  const auto value = go_value(text);
  return value.ok() && decode_preemption_result(*value, kAsked).ok();
}

// A plugin's answer, of which the codes and the description are read; only the first may be wrong.
bool is_answer(const std::string& text) {
  auto answer = remote::answer_of(text);
  if (!answer.ok()) return false;
  remote::Question question;
  question.count = 1;
  static_cast<void>(remote::read_columns(question, {}, &*answer).ok());
  static_cast<void>(remote::description_of(answer->said).ok());
  return true;
}

}  // namespace

std::vector<Form> answer_forms() {
  return {
      {"an extender: nodes that failed",
       [](size_t bytes) { return members(bytes, R"({"FailedNodes":{)", R"("full")", "}}"); }, false,
       is_filter_result},
      {"an extender: nodes that cannot be helped",
       [](size_t bytes) {
         return members(bytes, R"({"FailedAndUnresolvableNodes":{)", R"("full")", "}}");
       },
       false, is_filter_result},
      {"an extender: names of nodes",
       [](size_t bytes) { return items(bytes, R"({"NodeNames":[)", R"("node")", "]}"); }, false,
       is_filter_result},
      {"an extender: the same member again",
       [](size_t bytes) { return items(bytes, "{", R"("FailedNodes":{})", "}"); }, false,
       is_filter_result},
      {"an extender: victims",
       [](size_t bytes) {
         return members(bytes, R"({"NodeNameToMetaVictims":{)", R"({"Pods":[{"UID":"u"}]})", "}}");
       },
       false, are_victims},
      {"an extender: priorities",
       [](size_t bytes) { return items(bytes, "[", R"({"Host":"n","Score":1})", "]"); }, false,
       are_priorities},
      {"an extender: backslashes",
       [](size_t bytes) { return items(bytes, R"({"NodeNames":[)", R"("\\\\\"\\")", "]}"); }, false,
       is_filter_result},
      {"a plugin: codes", [](size_t bytes) { return items(bytes, R"({"codes":[)", "0", "]}"); },
       false, is_answer},
      {"a plugin: reasons",
       [](size_t bytes) {
         return R"({"protocol":1,"reasons":[")" + std::string(bytes, 'x') + "\"]}";
       },
       false, is_answer},
      {"a plugin: the same member again",
       [](size_t bytes) { return items(bytes, "{", R"("codes":[])", "}"); }, false, is_answer},
      {"a plugin: unknown members",
       [](size_t bytes) { return members(bytes, "{", R"([[[{}]]])", "}"); }, false, is_answer},
  };
}

}  // namespace growth
#else
namespace growth {

std::vector<Form> answer_forms() { return {}; }

}  // namespace growth
#endif
