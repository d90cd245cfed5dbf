// SchedulerMetrics: the text of all metrics of a scheduler, family by family.
#include <algorithm>
#include <array>
#include <map>

#include "libsched/scheduler/metrics/exposition.hpp"
#include "libsched/scheduler/metrics/scheduler_metrics.hpp"

namespace libsched {
namespace {

constexpr std::array<Str, 4> kResults = {"scheduled", "unschedulable", "error",
                                         "waiting_on_preemption"};
constexpr std::array<Str, 3> kParts = {"active", "backoff", "unschedulable"};
constexpr std::array<Str, 3> kHintResults = {"Queue", "QueueSkip", "Error"};
constexpr std::array<Str, 3> kVolumeStages = {"predicate", "assume", "bind"};
// Names by CyclePoint. An empty name is not exported here: trying the nominated node counts as
// Filter, and WaitOnPermit has a metric of its own.
constexpr std::array<Str, 14> kPointNames = {
    "PreFilter", "",       "Filter",           "PostFilter", "PreScore", "Score", "Reserve",
    "Unreserve", "Permit", "PreBindPreFlight", "",           "PreBind",  "Bind",  "PostBind"};
// By GroupPoint.
constexpr std::array<Str, kGroupPoints> kGroupPointNames = {
    "PlacementFeasible", "PlacementGenerate", "PlacementScore", "PodGroupPostFilter"};

// By CountedPoint: the lists of plugins.
constexpr std::array<ExtensionPoint, kCountedPoints> kCounted = {
    ExtensionPoint::kPreFilter, ExtensionPoint::kFilter, ExtensionPoint::kPreScore,
    ExtensionPoint::kScore};
// By TimedPoint.
constexpr std::array<Str, kTimedPoints> kTimedNames = {"PreFilter",
                                                       "PreFilterExtensionAddPod",
                                                       "PreFilterExtensionRemovePod",
                                                       "Filter",
                                                       "PostFilter",
                                                       "PreScore",
                                                       "Score",
                                                       "ScoreExtensionNormalize",
                                                       "Reserve",
                                                       "Unreserve",
                                                       "Permit",
                                                       "PreBindPreFlight",
                                                       "PreBind",
                                                       "Bind",
                                                       "PostBind"};
// By ApiCallType, and whether the call failed.
constexpr std::array<Str, 2> kApiCalls = {"pod_binding", "pod_status_patch"};
constexpr std::array<Str, 2> kOutcomes = {"success", "error"};

Str code_label(size_t code) { return code_name(static_cast<Code>(code)); }

void pending_pods(const SchedulingQueue& queue, bool parts_of_groups, Exposition* out) {
  const std::array<std::pair<Str, size_t>, 4> counts = {
      {{"active", queue.active_count()},
       {"backoff", queue.backoff_count() + queue.error_backoff_count()},
       {"gated", queue.unschedulable_count(true)},
       {"unschedulable", queue.unschedulable_count(false)}}};
  for (const auto& [part, pods] : counts) out->number({part}, static_cast<double>(pods));
  if (!parts_of_groups) return;
  const QueuedGroups* const groups = queue.groups();
  for (const bool incomplete : {true, false})
    out->number({incomplete ? "incomplete" : "pending"},
                groups == nullptr ? 0 : static_cast<double>(groups->waiting(incomplete)));
}

void queued_entities(const SchedulingQueue& queue, Exposition* out) {
  using Count = SchedulingQueue::EntityCount;
  for (const bool groups : {false, true}) {
    const std::array<std::pair<Str, Count>, 4> counts = {
        {{"active", queue.active_entities(groups)},
         {"backoff", queue.backoff_entities(groups)},
         {"gated", queue.unschedulable_entities(true, groups)},
         {"unschedulable", queue.unschedulable_entities(false, groups)}}};
    for (const auto& [part, count] : counts)
      if (count.ever)
        out->number({part, kPreemptorNames[groups ? 1 : 0]}, static_cast<double>(count.now));
  }
}

void in_flight_events(const SchedulingQueue& queue, Exposition* out) {
  const QueueMetrics& m = queue.metrics();
  std::vector<size_t> counts(m.events());
  queue.in_flight().for_each([&](const InFlight::Entry& e) {
    if (e.event != nullptr) ++counts[e.event->label];
  });
  for (uint32_t event = 0; event < counts.size(); ++event)
    if (m.flown(event)) out->number({m.event_label(event)}, static_cast<double>(counts[event]));
  if (m.pod_flown()) out->number({"PodPopped"}, static_cast<double>(queue.in_flight().pod_count()));
}

void incoming_pods(const QueueMetrics& m, Exposition* out) {
  for (uint32_t event = 0; event < m.events(); ++event)
    for (size_t part = 0; part < kParts.size(); ++part)
      if (const uint64_t pods = m.incoming(static_cast<QueuePart>(part), event); pods != 0)
        out->number({m.event_label(event), kParts[part]}, static_cast<double>(pods));
}

void incoming_entities(const QueueMetrics& m, Exposition* out) {
  for (uint32_t event = 0; event < m.events(); ++event)
    for (size_t part = 0; part < kParts.size(); ++part)
      for (const bool group : {false, true})
        if (const uint64_t n = m.incoming_entities(static_cast<QueuePart>(part), event, group);
            n != 0)
          out->number({m.event_label(event), kParts[part], kPreemptorNames[group ? 1 : 0]},
                      static_cast<double>(n));
}

void unschedulable_pods(const SchedulingQueue& queue, Exposition* out) {
  const QueueMetrics& m = queue.metrics();
  for (uint32_t scheduler = 0; scheduler < m.schedulers(); ++scheduler)
    for (size_t i = 0; i < queue.plugins().size(); ++i) {
      const auto id = static_cast<PluginId>(i);
      if (m.ever_blamed(id, scheduler))
        out->number({queue.plugins().name(id), m.scheduler_name(scheduler)},
                    static_cast<double>(m.blamed(id, scheduler)));
    }
}

void hint_times(const SchedulingQueue& queue, Exposition* out) {
  for (const auto& [key, times] : queue.times().all_hints())
    for (size_t result = 0; result < times.size(); ++result)
      out->histogram_if_observed({queue.metrics().event_label(key.second), kHintResults[result],
                                  queue.plugins().name(key.first)},
                                 times[result]);
}

void cache_sizes(const Cluster& cluster, Exposition* out) {
  const View& view = cluster.view();
  size_t assumed = 0, nodes = 0;
  for (uint32_t s = 0; s < view.slot_count(); ++s)
    if (view.slot(s).pod && view.slot(s).assumed) ++assumed;
  // Upstream's cache also has the nodes that do not exist but have pods.
  for (uint32_t r = 0; r < view.row_count(); ++r)
    if (view.row(r).used) ++nodes;
  out->number({"assumed_pods"}, static_cast<double>(assumed));
  out->number({"nodes"}, static_cast<double>(nodes));
  out->number({"pods"}, static_cast<double>(view.pod_count()));
}

void api_calls(const FrameworkMetrics& framework, Exposition* out) {
  const auto for_each = [&](auto&& f) {
    for (size_t type = 0; type < kApiCalls.size(); ++type)
      for (size_t result = 0; result < kOutcomes.size(); ++result)
        f(Exposition::Values{kApiCalls[type], kOutcomes[result]},
          framework.api_calls[type].made[result]);
  };
  out->begin(Metric::kAsyncApiCallExecutionDurationSeconds);
  for_each(
      [&](const auto& labels, const auto& times) { out->histogram_if_observed(labels, times); });
  out->begin(Metric::kAsyncApiCallExecutionTotal);
  for_each([&](const auto& labels, const auto& times) {
    if (const uint64_t n = times.count(); n != 0) out->number(labels, static_cast<double>(n));
  });
}

void pending_api_calls(const FrameworkMetrics& framework, Exposition* out) {
  for (size_t type = 0; type < kApiCalls.size(); ++type)
    if (const ApiCallMetrics& calls = framework.api_calls[type];
        calls.ever_pending.load(std::memory_order_relaxed))
      out->number({kApiCalls[type]},
                  static_cast<double>(calls.pending.load(std::memory_order_relaxed)));
}

// The families whose names begin with "preemption".
void preemptions(const FrameworkMetrics& framework, Exposition* out) {
  const auto for_each_kind = [&](auto&& f) {
    for (size_t kind = 0; kind < kPreemptorNames.size(); ++kind)
      f(kPreemptorNames[kind], framework.preemptions[kind]);
  };
  out->begin(Metric::kPreemptionAttemptsTotal);
  out->number({}, static_cast<double>(framework.preemption_attempts.value()));
  out->begin(Metric::kPreemptionEvaluationDurationSeconds);
  for_each_kind([&](Str kind, const PreemptionMetrics& m) {
    for (size_t code = 0; code < kStatusCodes; ++code)
      out->histogram_if_observed({kind, code_label(code)}, m.evaluations[code]);
  });
  out->begin(Metric::kPreemptionExecutionDurationSeconds);
  for_each_kind([&](Str kind, const PreemptionMetrics& m) {
    for (size_t i = 0; i < kOutcomes.size(); ++i)
      out->histogram_if_observed({kind, kOutcomes[i]}, m.executions[i]);
  });
  out->begin(Metric::kPreemptionGoroutinesDurationSeconds);
  out->histogram_if_observed({"error"}, framework.failed_preemptions);
  out->histogram_if_observed({"success"}, framework.preemption_goroutines);
  out->begin(Metric::kPreemptionGoroutinesExecutionTotal);
  if (const uint64_t n = framework.failed_preemptions.count(); n != 0)
    out->number({"error"}, static_cast<double>(n));
  if (const uint64_t n = framework.preemption_goroutines.count(); n != 0)
    out->number({"success"}, static_cast<double>(n));
  out->begin(Metric::kPreemptionPdbViolationsTotal);
  for_each_kind([&](Str kind, const PreemptionMetrics& m) {
    if (const uint64_t n = m.budget_violations.value(); n != 0)
      out->number({kind}, static_cast<double>(n));
  });
  out->begin(Metric::kPreemptionVictims);
  out->histogram({}, framework.preemption_victims);
  out->begin(Metric::kPreemptionWorkloadDisruptions);
  for_each_kind([&](Str kind, const PreemptionMetrics& m) {
    out->histogram_if_observed({kind}, m.disruptions);
  });
}

void group_preemptions(const FrameworkMetrics& framework, Exposition* out) {
  out->begin(Metric::kWorkloadPreemptionAttemptsTotal);
  for (size_t code = 0; code < kStatusCodes; ++code)
    if (const uint64_t n = framework.group_preemptions[code].value(); n != 0)
      out->number({code_label(code)}, static_cast<double>(n));
  out->begin(Metric::kWorkloadPreemptionVictims);
  out->histogram({}, framework.group_victims);
}

}  // namespace

void SchedulerMetrics::point_times(const SchedulingQueue& queue, Exposition* out) const {
  out->begin(Metric::kFrameworkExtensionPointDurationSeconds);
  for (const auto& profile : profiles_) {
    const auto add = [&](Str point, const auto& times) {
      for (size_t code = 0; code < kStatusCodes; ++code)
        out->histogram_if_observed({point, profile->name, code_label(code)}, times[code]);
    };
    for (size_t point = 0; point < kPoints; ++point)
      add(kPointNames[point], profile->observer.times[point]);
    for (size_t point = 0; point < kGroupPoints; ++point)
      add(kGroupPointNames[point], profile->group_points[point]);
  }
  for (uint32_t i = 0; i < queue.times().all_gates().size(); ++i)
    out->histogram_if_observed({"PreEnqueue", queue.metrics().scheduler_name(i), "Success"},
                               queue.times().all_gates()[i]);
}

void SchedulerMetrics::placement_trials(Exposition* out) const {
  constexpr std::array<Str, 2> kFits = {"feasible", "infeasible"};
  out->begin(Metric::kPlacementEvaluationDurationSeconds);
  for (const auto& profile : profiles_)
    for (size_t i = 0; i < kFits.size(); ++i)
      out->histogram_if_observed({profile->name, kFits[i]}, profile->placement_trials[i]);
  out->begin(Metric::kPlacementEvaluationsTotal);
  for (const auto& profile : profiles_)
    for (size_t i = 0; i < kFits.size(); ++i)
      if (const uint64_t n = profile->placement_trials[i].count(); n != 0)
        out->number({profile->name, kFits[i]}, static_cast<double>(n));
}

// As upstream, a series exists for each plugin, even one that has never been asked.
void SchedulerMetrics::plugin_evaluations(Exposition* out) const {
  for (const auto& profile : profiles_)
    for (size_t point = 0; point < kCounted.size(); ++point) {
      const Str interface = point_interface(kCounted[point]);
      const Str name = interface.substr(0, interface.size() - Str("Plugin").size());
      std::map<Str, uint64_t> by_name;  // several plugins may have one name
      for (const uint32_t i : profile->framework->at(kCounted[point]))
        by_name[profile->framework->plugins()[i].name] +=
            profile->meter->evaluations(static_cast<CountedPoint>(point), i);
      for (const auto& [plugin, times] : by_name)
        out->number({name, plugin, profile->name}, static_cast<double>(times));
    }
}

// The series are those of all profiles together.
void SchedulerMetrics::plugin_times(const SchedulingQueue& queue, Exposition* out) const {
  struct Sum {
    std::array<uint64_t, ExecutionTimes::kBuckets> counts{};
    double sum = 0;
  };
  std::map<std::array<Str, 3>, Sum> all;  // by point, plugin and status
  const auto add = [&](Str point, Str plugin, Code code, const ExecutionTimes& times) {
    Sum& sum = all[{point, plugin, code_name(code)}];
    const auto counts = times.counts();
    for (size_t i = 0; i < counts.size(); ++i) sum.counts[i] += counts[i];
    sum.sum += times.sum();
  };
  for (const auto& profile : profiles_)
    for (uint32_t i = 0; i < profile->framework->plugins().size(); ++i)
      for (size_t point = 0; point < kTimedPoints; ++point)
        for (size_t code = 0; code < kStatusCodes; ++code)
          if (const ExecutionTimes* times =
                  profile->meter->times(static_cast<TimedPoint>(point), i, static_cast<Code>(code)))
            add(kTimedNames[point], profile->framework->plugins()[i].name, static_cast<Code>(code),
                *times);
  for (const auto& [key, times] : queue.times().gate_plugins())
    add("PreEnqueue", queue.plugins().name(key.first), key.second, times);
  for (const auto& [labels, sum] : all)
    out->histogram({labels[0], labels[1], labels[2]},
                   {kExecutionBuckets.data(), kExecutionBuckets.size()},
                   {sum.counts.data(), sum.counts.size()}, sum.sum);
}

std::string SchedulerMetrics::text(const Services& services, const SchedulingQueue& queue,
                                   const Cluster& cluster) const {
  const FrameworkMetrics& framework = services.metrics();
  Exposition out(gates_);
  api_calls(framework, &out);
  out.begin(Metric::kCacheSize);
  cache_sizes(cluster, &out);
  out.begin(Metric::kEventHandlingDurationSeconds);
  for (const auto& [label, times] : events_) out.histogram_if_observed({label}, times);
  point_times(queue, &out);
  out.begin(Metric::kGeneratedPlacementsTotal);
  for (const auto& profile : profiles_)
    if (const uint64_t n = profile->placements.value(); n != 0)
      out.number({profile->name}, static_cast<double>(n));
  out.begin(Metric::kGoroutines);
  if (binds_.load(std::memory_order_relaxed))
    out.number({"binding"}, static_cast<double>(bindings_.load(std::memory_order_relaxed)));
  out.begin(Metric::kInflightEvents);
  in_flight_events(queue, &out);
  out.begin(Metric::kPendingAsyncApiCalls);
  pending_api_calls(framework, &out);
  out.begin(Metric::kPendingPods);
  pending_pods(queue, metric_family(Metric::kQueuedEntities, gates_.release()).has_value(), &out);
  out.begin(Metric::kPermitWaitDurationSeconds);
  for (size_t code = 0; code < kStatusCodes; ++code)
    out.histogram_if_observed({code_label(code)}, framework.permit_waits[code]);
  placement_trials(&out);
  out.begin(Metric::kPluginEvaluationTotal);
  plugin_evaluations(&out);
  out.begin(Metric::kPluginExecutionDurationSeconds);
  plugin_times(queue, &out);
  out.begin(Metric::kPodScheduledAfterFlushTotal);
  out.number({}, static_cast<double>(after_flush_.value()));
  out.begin(Metric::kPodSchedulingAttempts);
  out.histogram({}, attempts_);
  out.begin(Metric::kPodSchedulingSliDurationSeconds);
  for (size_t attempts = 0; attempts < sli_.size(); ++attempts)
    out.histogram_if_observed({attempts == kManyAttempts ? "15+" : std::to_string(attempts)},
                              sli_[attempts]);
  out.begin(Metric::kPodgroupScheduleAttemptsTotal);
  const auto attempts_of = [&](const auto& times, const std::string& profile) {
    for (size_t i = 0; i < times.size(); ++i)
      if (const uint64_t n = times[i].count(); n != 0)
        out.number({profile, kResults[i]}, static_cast<double>(n));
  };
  const auto durations_of = [&](const auto& times, const std::string& profile) {
    for (size_t i = 0; i < times.size(); ++i)
      out.histogram_if_observed({profile, kResults[i]}, times[i]);
  };
  for (const auto& profile : profiles_) attempts_of(profile->group_attempts, profile->name);
  out.begin(Metric::kPodgroupSchedulingAlgorithmDurationSeconds);
  out.histogram({}, group_algorithm_);
  out.begin(Metric::kPodgroupSchedulingAttemptDurationSeconds);
  for (const auto& profile : profiles_) durations_of(profile->group_attempts, profile->name);
  preemptions(framework, &out);
  out.begin(Metric::kQueueIncomingEntitiesTotal);
  incoming_entities(queue.metrics(), &out);
  out.begin(Metric::kQueueIncomingPodsTotal);
  incoming_pods(queue.metrics(), &out);
  out.begin(Metric::kQueuedEntities);
  queued_entities(queue, &out);
  out.begin(Metric::kQueueingHintExecutionDurationSeconds);
  hint_times(queue, &out);
  out.begin(Metric::kScheduleAttemptsTotal);
  for (const auto& profile : profiles_) attempts_of(profile->attempts, profile->name);
  out.begin(Metric::kSchedulerCacheSize);
  cache_sizes(cluster, &out);
  out.begin(Metric::kSchedulingAlgorithmDurationSeconds);
  out.histogram({}, algorithm_);
  out.begin(Metric::kSchedulingAttemptDurationSeconds);
  for (const auto& profile : profiles_) durations_of(profile->attempts, profile->name);
  out.begin(Metric::kUnschedulablePods);
  unschedulable_pods(queue, &out);
  out.begin(Metric::kVolumeSchedulingStageErrorTotal);
  for (size_t i = 0; i < kVolumeStages.size(); ++i)
    if (const uint64_t n = framework.volume_stage_errors[i].value(); n != 0)
      out.number({kVolumeStages[i]}, static_cast<double>(n));
  group_preemptions(framework, &out);
  return out.take();
}

}  // namespace libsched
