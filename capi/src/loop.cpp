// Schedulers.
#include "libsched/scheduler/loop/scheduler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "api_client.hpp"
#include "given.hpp"
#include "handles.hpp"
#include "only_object.hpp"
#include "refusals.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// The observer that options name.
class ForeignObserver final : public SchedulerObserver {
 public:
  ForeignObserver(const libsched_scheduler_observer& calls, void* user_data)
      : calls_(calls), user_data_(user_data) {}

  void popped(const QueuedPodInfo& queued) override {
    if (calls_.popped == nullptr) return;
    [[maybe_unused]] const Borrowing borrowing;
    calls_.popped(user_data_, wrap(&queued));
  }
  void assumed(const QueuedPodInfo& queued, Str node) override {
    tell(calls_.assumed, queued, node);
  }
  void bound(const QueuedPodInfo& queued, Str node) override { tell(calls_.bound, queued, node); }
  void failed(const QueuedPodInfo& queued, Str node, const Failure& failure) override {
    if (calls_.failed == nullptr) return;
    const std::string name(node);
    [[maybe_unused]] const Borrowing borrowing;
    const Lent<StatusObject> status;
    status->ref();  // a release by the callee frees nothing
    status->status = failure.status;
    calls_.failed(user_data_, wrap(&queued), out(name),
                  wrap(static_cast<const StatusObject*>(status.get())));
  }

 private:
  void tell(void (*call)(void*, const libsched_queued_pod*, libsched_str),
            const QueuedPodInfo& queued, Str node) const {
    if (call == nullptr) return;
    const std::string name(node);
    [[maybe_unused]] const Borrowing borrowing;
    call(user_data_, wrap(&queued), out(name));
  }

  libsched_scheduler_observer calls_;
  void* user_data_;
};

// Its log.
class ForeignLogger final : public Logger {
 public:
  ForeignLogger(const libsched_scheduler_observer& calls, void* user_data)
      : Logger(calls.verbosity), log_(calls.log), user_data_(user_data) {}

  void log(const LogRecord& record) noexcept override {
    libsched_log_record told{};
    told.struct_size = sizeof told;
    told.level = record.level;
    told.error = record.error;
    told.time_ns = record.time_ns;
    told.message = {record.message.data(), record.message.size()};
    std::array<libsched_log_field, kMost> fields{};
    for (const LogRecord::Field& f : record.fields)
      if (told.field_count < kMost)
        fields[told.field_count++] = {{f.key.data(), f.key.size()},
                                      {f.value.data(), f.value.size()}};
    told.fields = fields.data();
    log_(user_data_, &told);
  }

 private:
  static constexpr size_t kMost = 8;  // no line has more fields
  void (*log_)(void*, const libsched_log_record*);
  void* user_data_;
};

// The part of the options that names an API client, of structs that have it.
libsched_services_options client_options(const libsched_scheduler_options* options) {
  libsched_services_options named = LIBSCHED_SERVICES_OPTIONS_INIT;
  constexpr size_t kNeeded = offsetof(libsched_scheduler_options, api_user_data) + sizeof(void*);
  if (options != nullptr && options->struct_size >= kNeeded &&
      options->struct_size <= kMaxStructSize) {
    named.api = options->api;
    named.api_user_data = options->api_user_data;
  }
  return named;
}

// A client whose requests succeed without effect.
Ref<ApiClient> no_client() {
  static const libsched_api_client calls = LIBSCHED_API_CLIENT_INIT;
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  options.api = &calls;
  return *ApiOwner(&options).client();
}

Result<SchedulerOptions> scheduler_options(const libsched_scheduler_options& o) {
  LIBSCHED_TRY(live_or_null("options->clock", o.clock));
  LIBSCHED_TRY(live_or_null("options->memory_api", o.memory_api));
  LIBSCHED_TRY(live_or_null("options->api_server", o.api_server));
  if ((o.api != nullptr) + (o.memory_api != nullptr) + (o.api_server != nullptr) > 1)
    return invalid("libsched_scheduler_options: api, memory_api and api_server: one at most");
  if (o.api_server != nullptr && o.clock != nullptr &&
      unwrap(o.api_server)->clock().get() != unwrap(o.clock))
    return invalid("libsched_scheduler_options: the API server has another clock");
  const Result<libsched_queue_options> q = read_given(&o.queue, "libsched_scheduler_options.queue");
  if (!q.ok()) return q.error();
  SchedulerOptions how;
  how.queue = {q->initial_backoff_ns, q->max_backoff_ns, q->max_in_unschedulable_ns};
  how.sampling = o.sampling;
  how.ties = static_cast<TieMode>(o.ties);
  how.seed = o.seed;
  how.node_by_node = o.node_by_node;
  how.binding_threads = o.binding_threads;
  if (o.observer != nullptr) {
    const Result<libsched_scheduler_observer> calls = read_given(o.observer);
    if (!calls.ok()) return calls.error();
    how.observer = std::make_shared<ForeignObserver>(*calls, o.observer_user_data);
    if (calls->log != nullptr)
      how.logger = std::make_shared<ForeignLogger>(*calls, o.observer_user_data);
  }
  return how;
}

