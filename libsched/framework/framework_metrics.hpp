// FrameworkMetrics: upstream's metrics that the framework and in-tree plugins observe. They belong
// to the Services of a scheduler; any thread may observe and read them.
#pragma once

#include "libsched/base/histogram.hpp"
#include "libsched/framework/status.hpp"

namespace libsched {

inline constexpr size_t kStatusCodes = 7;
inline constexpr auto kVictimBuckets = exponential_buckets<7>(1, 2);
inline constexpr auto kWaitBuckets = exponential_buckets<15>(0.001, 2);
inline constexpr auto kPreemptionBuckets = exponential_buckets<20>(0.01, 2);

enum class VolumeStage : uint8_t { kPredicate, kAssume, kBind };

struct FrameworkMetrics {
  Counter preemption_attempts;
  Histogram<kVictimBuckets> preemption_victims;
  // With the result "success" whatever happened, and no time, as upstream's.
  Histogram<kPreemptionBuckets> preemption_goroutines;
  std::array<Histogram<kWaitBuckets>, kStatusCodes> permit_waits;  // by code
  std::array<Counter, 3> volume_stage_errors;                      // by VolumeStage

  void permit_waited(Code code, int64_t ns) {
    permit_waits[static_cast<size_t>(code)].observe_ns(ns);
  }
  void volume_stage_failed(VolumeStage stage, uint64_t times = 1) {
    volume_stage_errors[static_cast<size_t>(stage)].add(times);
  }
};

}  // namespace libsched
