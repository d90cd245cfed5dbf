// See selectors.hpp.
#include "libsched/plugins/dynamicresources/selectors.hpp"

namespace libsched {

const SelectorMemory::Answer& SelectorMemory::match(Str expression, const Device& device,
                                                    Str driver) {
  if (expressions_.size() > kMostExpressions) expressions_.clear();
  const auto [entry, fresh] = expressions_.try_emplace(std::string(expression));
  Expression& e = entry->second;
  if (fresh) {
    Result<DeviceMatcher> compiled = compile_(expression);
    if (compiled.ok()) {
      e.matcher = std::move(*compiled);
    } else {
      e.failed = {cel::Match::kError, "CEL compile error: " + compiled.error().message};
    }
  }
  if (!e.matcher) return e.failed;
  const auto [answer, unknown] = e.answers.try_emplace(&device);
  if (!unknown) return answer->second;
  const cel::MatchResult result = e.matcher(view_.of(device, driver, lists_));
  answer->second.match = result.match;
  if (result.match == cel::Match::kError)
    answer->second.error = "CEL runtime error: " + result.error;
  return answer->second;
}

}  // namespace libsched
