// The scheduling queue.
#include "libsched/scheduler/queue/queue.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "given.hpp"
#include "handles.hpp"
#include "libsched/base/quote.hpp"
#include "only_object.hpp"
#include "refusals.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

PodRef share(const libsched_pod* pod) { return PodRef::share(unwrap(pod)); }
NodeRef share(const libsched_node* node) { return NodeRef::share(unwrap(node)); }

// The body of a call without outputs.
template <typename F>
libsched_rc change(libsched_error** error, F&& body) {
  return guarded(error, [&]() -> Result<void> { return body(); });
}

// The old or the new object of an event; none is fine.
Result<AnyObject> object_of(const char* name, const libsched_pod* pod, const libsched_node* node,
                            const libsched_objects* object) {
  LIBSCHED_TRY(live_or_null(name, pod));
  LIBSCHED_TRY(live_or_null(name, node));
  LIBSCHED_TRY(live_or_null(name, object));
  if ((pod != nullptr) + (node != nullptr) + (object != nullptr) > 1)
    return invalid(std::string(name) + " is given more than once");
  if (pod != nullptr) return AnyObject{WatchEvent::Kind::kPod, {}, share(pod)};
  if (node != nullptr) return AnyObject{WatchEvent::Kind::kNode, {}, share(node)};
  if (object != nullptr) return only_object(name, unwrap(object)->set);
  return AnyObject{};
}

Result<libsched_queue_event> event_of(const libsched_queue_event* given) {
  const Result<libsched_queue_event> event = read_given(given);
  if (!event.ok()) return event;
  if (event->check > LIBSCHED_MOVE_EXCEPT)
    return unsupported("libsched_queue_event: unknown check");
  LIBSCHED_TRY(live_or_null("event->except", event->except));
  if (event->check == LIBSCHED_MOVE_EXCEPT && event->except == nullptr)
    return Error{Rc::kMisuse, "event->except != NULL"};
  return event;
}

// Reports whether an event of the resource may have objects of the type, which hints of in-tree
// plugins rely on. No such plugin has hints for other resources, such as custom ones. "" is the
// type of an event without objects.
bool may_have(Str resource, Str type) {
  if (type.empty() || resource == type) return true;
  if (is_about_pods(resource)) return type == "Pod";
  bool typed = resource == "Pod" || resource == "Node";
  for (size_t k = 0; k < kStoredKinds; ++k)
    typed = typed || resource == event_resource(static_cast<StoredKind>(k));
  return !typed;
}

SchedulingQueue::PodCheck check_of(const libsched_queue_event& event) {
  if (event.check == LIBSCHED_MOVE_MAX_PRIORITY)
    return [most = event.max_priority](const Pod& pod) { return pod.priority() <= most; };
  if (event.check == LIBSCHED_MOVE_EXCEPT)
    return [except = share(event.except)](const Pod& pod) {
      return pod.meta.name != except->meta.name || pod.meta.ns != except->meta.ns;
    };
  return {};
}

Result<void> give_popped(Result<QueuedPodRef> pod, libsched_queued_pod** result) {
  if (!pod.ok()) return std::move(pod.error());
  *result = *pod ? own(pod->release()) : nullptr;
  return {};
}

std::vector<QueuedPodInfo*> pods_of(const SchedulingQueue& queue, uint32_t part) {
  switch (part) {
    case LIBSCHED_QUEUE_ACTIVE: return queue.active();
    case LIBSCHED_QUEUE_BACKOFF: return queue.backing_off();
    case LIBSCHED_QUEUE_ERROR_BACKOFF: return queue.backing_off_after_errors();
    default: return queue.unschedulable(part == LIBSCHED_QUEUE_GATED);
  }
}

