// Status: a plugin's answer, with upstream's codes, names and texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"

namespace libsched {

// The numbers are upstream's and part of the C API.
enum class Code : int32_t {
  kSuccess = 0,
  kError = 1,
  kUnschedulable = 2,
  kUnschedulableAndUnresolvable = 3,
  kWait = 4,
  kSkip = 5,
  kPending = 6,
};

const char* code_name(Code code);  // nullptr if unknown

struct Status {
  Code code = Code::kSuccess;
  std::string plugin;                // filled in by the runtime
  std::vector<std::string> reasons;  // begins with the error's text, if any
  std::optional<std::string> error;  // upstream's WithError

  Status() = default;
  explicit Status(Code c) : code(c) {}
  Status(Code c, std::string reason);
  // Upstream's AsStatus(error).
  static Status from_error(std::string text);

  // A rejection that no preemption helps against.
  static Status unresolvable(std::string reason);

  bool success() const { return code == Code::kSuccess; }
  bool rejected() const {
    return code == Code::kUnschedulable || code == Code::kUnschedulableAndUnresolvable ||
           code == Code::kPending;
  }
  std::string message() const;  // reasons, joined by ", "
  // Upstream's AsError: the error's text, else the message; none for Success, Wait and Skip.
  std::optional<std::string> as_error() const;
  // The text after "running ... plugin: " when the runtime wraps this status: the error as Go
  // prints it, or Go's text for a nil error.
  std::string error_text() const;
  // Upstream's AsStatus(fmt.Errorf("<prefix>%w", s.AsError())).
  static Status wrap(const std::string& prefix, const Status& s);
  void set_error(std::string text);
  // Sets all but `plugin`, in the memory that there is: of rejections there are many.
  void set(Code c, Str reason);
  void reset() {
    code = Code::kSuccess;
    plugin.clear();
    reasons.clear();
    error.reset();
  }
  friend bool operator==(const Status&, const Status&) = default;
};

// Go's %v of a list of strings: "[a b]".
std::string go_list(const std::vector<std::string>& items);

}  // namespace libsched
