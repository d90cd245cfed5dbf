// QueueMetrics: upstream's counters of the queue, as plain numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/scheduler/queue/plugin_names.hpp"

namespace libsched {

// The label "queue" of queue_incoming_pods_total.
enum class QueuePart : uint8_t { kActive, kBackoff, kUnschedulable };

class QueueMetrics {
 public:
  // The numbers of an event's label and of a schedulerName; the first schedulerNames are the
  // profiles'.
  uint32_t event(Str label);
  uint32_t scheduler(Str name);

  const std::string& event_label(uint32_t event) const { return *events_[event]; }
  size_t events() const { return events_.size(); }
  const std::string& scheduler_name(uint32_t scheduler) const { return *schedulers_[scheduler]; }
  size_t schedulers() const { return schedulers_.size(); }

  // A pod came to a part, or a group with so many pods. As an entity it counts unless it was bound
  // for this part from the start: `bound_for` is the destination by its hints, if they were asked.
  void came(QueuePart part, uint32_t event, const auto& entity,
            std::optional<QueuePart> bound_for = {}) {
    incoming_[event][static_cast<size_t>(part)] += entity.size();
    if (bound_for != part)
      ++incoming_entities_[event][entity.members ? 1 : 0][static_cast<size_t>(part)];
  }
  uint64_t incoming(QueuePart part, uint32_t event) const {
    return incoming_[event][static_cast<size_t>(part)];
  }
  uint64_t incoming_entities(QueuePart part, uint32_t event, bool groups) const {
    return incoming_entities_[event][groups ? 1 : 0][static_cast<size_t>(part)];
  }
  // The label of inflight_events for an event that has been in flight once.
  void flew(uint32_t event) { flown_[event] = true; }
  bool flown(uint32_t event) const { return flown_[event]; }
  void pod_flew() { pod_flown_ = true; }
  bool pod_flown() const { return pod_flown_; }
  // unschedulable_pods, which upstream does not decrease when a pod is deleted from a heap.
  void blame(const RejectorSet& plugins, uint32_t scheduler, int64_t by) {
    plugins.for_each([&](PluginId id) {
      blamed_[scheduler][id].pods += by;
      blamed_[scheduler][id].ever = true;
    });
  }
  int64_t blamed(PluginId plugin, uint32_t scheduler) const {
    return blamed_[scheduler][plugin].pods;
  }
  bool ever_blamed(PluginId plugin, uint32_t scheduler) const {
    return blamed_[scheduler][plugin].ever;
  }

 private:
  struct Blamed {
    int64_t pods = 0;
    bool ever = false;
  };
  using Ids = std::map<std::string, uint32_t, std::less<>>;
  static uint32_t id(Str name, Ids* ids, std::vector<const std::string*>* names);

  Ids event_ids_, scheduler_ids_;
  std::vector<const std::string*> events_, schedulers_;                    // the keys of the maps
  std::vector<std::array<uint64_t, 3>> incoming_;                          // by event
  std::vector<std::array<std::array<uint64_t, 3>, 2>> incoming_entities_;  // pods, groups
  std::vector<bool> flown_;                                                // by event
  bool pod_flown_ = false;
  std::vector<std::array<Blamed, kMaxPluginNames>> blamed_;  // by scheduler
};

}  // namespace libsched