// A list of JSON objects with two or three members, of which the last is a number. It is put
// together from strings: a JSON library's values may allocate when they end.
class JsonCounts {
 public:
  void add(std::initializer_list<std::pair<const char*, Str>> labels, uint64_t count) {
    text_ += text_.empty() ? "{" : ",{";
    for (const auto& [name, label] : labels)
      text_ += std::string("\"") + name + "\":" + json_quote(label) + ",";
    text_ += "\"count\":" + std::to_string(count) + "}";
  }
  std::string text() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

// Upstream's queue_incoming_pods_total, unschedulable_pods and inflight_events.
std::string metrics_of(const SchedulingQueue& queue) {
  const QueueMetrics& m = queue.metrics();
  std::map<Str, uint32_t> events, schedulers;
  for (uint32_t i = 0; i < m.events(); ++i) events.emplace(m.event_label(i), i);
  for (uint32_t i = 0; i < m.schedulers(); ++i) schedulers.emplace(m.scheduler_name(i), i);
  std::map<Str, PluginId> plugins;
  for (size_t i = 0; i < queue.plugins().size(); ++i)
    plugins.emplace(queue.plugins().name(static_cast<PluginId>(i)), static_cast<PluginId>(i));
  std::map<Str, uint64_t> in_flight;
  queue.in_flight().for_each([&](const InFlight::Entry& e) {
    ++in_flight[e.pod ? Str("PodPopped") : Str(m.event_label(e.event->label))];
  });
  JsonCounts incoming, unschedulable, in_flight_events;
  const std::pair<const char*, QueuePart> parts[] = {{"active", QueuePart::kActive},
                                                     {"backoff", QueuePart::kBackoff},
                                                     {"unschedulable", QueuePart::kUnschedulable}};
  for (const auto& [name, part] : parts)
    for (const auto& [label, event] : events)
      if (const uint64_t n = m.incoming(part, event); n != 0)
        incoming.add({{"queue", name}, {"event", label}}, n);
  for (const auto& [plugin, id] : plugins)
    for (const auto& [profile, scheduler] : schedulers)
      if (const int64_t n = m.blamed(id, scheduler); n != 0)
        unschedulable.add({{"plugin", plugin}, {"profile", profile}}, static_cast<uint64_t>(n));
  for (const auto& [label, n] : in_flight) in_flight_events.add({{"event", label}}, n);
  return "{\"incoming\":" + incoming.text() + ",\"unschedulable\":" + unschedulable.text() +
         ",\"inFlightEvents\":" + in_flight_events.text() + "}";
}

}  // namespace

extern "C" {

libsched_rc libsched_queue_create(libsched_evaluator* const* profiles, size_t profile_count,
                                  const libsched_queue_options* options, libsched_queue** result,
                                  libsched_error** error) {
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&]() -> Result<SchedulingQueueRef> {
    const Result<libsched_queue_options> o = read_given(options);
    if (!o.ok()) return o.error();
    std::vector<Evaluator*> evaluators;
    for (size_t i = 0; i < profile_count; ++i) evaluators.push_back(unwrap(profiles[i]));
    // What is popped would be a group, for which this API has no functions.
    for (const Evaluator* e : evaluators)
      if (e->framework().behaviours().groups_are_entities &&
          e->framework().gates().enabled(Gate::kGenericWorkload))
        return unsupported("a queue of PodGroups (GenericWorkload) without a scheduler");
    return SchedulingQueue::create(
        evaluators, {o->initial_backoff_ns, o->max_backoff_ns, o->max_in_unschedulable_ns});
  });
}

libsched_rc libsched_queue_add(libsched_queue* queue, const libsched_pod* pod,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, pod);
  return change(error, [&] { return unwrap(queue)->add(share(pod)); });
}
libsched_rc libsched_queue_update(libsched_queue* queue, const libsched_pod* old_pod,
                                  const libsched_pod* new_pod, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, old_pod, new_pod);
  return change(error, [&] { return unwrap(queue)->update(share(old_pod), share(new_pod)); });
}
libsched_rc libsched_queue_delete(libsched_queue* queue, const libsched_pod* pod,
                                  libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, pod);
  return change(error, [&] { return unwrap(queue)->remove(*unwrap(pod)); });
}

libsched_rc libsched_queue_pop(libsched_queue* queue, libsched_queued_pod** result,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, result);
  return change(error, [&] { return give_popped(unwrap(queue)->pop(), result); });
}
libsched_rc libsched_queue_pop_specific(libsched_queue* queue, const libsched_pod* pod,
                                        libsched_queued_pod** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, pod, result);
  return change(error,
                [&] { return give_popped(unwrap(queue)->pop_specific(*unwrap(pod)), result); });
}
libsched_rc libsched_queue_done(libsched_queue* queue, libsched_str uid, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  return change(error, [&] { return unwrap(queue)->done(in(uid)); });
}
libsched_rc libsched_queue_add_unschedulable(libsched_queue* queue, libsched_queued_pod* queued,
                                             const libsched_pod* pod,
                                             const libsched_rejection* rejection,
                                             libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, queued);
  LIBSCHED_ALLOW_HANDLES(error, pod);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_rejection> r = read_given(rejection);
    if (!r.ok()) return r.error();
    if ((r->unschedulable == nullptr && r->unschedulable_count != 0) ||
        (r->pending == nullptr && r->pending_count != 0))
      return Error{Rc::kMisuse, "rejection: names are NULL"};
    const std::vector<Str> unschedulable = all_in(r->unschedulable, r->unschedulable_count);
    const std::vector<Str> pending = all_in(r->pending, r->pending_count);
    return unwrap(queue)->add_unschedulable(*unwrap(queued),
                                            pod == nullptr ? unwrap(queued)->pod : share(pod),
                                            {unschedulable, pending});
  });
}

