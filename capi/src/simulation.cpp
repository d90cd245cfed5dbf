// Workloads, simulations and their tables.
#include "libsched/scheduler/simulation/simulation.hpp"

#include "given.hpp"
#include "handles.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/ingest/rfc3339.hpp"
#include "libsched/scheduler/simulation/arrow.hpp"
#include "libsched/scheduler/simulation/trace_csv.hpp"
#include "refusals.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

Result<Timing> timing_of(const libsched_timing& given) {
  const Result<libsched_timing> t = read_given(&given);
  if (!t.ok()) return t.error();
  Timing timing{t->arrival_ns, {}, t->interval_ns};
  if (t->duration_ns >= 0) timing.duration_ns = t->duration_ns;
  return timing;
}

Result<SimulationOptions> simulation_options(const libsched_simulation_options* given) {
  const Result<libsched_simulation_options> o = read_given(given);
  if (!o.ok()) return o.error();
  const Result<libsched_queue_options> q =
      read_given(&o->queue, "libsched_simulation_options.queue");
  if (!q.ok()) return q.error();
  SimulationOptions how;
  how.ties = static_cast<TieMode>(o->ties);
  how.seed = o->seed;
  how.sampling = o->sampling;
  how.resources = !o->no_resources;
  how.volumes = !o->no_volumes;
  how.claims_from_templates = !o->no_claims_from_templates;
  how.provision_ns = o->provision_ns;
  how.sample_interval_ns = o->sample_interval_ns;
  if (o->start.len != 0) {
    const std::optional<int64_t> start = parse_rfc3339(in(o->start));
    if (!start)
      return invalid("start",
                     go_quote(in(o->start)) + R"( is no time such as "2026-01-01T00:00:00Z")");
    how.start_ns = *start;
  }
  how.queue = {q->initial_backoff_ns, q->max_backoff_ns, q->max_in_unschedulable_ns};
  return how;
}

void set(std::string* to, libsched_str given) {
  if (given.len != 0) *to = in(given);
}

}  // namespace

extern "C" {

libsched_rc libsched_workload_create(libsched_workload** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return make_ref<TimedWorkload>(); });
}
size_t libsched_workload_pod_count(const libsched_workload* workload) {
  return live(workload) ? unwrap(workload)->pod_count() : 0;
}

libsched_rc libsched_workload_add(libsched_workload* workload, const libsched_pod* pod,
                                  size_t replicas, const libsched_timing* timing,
                                  libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, workload, pod);
  return guarded(error, [&]() -> Result<void> {
    const PodRef shared = PodRef::share(unwrap(pod));
    if (timing == nullptr) return unwrap(workload)->add_annotated(shared, replicas);
    const Result<Timing> when = timing_of(*timing);
    if (!when.ok()) return when.error();
    return replicas == 0 ? unwrap(workload)->add(shared, *when)
                         : unwrap(workload)->add_series(shared, replicas, *when);
  });
}

libsched_rc libsched_workload_add_objects(libsched_workload* workload,
                                          const libsched_objects* objects, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, workload, objects);
  return guarded(error, [&] { return unwrap(workload)->add_objects(unwrap(objects)->set); });
}

libsched_rc libsched_workload_warnings_json(const libsched_workload* workload,
                                            libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, workload, result);
  return hand_over(error, result, [&] {
    std::string out;
    for (const IngestWarning& w : unwrap(workload)->warnings())
      out += (out.empty() ? R"({"path":)" : R"(,{"path":)") + json_quote(w.path) +
             R"(,"message":)" + json_quote(w.message) + "}";
    return "[" + out + "]";
  });
}

