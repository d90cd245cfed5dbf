// Status: what a plugin says, with upstream's codes, names and texts.
#pragma once

#include <cstdint>
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
  std::string plugin;  // filled in by the runtime
  std::vector<std::string> reasons;

  Status() = default;
  explicit Status(Code c) : code(c) {}
  Status(Code c, std::string reason) : code(c) { reasons.push_back(std::move(reason)); }

  bool success() const { return code == Code::kSuccess; }
  bool rejected() const {
    return code == Code::kUnschedulable || code == Code::kUnschedulableAndUnresolvable ||
           code == Code::kPending;
  }
  std::string message() const;  // reasons, joined by ", "
  void reset() {
    code = Code::kSuccess;
    plugin.clear();
    reasons.clear();
  }
  friend bool operator==(const Status&, const Status&) = default;
};

// Go's %v of a list of strings: "[a b]".
std::string go_list(const std::vector<std::string>& items);

}  // namespace libsched
