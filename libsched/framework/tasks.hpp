// Tasks: work that upstream does in goroutines beside the scheduling cycle.
#pragma once

#include <cstdint>
#include <functional>

#include "libsched/base/ref.hpp"
#include "libsched/objects/meta.hpp"

namespace libsched {

class Tasks : public RefCounted {
 public:
  // Of two turns that concern one object, the lower rank comes first.
  enum class Rank : uint8_t { kPlugin, kBind, kPatchStatus, kDelete, kPatchGroup };

  // Starts a task. It may run before or after this returns.
  virtual void start(std::function<void()> task) = 0;
  // Returns when it is the caller's turn, where the order of tasks matters: before an action that
  // others see, and after it. `what` names the action and outlives the call.
  virtual void turn(Rank rank, const char* what, const ObjectMeta& about) = 0;
  // Runs calls to the API server in the middle of a cycle, which reads the cluster no more: others
  // may change it meanwhile.
  virtual void outside_cycle(const std::function<void()>& calls) { calls(); }
};

// Runs each task at once, on the thread that starts it.
class TasksAtOnce final : public Tasks {
 public:
  void start(std::function<void()> task) override { task(); }
  void turn(Rank, const char*, const ObjectMeta&) override {}
};

}  // namespace libsched
