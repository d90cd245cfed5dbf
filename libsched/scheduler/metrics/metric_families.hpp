// The metrics that kube-scheduler registers: names, help texts, types and labels, by release.
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
  ReleaseRange releases = {};
};

// In the order of their names.
enum class Metric : uint8_t {
  kAsyncApiCallExecutionDurationSeconds,
  kAsyncApiCallExecutionTotal,
  kBatchAttemptsTotal,
  kBatchCacheFlushedTotal,
  kBatchRescoreAttemptsTotal,
  kBatchRescoreDurationSeconds,
  kCacheSize,
  kDraBindingconditionsAllocationsTotal,
  kDraBindingconditionsWaitDurationSeconds,
  kEventHandlingDurationSeconds,
  kFrameworkExtensionPointDurationSeconds,
  kGeneratedPlacementsTotal,
  kGetNodeHintDurationSeconds,
  kGoroutines,
  kInflightEvents,
  kPendingAsyncApiCalls,
  kPendingPods,
  kPermitWaitDurationSeconds,
  kPlacementEvaluationDurationSeconds,
  kPlacementEvaluationsTotal,
  kPluginEvaluationTotal,
  kPluginExecutionDurationSeconds,
  kPodScheduledAfterFlushTotal,
  kPodSchedulingAttempts,
  kPodSchedulingSliDurationSeconds,
  kPodgroupScheduleAttemptsTotal,
  kPodgroupSchedulingAlgorithmDurationSeconds,
  kPodgroupSchedulingAttemptDurationSeconds,
  kPreQueueingHintEvaluationsTotal,
  kPreemptionAttemptsTotal,
  kPreemptionEvaluationDurationSeconds,
  kPreemptionExecutionDurationSeconds,
  kPreemptionGoroutinesDurationSeconds,
  kPreemptionGoroutinesExecutionTotal,
  kPreemptionPdbViolationsTotal,
  kPreemptionVictims,
  kPreemptionWorkloadDisruptions,
  kQueueIncomingEntitiesTotal,
  kQueueIncomingPodsTotal,
  kQueuedEntities,
  kQueueingHintExecutionDurationSeconds,
  kResourceclaimCreatesTotal,
  kScheduleAttemptsTotal,
  kSchedulerCacheSize,
  kSchedulingAlgorithmDurationSeconds,
  kSchedulingAttemptDurationSeconds,
  kStoreScheduleResultsDurationSeconds,
  kUnschedulablePods,
  kVolumeBinderCacheRequestsTotal,
  kVolumeSchedulingStageErrorTotal,
  kWorkloadPreemptionAttemptsTotal,
  kWorkloadPreemptionVictims,
  kCount,
};

// As the release has it; no value: the release lacks the metric.
std::optional<MetricFamily> metric_family(Metric metric, Release release);

}  // namespace libsched
