// See plugin_meter.hpp.
#include "libsched/framework/plugin_meter.hpp"

#include <new>

namespace libsched {

PluginMeter::PluginMeter(size_t plugins, Ref<const Clock> clock)
    : clock_(std::move(clock)), times_(plugins * kTimedPoints * kStatusCodes) {
  for (std::vector<Counter>& point : evaluations_) point = std::vector<Counter>(plugins);
}

PluginMeter::~PluginMeter() {
  for (const std::atomic<ExecutionTimes*>& times : times_) delete times.load();
}

// Null without memory.
ExecutionTimes* PluginMeter::series(TimedPoint point, uint32_t plugin, Code code) {
  std::atomic<ExecutionTimes*>& there = times_[place(point, plugin, code)];
  ExecutionTimes* times = there.load(std::memory_order_acquire);
  if (times != nullptr) return times;
  auto* const made = new (std::nothrow) ExecutionTimes;
  if (made == nullptr) return nullptr;
  if (there.compare_exchange_strong(times, made, std::memory_order_acq_rel)) return made;
  delete made;  // another thread was first
  return times;
}

void PluginMeter::took(TimedPoint point, uint32_t plugin, Code code, int64_t ns) {
  if (ExecutionTimes* const times = series(point, plugin, code)) times->observe_ns(ns);
}

void PluginMeter::took_alone(TimedPoint point, uint32_t plugin, Code code, int64_t ns) {
  if (ExecutionTimes* const times = series(point, plugin, code))
    times->observe_alone(to_seconds(ns));
}

}  // namespace libsched