libsched_rc libsched_queue_move_all(libsched_queue* queue, const libsched_queue_event* event,
                                    libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  LIBSCHED_REQUIRE(error, event != nullptr);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_queue_event> e = event_of(event);
    if (!e.ok()) return e.error();
    if (e->resource.len == 0) return invalid("an event has no resource");
    const Result<AnyObject> before =
        object_of("the old object", e->old_pod, e->old_node, e->old_object);
    if (!before.ok()) return before.error();
    const Result<AnyObject> after =
        object_of("the new object", e->new_pod, e->new_node, e->new_object);
    if (!after.ok()) return after.error();
    if (before->object && after->object && before->resource() != after->resource())
      return invalid("the old and the new object of an event are of different kinds");
    const Str type = after->object ? after->resource() : before->resource();
    if (!may_have(in(e->resource), type))
      return invalid("an event of " + go_quote(in(e->resource)) +
                     " cannot have an object of kind " + std::string(type));
    return unwrap(queue)->move_all(
        {in(e->resource), e->actions, in(e->label), {type, before->object, after->object}},
        check_of(*e));
  });
}
libsched_rc libsched_queue_node_updated(libsched_queue* queue, const libsched_node* old_node,
                                        const libsched_node* new_node,
                                        const libsched_queue_event* event, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, old_node, new_node);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_queue_event> e = event_of(event);
    if (!e.ok()) return e.error();
    return unwrap(queue)->node_updated(share(old_node), share(new_node), check_of(*e));
  });
}
libsched_rc libsched_queue_assigned_pod_added(libsched_queue* queue, const libsched_pod* pod,
                                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, pod);
  return change(error, [&] { return unwrap(queue)->assigned_pod_added(share(pod)); });
}
libsched_rc libsched_queue_assigned_pod_updated(libsched_queue* queue, const libsched_pod* old_pod,
                                                const libsched_pod* new_pod,
                                                libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, old_pod, new_pod);
  return change(
      error, [&] { return unwrap(queue)->assigned_pod_updated(share(old_pod), share(new_pod)); });
}
libsched_rc libsched_queue_activate(libsched_queue* queue, const libsched_pod* const* pods,
                                    size_t count, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  LIBSCHED_REQUIRE_EACH(error, pods, count);
  return guarded(error, [&]() -> Result<void> {
    std::vector<PodRef> all;
    for (size_t i = 0; i < count; ++i) all.push_back(share(pods[i]));
    return unwrap(queue)->activate(all);
  });
}

libsched_rc libsched_queue_flush_backoff(libsched_queue* queue, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  return change(error, [&] { return unwrap(queue)->flush_backoff(); });
}
libsched_rc libsched_queue_flush_unschedulable(libsched_queue* queue, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  return change(error, [&] { return unwrap(queue)->flush_unschedulable(); });
}
libsched_rc libsched_queue_run(libsched_queue* queue, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  return change(error, [&] { return unwrap(queue)->run(); });
}
bool libsched_queue_next_due(const libsched_queue* queue, int64_t* due_ns) {
  if (!live(queue)) return false;
  const std::optional<int64_t> due = unwrap(queue)->next_due();
  if (due && due_ns != nullptr) *due_ns = *due;
  return due.has_value();
}
libsched_rc libsched_queue_run_due(libsched_queue* queue, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  return change(error, [&] { return unwrap(queue)->run_due(); });
}
libsched_rc libsched_queue_close(libsched_queue* queue, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue);
  return change(error, [&] { return unwrap(queue)->close(); });
}

