// SchedulerMetrics: kube-scheduler's metrics of a scheduler's cycles and watches, with upstream's
// names and labels.
//
// No method takes a lock or allocates, unless it says so. Those that say "owner" are for the thread
// that runs the scheduler; any thread may call the others. What the queue and the plugins
// count is in QueueMetrics and FrameworkMetrics; metrics_text() reads all of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "libsched/framework/cycle_observer.hpp"
#include "libsched/scheduler/queue/queue.hpp"

namespace libsched {

class Exposition;

inline constexpr auto kAttemptBuckets = exponential_buckets<15>(0.001, 2);
inline constexpr auto kAttemptCountBuckets = exponential_buckets<5>(1, 2);
inline constexpr auto kSliBuckets = exponential_buckets<20>(0.01, 2);
inline constexpr auto kPointBuckets = exponential_buckets<12>(0.0001, 2);

// The points of plugins that are asked about PodGroups.
enum class GroupPoint : uint8_t {
  kPlacementFeasible,
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
};
inline constexpr size_t kGroupPoints = 4;

enum class AttemptResult : uint8_t { kScheduled, kUnschedulable, kError, kWaitingOnPreemption };
using EventTimes = Histogram<kPointBuckets>;

class SchedulerMetrics final : public std::enable_shared_from_this<SchedulerMetrics> {
 public:
  // A profile's number is its place among the evaluators, as in the queue. The gates decide which
  // metrics are registered.
  static std::shared_ptr<SchedulerMetrics> create(Span<Evaluator*> profiles,
                                                  const FeatureGates& gates);
  static std::shared_ptr<SchedulerMetrics> create(Span<Evaluator*> profiles) {
    return create(profiles, profiles[0]->framework().gates());
  }

  // The end of an attempt that `ns` ago took the pod from the queue, before PostBind and in the
  // failure handler. A rejection (S98) is kUnschedulable, any other failure kError.
  void attempted(uint32_t profile, AttemptResult result, int64_t ns) {
    profiles_[profile]->attempts[static_cast<size_t>(result)].observe_ns(ns);
  }
  // A bound pod besides: its attempts, the time since it first became active, if it did, and
  // whether it was flushed from the unschedulable pods.
  void bound(int64_t attempts, std::optional<int64_t> since_active_ns, bool flushed) {
    attempts_.observe(static_cast<double>(attempts));
    if (since_active_ns)
      sli_[static_cast<size_t>(std::min<int64_t>(attempts, kManyAttempts))].observe_ns(
          *since_active_ns);
    if (flushed) after_flush_.add();
  }
  // Owner: schedulePod with PostFilter, whatever its result; the time is the attempt's so far.
  void algorithm_ended(int64_t ns) { algorithm_.observe_alone(to_seconds(ns)); }
  // Owner. A pod group's attempt; and the part of it that corresponds to algorithm_ended().
  void group_attempted(uint32_t profile, AttemptResult result, int64_t ns) {
    profiles_[profile]->group_attempts[static_cast<size_t>(result)].observe_alone(to_seconds(ns));
  }
  void group_algorithm_ended(int64_t ns) { group_algorithm_.observe_alone(to_seconds(ns)); }
  // Owner. Calls f(), which asks the plugins of this point, and observes how long that takes.
  template <typename F>
  Status at_group_point(uint32_t profile, GroupPoint point, F&& f) {
    const Clock& clock = *profiles_[profile]->observer.clock;
    const int64_t began = clock.now_ns();
    Status said = f();
    profiles_[profile]
        ->group_points[static_cast<size_t>(point)][static_cast<size_t>(said.code)]
        .observe_alone(to_seconds(clock.now_ns() - began));
    return said;
  }
  // Owner. A pod group has so many placements, and has been tried in one of them.
  void placements_generated(uint32_t profile, size_t placements) {
    profiles_[profile]->placements.add(placements);
  }
  void placement_tried(uint32_t profile, bool feasible, int64_t ns) {
    profiles_[profile]->placement_trials[feasible ? 0 : 1].observe_alone(to_seconds(ns));
  }
  // The gauge goroutines{operation="binding"}.
  void binding_began() {
    binds_.store(true, std::memory_order_relaxed);
    bindings_.fetch_add(1, std::memory_order_relaxed);
  }
  void binding_ended() { bindings_.fetch_sub(1, std::memory_order_relaxed); }
  size_t binding_count() const {
    return static_cast<size_t>(bindings_.load(std::memory_order_relaxed));
  }
  // Owner: the times of the event handlers for the events with this label. Looks it up and
  // allocates at its first use; the reference stays valid.
  EventTimes& event_times(Str label);

  // Observes framework_extension_point_duration_seconds in cycles of this profile. It may observe
  // several cycles at once, and keeps the metrics alive. `next` (may be null) hears the same.
  std::shared_ptr<CycleObserver> observer(uint32_t profile, const Clock& clock,
                                          std::shared_ptr<CycleObserver> next = {});

  // Owner: a state for a cycle of this profile, which measures the plugins that are called with it.
  Ref<CycleState> measured_state(uint32_t profile);

  // The text of all metrics. It is for the owner's thread, while no plugin runs.
  std::string text(const Services& services, const SchedulingQueue& queue,
                   const Cluster& cluster) const;

 private:
  static constexpr int64_t kManyAttempts = 15;
  static constexpr size_t kPoints = static_cast<size_t>(CyclePoint::kPostBind) + 1;
  using PointTimes = std::array<std::array<Histogram<kPointBuckets>, kStatusCodes>, kPoints>;
  using AttemptTimes = Histogram<kAttemptBuckets>;

  class Observer final : public CycleObserver {
   public:
    void hear(const CycleEvent& event) override;
    PointTimes times;
    Ref<const Clock> clock;
    std::shared_ptr<CycleObserver> next;

   private:
    void observe(const CycleEvent& event);
  };
  struct Profile {
    std::string name;
    FrameworkRef framework;
    Ref<PluginMeter> meter;
    std::array<AttemptTimes, 3> attempts;
    std::array<AttemptTimes, 4> group_attempts;
    std::array<std::array<Histogram<kPointBuckets>, kStatusCodes>, kGroupPoints> group_points;
    std::array<AttemptTimes, 2> placement_trials;  // where the group fits, and where it does not
    Counter placements;
    Observer observer;
  };

  std::vector<std::unique_ptr<Profile>> profiles_;
  void point_times(const SchedulingQueue& queue, Exposition* out) const;
  void placement_trials(Exposition* out) const;
  void plugin_evaluations(Exposition* out) const;
  void plugin_times(const SchedulingQueue& queue, Exposition* out) const;

  FeatureGates gates_;
  uint64_t cycles_ = 0;
  AttemptTimes algorithm_, group_algorithm_;
  Histogram<kAttemptCountBuckets> attempts_;
  std::array<Histogram<kSliBuckets>, kManyAttempts + 1> sli_;  // by attempts
  Counter after_flush_;
  std::atomic<int64_t> bindings_{0};
  std::atomic<bool> binds_{false};
  std::map<std::string, EventTimes, std::less<>> events_;
};

}  // namespace libsched
