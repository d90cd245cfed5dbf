// One pod's scheduling and binding cycle, and messages to a cluster's writer.
#include <algorithm>
#include <cstddef>

#include "handles.hpp"
#include "judging_options.hpp"
#include "libsched/scheduler/cycle.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

using Destroy = void (*)(void*);

// Passes events on to a callback.
class Listener final : public CycleObserver {
 public:
  Listener(libsched_cycle_event_fn event, void* data, Destroy destroy)
      : event_(event), data_(data), destroy_(destroy) {}
  ~Listener() override {
    if (destroy_ != nullptr) destroy_(data_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void hear(const CycleEvent& e) override {
    if (event_ == nullptr) return;
    std::vector<libsched_permit_wait> waits;
    for (const PermitWait& w : e.waits) waits.push_back({out(w.plugin), w.timeout_ns});
    const Lent<StatusObject> status;
    if (e.status != nullptr) status.get()->assign(*e.status);
    const Lent<PreFilterObject> pre_filter;
    const bool narrowed = e.ended && e.point == CyclePoint::kPreFilter;
    if (narrowed) pre_filter.get()->result = e.state->pre_filter();
    libsched_cycle_event told = {};
    told.struct_size = sizeof(told);
    told.point = static_cast<uint32_t>(e.point);
    told.ended = e.ended;
    told.pod = wrap(e.pod);
    told.state = wrap(e.state);
    told.node_name = out(e.node);
    told.status = e.status == nullptr ? nullptr : wrap(status.get());
    told.pre_filter = narrowed ? wrap(pre_filter.get()) : nullptr;
    told.judged = e.judged.data();
    told.judged_count = e.judged.size();
    told.statuses = e.statuses == nullptr ? nullptr : wrap(e.statuses);
    told.scores = e.scores == nullptr ? nullptr : wrap(e.scores);
    told.waits = waits.data();
    told.wait_count = waits.size();
    told.nominates = e.nomination != nullptr;
    told.nomination = nomination_of(e.nomination);
    event_(data_, &told);
  }

  static libsched_nomination nomination_of(const Nomination* n) {
    libsched_nomination result = LIBSCHED_NOMINATION_INIT;
    if (n == nullptr) return result;
    result.mode = n->override_node ? LIBSCHED_NOMINATION_OVERRIDE : LIBSCHED_NOMINATION_NOOP;
    result.node = out(n->node);
    return result;
  }

 private:
  libsched_cycle_event_fn event_;
  void* data_;
  Destroy destroy_;
};

// Takes over a callback's data from the options of a call, even if the options are invalid.
std::shared_ptr<CycleObserver> listener_of(const libsched_scheduling_options* given) {
  constexpr size_t kEnd = offsetof(libsched_scheduling_options, event_destroy) + sizeof(Destroy);
  if (given == nullptr || given->struct_size < kEnd || given->struct_size > kMaxStructSize)
    return nullptr;
  if (given->event == nullptr && given->event_destroy == nullptr) return nullptr;
  try {
    return std::make_shared<Listener>(given->event, given->event_data, given->event_destroy);
  } catch (...) {
    if (given->event_destroy != nullptr) given->event_destroy(given->event_data);
    throw;
  }
}

Result<SchedulingOptions> scheduling_options(const libsched_scheduling_options& o) {
  auto how = judging_options<SchedulingOptions>(o);
  LIBSCHED_TRY(live_or_null("options->state", o.state));
  LIBSCHED_TRY(live_or_null("options->writer", o.writer));
  if (o.writer == nullptr) return Error{Rc::kMisuse, "options->writer != NULL"};
  how.node_by_node = o.node_by_node;
  if (o.state != nullptr) how.state = Ref<CycleState>::share(unwrap(o.state));
  how.writer = Ref<WriterQueue>::share(unwrap(o.writer));
  return how;
}

}  // namespace

extern "C" {

libsched_rc libsched_writer_queue_create(libsched_writer_queue** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new WriterQueue(); });
}
size_t libsched_writer_queue_pending(const libsched_writer_queue* queue) {
  return !live(queue) ? 0 : unwrap(queue)->pending();
}
libsched_rc libsched_writer_queue_apply(libsched_writer_queue* queue, libsched_cluster* cluster,
                                        size_t* applied, size_t* dropped, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, queue, cluster);
  return guarded(error, [&]() -> Result<void> {
    const Result<WriterQueue::Counts> done = unwrap(queue)->apply(*unwrap(cluster));
    if (!done.ok()) return done.error();
    if (applied != nullptr) *applied = done->applied;
    if (dropped != nullptr) *dropped = done->dropped;
    return {};
  });
}