libsched_rc libsched_workload_add_trace(libsched_workload* workload, libsched_str csv,
                                        const libsched_trace_options* options,
                                        libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, workload);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_trace_options> o = read_given(options);
    if (!o.ok()) return o.error();
    TraceOptions how;
    set(&how.ns, o->ns);
    set(&how.scheduler_name, o->scheduler_name);
    set(&how.gpu_resource, o->gpu_resource);
    set(&how.gpu_model_label, o->gpu_model_label);
    if (o->cancel != nullptr) {
      how.interrupt.wanted = [](void* cancel) {
        return static_cast<const Cancel*>(cancel)->set.load(std::memory_order_relaxed);
      };
      how.interrupt.data = const_cast<Cancel*>(unwrap(o->cancel));
    }
    std::string file = "trace";
    set(&file, o->file);
    return add_trace(unwrap(workload), in(csv), file, how);
  });
}

libsched_rc libsched_simulation_create(const libsched_framework* const* profiles,
                                       size_t profile_count, const libsched_view* cluster,
                                       libsched_workload* workload,
                                       const libsched_simulation_options* options,
                                       libsched_simulation** result, libsched_error** error) {
  LIBSCHED_REQUIRE(error, profile_count != 0);
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_HANDLES(error, cluster, workload, result);
  return hand_over(error, result, [&]() -> Result<Ref<Simulation>> {
    const Result<SimulationOptions> how = simulation_options(options);
    if (!how.ok()) return how.error();
    std::vector<FrameworkRef> frameworks;
    for (size_t i = 0; i < profile_count; ++i)
      frameworks.push_back(FrameworkRef::share(unwrap(profiles[i])));
    return Simulation::create(frameworks, *unwrap(cluster),
                              Ref<TimedWorkload>::share(unwrap(workload)), *how);
  });
}

libsched_rc libsched_simulation_run(libsched_simulation* simulation, int64_t until_ns,
                                    const libsched_cancel* cancel, libsched_progress_fn progress,
                                    void* user_data, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, simulation);
  LIBSCHED_ALLOW_HANDLES(error, cancel);
  return guarded(error, [&] {
    Simulation::Progress tell;
    if (progress != nullptr)
      tell = [=](const SimulationProgress& p) {
        const libsched_progress lent = {sizeof(libsched_progress),
                                        0,
                                        p.now_ns,
                                        p.total,
                                        p.arrived,
                                        p.bound,
                                        p.ended,
                                        p.pending};
        return progress(user_data, &lent);
      };
    return unwrap(simulation)
        ->run(until_ns < 0 ? std::optional<int64_t>() : until_ns, limits_of(cancel, 0), tell);
  });
}
int64_t libsched_simulation_now(const libsched_simulation* simulation) {
  return live(simulation) ? unwrap(simulation)->now_ns() : 0;
}

libsched_rc libsched_simulation_summary_json(const libsched_simulation* simulation,
                                             libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, simulation, result);
  return hand_over(error, result, [&] { return unwrap(simulation)->summary_json(); });
}

libsched_rc libsched_simulation_table(const libsched_simulation* simulation, libsched_str name,
                                      libsched_table** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, simulation, result);
  return hand_over(error, result, [&]() -> Result<TableRef> {
    TableRef table = unwrap(simulation)->table(in(name));
    if (!table) return Error{Rc::kNotFound, "a simulation has no table " + go_quote(in(name))};
    return table;
  });
}
size_t libsched_table_row_count(const libsched_table* table) {
  return live(table) ? unwrap(table)->row_count() : 0;
}

libsched_rc libsched_table_write(const libsched_table* table, uint32_t format,
                                 libsched_write_fn write, void* user_data, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, table);
  LIBSCHED_REQUIRE(error, write != nullptr);
  return guarded(error, [&]() -> Result<void> {
    const auto piece = [&](Str text) { return write(user_data, out(text)); };
    if (format == LIBSCHED_TABLE_CSV) return unwrap(table)->write_csv(piece);
    if (format == LIBSCHED_TABLE_JSON) return unwrap(table)->write_json(piece);
    return unsupported("unknown format of a table");
  });
}

libsched_rc libsched_table_export(const libsched_table* table, void* stream,
                                  libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, table);
  LIBSCHED_REQUIRE(error, stream != nullptr);
  return guarded(error, [&]() -> Result<void> {
    export_stream(TableRef::share(unwrap(table)), static_cast<ArrowArrayStream*>(stream));
    return {};
  });
}

}  // extern "C"
