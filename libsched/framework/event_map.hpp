// EventMap: which plugins of a profile want a pod that they rejected tried again after which
// events, as upstream's scheduler puts them together when it starts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libsched/framework/framework.hpp"

namespace libsched {

struct EventRegistration {
  uint32_t plugin = 0;  // index into Framework::plugins()
  std::string name;     // what the plugin calls itself
  ClusterEvent event;
  // What Plugin::hint() is to be asked for; without it the answer is always Queue.
  bool has_hint = false;
  size_t hint = 0;
};

struct EventMap {
  // By plugin, each plugin's in the order in which it names them.
  std::vector<EventRegistration> registrations;
  // Upstream's unionedGVKs: what has to be watched.
  std::map<std::string, ActionType> watched() const;
};

// PreEnqueue, PreFilter, Filter, Reserve and Permit plugins take part. One that names no event is
// never woken; the errors of those that cannot name theirs are joined.
Result<EventMap> event_map(const Framework& framework);

}  // namespace libsched
