// _core.schedule_one(), _core.Scheduling, _core.WriterQueue: one pod's scheduling and binding
// cycle.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lent.hpp"
#include "scheduler.hpp"

namespace libsched {

// What callables have raised, for the call that they were called by. Used with the GIL.
using Raised = std::optional<py::error_already_set>;

struct WriterQueue {
  WriterQueueHandle handle;
  std::shared_ptr<Raised> raised = std::make_shared<Raised>();
  std::vector<std::shared_ptr<Lock>> locks;  // of the services whose pods it may have to forget
};
WriterQueue wrapper_of(Of<libsched_writer_queue>);

namespace {

struct Scheduling {
  SchedulingHandle handle;
  std::shared_ptr<Raised> raised;
  std::unique_ptr<Lock> lock = std::make_unique<Lock>();
};

// Passes a cycle's events on to a callable.
struct Listener {
  py::object hear;
  const libsched_view* view;
  std::shared_ptr<Raised> raised;
};

// Runs a call of the C API, and raises what a callable has raised meanwhile.
template <typename Call, typename... Arguments>
void heard(Raised& raised, Call&& call, Arguments&&... arguments) {
  libsched_error* error = nullptr;
  libsched_rc code = LIBSCHED_OK;
  {
    const Unlocked released;
    code = call(std::forward<Arguments>(arguments)..., &error);
  }
  if (raised) {
    libsched_error_unref(error);
    py::error_already_set again(std::move(*raised));
    raised.reset();
    throw again;
  }
  check(code, error);
}

py::str node_of(const Listener& listener, uint32_t row) {
  return from_str(libsched_node_name(libsched_view_node(listener.view, row)));
}

// ([(node, status)], the status of the others)
auto judged_of(const Listener& listener, const libsched_cycle_event& e) {
  const StatusHandle status = create_status();
  const auto of = [&](uint32_t row) {
    libsched_node_statuses_get(e.statuses, row, status.get());
    return status_tuple(status.get());
  };
  return tuple_of(
      collect(e.judged_count,
              [&](size_t i) { return tuple_of(node_of(listener, e.judged[i]), of(e.judged[i])); }),
      of(LIBSCHED_NO_ROW));
}

// [(node, total, [(plugin, weighted)])]
auto scores_of(const Listener& listener, const libsched_score_table* table) {
  return collect(libsched_score_table_row_count(table), [&](size_t i) {
    return tuple_of(node_of(listener, libsched_score_table_rows(table)[i]),
                    libsched_score_table_totals(table)[i],
                    collect(libsched_score_table_column_count(table), [&](size_t c) {
                      return tuple_of(libsched_score_table_plugin(table, c),
                                      libsched_score_table_weighted(table, c)[i]);
                    }));
  });
}

// What `make` returns, or None without it.
template <typename Make>
py::object if_there(bool there, Make&& make) {
  return py::cast(there ? std::optional(make()) : std::nullopt);
}

void hear_locked(void* data, const libsched_cycle_event* e) {
  auto& listener = *static_cast<Listener*>(data);
  if (*listener.raised) return;
  try {
    CycleState lent;
    lent.lent = e->state;
    py::object state = py::cast(std::move(lent));
    const auto waits = collect(e->wait_count, [&](size_t i) {
      return tuple_of(e->waits[i].plugin, e->waits[i].timeout_ns);
    });
    call(listener.hear, py::cast(e->point), py::bool_(e->ended), state, from_str(e->node_name),
         if_there(e->status != nullptr, [&] { return status_tuple(e->status); }),
         if_there(e->pre_filter != nullptr, [&] { return narrowed_by(e->pre_filter); }),
         if_there(e->statuses != nullptr, [&] { return judged_of(listener, *e); }),
         if_there(e->scores != nullptr, [&] { return scores_of(listener, e->scores); }), waits,
         if_there(e->nominates, [&] { return tuple_of(e->nomination.mode, e->nomination.node); }));
    state.cast<CycleState&>().lent = nullptr;
  } catch (py::error_already_set& error) {
    listener.raised->emplace(std::move(error));
  }
}

// It may look at the cluster.
void hear(void* data, const libsched_cycle_event* e) {
  locked_in_slot(0, [&] {
    hear_locked(data, e);
    return 0;
  });
}

void drop(void* data) {
  if (!python_is_there()) return;
  locked([&] { delete static_cast<Listener*>(data); });
}

std::unique_ptr<Scheduling> schedule_one(const std::vector<Evaluator*>& evaluators, const Pod& pod,
                                         CycleState& state, WriterQueue& writer, uint32_t ties,
                                         uint64_t seed, Flag sampling, Flag node_by_node,
                                         std::string_view other_profile, py::object callback,
                                         std::optional<int64_t> timeout_ns,
                                         Maybe<const Cancel> cancel) {
  const Profiles profiles(evaluators);
  for (const Evaluator* evaluator : evaluators) {
    const auto& lock = evaluator->services_lock;
    if (lock && std::find(writer.locks.begin(), writer.locks.end(), lock) == writer.locks.end())
      writer.locks.push_back(lock);
  }
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.sampling = sampling;
  options.node_by_node = node_by_node;
  options.state = state.get();
  options.writer = writer.handle.get();
  profiles.limit(options, other_profile, timeout_ns, cancel);
  if (!callback.is_none()) {
    options.event = hear;
    options.event_data =
        new Listener{std::move(callback), evaluators.empty() ? nullptr : evaluators.front()->view,
                     writer.raised};
    options.event_destroy = drop;
  }
  auto made = std::make_unique<Scheduling>();
  made->raised = writer.raised;
  const ScoresAsStatus as_status;  // what became of the pod says it
  heard(*writer.raised, libsched_schedule_one, profiles.data(), profiles.size(), pod.handle.get(),
        &options, into(made->handle));
  return made;
}

auto rejectors(const Scheduling& scheduling, bool pending) {
  std::vector<libsched_str> names(
      libsched_scheduling_rejectors(raw(scheduling), pending, nullptr, 0));
  libsched_scheduling_rejectors(raw(scheduling), pending, names.data(), names.size());
  return collect(names.size(), [&](size_t i) { return names[i]; });
}

py::tuple status_of(const Scheduling& scheduling) {
  const StatusHandle status = create_status();
  libsched_scheduling_status(scheduling.handle.get(), status.get());
  return status_tuple(status.get());
}

// (attempt, profile, node, total, feasible, evaluated, (mode, node), status, rejectors, pending)
auto outcome(const Scheduling& scheduling) {
  const Holding holding(scheduling.lock.get());
  libsched_scheduling_outcome o = LIBSCHED_SCHEDULING_OUTCOME_INIT;
  quick(libsched_scheduling_get, scheduling.handle.get(), &o);
  return tuple_of(o.attempt, o.profile, o.node_name, o.total, o.feasible, o.evaluated,
                  tuple_of(o.nomination.mode, o.nomination.node), status_of(scheduling),
                  rejectors(scheduling, false), rejectors(scheduling, true));
}

// Without the locks of cluster and services: it may take minutes, and looks at neither.
void bind(Scheduling& scheduling) {
  const Holding holding(scheduling.lock.get());
  const StatusHandle status = create_status();
  heard(*scheduling.raised, libsched_scheduling_bind, scheduling.handle.get(), status.get());
}

// (applied, dropped)
std::tuple<size_t, size_t> apply(WriterQueue& queue, Cluster& cluster) {
  std::deque<Holding> held;
  held.emplace_back(cluster.lock.get());
  for (const auto& lock : queue.locks) held.emplace_back(lock.get());
  size_t applied = 0, dropped = 0;
  heard(*queue.raised, libsched_writer_queue_apply, queue.handle.get(), cluster.handle.get(),
        &applied, &dropped);
  return {applied, dropped};
}

}  // namespace

void bind_scheduling(py::module_& module) {
  Class<WriterQueue>(module, "WriterQueue")
      .def(py::init(&created<WriterQueue, libsched_writer_queue_create>))
      .def("apply", apply)
      .def_property_readonly("pending", quick_call<libsched_writer_queue_pending>);
  Class<Scheduling>(module, "Scheduling").def("outcome", outcome).def("bind", bind);
  module.def("schedule_one", schedule_one, py::arg("evaluators"), py::arg("pod"), py::arg("state"),
             py::arg("writer"), py::arg("ties"), py::arg("seed"), py::arg("sampling"),
             py::arg("node_by_node"), py::arg("other_profile"), py::arg("hear"),
             py::arg("timeout_ns"), py::arg("cancel"));
}

}  // namespace libsched
