// SchedulerMetrics: observing cycles and events.
#include "libsched/scheduler/metrics/scheduler_metrics.hpp"

namespace libsched {

std::shared_ptr<SchedulerMetrics> SchedulerMetrics::create(Span<Evaluator*> profiles,
                                                           const FeatureGates& gates) {
  auto out = std::make_shared<SchedulerMetrics>();
  out->gates_ = gates;
  for (const Evaluator* e : profiles) {
    out->profiles_.push_back(std::make_unique<Profile>());
    Profile& profile = *out->profiles_.back();
    profile.name = e->framework().profile();
    profile.framework = FrameworkRef::share(&e->framework());
    profile.meter =
        make_ref<PluginMeter>(e->framework().plugins().size(), e->services().clock_ref());
  }
  return out;
}

EventTimes& SchedulerMetrics::event_times(Str label) {
  if (const auto it = events_.find(label); it != events_.end()) return it->second;
  return events_.try_emplace(std::string(label)).first->second;
}

Ref<CycleState> SchedulerMetrics::measured_state(uint32_t profile) {
  Ref<CycleState> out = make_ref<CycleState>();
  out->measure(profiles_[profile]->meter, cycles_++ % kTimedCycle == 0);
  return out;
}

std::shared_ptr<CycleObserver> SchedulerMetrics::observer(uint32_t profile, const Clock& clock,
                                                          std::shared_ptr<CycleObserver> next) {
  Observer& out = profiles_[profile]->observer;
  out.clock = Ref<const Clock>::share(&clock);
  out.next = std::move(next);
  return {shared_from_this(), &out};
}

void SchedulerMetrics::Observer::hear(const CycleEvent& event) {
  observe(event);
  if (next) next->hear(event);
}

// Points do not nest within one state, so the state can keep the beginning.
void SchedulerMetrics::Observer::observe(const CycleEvent& event) {
  if (event.point == CyclePoint::kWaitOnPermit) return;  // has a metric of its own
  int64_t& began = event.state->point_began_ns;
  const int64_t now = clock->now_ns();
  if (!event.ended) {
    began = now;
    return;
  }
  // A point without a status has upstream's default; the nominated node is filtered before others.
  const Code code = event.status == nullptr ? Code::kSuccess : event.status->code;
  const CyclePoint point =
      event.point == CyclePoint::kFilterNominated ? CyclePoint::kFilter : event.point;
  Histogram<kPointBuckets>& times =
      this->times[static_cast<size_t>(point)][static_cast<size_t>(code)];
  const double seconds = to_seconds(now - began);
  // The points up to Permit run on the owner's thread.
  if (point <= CyclePoint::kScore) {
    times.observe_alone(seconds);
  } else {
    times.observe(seconds);
  }
}

}  // namespace libsched
