// Makes valid objects for calls whose pool is empty.
#include "arguments.hpp"
#include "effects.hpp"
#include "hostile.hpp"

namespace fuzz {
namespace {

libsched_str str(const std::string& s) { return {s.data(), s.size()}; }

template <typename T>
T* handle(Turn& t, Kind kind) {
  Entry* e = world().pools.any(t.choose, kind, true);
  if (e == nullptr) e = make(t, kind);
  return e == nullptr ? nullptr : static_cast<T*>(e->handle);
}

void* make_evaluator(Turn& t) {
  auto* framework = handle<libsched_framework>(t, Kind::framework);
  auto* cluster = handle<libsched_cluster>(t, Kind::cluster);
  libsched_evaluator* out = nullptr;
  if (libsched_evaluator_create(framework, cluster, nullptr, &out, nullptr) != LIBSCHED_OK)
    return nullptr;
  know_evaluator(out, framework, model_of(cluster), libsched_cluster_view(cluster));
  return out;
}

void* make_waiting(Turn& t) {
  auto* services = handle<libsched_services>(t, Kind::services);
  auto* pod = handle<libsched_pod>(t, Kind::pod);
  const libsched_permit_wait wait = {LIBSCHED_STR("Somebody"), 1000};
  libsched_services_add_waiting_pod(services, pod, &wait, 1, nullptr);
  libsched_waiting_pod* out = nullptr;
  libsched_services_find_waiting_pod(services, libsched_pod_uid(pod), &out, nullptr);
  return out;
}

// Makes an object of a cluster without nodes.
void* make_scheduling(Turn& t) {
  auto* pod = handle<libsched_pod>(t, Kind::pod);
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  libsched_scheduling* out = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework, nullptr);
  libsched_evaluator_create(framework, cluster, nullptr, &evaluator, nullptr);
  libsched_writer_queue_create(&options.writer, nullptr);
  options.other_profile = libsched_str_from("default-scheduler");
  libsched_schedule_one(&evaluator, 1, pod, &options, &out, nullptr);
  libsched_writer_queue_unref(options.writer);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
  return out;
}

// Of a cluster without nodes.
void* make_capacity(Turn& t) {
  const auto* pod = handle<const libsched_pod>(t, Kind::pod);
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_capacity* out = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework, nullptr);
  libsched_evaluator_create(framework, cluster, nullptr, &evaluator, nullptr);
  libsched_count_capacity(&evaluator, 1, &pod, 1, nullptr, &out, nullptr);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
  return out;
}

// Of no node.
void* make_drain() {
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_drain* out = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework, nullptr);
  libsched_evaluator_create(framework, cluster, nullptr, &evaluator, nullptr);
  libsched_drain_nodes(&evaluator, 1, nullptr, 0, nullptr, &out, nullptr);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
  return out;
}

// Without pods.
void* make_comparison() {
  libsched_comparison* out = nullptr;
  libsched_comparison_create(&out, nullptr);
  return out;
}

void* make_cel() {
  libsched_cel* out = nullptr;
  libsched_cel_compile(LIBSCHED_STR("device.driver == 'gpu.example.com' && true"), nullptr, &out,
                       nullptr);
  return out;
}

// Of no edit.
void* make_edited(Turn& t) {
  const auto* pod = handle<const libsched_pod>(t, Kind::pod);
  libsched_cluster* cluster = nullptr;
  libsched_edited* out = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  libsched_cluster_edit(cluster, nullptr, 0, &pod, nullptr, nullptr, 1, &out, nullptr);
  libsched_cluster_unref(cluster);
  return out;
}

// Of an empty cluster.
void* make_queue() {
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_queue* out = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework, nullptr);
  libsched_evaluator_create(framework, cluster, nullptr, &evaluator, nullptr);
  libsched_queue_create(&evaluator, 1, nullptr, &out, nullptr);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
  return out;
}

// Of an empty cluster, with a node and a pod to come.
void* make_scheduler() {
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  libsched_scheduler* out = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  libsched_clock_create_virtual(5, &options.clock, nullptr);
  libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework, nullptr);
  libsched_scheduler_create(&framework, 1, cluster, &options, &out, nullptr);
  libsched_pod* pod = nullptr;
  libsched_node* node = nullptr;
  libsched_pod_parse(
      LIBSCHED_STR(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}})"), nullptr,
      &pod, nullptr);
  libsched_node_parse(LIBSCHED_STR(R"({"metadata":{"name":"n"}})"), nullptr, &node, nullptr);
  libsched_scheduler_deliver_node(out, nullptr, node, nullptr);
  libsched_scheduler_deliver_pod(out, nullptr, pod, nullptr);
  libsched_node_unref(node);
  libsched_pod_unref(pod);
  libsched_clock_unref(options.clock);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
  return out;
}