libsched_rc libsched_schedule_one(libsched_evaluator* const* profiles, size_t profile_count,
                                  const libsched_pod* pod,
                                  const libsched_scheduling_options* options,
                                  libsched_scheduling** result, libsched_error** error) {
  std::shared_ptr<CycleObserver> listener;
  const libsched_rc taken = guarded(error, [&]() -> Result<void> {
    listener = listener_of(options);
    return {};
  });
  if (taken != LIBSCHED_OK) return taken;
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_HANDLES(error, pod, result);
  return hand_over(error, result, [&]() -> Result<Ref<Scheduling>> {
    const Result<libsched_scheduling_options> o = read_given(options);
    if (!o.ok()) return o.error();
    Result<SchedulingOptions> how = scheduling_options(*o);
    if (!how.ok()) return std::move(how.error());
    if (o->event != nullptr) how->observer = std::move(listener);
    std::vector<Evaluator*> evaluators;
    for (size_t i = 0; i < profile_count; ++i) evaluators.push_back(unwrap(profiles[i]));
    return schedule_one(evaluators, PodRef::share(unwrap(pod)), *how);
  });
}

libsched_rc libsched_scheduling_get(const libsched_scheduling* scheduling,
                                    libsched_scheduling_outcome* outcome, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduling, outcome);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(writable_struct(outcome, "libsched_scheduling_outcome"));
    const Scheduling& s = *unwrap(scheduling);
    libsched_scheduling_outcome told = LIBSCHED_SCHEDULING_OUTCOME_INIT;
    told.attempt = static_cast<uint32_t>(s.attempt);
    told.profile = out(s.framework->profile());
    told.node_name = out(s.node);
    told.total = s.total;
    told.feasible = s.feasible;
    told.evaluated = s.evaluated;
    told.state = wrap(s.state.get());
    if (s.failure && s.failure->nomination)
      told.nomination = Listener::nomination_of(&*s.failure->nomination);
    write_struct(outcome, told);
    return {};
  });
}

void libsched_scheduling_status(const libsched_scheduling* scheduling, libsched_status* status) {
  if (!live(scheduling) || !live(status)) return;
  unwrap(status)->assign(Status());
  const std::optional<Failure>& failure = unwrap(scheduling)->failure;
  if (failure) unwrap(status)->write([&](Status& s) { s = failure->status; });
}

size_t libsched_scheduling_rejectors(const libsched_scheduling* scheduling, bool pending,
                                     libsched_str* result, size_t capacity) {
  if (!live(scheduling) || !unwrap(scheduling)->failure) return 0;
  const Failure& failure = *unwrap(scheduling)->failure;
  const std::set<std::string>& names =
      pending ? failure.pending_plugins : failure.unschedulable_plugins;
  size_t i = 0;
  for (const std::string& name : names) {
    if (i == capacity || result == nullptr) break;
    result[i++] = out(name);
  }
  return names.size();
}

libsched_rc libsched_scheduling_bind(libsched_scheduling* scheduling, libsched_status* status,
                                     libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, scheduling, status);
  return guarded(error, [&]() -> Result<void> {
    Scheduling& s = *unwrap(scheduling);
    LIBSCHED_TRY(s.bind());
    unwrap(status)->assign(s.failure ? s.failure->status : Status());
    return {};
  });
}

}  // extern "C"
