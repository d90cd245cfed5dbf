// See selectors.hpp.
#include "libsched/plugins/dynamicresources/selectors.hpp"

#include <algorithm>

namespace libsched {

SelectorMemory::Expression& SelectorMemory::find(Str expression) {
  for (Expressions::value_type* const recent : recent_)
    if (recent != nullptr && recent->first == expression) return recent->second;
  if (expressions_.size() > kMostExpressions) {
    recent_.fill(nullptr);
    expressions_.clear();
  }
  const auto [entry, fresh] = expressions_.try_emplace(std::string(expression));
  recent_[next_recent_++ % kRecent] = &*entry;
  Expression& e = entry->second;
  if (!fresh) return e;
  Result<DeviceMatcher> compiled = compile_(expression);
  if (compiled.ok()) {
    e.matcher = std::move(*compiled);
  } else {
    e.failed = "CEL compile error: " + compiled.error().message;
  }
  return e;
}

uint32_t SelectorMemory::number_of(const ResourceSlice& slice, const Device& device) {
  if (last_slice_ != &slice) {
    const auto [at, fresh] = first_.try_emplace(&slice, devices_);
    if (fresh) devices_ += static_cast<uint32_t>(slice.devices.size());
    last_slice_ = &slice;
    last_first_ = at->second;
  }
  return last_first_ + static_cast<uint32_t>(&device - slice.devices.data());
}

SelectorMemory::Answer SelectorMemory::match(Str expression, const ResourceSlice& slice,
                                             const Device& device) {
  Expression& e = find(expression);
  if (!e.matcher) return {cel::Match::kError, &e.failed, /*compiles=*/false};
  const uint32_t number = number_of(slice, device);
  if (number >= e.answers.size()) e.answers.resize(std::max<size_t>(devices_, number + 1));
  if (const uint8_t known = e.answers[number]; known != 0) {
    const auto match = static_cast<cel::Match>(known - 1);
    return {match, match == cel::Match::kError ? &e.errors.at(number) : nullptr, /*compiles=*/true};
  }
  const cel::MatchResult result = e.matcher(view_.of(device, slice.driver, lists_));
  Answer out;
  out.match = result.match;
  if (result.match == cel::Match::kError)
    out.error = &(e.errors[number] = "CEL runtime error: " + result.error);
  e.answers[number] = static_cast<uint8_t>(static_cast<uint8_t>(result.match) + 1);
  return out;
}

}  // namespace libsched