// An empty cluster and one pod.
void* make_api_server() {
  libsched_api_server* out = nullptr;
  libsched_api_server_create(nullptr, &out, nullptr);
  return out;
}

void* make_simulation() {
  libsched_framework* framework = nullptr;
  libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework, nullptr);
  libsched_cluster* cluster = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  libsched_workload* workload = nullptr;
  libsched_workload_create(&workload, nullptr);
  libsched_workload_add_trace(workload, LIBSCHED_STR("name,cpu_milli,memory_mib\na,1,2\n"), nullptr,
                              nullptr);
  libsched_simulation* out = nullptr;
  libsched_simulation_create(&framework, 1, libsched_cluster_view(cluster), workload, nullptr, &out,
                             nullptr);
  libsched_workload_unref(workload);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
  return out;
}
void* make_queued_pod(Turn& t) {
  auto* queue = handle<libsched_queue>(t, Kind::queue);
  auto* pod = handle<libsched_pod>(t, Kind::pod);
  libsched_queued_pod* out = nullptr;
  libsched_queue_add(queue, pod, nullptr);
  libsched_queue_pop_specific(queue, pod, &out, nullptr);
  return out;
}

// With some contents, so that there is something to place.
void* make_catalog(Turn& t) {
  libsched_catalog* out = nullptr;
  libsched_catalog_create(&out, nullptr);
  know_catalog(out);
  const std::shared_ptr<CatalogModel>& model = world().catalogs[out];
  for (int i = 0; i < 2; ++i) {
    uint64_t ref = 0;
    auto* pod = handle<const libsched_pod>(t, Kind::pod);
    auto* node = handle<const libsched_node>(t, Kind::node);
    if (libsched_catalog_add_pod(out, pod, nullptr, &ref, nullptr) == LIBSCHED_OK)
      model->pods.emplace(ref, share(libsched_pod_ref(pod)));
    world().ids.note(Ids::kPodRef, ref);
    if (libsched_catalog_add_node(out, node, nullptr, &ref, nullptr) == LIBSCHED_OK)
      model->nodes.emplace(ref, share(libsched_node_ref(node)));
    world().ids.note(Ids::kNodeRef, ref);
  }
  return out;
}

void* make_sim(Turn& t) {
  auto* framework = handle<libsched_framework>(t, Kind::framework);
  auto* catalog = handle<libsched_catalog>(t, Kind::catalog);
  libsched_sim* out = nullptr;
  if (libsched_sim_create(framework, catalog, &out, nullptr) != LIBSCHED_OK) return nullptr;
  know_sim(out, framework, catalog);
  return out;
}

void* make_error() {
  libsched_pod* pod = nullptr;
  libsched_error* error = nullptr;
  libsched_pod_parse(LIBSCHED_STR("{"), nullptr, &pod, &error);
  return error;
}

// Makes an object that needs only a document or another object.
template <typename T, typename Create, typename... Arguments>
void* created(Create create, Arguments... arguments) {
  T* out = nullptr;
  create(arguments..., &out, nullptr);
  return out;
}

