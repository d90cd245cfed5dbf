// QueueTimes: how long the plugins take that the queue asks. For the queue's thread.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <utility>

#include "libsched/base/clock.hpp"
#include "libsched/base/histogram.hpp"
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

  const std::deque<Gates>& all_gates() const { return gates_; }
  const std::map<HintKey, Hints>& all_hints() const { return hints_; }

 private:
  Ref<Clock> clock_;
  std::deque<Gates> gates_;
  std::map<HintKey, Hints> hints_;
};

}  // namespace libsched
