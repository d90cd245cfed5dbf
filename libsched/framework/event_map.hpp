// EventMap: the plugins of a profile that want a pod retried that they rejected, by event, as
// upstream's scheduler collects them when it starts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libsched/framework/framework.hpp"

namespace libsched {

struct EventRegistration {
  uint32_t plugin = 0;  // index into Framework::plugins(); kNoId: the framework's extenders
  std::string name;     // the plugin's name in statuses
  ClusterEvent event;
  // Whether Plugin::hint() applies; without it the answer is always Queue.
  bool has_hint = false;
  size_t hint = 0;
};

struct EventMap {
  // By plugin; those of a plugin are in the order in which it registers them.
  std::vector<EventRegistration> registrations;
  // Upstream's unionedGVKs: the resources and actions to watch.
  std::map<std::string, ActionType> watched() const;
};

// Covers PreEnqueue, PreFilter, Filter, Reserve and Permit plugins. A plugin without events is
// never woken; the errors of plugins that cannot list theirs are joined.
Result<EventMap> event_map(const Framework& framework);

}  // namespace libsched