void* create(Turn& t, Kind kind) {
  switch (kind) {
    case Kind::text:
      return created<libsched_text>(libsched_objects_report_json,
                                    handle<const libsched_objects>(t, Kind::objects));
    case Kind::error: return make_error();
    case Kind::objects: {
      const std::string doc = "[" + node_document(t.choose) + "]";
      return created<libsched_objects>(libsched_objects_parse, str(doc.substr(1, doc.size() - 2)),
                                       nullptr);
    }
    case Kind::pod:
      return created<libsched_pod>(libsched_pod_parse,
                                   str(pod_document(t.choose, !t.choose.one_in(3))), nullptr);
    case Kind::node:
      return created<libsched_node>(libsched_node_parse, str(node_document(t.choose)), nullptr);
    case Kind::cluster: {
      void* const out = created<libsched_cluster>(libsched_cluster_create, nullptr);
      know_cluster(out, std::make_shared<Cluster>());
      return out;
    }
    case Kind::changes: {
      void* const out = created<libsched_changes>(libsched_changes_create);
      know_changes(out);
      return out;
    }
    case Kind::snapshot: {
      auto* cluster = handle<libsched_cluster>(t, Kind::cluster);
      void* const out = created<libsched_snapshot>(libsched_cluster_snapshot, cluster);
      if (out == nullptr) return nullptr;
      if (const auto model = model_of(cluster)) know_cluster(out, model->copy(true));
      return out;
    }
    case Kind::status: return created<libsched_status>(libsched_status_create);
    case Kind::config:
      return created<libsched_config>(libsched_config_parse, LIBSCHED_STR(""), nullptr);
    case Kind::registry: return created<libsched_registry>(libsched_registry_create);
    case Kind::framework: {
      libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
      const libsched_extender* extenders[2] = {};
      const bool extended = t.choose.one_in(6);
      if (extended) {
        for (const libsched_extender*& extender : extenders)
          extender = handle<libsched_extender>(t, Kind::extender);
        options.extenders = extenders;
        options.extender_count = 1 + t.choose.below(2);
      }
      void* const out = created<libsched_framework>(libsched_framework_create, nullptr,
                                                    LIBSCHED_ANY_NODE, nullptr, &options);
      if (out != nullptr && !extended) world().plain_frameworks.insert(out);
      if (out != nullptr) world().default_counts.insert(out);
      return out;
    }
    case Kind::cycle_state: return created<libsched_cycle_state>(libsched_cycle_state_create);
    case Kind::evaluator: return make_evaluator(t);
    case Kind::prefilter_result:
      return created<libsched_prefilter_result>(libsched_prefilter_result_create);
    case Kind::decision: {
      auto* evaluator = static_cast<libsched_evaluator*>(make_evaluator(t));
      void* const out = created<libsched_decision>(libsched_check_pod_fits, evaluator,
                                                   handle<libsched_pod>(t, Kind::pod),
                                                   LIBSCHED_ANY_NODE, nullptr);
      libsched_evaluator_unref(evaluator);
      return out;
    }
    case Kind::score_table: return created<libsched_score_table>(libsched_score_table_create);
    case Kind::node_statuses: return created<libsched_node_statuses>(libsched_node_statuses_create);
    case Kind::cancel: return created<libsched_cancel>(libsched_cancel_create);
    case Kind::memory_api: return created<libsched_memory_api>(libsched_memory_api_create);
    case Kind::extender: {
      const libsched_extender_functions functions = hostile_extender(t);
      void* const data = world().pass("the data of an extender");
      return created<libsched_extender>(libsched_extender_create, &functions, data);
    }
    case Kind::clock: return created<libsched_clock>(libsched_clock_create_virtual, int64_t{5});
    case Kind::services: return created<libsched_services>(libsched_services_create, nullptr);
    case Kind::waiting_pod: return make_waiting(t);
    case Kind::writer_queue: return created<libsched_writer_queue>(libsched_writer_queue_create);
    case Kind::scheduling: return make_scheduling(t);
    case Kind::capacity: return make_capacity(t);
    case Kind::drain: return make_drain();
    case Kind::comparison: return make_comparison();
    case Kind::cel: return make_cel();
    case Kind::edited: return make_edited(t);
    case Kind::queue: return make_queue();
    case Kind::queued_pod: return make_queued_pod(t);
    case Kind::scheduler: return make_scheduler();
    case Kind::api_server: return make_api_server();
    case Kind::workload: return created<libsched_workload>(libsched_workload_create);
    case Kind::simulation: return make_simulation();
    case Kind::table: {
      auto* simulation = static_cast<libsched_simulation*>(make_simulation());
      void* const out =
          created<libsched_table>(libsched_simulation_table, simulation, LIBSCHED_STR("pods"));
      libsched_simulation_unref(simulation);
      return out;
    }
    case Kind::catalog: return make_catalog(t);
    case Kind::sim: return make_sim(t);
    case Kind::event_map:
      return created<libsched_event_map>(libsched_framework_events,
                                         handle<const libsched_framework>(t, Kind::framework));
    default: fail(std::string("nothing makes a ") + name_of(kind));
  }
}

}  // namespace

Entry* make(Turn& t, Kind kind) {
  for (int tries = 0; tries < 4; ++tries) {
    void* const handle = create(t, kind);
    if (handle == nullptr) continue;  // an invalid document, or a hostile plugin
    Entry& entry = world().pools.adopt(kind, handle, t.depth != 0);
    trace(t.depth,
          std::string("(makes ") + name_of(kind) + "#" + std::to_string(entry.number) + ")");
    return &entry;
  }
  return nullptr;
}

}  // namespace fuzz
