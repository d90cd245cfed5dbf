// SelectorMemory: which devices match which expressions, remembered while the slices live, for some
// hundred expressions.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/cel/cel.hpp"
#include "libsched/cel/device_view.hpp"
#include "libsched/objects/resource_slice.hpp"

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
    // Of kError: "CEL compile error: ..." or "CEL runtime error: ..."; valid until the next call.
    const std::string* error = nullptr;
    bool compiles = true;
  };
  // The device is of the slice.
  Answer match(Str expression, const ResourceSlice& slice, const Device& device);

 private:
  struct Expression {
    DeviceMatcher matcher;  // empty: it does not compile, and `failed` tells why
    std::string failed;
    std::vector<uint8_t> answers;  // by the devices' numbers: a Match and one, or 0
    std::unordered_map<uint32_t, std::string> errors;
  };
  using Expressions = std::unordered_map<std::string, Expression>;

  static constexpr size_t kMostExpressions = 256;  // beyond that all is forgotten
  static constexpr size_t kRecent = 4;             // found without hashing

  Expression& find(Str expression);
  uint32_t number_of(const ResourceSlice& slice, const Device& device);

  SelectorCompiler compile_;
  bool lists_;
  cel::DeviceView view_;
  Expressions expressions_;
  std::array<Expressions::value_type*, kRecent> recent_{};  // the oldest at `next_recent_`
  size_t next_recent_ = 0;
  // The number of each slice's first device. A search asks about the devices of a slice in a row.
  std::unordered_map<const ResourceSlice*, uint32_t> first_;
  uint32_t devices_ = 0;
  const ResourceSlice* last_slice_ = nullptr;
  uint32_t last_first_ = 0;
};

}  // namespace libsched
