// ObservedPoint: notifies the observer of a cycle, if any, of the beginning and end of a point.
#pragma once

#include "libsched/run/evaluator.hpp"

namespace libsched {

class ObservedPoint {
 public:
  ObservedPoint(const CycleOptions& options, CyclePoint point, const Pod& pod, CycleState& state)
      : ObservedPoint(options.observer, point, pod, state) {}
  ObservedPoint(CycleObserver* observer, CyclePoint point, const Pod& pod, CycleState& state,
                Str node = {})
      : observer_(observer) {
    if (observer_ == nullptr) return;
    event_.point = point;
    event_.pod = &pod;
    event_.state = &state;
    event_.node = node;
    observer_->hear(event_);
  }
  CycleEvent& event() { return event_; }
  void end(const Status* status) {
    if (observer_ == nullptr) return;
    event_.ended = true;
    event_.status = status;
    observer_->hear(event_);
  }

 private:
  CycleObserver* observer_;
  CycleEvent event_;
};

}  // namespace libsched
