// _core.Workload, _core.Simulation, _core.Table: simulations and their results.
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "plugin.hpp"

// Arrow's C data interface.
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

namespace libsched {

struct Workload : Holder<SlowlyOwned<libsched_workload_unref>> {
  std::shared_ptr<Lock> lock = std::make_shared<Lock>();
};
struct Simulation : Holder<SlowlyOwned<libsched_simulation_unref>> {
  std::shared_ptr<Lock> lock = std::make_shared<Lock>();
};
struct Table : Holder<SlowlyOwned<libsched_table_unref>> {};
Workload wrapper_of(Of<libsched_workload>);
Simulation wrapper_of(Of<libsched_simulation>);
Table wrapper_of(Of<libsched_table>);

namespace {

// (arrival, duration or -1, interval); None: those of the pod's annotations.
using Timing = std::optional<std::tuple<int64_t, int64_t, int64_t>>;

void add(Workload& workload, const Pod& pod, size_t replicas, const Timing& given) {
  libsched_timing timing = LIBSCHED_TIMING_INIT;
  if (given) std::tie(timing.arrival_ns, timing.duration_ns, timing.interval_ns) = *given;
  const Holding holding(workload.lock.get());
  unlocked(libsched_workload_add, workload.handle.get(), pod.handle.get(), replicas,
           given ? &timing : nullptr);
}

void add_trace(Workload& workload, const py::bytes& csv, std::string_view file, std::string_view ns,
               std::string_view scheduler_name, std::string_view gpu_resource,
               std::string_view gpu_model_label) {
  libsched_trace_options options = LIBSCHED_TRACE_OPTIONS_INIT;
  options.file = to_str(file);
  options.ns = to_str(ns);
  options.scheduler_name = to_str(scheduler_name);
  options.gpu_resource = to_str(gpu_resource);
  options.gpu_model_label = to_str(gpu_model_label);
  const Holding holding(workload.lock.get());
  unlocked(libsched_workload_add_trace, workload.handle.get(), to_str(std::string_view(csv)),
           &options);
}

std::unique_ptr<Simulation> create_simulation(
    const std::vector<const Framework*>& frameworks, const View& cluster, Workload& workload,
    uint32_t ties, uint64_t seed, Flag sampling, Flag resources, Flag volumes, Flag claims,
    int64_t provision_ns, int64_t sample_interval_ns, int64_t initial_backoff_ns,
    int64_t max_backoff_ns, int64_t max_in_unschedulable_ns, std::string_view start) {
  libsched_simulation_options options = LIBSCHED_SIMULATION_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.sampling = sampling;
  options.no_resources = !resources;
  options.no_volumes = !volumes;
  options.no_claims_from_templates = !claims;
  options.provision_ns = provision_ns;
  options.sample_interval_ns = sample_interval_ns;
  options.queue.initial_backoff_ns = initial_backoff_ns;
  options.queue.max_backoff_ns = max_backoff_ns;
  options.queue.max_in_unschedulable_ns = max_in_unschedulable_ns;
  options.start = to_str(start);
  const auto profiles = raw(frameworks);
  auto made = std::make_unique<Simulation>();
  const Holding holding(cluster.lock.get());
  const Holding adding(workload.lock.get());
  const AskAfterExceptions asking;
  unlocked(libsched_simulation_create, profiles.data(), profiles.size(), cluster.view,
           workload.handle.get(), &options, into(made->handle));
  return made;
}

// Calls a Python function from C++; false ends the call, which raises what the function has raised.
template <typename Call>
bool called(Call&& call) {
  return locked_or(false, [&] {
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      return call();
    } catch (py::error_already_set& raised) {
      keep_exception(raised);
      return false;
    }
  });
}

bool tell(void* user_data, const libsched_progress* p) {
  return called([&] {
    const auto& function = *static_cast<const py::object*>(user_data);
    if (function.is_none()) return true;
    const py::object answer =
        call(function, py::int_(p->now_ns), py::int_(p->total), py::int_(p->arrived),
             py::int_(p->bound), py::int_(p->ended), py::int_(p->pending));
    return answer.ptr() != Py_False;
  });
}

void run(Simulation& simulation, int64_t until_ns, Maybe<const Cancel> cancel,
         py::object progress) {
  const Holding holding(simulation.lock.get());
  const AskAfterExceptions asking;
  unlocked(libsched_simulation_run, raw(simulation), until_ns, raw(cancel), tell, &progress);
}

bool give_piece(void* user_data, libsched_str piece) {
  return called([&] {
    (*static_cast<const py::function*>(user_data))(py::bytes(piece.ptr, piece.len));
    return true;
  });
}

void write(const Table& table, uint32_t format, py::function piece) {
  unlocked(libsched_table_write, table.handle.get(), format, give_piece, &piece);
}

void release_stream(PyObject* capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

// A capsule as the Arrow PyCapsule interface defines it.
py::object stream(const Table& table) {
  auto made = std::make_unique<ArrowArrayStream>();
  quick(libsched_table_export, table.handle.get(), made.get());
  auto capsule = py::reinterpret_steal<py::object>(
      PyCapsule_New(made.get(), "arrow_array_stream", release_stream));
  if (!capsule) {
    made->release(made.get());
    throw py::error_already_set();
  }
  made.release();
  return capsule;
}

}  // namespace

void bind_simulation(py::module_& module) {
  Class<Workload>(module, "Workload")
      .def(py::init(&created<Workload, libsched_workload_create>))
      .def("add", &add)
      .def("add_objects", unlocked_call<libsched_workload_add_objects>)
      .def("add_trace", &add_trace)
      .def("warnings", unlocked_call<libsched_workload_warnings_json>)
      .def("size", quick_call<libsched_workload_pod_count>);
  Class<Table>(module, "Table")
      .def("write", &write)
      .def("stream", &stream)
      .def("size", quick_call<libsched_table_row_count>);
  Class<Simulation>(module, "Simulation")
      .def(py::init(&create_simulation))
      .def("run", &run)
      .def("summary", unlocked_call<libsched_simulation_summary_json>)
      .def("table", unlocked_call<libsched_simulation_table>)
      .def_property_readonly("now_ns", quick_call<libsched_simulation_now>);
}

}  // namespace libsched
