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

inline constexpr auto kDecisionBuckets = exponential_buckets<16>(0.001, 2);
inline constexpr auto kGroupVictimBuckets = exponential_buckets<11>(1, 2);

// What preempts others, and its name in metrics, events and logs.
enum class PreemptorKind : uint8_t { kPod, kPodGroup, kCompositePodGroup };
inline constexpr std::array<Str, 3> kPreemptorNames = {"pod", "podgroup", "compositepodgroup"};

struct PreemptionMetrics {
  std::array<Histogram<kDecisionBuckets>, kStatusCodes> evaluations;  // by code
  std::array<Histogram<kDecisionBuckets>, 2> executions;  // that succeeded, and that failed
  Histogram<kGroupVictimBuckets> disruptions;             // units of pod groups
  Counter budget_violations;
};

enum class VolumeStage : uint8_t { kPredicate, kAssume, kBind };

// Of calls with SchedulerAsyncAPICalls.
enum class ApiCallType : uint8_t { kPodBinding, kPodStatusPatch };

struct ApiCallMetrics {
  std::array<Histogram<kWaitBuckets>, 2> made;  // that succeeded, and that failed
  std::atomic<int64_t> pending{0};
  std::atomic<bool> ever_pending{false};
};

struct FrameworkMetrics {
  Counter preemption_attempts;
  Histogram<kVictimBuckets> preemption_victims;
  // Without Behaviours::tells_failed_preemptions all count as successes, and take no time.
  Histogram<kPreemptionBuckets> preemption_goroutines, failed_preemptions;
  std::array<PreemptionMetrics, kPreemptorNames.size()> preemptions;         // by PreemptorKind
  std::array<Counter, kStatusCodes> group_preemptions;  // by code
  Histogram<kGroupVictimBuckets> group_victims;
  std::array<Histogram<kWaitBuckets>, kStatusCodes> permit_waits;  // by code
  std::array<Counter, 3> volume_stage_errors;                      // by VolumeStage

  std::array<ApiCallMetrics, 2> api_calls;  // by ApiCallType

  PreemptionMetrics& preemptions_by(PreemptorKind kind) {
    return preemptions[static_cast<size_t>(kind)];
  }
  void permit_waited(Code code, int64_t ns) {
    permit_waits[static_cast<size_t>(code)].observe_ns(ns);
  }
  void volume_stage_failed(VolumeStage stage, uint64_t times = 1) {
    volume_stage_errors[static_cast<size_t>(stage)].add(times);
  }
  // A call begins to wait, or does so no longer.
  void api_call_waits(ApiCallType type) {
    api_calls[static_cast<size_t>(type)].ever_pending.store(true, std::memory_order_relaxed);
    api_calls[static_cast<size_t>(type)].pending.fetch_add(1, std::memory_order_relaxed);
  }
  void api_call_left(ApiCallType type) {
    api_calls[static_cast<size_t>(type)].pending.fetch_sub(1, std::memory_order_relaxed);
  }
  void api_call_made(ApiCallType type, bool success, int64_t ns) {
    api_calls[static_cast<size_t>(type)].made[success ? 0 : 1].observe_ns(ns);
  }
};

}  // namespace libsched