// Keeps the scheduler alive during a run, and finds runs within it.
class Run {
 public:
  explicit Run(libsched_scheduler* scheduler)
      : object_(Ref<SchedulerObject>::share(unwrap(scheduler))),
        outermost_(!object_->scheduler->owns_this_thread() && !object_->running.exchange(true)) {}
  ~Run() {
    if (outermost_) object_->running = false;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  Result<void> allowed() const {
    if (outermost_) return {};
    return Error{Rc::kMisuse,
                 "the scheduler is running: a plugin, an API client or an observer cannot run it"};
  }
  Scheduler& operator*() const { return *object_->scheduler; }

 private:
  Ref<SchedulerObject> object_;
  bool outermost_;
};

template <typename F>
libsched_rc in_run(libsched_scheduler* scheduler, libsched_error** error, F&& body) {
  return guarded(error, [&]() -> Result<void> {
    const Run run(scheduler);
    LIBSCHED_TRY(run.allowed());
    return body(*run);
  });
}

// Completes an event by its objects, and delivers it.
Result<void> deliver(libsched_scheduler* scheduler, WatchEvent event) {
  const ObjectRef &before = event.before, &after = event.after;
  if (!before && !after) return invalid("a change has neither an object before nor after it");
  if (before && after &&
      (before->meta.name != after->meta.name || before->meta.ns != after->meta.ns))
    return invalid("the object before and after a change have different names");
  event.verb = !before  ? WatchEvent::Verb::kAdded
               : !after ? WatchEvent::Verb::kDeleted
                        : WatchEvent::Verb::kModified;
  unwrap(scheduler)->scheduler->deliver(std::move(event));
  return {};
}

}  // namespace

extern "C" {

libsched_rc libsched_scheduler_create(const libsched_framework* const* profiles,
                                      size_t profile_count, libsched_cluster* cluster,
                                      const libsched_scheduler_options* options,
                                      libsched_scheduler** result, libsched_error** error) {
  const libsched_services_options named = client_options(options);
  ApiOwner owner(&named);
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_HANDLES(error, cluster, result);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_scheduler_options> o = read_given(options);
    if (!o.ok()) return o.error();
    const Result<SchedulerOptions> how = scheduler_options(*o);
    if (!how.ok()) return how.error();
    Result<Ref<ApiClient>> api = owner.client();
    if (!api.ok()) return std::move(api.error());
    if (o->memory_api != nullptr) *api = Ref<MemoryApi>::share(unwrap(o->memory_api));
    Ref<ApiServer> server;
    if (o->api_server != nullptr) {
      server = Ref<ApiServer>::share(unwrap(o->api_server));
      *api = server;
    }
    if (!*api) *api = no_client();
    Ref<Clock> clock = server ? server->clock() : Ref<Clock>(make_ref<SystemClock>());
    if (o->clock != nullptr) clock = Ref<Clock>::share(unwrap(o->clock));
    std::vector<FrameworkRef> frameworks;
    for (size_t i = 0; i < profile_count; ++i)
      frameworks.push_back(FrameworkRef::share(unwrap(profiles[i])));
    Result<SchedulerRef> made = Scheduler::create(frameworks, Ref<Cluster>::share(unwrap(cluster)),
                                                  std::move(clock), std::move(*api), *how);
    if (!made.ok()) return std::move(made.error());
    *result = own(make_ref<SchedulerObject>(std::move(*made), std::move(server)).release());
    return {};
  });
}

