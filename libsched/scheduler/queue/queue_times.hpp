// QueueTimes: how long the plugins take that the queue asks. For the queue's thread.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <utility>

#include "libsched/base/clock.hpp"
#include "libsched/framework/plugin_meter.hpp"
#include "libsched/scheduler/queue/plugin_names.hpp"

namespace libsched {

inline constexpr auto kGateBuckets = exponential_buckets<12>(0.0001, 2);
inline constexpr auto kHintBuckets = exponential_buckets<20>(0.00001, 1.5);

enum class HintResult : uint8_t { kQueue, kQueueSkip, kError };

class QueueTimes {
 public:
  using Gates = Histogram<kGateBuckets>;
  using Hints = std::array<Histogram<kHintBuckets>, 3>;  // by HintResult
  using HintKey = std::pair<PluginId, uint32_t>;         // and the event's number

  explicit QueueTimes(Ref<Clock> clock) : clock_(std::move(clock)) {}

  int64_t now_ns() const { return clock_->now_ns(); }
  // PreEnqueue of pods with this number of a schedulerName. References stay valid.
  Gates& gates(uint32_t scheduler) {
    while (gates_.size() <= scheduler) gates_.emplace_back();
    return gates_[scheduler];
  }
  Hints& hints(HintKey key) { return hints_[key]; }
  // Whether the plugins are to be timed that are asked now: each tenth time.
  bool times_gates() { return asked_++ % kTimedCycle == 0; }
  // PreEnqueue of a plugin, with this result.
  ExecutionTimes& gate(PluginId plugin, Code code) { return gate_plugins_[{plugin, code}]; }

  const std::deque<Gates>& all_gates() const { return gates_; }
  const std::map<HintKey, Hints>& all_hints() const { return hints_; }
  using GateKey = std::pair<PluginId, Code>;
  const std::map<GateKey, ExecutionTimes>& gate_plugins() const { return gate_plugins_; }

 private:
  Ref<Clock> clock_;
  std::deque<Gates> gates_;
  std::map<HintKey, Hints> hints_;
  uint64_t asked_ = 0;
  std::map<GateKey, ExecutionTimes> gate_plugins_;
};

}  // namespace libsched