libsched_rc libsched_queued_pod_get(const libsched_queued_pod* queued,
                                    libsched_queued_pod_info* info, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queued, info);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(writable_struct(info, "libsched_queued_pod_info"));
    const QueuedPodInfo& q = *unwrap(queued);
    libsched_queued_pod_info told = LIBSCHED_QUEUED_POD_INFO_INIT;
    told.attempts = q.attempts;
    told.pod = wrap(q.pod.get());
    told.timestamp_ns = q.timestamp_ns;
    told.initial_attempt_ns = q.initial_attempt_ns;
    told.backoff_expiration_ns = q.backoff_expiration_ns;
    told.unschedulable_count = q.unschedulable_count;
    told.consecutive_errors_count = q.consecutive_errors_count;
    told.was_flushed = q.was_flushed;
    told.gating_plugin = q.gated() ? out(q.names->name(q.gating)) : out(Str());
    write_struct(info, told);
    return {};
  });
}
libsched_rc libsched_queued_pod_plugins(const libsched_queued_pod* queued, bool pending,
                                        libsched_str* result, size_t capacity, size_t* count,
                                        libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queued, count);
  LIBSCHED_REQUIRE(error, result != nullptr || capacity == 0);
  return guarded(error, [&]() -> Result<void> {
    const QueuedPodInfo& q = *unwrap(queued);
    std::vector<const std::string*> names;
    (pending ? q.pending : q.unschedulable).for_each([&](PluginId id) {
      names.push_back(&q.names->name(id));
    });
    std::sort(names.begin(), names.end(),
              [](const std::string* a, const std::string* b) { return *a < *b; });
    for (size_t i = 0; i < std::min(capacity, names.size()); ++i) result[i] = out(*names[i]);
    *count = names.size();
    return {};
  });
}

libsched_rc libsched_queue_list(const libsched_queue* queue, uint32_t part,
                                const libsched_queued_pod** result, size_t capacity, size_t* count,
                                libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, count);
  LIBSCHED_REQUIRE(error, result != nullptr || capacity == 0);
  return guarded(error, [&]() -> Result<void> {
    if (part > LIBSCHED_QUEUE_GATED) return invalid("a queue has no such part");
    const std::vector<QueuedPodInfo*> pods = pods_of(*unwrap(queue), part);
    for (size_t i = 0; i < std::min(capacity, pods.size()); ++i)
      result[i] = wrap(static_cast<const QueuedPodInfo*>(pods[i]));
    *count = pods.size();
    return {};
  });
}
size_t libsched_queue_in_flight(const libsched_queue* queue, libsched_in_flight* result,
                                size_t capacity) {
  if (!live(queue)) return 0;
  const SchedulingQueue& q = *unwrap(queue);
  size_t i = 0;
  q.in_flight().for_each([&](const InFlight::Entry& e) {
    if (i < capacity && result != nullptr)
      result[i] = {e.pod ? wrap(e.pod.get()) : nullptr,
                   e.pod ? out(Str()) : out(q.metrics().event_label(e.event->label))};
    ++i;
  });
  return i;
}
size_t libsched_services_nominated_pods(const libsched_services* services,
                                        libsched_nominated_pod* result, size_t capacity) {
  if (!live(services)) return 0;
  size_t i = 0;
  const auto list = [&](const std::string& node, const std::vector<PodRef>& pods) {
    for (const PodRef& pod : pods) {
      if (i < capacity && result != nullptr) result[i] = {out(node), wrap(pod.get())};
      ++i;
    }
  };
  unwrap(services)->nominator().for_each_node(list);
  return i;
}

libsched_rc libsched_queue_get(const libsched_queue* queue, libsched_queue_counts* counts,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, counts);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(writable_struct(counts, "libsched_queue_counts"));
    const SchedulingQueue& q = *unwrap(queue);
    libsched_queue_counts told = LIBSCHED_QUEUE_COUNTS_INIT;
    told.closed = q.closed();
    told.active = q.active_count();
    told.backoff = q.backoff_count();
    told.error_backoff = q.error_backoff_count();
    told.gated = q.unschedulable_count(true);
    told.unschedulable = q.unschedulable_count(false);
    told.in_flight_pods = q.in_flight().pod_count();
    told.in_flight_events = q.in_flight().event_count();
    told.scheduling_cycle = q.scheduling_cycle();
    told.move_request_cycle = q.move_request_cycle();
    write_struct(counts, told);
    return {};
  });
}
libsched_rc libsched_queue_metrics_json(const libsched_queue* queue, libsched_text** result,
                                        libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, result);
  return hand_over(error, result, [&] { return metrics_of(*unwrap(queue)); });
}

}  // extern "C"
