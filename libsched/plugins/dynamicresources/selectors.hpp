// SelectorMemory: which devices match which expressions, remembered while the slices live, for some
// hundred expressions.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/cel/cel.hpp"
#include "libsched/cel/device_view.hpp"
#include "libsched/objects/device.hpp"

namespace libsched {

// Evaluates one compiled expression on a device.
using DeviceMatcher = std::function<cel::MatchResult(const cel::Device&)>;
// Compiles an expression; the error has upstream's text.
using SelectorCompiler = std::function<Result<DeviceMatcher>(Str)>;

// Answers depend on the device alone, so one memory serves all nodes and cycles. For one thread at
// a time; the devices outlive it.
class SelectorMemory {
 public:
  SelectorMemory(SelectorCompiler compile, bool list_attributes)
      : compile_(std::move(compile)), lists_(list_attributes) {}

  struct Answer {
    cel::Match match = cel::Match::kNo;
    std::string error;  // of kError: "CEL compile error: ..." or "CEL runtime error: ..."
  };
  // Valid until the next call.
  const Answer& match(Str expression, const Device& device, Str driver);

 private:
  struct Expression {
    DeviceMatcher matcher;  // empty: `failed`
    Answer failed;
    std::unordered_map<const Device*, Answer> answers;
  };

  static constexpr size_t kMostExpressions = 256;  // beyond that all is forgotten

  SelectorCompiler compile_;
  bool lists_;
  cel::DeviceView view_;
  std::unordered_map<std::string, Expression> expressions_;
};

}  // namespace libsched
