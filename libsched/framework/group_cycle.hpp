// GroupCycle: what plugins keep for all members of a PodGroup while these are tried together,
// upstream's PodGroupCycleState. It stands under a key in the members' states, until a member is
// scheduled for real.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "libsched/framework/cycle_state.hpp"

namespace libsched {

// For the thread that schedules.
class GroupCycle final : public StateValue {
 public:
  class Part {
   public:
    virtual ~Part() = default;
  };
  // By the plugin's name.
  std::map<std::string, std::unique_ptr<Part>, std::less<>> parts;

  // Null: the pod is scheduled by itself.
  static GroupCycle* of(const CycleState& state) {
    return static_cast<GroupCycle*>(state.read(kKey).get());
  }
  static void begin(CycleState& state, std::shared_ptr<GroupCycle> group) {
    state.write(kKey, std::move(group));
  }
  static void end(CycleState& state) { state.erase(kKey); }

  // Copies of a state belong to the same group.
  std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const override {
    return self;
  }
  void* get() const override { return nullptr; }
  bool clones_anywhere() const override { return true; }

 private:
  static constexpr Str kKey = "libsched.dev/pod-group-cycle";
};

}  // namespace libsched
