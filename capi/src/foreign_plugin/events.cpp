// Foreign plugins and cluster events: events to register, hints, subscriptions, forks.
#include "foreign_plugin.hpp"
#include "libsched/framework/property_changes.hpp"

namespace libsched::capi {

Result<std::vector<ClusterEventWithHint>> ForeignPlugin::events_to_register() const {
  std::vector<ClusterEventWithHint> events;
  SlotCall asked(*r_);
  const Lent<Events> list(&events);
  const Status s =
      asked.finish(slots().events_to_register(self(), wrap(list.get()), asked.status()));
  if (list->out_of_memory) throw std::bad_alloc();
  if (!s.success()) return Error{Rc::kPlugin, s.message(), {}, r_->name};
  for (const ClusterEventWithHint& e : events)
    if (e.has_hint && slots().queueing_hint == nullptr)
      return Error{Rc::kInvalid,
                   "plugin \"" + r_->name + "\" registers " + e.event.resource +
                       " with a hint, but queueing_hint is NULL",
                   {},
                   r_->name};
  return events;
}

Result<QueueingHint> ForeignPlugin::hint(size_t index, const View&, const Pod& pod,
                                         const ObjectChange& change) const {
  bool queue = true;
  SlotCall asked(*r_);
  const Lent<ObjectChangeHandle> lent(&change);
  const Status s = asked.finish(
      slots().queueing_hint(self(), index, wrap(&pod), wrap(lent.get()), &queue, asked.status()));
  if (!s.success()) return Error{Rc::kPlugin, s.message(), {}, r_->name};
  return queue ? QueueingHint::kQueue : QueueingHint::kQueueSkip;
}

bool ForeignPlugin::subscribes() const {
  return slots().on_event != nullptr || slots().forked != nullptr || slots().reverted != nullptr ||
         slots().committed != nullptr;
}

void ForeignPlugin::on_event(Services& services, const View& view,
                             const ObjectChange& change) const {
  if (slots().on_event == nullptr) return;
  [[maybe_unused]] const SilentCall asked(*r_);
  const Lent<ObjectChangeHandle> lent(&change);
  slots().on_event(self(), wrap(&services), wrap(&view), wrap(lent.get()));
}

void ForeignPlugin::forked(const View& view) const {
  if (slots().forked == nullptr) return;
  [[maybe_unused]] const SilentCall asked(*r_);
  slots().forked(self(), wrap(&view));
}
void ForeignPlugin::reverted(const View& view) const {
  if (slots().reverted == nullptr) return;
  [[maybe_unused]] const SilentCall asked(*r_);
  slots().reverted(self(), wrap(&view));
}
void ForeignPlugin::committed(const View& view) const {
  if (slots().committed == nullptr) return;
  [[maybe_unused]] const SilentCall asked(*r_);
  slots().committed(self(), wrap(&view));
}

}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

const Object* side(const libsched_object_change* c, bool after) {
  if (!live(c)) return nullptr;
  const ObjectChange& change = *unwrap(c)->change;
  return (after ? change.after : change.before).get();
}

const Object* either(const libsched_object_change* c) {
  const Object* o = side(c, true);
  return o == nullptr ? side(c, false) : o;
}

}  // namespace

extern "C" {

void libsched_events_add(libsched_events* events, libsched_str resource, int64_t actions,
                         bool has_hint) {
  if (!live(events)) return;
  if (!quietly(false, [&] {
        unwrap(events)->list->push_back({{std::string(in(resource)), actions, {}}, has_hint});
        return true;
      }))
    unwrap(events)->out_of_memory = true;
}

libsched_str libsched_object_change_resource(const libsched_object_change* change) {
  return !live(change) ? out(Str()) : out(unwrap(change)->change->resource);
}
libsched_str libsched_object_change_namespace(const libsched_object_change* change) {
  const Object* o = either(change);
  return o == nullptr ? out(Str()) : out(o->meta.ns);
}
libsched_str libsched_object_change_name(const libsched_object_change* change) {
  const Object* o = either(change);
  return o == nullptr ? out(Str()) : out(o->meta.name);
}
bool libsched_object_change_has_before(const libsched_object_change* change) {
  return side(change, false) != nullptr;
}
bool libsched_object_change_has_after(const libsched_object_change* change) {
  return side(change, true) != nullptr;
}
const libsched_pod* libsched_object_change_pod(const libsched_object_change* change, bool after) {
  const Object* o = side(change, after);
  return o == nullptr || unwrap(change)->change->resource != "Pod"
             ? nullptr
             : wrap(static_cast<const Pod*>(o));
}
const libsched_node* libsched_object_change_node(const libsched_object_change* change, bool after) {
  const Object* o = side(change, after);
  return o == nullptr || unwrap(change)->change->resource != "Node"
             ? nullptr
             : wrap(static_cast<const Node*>(o));
}
int64_t libsched_object_change_actions(const libsched_object_change* change) {
  if (!live(change)) return 0;
  return quietly(int64_t{0}, [&] { return actions_of(*unwrap(change)->change, FeatureGates()); });
}
libsched_rc libsched_object_change_raw(const libsched_object_change* change, bool after,
                                       libsched_str* result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, change, result);
  return guarded(error, [&]() -> Result<void> {
    const Object* o = side(change, after);
    if (o == nullptr)
      return Error{Rc::kNotFound, after ? "the object has gone: there is none after the change"
                                        : "the object is new: there is none before the change"};
    if (o->raw.empty()) return Error{Rc::kState, "the document was not kept: parse with keep_raw"};
    *result = out(o->raw);
    return {};
  });
}

}  // extern "C"
