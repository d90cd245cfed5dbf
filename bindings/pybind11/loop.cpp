// _core.Scheduler: a scheduler that runs by itself.
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "api_server.hpp"
#include "calls.hpp"
#include "queue.hpp"

namespace libsched {

// The Python object that is told what becomes of pods.
struct Observer {
  py::object object;       // None: nobody is told
  std::thread::id runner;  // the thread in a run; its exceptions are raised there

  template <typename Tell>
  static void tell(void* user_data, const char* method, Tell&& call) noexcept {
    auto& self = *static_cast<Observer*>(user_data);
    locked_in_slot(0, [&] {
      try {
        const CallsOfSlot calls;
        if (py::hasattr(self.object, method)) call(self.object.attr(method));
      } catch (py::error_already_set& error) {
        if (std::this_thread::get_id() == self.runner) {
          keep_exception(error);
        } else {
          error.discard_as_unraisable(method);
        }
      } catch (const std::exception&) {  // out of memory: not told
      }
      return 0;
    });
  }
};

struct Scheduler {
  // Before the handle: threads may tell until it is released.
  std::unique_ptr<Observer> observer = std::make_unique<Observer>();
  SlowlyOwned<libsched_scheduler_unref> handle;
  Locks locks;
  bool is_virtual = false;  // its clock
};
Scheduler wrapper_of(Of<libsched_scheduler>);

// Holds the locks of a scheduler during a call, which may run plugins, the API client and the
// observer.
struct Running {
  explicit Running(const Scheduler& scheduler) : holding(scheduler.locks) {
    scheduler.observer->runner = std::this_thread::get_id();
  }
  HoldingBoth holding;
  AskAfterExceptions asking;
};
Running hold(const Scheduler& scheduler) { return Running(scheduler); }

namespace {

py::object pod_of(const libsched_queued_pod* queued) {
  libsched_queued_pod_info info = LIBSCHED_QUEUED_POD_INFO_INIT;
  if (libsched_queued_pod_get(queued, &info, nullptr) != LIBSCHED_OK) throw std::bad_alloc();
  return py::cast(own(info.pod));
}

libsched_scheduler_observer observer_functions() {
  libsched_scheduler_observer o = LIBSCHED_SCHEDULER_OBSERVER_INIT;
  o.popped = [](void* data, const libsched_queued_pod* queued) {
    Observer::tell(data, "popped", [&](const py::object& f) { call(f, pod_of(queued)); });
  };
  o.assumed = [](void* data, const libsched_queued_pod* queued, libsched_str node) {
    Observer::tell(data, "assumed",
                   [&](const py::object& f) { call(f, pod_of(queued), from_str(node)); });
  };
  o.bound = [](void* data, const libsched_queued_pod* queued, libsched_str node) {
    Observer::tell(data, "bound",
                   [&](const py::object& f) { call(f, pod_of(queued), from_str(node)); });
  };
  o.failed = [](void* data, const libsched_queued_pod* queued, libsched_str node,
                const libsched_status* status) {
    Observer::tell(data, "failed", [&](const py::object& f) {
      call(f, pod_of(queued), from_str(node), status_tuple(status));
    });
  };
  return o;
}

void on_log(void* data, const libsched_log_record* record) {
  Observer::tell(data, "log", [&](const py::object& f) {
    py::dict fields;
    for (size_t i = 0; i < record->field_count; ++i)
      fields[from_str(record->fields[i].key)] = from_str(record->fields[i].value);
    call(f, py::cast(record->level), py::cast(record->error), py::int_(record->time_ns),
         from_str(record->message), fields);
  });
}

std::unique_ptr<Scheduler> create_scheduler(const std::vector<const Framework*>& frameworks,
                                            const Cluster& cluster, py::object api,
                                            Maybe<const Clock> clock, uint32_t ties, uint64_t seed,
                                            Flag sampling, uint32_t binding_threads,
                                            int64_t initial_backoff_ns, int64_t max_backoff_ns,
                                            int64_t max_in_unschedulable_ns, py::object observer,
                                            std::optional<uint32_t> verbosity) {
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.sampling = sampling;
  options.binding_threads = binding_threads;
  options.queue.initial_backoff_ns = initial_backoff_ns;
  options.queue.max_backoff_ns = max_backoff_ns;
  options.queue.max_in_unschedulable_ns = max_in_unschedulable_ns;
  options.clock = raw(clock);
  const libsched_api_client client = python_client();
  Owned<libsched_memory_api_unref> recorded;
  if (py::isinstance<ApiServer>(api)) {
    options.api_server = api.cast<ApiServer&>().handle.get();
  } else if (!api.is_none()) {
    options.api = &client;
    options.api_user_data = api.release().ptr();
  } else {
    quick(libsched_memory_api_create, into(recorded));
    options.memory_api = recorded.get();
  }
  auto made = std::make_unique<Scheduler>();
  libsched_scheduler_observer told = observer_functions();
  told.verbosity = verbosity.value_or(0);
  if (verbosity) told.log = on_log;
  if (!observer.is_none()) {
    made->observer->object = std::move(observer);
    options.observer = &told;
    options.observer_user_data = made->observer.get();
  }
  const auto profiles = raw(frameworks);
  {
    const Holding holding(cluster.lock.get());
    const AskAfterExceptions asking;
    unlocked(libsched_scheduler_create, profiles.data(), profiles.size(), cluster.handle.get(),
             &options, into(made->handle));
  }
  libsched_clock* const used =
      libsched_services_clock(libsched_scheduler_services(made->handle.get()));
  made->is_virtual = libsched_clock_advance_to(used, INT64_MIN, nullptr) == LIBSCHED_OK;
  made->locks.cluster = cluster.lock;
  made->locks.services = services_lock(libsched_scheduler_services(made->handle.get()));
  return made;
}

template <typename T, auto kDeliver>
void deliver(Scheduler& scheduler, Maybe<const T> before, Maybe<const T> after) {
  unlocked(kDeliver, raw(scheduler), raw(before), raw(after));
}

void run_until(Scheduler& scheduler, int64_t time_ns, Maybe<const Cancel> cancel) {
  const Running running(scheduler);
  unlocked(libsched_scheduler_run_until, raw(scheduler), time_ns, raw(cancel));
}

std::unique_ptr<Queue> queue_of(Scheduler& scheduler) {
  auto made = std::make_unique<Queue>();
  made->handle.reset(libsched_queue_ref(libsched_scheduler_queue(scheduler.handle.get())));
  made->services.reset(libsched_services_ref(libsched_scheduler_services(scheduler.handle.get())));
  *made->locks = scheduler.locks;
  return made;
}

auto state(const Scheduler& scheduler) {
  libsched_scheduler_state state = LIBSCHED_SCHEDULER_STATE_INIT;
  const HoldingBoth holding(scheduler.locks);
  unlocked(libsched_scheduler_get, scheduler.handle.get(), &state);
  return tuple_of(state.in_cycle, state.bindings, state.now_ns);
}

}  // namespace

void bind_loop(py::module_& module) {
  Class<Scheduler>(module, "Scheduler")
      .def(py::init(&create_scheduler))
      .def("deliver_pod", &deliver<Pod, libsched_scheduler_deliver_pod>)
      .def("deliver_node", &deliver<Node, libsched_scheduler_deliver_node>)
      .def("deliver_object", &deliver<Objects, libsched_scheduler_deliver_object>)
      .def_readonly("is_virtual", &Scheduler::is_virtual)
      .def("start", unlocked_call<libsched_scheduler_start>)
      .def("run_one", unlocked_call<libsched_scheduler_run_one>)
      .def("settle", unlocked_call<libsched_scheduler_settle>)
      .def("run_until", &run_until)
      .def("next_due", quick_call<libsched_scheduler_next_due>)
      .def("stop", unlocked_call<libsched_scheduler_stop>)
      .def_property_readonly("queue", &queue_of)
      .def_property_readonly(
          "services",
          [](Scheduler& scheduler) { return own(libsched_scheduler_services(raw(scheduler))); })
      .def("state", &state)
      .def("metrics_text", unlocked_call<libsched_scheduler_metrics_text>);
}

}  // namespace libsched