libsched_rc libsched_scheduler_deliver_pod(libsched_scheduler* scheduler,
                                           const libsched_pod* before, const libsched_pod* after,
                                           libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  LIBSCHED_ALLOW_HANDLES(error, before, after);
  return guarded(error, [&] {
    return deliver(scheduler, {WatchEvent::Kind::kPod,
                               {},
                               {},
                               PodRef::share(unwrap(before)),
                               PodRef::share(unwrap(after))});
  });
}
libsched_rc libsched_scheduler_deliver_node(libsched_scheduler* scheduler,
                                            const libsched_node* before, const libsched_node* after,
                                            libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  LIBSCHED_ALLOW_HANDLES(error, before, after);
  return guarded(error, [&] {
    return deliver(scheduler, {WatchEvent::Kind::kNode,
                               {},
                               {},
                               NodeRef::share(unwrap(before)),
                               NodeRef::share(unwrap(after))});
  });
}
libsched_rc libsched_scheduler_deliver_object(libsched_scheduler* scheduler,
                                              const libsched_objects* before,
                                              const libsched_objects* after,
                                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  LIBSCHED_ALLOW_HANDLES(error, before, after);
  return guarded(error, [&]() -> Result<void> {
    AnyObject parts[2];
    const std::pair<const char*, const libsched_objects*> given[2] = {{"`before`", before},
                                                                      {"`after`", after}};
    for (size_t i = 0; i < 2; ++i) {
      if (given[i].second == nullptr) continue;
      Result<AnyObject> found = only_object(given[i].first, unwrap(given[i].second)->set);
      if (!found.ok()) return std::move(found.error());
      parts[i] = std::move(*found);
    }
    if (before != nullptr && after != nullptr && parts[0].resource() != parts[1].resource())
      return invalid("the object before and after a change are of different kinds");
    const AnyObject& any = parts[after != nullptr ? 1 : 0];
    return deliver(scheduler, {any.kind, any.stored, {}, parts[0].object, parts[1].object});
  });
}

libsched_rc libsched_scheduler_start(libsched_scheduler* scheduler, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  return in_run(scheduler, error, [](Scheduler& s) { return s.start(); });
}
libsched_rc libsched_scheduler_run_one(libsched_scheduler* scheduler, bool* acted,
                                       libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  return in_run(scheduler, error, [&](Scheduler& s) -> Result<void> {
    const Result<bool> done = s.run_one();
    if (!done.ok()) return done.error();
    if (acted != nullptr) *acted = *done;
    return {};
  });
}
libsched_rc libsched_scheduler_settle(libsched_scheduler* scheduler, bool hold, size_t max_actions,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  return in_run(scheduler, error, [&](Scheduler& s) {
    return s.settle(hold, max_actions == 0 ? SIZE_MAX : max_actions);
  });
}
libsched_rc libsched_scheduler_run_until(libsched_scheduler* scheduler, int64_t time_ns,
                                         const libsched_cancel* cancel, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  LIBSCHED_ALLOW_HANDLES(error, cancel);
  return in_run(scheduler, error, [&](Scheduler& s) {
    return s.run_until(time_ns, cancel == nullptr ? nullptr : &unwrap(cancel)->set);
  });
}
bool libsched_scheduler_next_due(const libsched_scheduler* scheduler, int64_t* due_ns) {
  if (!live(scheduler)) return false;
  const std::optional<int64_t> due = unwrap(scheduler)->scheduler->next_due();
  if (due && due_ns != nullptr) *due_ns = *due;
  return due.has_value();
}
libsched_rc libsched_scheduler_stop(libsched_scheduler* scheduler, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler);
  return in_run(scheduler, error, [](Scheduler& s) { return s.stop(); });
}

libsched_queue* libsched_scheduler_queue(libsched_scheduler* scheduler) {
  return !live(scheduler) ? nullptr : wrap(&unwrap(scheduler)->scheduler->queue());
}
libsched_services* libsched_scheduler_services(libsched_scheduler* scheduler) {
  return !live(scheduler) ? nullptr : wrap(unwrap(scheduler)->scheduler->services().get());
}
libsched_rc libsched_scheduler_metrics_text(libsched_scheduler* scheduler, libsched_text** result,
                                            libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler, result);
  return in_run(scheduler, error, [&](Scheduler& s) -> Result<void> {
    *result = own(make_ref<Text>(s.metrics_text()).release());
    return {};
  });
}
libsched_rc libsched_scheduler_get(const libsched_scheduler* scheduler,
                                   libsched_scheduler_state* state, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduler, state);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(writable_struct(state, "libsched_scheduler_state"));
    const Scheduler& s = *unwrap(scheduler)->scheduler;
    libsched_scheduler_state told = LIBSCHED_SCHEDULER_STATE_INIT;
    told.in_cycle = s.in_cycle();
    told.bindings = s.binding_count();
    told.now_ns = s.services()->clock().now_ns();
    write_struct(state, told);
    return {};
  });
}

}  // extern "C"
