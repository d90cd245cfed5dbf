// PluginMeter: how often the plugins of a profile are asked and how long they take, upstream's
// plugin_evaluation_total and plugin_execution_duration_seconds.
//
// The scheduler attaches it to the states of its cycles: to all of them for counting, and to every
// tenth for timing, where upstream takes 10 % at random. Filter and Score of all nodes together are
// one execution, but as many evaluations as upstream's with one worker.
//
// Any thread may observe and read. Nothing takes a lock. The first execution of a plugin at a point
// with some status allocates; without memory it is not observed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/framework/framework_metrics.hpp"

namespace libsched {

inline constexpr uint64_t kTimedCycle = 10;  // every tenth one
inline constexpr auto kExecutionBuckets = exponential_buckets<20>(0.00001, 1.5);
using ExecutionTimes = Histogram<kExecutionBuckets>;

// The points where plugins are counted.
enum class CountedPoint : uint8_t { kPreFilter, kFilter, kPreScore, kScore };
inline constexpr size_t kCountedPoints = 4;

// The points where plugins are timed.
enum class TimedPoint : uint8_t {
  kPreFilter,
  kAddPod,
  kRemovePod,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kNormalizeScore,
  kReserve,
  kUnreserve,
  kPermit,
  kPreBindPreFlight,
  kPreBind,
  kBind,
  kPostBind,
};
inline constexpr size_t kTimedPoints = 15;

class PluginMeter final : public RefCounted {
 public:
  // Plugins are known by their index in the profile's framework.
  PluginMeter(size_t plugins, Ref<const Clock> clock);
  ~PluginMeter() override;

  // The plugin was asked about so many nodes, or at a point without nodes once.
  void evaluated(CountedPoint point, uint32_t plugin, uint64_t times = 1) {
    evaluations_[static_cast<size_t>(point)][plugin].add(times);
  }
  // Cheaper, for the thread that runs the cycle, while no other thread counts or times at this
  // point.
  void evaluated_alone(CountedPoint point, uint32_t plugin, uint64_t times = 1) {
    evaluations_[static_cast<size_t>(point)][plugin].add_alone(times);
  }
  void took(TimedPoint point, uint32_t plugin, Code code, int64_t ns);
  void took_alone(TimedPoint point, uint32_t plugin, Code code, int64_t ns);
  int64_t now_ns() const { return clock_->now_ns(); }

  uint64_t evaluations(CountedPoint point, uint32_t plugin) const {
    return evaluations_[static_cast<size_t>(point)][plugin].value();
  }
  // Null: no execution has been observed.
  const ExecutionTimes* times(TimedPoint point, uint32_t plugin, Code code) const {
    return times_[place(point, plugin, code)].load(std::memory_order_acquire);
  }

 private:
  ExecutionTimes* series(TimedPoint point, uint32_t plugin, Code code);
  size_t place(TimedPoint point, uint32_t plugin, Code code) const {
    return (plugin * kTimedPoints + static_cast<size_t>(point)) * kStatusCodes +
           static_cast<size_t>(code);
  }

  Ref<const Clock> clock_;
  std::array<std::vector<Counter>, kCountedPoints> evaluations_;  // by plugin
  std::vector<std::atomic<ExecutionTimes*>> times_;               // owned
};

// Observes one call of a plugin with a meter, and does nothing without one.
class PluginTimer {
 public:
  PluginTimer(PluginMeter* meter, TimedPoint point, uint32_t plugin)
      : meter_(meter),
        began_ns_(meter == nullptr ? 0 : meter->now_ns()),
        plugin_(plugin),
        point_(point) {}
  // The call has ended with this code.
  void took(Code code) const {
    if (meter_ != nullptr) meter_->took(point_, plugin_, code, meter_->now_ns() - began_ns_);
  }
  void took_alone(Code code) const {
    if (meter_ != nullptr) meter_->took_alone(point_, plugin_, code, meter_->now_ns() - began_ns_);
  }

 private:
  PluginMeter* meter_;
  int64_t began_ns_;
  uint32_t plugin_;
  TimedPoint point_;
};

}  // namespace libsched
