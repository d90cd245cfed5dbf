// The metrics that kube-scheduler registers: names, help texts, types and labels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "libsched/base/arena.hpp"
#include "libsched/config/feature_gates.hpp"

namespace libsched {

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram };

struct MetricFamily {
  Str name;
  Str help;  // begins with the stability
  MetricType type = MetricType::kCounter;
  std::array<Str, 3> labels;  // sorted; unused ones are empty
  std::optional<Gate> gate;   // without it the metric is not registered
};

// In the order of their names.
enum class Metric : uint8_t {
  kAsyncApiCallExecutionDurationSeconds,
  kAsyncApiCallExecutionTotal,
  kBatchAttemptsTotal,
  kBatchCacheFlushedTotal,
  kCacheSize,
  kDraBindingconditionsAllocationsTotal,
  kDraBindingconditionsWaitDurationSeconds,
  kEventHandlingDurationSeconds,
  kFrameworkExtensionPointDurationSeconds,
  kGetNodeHintDurationSeconds,
  kGoroutines,
  kInflightEvents,
  kPendingAsyncApiCalls,
  kPendingPods,
  kPermitWaitDurationSeconds,
  kPluginEvaluationTotal,
  kPluginExecutionDurationSeconds,
  kPodScheduledAfterFlushTotal,
  kPodSchedulingAttempts,
  kPodSchedulingSliDurationSeconds,
  kPodgroupScheduleAttemptsTotal,
  kPodgroupSchedulingAlgorithmDurationSeconds,
  kPodgroupSchedulingAttemptDurationSeconds,
  kPreemptionAttemptsTotal,
  kPreemptionGoroutinesDurationSeconds,
  kPreemptionGoroutinesExecutionTotal,
  kPreemptionVictims,
  kQueueIncomingPodsTotal,
  kQueueingHintExecutionDurationSeconds,
  kResourceclaimCreatesTotal,
  kScheduleAttemptsTotal,
  kSchedulingAlgorithmDurationSeconds,
  kSchedulingAttemptDurationSeconds,
  kStoreScheduleResultsDurationSeconds,
  kUnschedulablePods,
  kVolumeBinderCacheRequestsTotal,
  kVolumeSchedulingStageErrorTotal,
  kCount,
};

const MetricFamily& metric_family(Metric metric);

}  // namespace libsched
