// What plugins register for: after which events a rejected pod is worth another try.
#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

const EventMapObject::Event* event_at(const libsched_event_map* events, size_t index) {
  if (!live(events) || index >= unwrap(events)->events.size()) return nullptr;
  return &unwrap(events)->events[index];
}
libsched_str text_at(const libsched_event_map* events, size_t index,
                     std::string EventMapObject::Event::* text) {
  const EventMapObject::Event* const e = event_at(events, index);
  return e == nullptr ? out(Str()) : out(e->*text);
}

}  // namespace

extern "C" {

libsched_rc libsched_framework_events(const libsched_framework* framework,
                                      libsched_event_map** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, framework, result);
  return hand_over(error, result, [&]() -> Result<Ref<EventMapObject>> {
    Result<EventMap> map = event_map(*unwrap(framework));
    if (!map.ok()) return std::move(map.error());
    Ref<EventMapObject> made = make_ref<EventMapObject>();
    for (EventRegistration& r : map->registrations)
      made->events.push_back(
          {std::move(r.name), r.event.resource, r.event.label(), r.event.actions, r.has_hint});
    return made;
  });
}
size_t libsched_event_map_count(const libsched_event_map* events) {
  return live(events) ? unwrap(events)->events.size() : 0;
}
libsched_str libsched_event_map_plugin(const libsched_event_map* events, size_t index) {
  return text_at(events, index, &EventMapObject::Event::plugin);
}
libsched_str libsched_event_map_resource(const libsched_event_map* events, size_t index) {
  return text_at(events, index, &EventMapObject::Event::resource);
}
int64_t libsched_event_map_actions(const libsched_event_map* events, size_t index) {
  const EventMapObject::Event* const e = event_at(events, index);
  return e == nullptr ? 0 : e->actions;
}
libsched_str libsched_event_map_label(const libsched_event_map* events, size_t index) {
  return text_at(events, index, &EventMapObject::Event::label);
}
bool libsched_event_map_has_hint(const libsched_event_map* events, size_t index) {
  const EventMapObject::Event* const e = event_at(events, index);
  return e != nullptr && e->has_hint;
}

}  // extern "C"
