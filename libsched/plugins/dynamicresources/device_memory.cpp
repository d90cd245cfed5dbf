// See device_memory.hpp.
#include "libsched/plugins/dynamicresources/device_memory.hpp"

#include <algorithm>

namespace libsched {
namespace {

constexpr uint32_t kMostAnswers = 1 << 18;

}  // namespace

ClaimAnswers::Answer& ClaimAnswers::of(const NodePools& pools) {
  if (pools.id < first || pools.id - first >= kMostAnswers) {
    answers.clear();
    first = pools.id;
  }
  const size_t index = pools.id - first;
  if (index >= answers.size()) answers.resize(index + 1);
  return answers[index];
}

std::shared_ptr<ClaimAnswers> DeviceMemory::answers_for(
    std::string shape, const std::vector<DeviceClassRef>& classes) {
  ++calls_;
  for (const std::shared_ptr<ClaimAnswers>& kept : kept_) {
    if (kept->shape != shape) continue;
    kept->used = calls_;
    return kept;
  }
  auto made = std::make_shared<ClaimAnswers>();
  made->shape = std::move(shape);
  made->classes = classes;
  made->used = calls_;
  if (kept_.size() < kShapes) return kept_.emplace_back(std::move(made));
  auto& oldest = *std::min_element(kept_.begin(), kept_.end(),
                                   [](const auto& a, const auto& b) { return a->used < b->used; });
  return oldest = std::move(made);
}

}  // namespace libsched
