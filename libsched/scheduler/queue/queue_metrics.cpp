// QueueMetrics: labels get numbers on first use.
#include "libsched/scheduler/queue/queue_metrics.hpp"

namespace libsched {

uint32_t QueueMetrics::id(Str name, Ids* ids, std::vector<const std::string*>* names) {
  if (const auto it = ids->find(name); it != ids->end()) return it->second;
  names->reserve(names->size() + 1);
  const auto id = static_cast<uint32_t>(names->size());
  names->push_back(&ids->emplace(name, id).first->first);
  return id;
}

uint32_t QueueMetrics::event(Str label) {
  incoming_.resize(std::max(incoming_.size(), events_.size() + 1));
  incoming_entities_.resize(incoming_.size());
  flown_.resize(std::max(flown_.size(), events_.size() + 1));
  return id(label, &event_ids_, &events_);
}

uint32_t QueueMetrics::scheduler(Str name) {
  blamed_.resize(std::max(blamed_.size(), schedulers_.size() + 1));
  return id(name, &scheduler_ids_, &schedulers_);
}

}  // namespace libsched
