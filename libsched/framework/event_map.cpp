// EventMap: upstream's fillEnqueueExtensions, buildQueueingHintMap and unionedGVKs.
#include "libsched/framework/event_map.hpp"

namespace libsched {
namespace {

constexpr PointMask kRejecting =
    point_bit(ExtensionPoint::kPreEnqueue) | point_bit(ExtensionPoint::kPreFilter) |
    point_bit(ExtensionPoint::kFilter) | point_bit(ExtensionPoint::kReserve) |
    point_bit(ExtensionPoint::kPermit);

}  // namespace

Result<EventMap> event_map(const Framework& framework) {
  EventMap out;
  // Extenders cannot say what would help: upstream lets any event retry a pod that they reject.
  if (!framework.extenders().empty())
    for (const ClusterEventWithHint& e : default_events(framework.gates()))
      out.registrations.push_back({kNoId, kExtenderName, e.event, false, 0});
  std::string errors;  // upstream asks all plugins and joins the errors by newlines
  for (uint32_t i = 0; i < framework.plugins().size(); ++i) {
    const Framework::Instance& instance = framework.plugins()[i];
    // The points that a plugin implements count, not those where the profile enables it.
    if (!instance.plugin || (framework.implemented(i) & kRejecting) == 0) continue;
    const bool own = instance.plugin->registers_events();
    Result<std::vector<ClusterEventWithHint>> events =
        own ? instance.plugin->events_to_register() : default_events(framework.gates());
    if (!events.ok()) {
      errors += (errors.empty() ? "" : "\n") + events.error().message;
      continue;
    }
    bool node_add = false, node_taint = false;
    for (size_t k = 0; k < events->size(); ++k) {
      const ClusterEventWithHint& e = (*events)[k];
      if (e.event.resource == "Node") {
        node_add = node_add || (e.event.actions & kAdd) != 0;
        node_taint = node_taint || (e.event.actions & kUpdateNodeTaint) != 0;
      }
      out.registrations.push_back({i, instance.name, e.event, own && e.has_hint, k});
    }
    // Upstream ignores tainted nodes when they are added: the taint's removal replaces that event.
    if (node_add && !node_taint && !framework.behaviours().added_nodes_count)
      out.registrations.push_back({i, instance.name, {"Node", kUpdateNodeTaint, {}}, false, 0});
  }
  if (!errors.empty()) return Error{Rc::kInvalid, std::move(errors)};
  return out;
}

std::map<std::string, ActionType> EventMap::watched() const {
  std::map<std::string, ActionType> out;
  for (const EventRegistration& r : registrations) out[r.event.resource] |= r.event.actions;
  return out;
}

}  // namespace libsched
