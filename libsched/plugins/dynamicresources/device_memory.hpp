// DeviceMemory: what is remembered from cycle to cycle while a cluster's slices and taint rules
// stay as they are: which pools a node sees, which devices match a selector, and which claims a
// node has devices for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/plugins/dynamicresources/allocator.hpp"

namespace libsched {

// What claims of one shape were answered. For the owner of the memory's mutex.
struct ClaimAnswers {
  struct Answer {
    bool known = false;
    AllocationOutcome::Kind kind{};
    int32_t score = 0;
    uint64_t version = 0;  // of the pools
  };

  std::string shape;
  std::vector<DeviceClassRef> classes;  // of which the shape has addresses
  std::vector<Answer> answers;          // by NodePools' id less `first`
  uint32_t first = 0;
  uint64_t used = 0;  // when, in calls

  // The answer about nodes that see these pools; valid until the next call.
  Answer& of(const NodePools& pools);
};

class DeviceMemory {
 public:
  DeviceMemory(const DeviceSlices& slices, SelectorCompiler compile, bool list_attributes)
      : pools(slices), selectors(std::move(compile), list_attributes) {}

  // Guards all members. A thread that finds it taken does without the memory.
  Mutex mutex;
  PoolsByNode pools;
  SelectorMemory selectors;

  // The answers for claims of a shape; of the shapes that nobody asked for lately, one is
  // forgotten.
  std::shared_ptr<ClaimAnswers> answers_for(std::string shape,
                                            const std::vector<DeviceClassRef>& classes);

 private:
  static constexpr size_t kShapes = 64;

  std::vector<std::shared_ptr<ClaimAnswers>> kept_;
  uint64_t calls_ = 0;
};

}  // namespace libsched
