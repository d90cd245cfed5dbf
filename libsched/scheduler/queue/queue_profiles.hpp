// QueueProfiles: the plugins that the queue calls, by profile, and the plugins that an event
// concerns.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "libsched/framework/event_map.hpp"
#include "libsched/run/evaluator.hpp"
#include "libsched/scheduler/queue/queue_metrics.hpp"
#include "libsched/scheduler/queue/queue_times.hpp"
#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

// A kind of event and the plugins whose hints it needs. Computed once.
struct EventPlan {
  struct Ask {
    PluginId name = kNoPlugin;
    const Plugin* plugin = nullptr;
    bool has_hint = false;  // else the answer is Queue
    size_t hint = 0;
    QueueTimes::Hints* times = nullptr;
  };
  struct Profile {
    RejectorSet plugins;  // of `asks`
    std::vector<Ask> asks;
  };

  ClusterEvent event;
  uint32_t label = 0;
  bool wildcard = false;     // every pod is worth a retry
  bool of_interest = false;  // a plugin registered for it, or it is a wildcard
  RejectorSet gates;         // plugins that registered for it in any profile
  std::vector<Profile> profiles;
};

// How a rejected pod goes on after an event.
enum class Requeueing : uint8_t { kSkip, kAfterBackoff, kImmediately };

class QueueProfiles {
 public:
  // Errors: those of event_map(), kLimit (too many plugins), kInvalid (QueueSort differs).
  static Result<QueueProfiles> create(Span<Evaluator*> profiles, PluginNames* names,
                                      QueueMetrics* metrics);

  const QueueTimes& times() const { return *times_; }
  const Framework& first() const { return *profiles_.front().framework; }
  // The plan of an event; valid as long as this object.
  const EventPlan& plan(Str resource, ActionType actions, Str label, QueueMetrics* metrics);
  // The first PreEnqueue plugin that does not succeed, trying `gating` first; kNoPlugin: all
  // succeed.
  PluginId ask_gates(const Call& call, const Pod& pod, uint32_t scheduler, PluginId gating) const;
  // Upstream's isPodWorthRequeuing, for a pod with these rejectors.
  Requeueing worth_requeueing(const Pod& pod, uint32_t scheduler, const RejectorSet& unschedulable,
                              const RejectorSet& pending, const EventPlan& plan, const View& view,
                              const ObjectChange& change) const;

 private:
  struct Gate {
    PluginId name;
    const Plugin* plugin;
  };
  struct Registration {
    ClusterEvent event;
    EventPlan::Ask ask;
  };
  struct Profile {
    FrameworkRef framework;
    std::vector<Gate> gates;
    std::vector<Registration> registrations;
  };
  static Result<Profile> profile_of(const FrameworkRef& framework, PluginNames* names);

  struct Key {
    Str resource;
    ActionType actions;
    Str label;
    bool operator<(const Key& o) const {
      return std::tie(actions, resource, label) < std::tie(o.actions, o.resource, o.label);
    }
  };
  std::unique_ptr<QueueTimes> times_;
  std::vector<Profile> profiles_;  // indexed by the first numbers of schedulerNames
  std::map<Key, std::unique_ptr<EventPlan>> plans_;  // the keys point into the plans
};

}  // namespace libsched
