// Reading answers: statuses, and a verdict or a score for each node that was asked about.
#pragma once

#include <libsched.h>

#include <charconv>
#include <string_view>

#include "libsched/base/go_json.hpp"
#include "libsched/base/result.hpp"
#include "net/src/remote/message.hpp"

namespace libsched::remote {

// An answer without columns, of a text. Errors: INVALID.
Result<Answer> answer_of(std::string text);

// Writes the members code, reasons and error of an object to a status. Returns the code. Errors:
// INVALID with the place below `path`.
Result<libsched_code> read_status(const Said& said, const std::string& path,
                                  libsched_status* status);

// Members of an object; an absent one gives what stands in its place.
Result<bool> read_flag(const Said& said, const char* key, bool otherwise);
Result<int64_t> read_number(const Said& said, const char* key, int64_t otherwise);

// Takes columns that are written as lists ("codes", "reasonIndexes", "scores") from the object to
// the columns of the answer, and checks that each column has an entry for every node of the
// question, and known codes. Errors: INVALID.
Result<void> read_columns(const Question& question, const Description& description, Answer* answer);

// Whether a value is a whole number that fits.
template <typename T>
bool read_whole(std::string_view value, T* number) {
  const char* const end = value.data() + value.size();
  const auto [read, code] = std::from_chars(value.data(), end, *number);
  return code == std::errc() && read == end;
}
// The whole number that a value is. Errors: INVALID.
Result<int64_t> number_of(std::string_view value, const std::string& path);

// The texts of a list of at most `most`; absent: none. Errors: INVALID.
Result<std::vector<std::string>> read_texts(const Said& said, const char* key, size_t most);
// How many entries a list may have that is not as long as the question.
constexpr size_t kMostEntries = 65536;

// The position of a named node among those asked about. Errors: INVALID, for any other name.
class Positions {
 public:
  explicit Positions(const Question& question) : question_(question) {}
  Result<size_t> of(const std::string& name, const std::string& path);

 private:
  const Question& question_;
  std::vector<uint32_t> of_row_;  // positions plus one, where rows do not ascend
};

// Reads the statuses that an answer gives single nodes by name ("rejected"), one after the other
// into `status`, and calls `each` with the position of the node and the code. Errors: INVALID.
template <typename F>
Result<void> for_each_rejected(const Question& question, const Answer& answer,
                               libsched_status* status, F&& each) {
  const std::string_view rejected = answer.said.find("rejected");
  if (rejected.empty()) return {};
  if (!is_object(rejected)) return invalid("rejected", "expected an object");
  Positions positions(question);
  size_t left = question.count;
  for (JsonWalk walk(rejected); walk.next();) {
    if (left-- == 0) return invalid("rejected", "more entries than nodes");
    const std::string name = json_string(walk.key);
    const std::string path = "rejected[\"" + shown(name) + "\"]";
    auto at = positions.of(name, path);
    if (!at) return at.error();
    if (!is_object(walk.value)) return invalid(path, "expected an object");
    auto code = read_status(Said(walk.value), path, status);
    if (!code) return code.error();
    each(*at, *code);
  }
  return {};
}

}  // namespace libsched::remote
