// Reading answers: statuses, and a verdict or a score for each node that was asked about.
#pragma once

#include <libsched.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "libsched/base/result.hpp"
#include "net/src/remote/message.hpp"

namespace libsched::remote {

// Parses an object. Errors: INVALID.
Result<nlohmann::json> object_of(std::string_view text);

// Writes the members code, reasons and error of an object to a status. Returns the code. Errors:
// INVALID with the place below `path`.
Result<libsched_code> read_status(const nlohmann::json& said, const std::string& path,
                                  libsched_status* status);

// Members of an object; an absent one gives what stands in its place.
Result<bool> read_flag(const nlohmann::json& said, const char* key, bool otherwise);
Result<int64_t> read_number(const nlohmann::json& said, const char* key, int64_t otherwise);

// Takes columns that are written as lists ("codes", "reasonIndexes", "scores") from the object to
// the columns of the answer, and checks that each column has an entry for every node of the
// question, and known codes. Errors: INVALID.
Result<void> read_columns(const Question& question, const Description& description, Answer* answer);

// The position of a named node among those asked about. Errors: INVALID, for any other name.
class Positions {
 public:
  explicit Positions(const Question& question) : question_(question) {}
  Result<size_t> of(const std::string& name, const std::string& path) const;

 private:
  const Question& question_;
};

// Reads the statuses that an answer gives single nodes by name ("rejected"), one after the other
// into `status`, and calls `each` with the position of the node and the code. Errors: INVALID.
template <typename F>
Result<void> for_each_rejected(const Question& question, const Answer& answer,
                               libsched_status* status, F&& each) {
  const auto rejected = answer.said.find("rejected");
  if (rejected == answer.said.end() || rejected->is_null()) return {};
  if (!rejected->is_object()) return invalid("rejected", "expected an object");
  const Positions positions(question);
  for (const auto& [name, said] : rejected->items()) {
    const std::string path = "rejected[\"" + name + "\"]";
    auto at = positions.of(name, path);
    if (!at) return at.error();
    if (!said.is_object()) return invalid(path, "expected an object");
    auto code = read_status(said, path, status);
    if (!code) return code.error();
    each(*at, *code);
  }
  return {};
}

}  // namespace libsched::remote
