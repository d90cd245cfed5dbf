/* Calls of the library with structs of older and newer programs: of every size that a header with
   fewer members would have given them, and with members that this version does not know.

   structs.inc has the table of all structs of the installed headers; test_struct_sizes.py makes it.
   Each struct lies right before memory that nothing can touch, so a step beyond struct_size ends
   the program. */
#include <libsched/net.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../capi/sim_fixture.h"

#define END(type, member) (offsetof(type, member) + sizeof(((type*)0)->member))

/* A call that reads a struct. Structs that end before `last`, which is required, are refused;
 * `preset` sets members of `g`. */
#define GIVEN(type, last, preset)         \
  enum { need_##type = END(type, last) }; \
  static void preset_##type(void* at) {   \
    type* g = at;                         \
    (void)g;                              \
    preset;                               \
  }                                       \
  static libsched_rc given_##type(const type* given, libsched_error** err)
/* A call that fills a struct. */
#define FILLED(type) static libsched_rc filled_##type(type* filled, libsched_error** err)

static libsched_framework* framework;
static libsched_cluster* cluster;
static libsched_evaluator* evaluator;
static libsched_evaluator* const* profiles = &evaluator;
static libsched_pod* pod;
static const libsched_pod* const* pods = (const libsched_pod* const*)&pod;
static libsched_cycle_state* state;
static libsched_status* status;
static libsched_services* services;
static libsched_cel* cel;
static libsched_scheduling* scheduling;
static libsched_comparison* comparison;
static libsched_drain* drain;
static libsched_config* with_extender;
static sim_world sim;

static void open_world(void) {
  framework = default_framework();
  cluster = five_nodes();
  pod = pod_of("web", 500, "");
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_services_create(NULL, &services, err));
  CHECK_OK(libsched_cel_compile(text("device.driver == 'a.b'"), NULL, &cel, err));
  CHECK_OK(libsched_comparison_create(&comparison, err));
  CHECK_OK(libsched_comparison_place(comparison, false, profiles, 1, pods, 1, NULL, err));
  const libsched_str full = text("full");
  CHECK_OK(libsched_drain_nodes(profiles, 1, &full, 1, NULL, &drain, err));
  CHECK_OK(libsched_config_parse(
      text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
           "extenders: [{urlPrefix: 'http://127.0.0.1:1/x', filterVerb: f}]\n"),
      NULL, &with_extender, err));
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  CHECK_OK(libsched_writer_queue_create(&options.writer, err));
  libsched_pod* first =
      pod_of("first", 500, ""); /* stays in the cluster, as a pod that is being bound */
  CHECK_OK(libsched_schedule_one(profiles, 1, first, &options, &scheduling, err));
  libsched_pod_unref(first);
  libsched_writer_queue_unref(options.writer);
  sim = open_sim();
}

/* A handle that a call has made is released at once. */
#define MADE(type, out, call)    \
  libsched_##type* out = NULL;   \
  const libsched_rc rc = (call); \
  libsched_##type##_unref(out);  \
  return rc

GIVEN(libsched_capacity_options, struct_size, ) {
  MADE(capacity, out, libsched_count_capacity(profiles, 1, pods, 1, given, &out, err));
}
GIVEN(libsched_drain_options, struct_size, ) {
  const libsched_str node = text("full");
  MADE(drain, out, libsched_drain_nodes(profiles, 1, &node, 1, given, &out, err));
}
GIVEN(libsched_why_options, struct_size, ) {
  MADE(text, out, libsched_why_json(profiles, 1, pod, given, &out, err));
}
GIVEN(libsched_api_server_options, struct_size, ) {
  MADE(api_server, out, libsched_api_server_create(given, &out, err));
}
GIVEN(libsched_api_fault, struct_size, ) {
  libsched_api_server* server = NULL;
  CHECK_OK(libsched_api_server_create(NULL, &server, err));
  const libsched_rc rc = libsched_api_server_add_fault(server, given, err);
  libsched_api_server_unref(server);
  return rc;
}
GIVEN(libsched_catalog_options, struct_size, ) {
  uint64_t ref;
  return libsched_catalog_add_pod(sim.catalog, pod, given, &ref, err);
}
GIVEN(libsched_cel_options, struct_size, ) {
  MADE(cel, out, libsched_cel_compile(text("true"), given, &out, err));
}
GIVEN(libsched_cel_device, struct_size, ) {
  libsched_cel_answer answer = LIBSCHED_CEL_ANSWER_INIT;
  MADE(text, out, libsched_cel_match(cel, given, &answer, &out, err));
}
GIVEN(libsched_cluster_options, struct_size, ) {
  MADE(cluster, out, libsched_cluster_create(given, &out, err));
}
GIVEN(libsched_compare_options, struct_size, ) {
  return libsched_comparison_place(comparison, true, profiles, 1, pods, 1, given, err);
}
GIVEN(libsched_evaluator_options, struct_size, ) {
  MADE(evaluator, out, libsched_evaluator_create(framework, cluster, given, &out, err));
}
GIVEN(libsched_run_filter_options, struct_size, ) {
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  return libsched_run_filter_plugins(evaluator, state, pod, text("big"), given, status, err);
}
GIVEN(libsched_filter_options, struct_size, ) {
  uint64_t feasible = 0;
  size_t count = 0;
  uint32_t first = 0;
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  return libsched_filter_nodes(evaluator, state, pod, given, &feasible, 1, &count, &first, err);
}
GIVEN(libsched_check_options, struct_size, ) {
  MADE(decision, out, libsched_check_pod_fits(evaluator, pod, text(""), given, &out, err));
}
GIVEN(libsched_extender_functions, struct_size, ) {
  MADE(extender, out, libsched_extender_create(given, NULL, &out, err));
}
GIVEN(libsched_config_options, struct_size, ) {
  MADE(config, out,
       libsched_config_parse(text("apiVersion: kubescheduler.config.k8s.io/v1\n"
                                  "kind: KubeSchedulerConfiguration\n"),
                             given, &out, err));
}
GIVEN(libsched_framework_options, struct_size, ) {
  MADE(framework, out, libsched_framework_create(NULL, text(""), NULL, given, &out, err));
}
static libsched_rc new_scheduler(const libsched_scheduler_options* options, libsched_error** err) {
  libsched_cluster* own = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &own, err));
  libsched_scheduler* made = NULL;
  const libsched_rc rc = libsched_scheduler_create((const libsched_framework* const*)&framework, 1,
                                                   own, options, &made, err);
  libsched_scheduler_unref(made);
  libsched_cluster_unref(own);
  return rc;
}
GIVEN(libsched_scheduler_options, struct_size, ) { return new_scheduler(given, err); }
GIVEN(libsched_scheduler_observer, struct_size, ) {
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.observer = given;
  return new_scheduler(&options, err);
}
GIVEN(libsched_parse_options, struct_size, ) {
  MADE(objects, out,
       libsched_objects_parse(text("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}"),
                              given, &out, err));
}
static bool by_time(void* instance, const libsched_pod* a, int64_t a_since_ns,
                    const libsched_pod* b, int64_t b_since_ns) {
  (void)instance, (void)a, (void)b;
  return a_since_ns < b_since_ns;
}
GIVEN(libsched_plugin, less, (g->name = LIBSCHED_STR("Quiet"), g->less = by_time)) {
  libsched_registry* registry = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  const libsched_rc rc = libsched_registry_add(registry, given, NULL, err);
  libsched_registry_unref(registry);
  return rc;
}
static libsched_queue* new_queue(void) {
  libsched_queue* queue = NULL;
  CHECK_OK(libsched_queue_create(profiles, 1, NULL, &queue, err));
  CHECK_OK(libsched_queue_add(queue, pod, err));
  return queue;
}
GIVEN(libsched_queue_options, struct_size, ) {
  MADE(queue, out, libsched_queue_create(profiles, 1, given, &out, err));
}
GIVEN(libsched_rejection, struct_size, ) {
  libsched_queue* queue = new_queue();
  libsched_queued_pod* queued = NULL;
  CHECK_OK(libsched_queue_pop(queue, &queued, err));
  const libsched_rc rc = libsched_queue_add_unschedulable(queue, queued, NULL, given, err);
  libsched_queued_pod_unref(queued);
  libsched_queue_unref(queue);
  return rc;
}
GIVEN(libsched_queue_event, resource, g->resource = LIBSCHED_STR("Node")) {
  libsched_queue* queue = new_queue();
  const libsched_rc rc = libsched_queue_move_all(queue, given, err);
  libsched_queue_unref(queue);
  return rc;
}
static bool placed(void* user_data, const libsched_placement* placement) {
  (void)user_data, (void)placement;
  return false; /* the pod is not to stay */
}
GIVEN(libsched_schedule_options, struct_size, ) {
  CHECK_OK(libsched_cluster_fork(cluster, err));
  const libsched_rc rc = libsched_schedule(profiles, 1, pods, NULL, 1, given, placed, NULL, err);
  CHECK_OK(libsched_cluster_revert(cluster, err));
  return rc;
}
GIVEN(libsched_scheduling_options, writer, libsched_writer_queue_create(&g->writer, NULL)) {
  libsched_scheduling* out = NULL;
  CHECK_OK(libsched_cluster_fork(cluster, err));
  const libsched_rc rc = libsched_schedule_one(profiles, 1, pod, given, &out, err);
  libsched_scheduling_unref(out);
  CHECK_OK(libsched_cluster_revert(cluster, err));
  return rc;
}
GIVEN(libsched_cycle_options, struct_size, ) {
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  return libsched_run_cycle(evaluator, state, pod, given, &outcome, status, err);
}
GIVEN(libsched_assume_options, struct_size, ) {
  CHECK_OK(libsched_cluster_fork(cluster, err));
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  const libsched_rc rc = libsched_evaluator_assume(evaluator, state, pod, 1, given, status, err);
  CHECK_OK(libsched_cluster_revert(cluster, err));
  return rc;
}
static int64_t now(void* user_data) {
  (void)user_data;
  return 0;
}
GIVEN(libsched_clock_functions, now, g->now = now) {
  MADE(clock, out, libsched_clock_create(given, NULL, &out, err));
}
GIVEN(libsched_api_client, struct_size, ) {
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  options.api = given;
  MADE(services, out, libsched_services_create(&options, &out, err));
}
GIVEN(libsched_services_options, struct_size, ) {
  MADE(services, out, libsched_services_create(given, &out, err));
}
GIVEN(libsched_nomination, node, g->node = LIBSCHED_STR("big")) {
  return libsched_services_nominate(services, pod, given, err);
}
GIVEN(libsched_sim_query, struct_size, ) {
  libsched_sim_hit hit;
  libsched_sim_verdict verdict;
  return libsched_sim_first(sim.sim, sim.half, given, &hit, &verdict, err);
}
GIVEN(libsched_sim_place_options, struct_size, ) {
  libsched_sim_hit hit;
  size_t count = 0;
  bool ended = false;
  CHECK_OK(libsched_sim_fork(sim.sim, err));
  const libsched_rc rc =
      libsched_sim_place_many(sim.sim, &sim.half, 1, NULL, given, &hit, &count, &ended, err);
  CHECK_OK(libsched_sim_revert(sim.sim, err));
  return rc;
}
GIVEN(libsched_sim_pack_options, struct_size, ) {
  const libsched_sim_group group = {sim.half, 1};
  libsched_sim_packing packing;
  CHECK_OK(libsched_sim_fork(sim.sim, err));
  const libsched_rc rc =
      libsched_sim_bin_pack(sim.sim, &group, 1, sim.small_a, given, &packing, err);
  CHECK_OK(libsched_sim_revert(sim.sim, err));
  return rc;
}
GIVEN(libsched_sim_remove_options, struct_size, ) {
  bool removed = false;
  CHECK_OK(libsched_sim_fork(sim.sim, err));
  const libsched_rc rc =
      libsched_sim_remove(sim.sim, sim.nodes[0], NULL, 0, NULL, given, NULL, &removed, err);
  CHECK_OK(libsched_sim_revert(sim.sim, err));
  return rc;
}
GIVEN(libsched_timing, struct_size, ) {
  libsched_workload* workload = NULL;
  CHECK_OK(libsched_workload_create(&workload, err));
  const libsched_rc rc = libsched_workload_add(workload, pod, 1, given, err);
  libsched_workload_unref(workload);
  return rc;
}
GIVEN(libsched_trace_options, struct_size, ) {
  libsched_workload* workload = NULL;
  CHECK_OK(libsched_workload_create(&workload, err));
  const libsched_rc rc =
      libsched_workload_add_trace(workload, text("name,cpu_milli,memory_mib\na,1,1\n"), given, err);
  libsched_workload_unref(workload);
  return rc;
}
GIVEN(libsched_simulation_options, struct_size, ) {
  libsched_workload* workload = NULL;
  libsched_simulation* out = NULL;
  CHECK_OK(libsched_workload_create(&workload, err));
  const libsched_rc rc =
      libsched_simulation_create((const libsched_framework* const*)&framework, 1,
                                 libsched_cluster_view(cluster), workload, given, &out, err);
  libsched_simulation_unref(out);
  libsched_workload_unref(workload);
  return rc;
}
GIVEN(libsched_net_extender_options, struct_size, ) {
  MADE(extender, out, libsched_net_extender_create(with_extender, 0, given, &out, err));
}
/* Nothing listens there: options that were understood end with IO. */
GIVEN(libsched_net_plugin_options, struct_size, ) {
  libsched_registry* registry = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  libsched_error* failure = NULL;
  libsched_rc rc = libsched_net_register(registry, text("Quiet"), text("unix:/nowhere/quiet.sock"),
                                         given, &failure);
  if (rc == LIBSCHED_ERR_IO) {
    libsched_error_unref(failure);
    rc = LIBSCHED_OK;
  } else {
    *err = failure;
  }
  libsched_registry_unref(registry);
  return rc;
}

/* Functions without an error say false. */
static libsched_rc code_of(bool good) { return good ? LIBSCHED_OK : LIBSCHED_ERR_MISUSE; }

FILLED(libsched_cel_answer) {
  const libsched_cel_device device = LIBSCHED_CEL_DEVICE_INIT;
  MADE(text, out, libsched_cel_match(cel, &device, filled, &out, err));
}
FILLED(libsched_drained_pod) {
  (void)err;
  return code_of(libsched_drain_pod(drain, 0, filled));
}
FILLED(libsched_compared_pod) {
  (void)err;
  return code_of(libsched_comparison_pod(comparison, 0, filled));
}
FILLED(libsched_placement) {
  (void)err;
  libsched_capacity* capacity = NULL;
  CHECK_OK(libsched_count_capacity(profiles, 1, pods, 1, NULL, &capacity, err));
  const libsched_rc rc = code_of(libsched_capacity_next(capacity, filled));
  libsched_capacity_unref(capacity);
  return rc;
}
FILLED(libsched_scheduler_state) {
  libsched_cluster* own = NULL;
  libsched_scheduler* made = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &own, err));
  CHECK_OK(libsched_scheduler_create((const libsched_framework* const*)&framework, 1, own, NULL,
                                     &made, err));
  const libsched_rc rc = libsched_scheduler_get(made, filled, err);
  libsched_scheduler_unref(made);
  libsched_cluster_unref(own);
  return rc;
}
FILLED(libsched_queued_pod_info) {
  libsched_queue* queue = new_queue();
  libsched_queued_pod* queued = NULL;
  CHECK_OK(libsched_queue_pop(queue, &queued, err));
  const libsched_rc rc = libsched_queued_pod_get(queued, filled, err);
  libsched_queued_pod_unref(queued);
  libsched_queue_unref(queue);
  return rc;
}
FILLED(libsched_queue_counts) {
  libsched_queue* queue = new_queue();
  const libsched_rc rc = libsched_queue_get(queue, filled, err);
  libsched_queue_unref(queue);
  return rc;
}
FILLED(libsched_fit) { return libsched_first_fit(evaluator, NULL, pod, NULL, filled, status, err); }
FILLED(libsched_scheduling_outcome) { return libsched_scheduling_get(scheduling, filled, err); }
FILLED(libsched_cycle_outcome) {
  return libsched_run_cycle(evaluator, state, pod, NULL, filled, status, err);
}
FILLED(libsched_nomination) {
  libsched_node_statuses* statuses = NULL;
  CHECK_OK(libsched_node_statuses_create(&statuses, err));
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  const libsched_rc rc =
      libsched_run_post_filter_plugins(evaluator, state, pod, statuses, filled, status, err);
  libsched_node_statuses_unref(statuses);
  return rc;
}

typedef struct sized {
  const char* name;
  libsched_rc (*call)(void* at, libsched_error** error);
  void (*preset)(void* at);
  const void* init;
  size_t need;      /* smaller ones are refused */
  size_t sizes[48]; /* sizeof in headers with fewer members, then that of today's, 0 */
} sized;

#include "structs.inc"

static unsigned char* page_end; /* nothing beyond it can be touched */

/* Calls with a struct of `size` bytes, today's with `tail` in the bytes beyond it; returns the
 * code. */
static libsched_rc call_with(const sized* s, size_t today, uint32_t said, size_t size,
                             unsigned char tail, char* message) {
  libsched_error* error = NULL;
  unsigned char whole[4096] = {0};
  memcpy(whole, s->init, today);
  if (s->preset) s->preset(whole);
  memset(whole + today, 0, sizeof whole - today);
  if (size > today) whole[size - 1] = tail;
  memcpy(whole, &said, sizeof said);
  unsigned char* at = page_end - size;
  memcpy(at, whole, size);
  const libsched_rc rc = s->call(at, &error);
  message[0] = 0;
  if (error != NULL) snprintf(message, 512, "%s", libsched_error_message(error).ptr);
  libsched_error_unref(error);
  if (s->preset == NULL) { /* filled: the size stays, and what lies beyond today's */
    uint32_t after;
    memcpy(&after, at, sizeof after);
    check_(after == said, s->name, "struct_size stays", 0);
    if (size > today) check_(at[size - 1] == tail, s->name, "bytes beyond today's stay", 0);
  }
  return rc;
}

static void expect(libsched_rc rc, libsched_rc wanted, const char* message, const sized* s,
                   const char* what, size_t size) {
  check_(rc == wanted, s->name, what, (int)size);
  if (rc != wanted) fprintf(stderr, "  returned %d, not %d: %s\n", (int)rc, (int)wanted, message);
}

static void try(const sized* s) {
  char message[512];
  size_t today = 0;
  for (const size_t* size = s->sizes; *size != 0; ++size) today = *size;
  for (const size_t* size = s->sizes; *size != 0; ++size) {
    const libsched_rc rc = call_with(s, today, (uint32_t)*size, *size, 0, message);
    const bool refused =
        *size < s->need && (rc == LIBSCHED_ERR_MISUSE || rc == LIBSCHED_ERR_INVALID);
    expect(refused ? LIBSCHED_OK : rc, LIBSCHED_OK, message, s, "of an older program", *size);
  }
  for (size_t more = 8; more <= 64; more += 56) {
    libsched_rc rc = call_with(s, today, (uint32_t)(today + more), today + more, 0, message);
    expect(rc, LIBSCHED_OK, message, s, "of a newer program", today + more);
    if (s->preset == NULL) {
      call_with(s, today, (uint32_t)(today + more), today + more, 0x5a, message);
      continue;
    }
    rc = call_with(s, today, (uint32_t)(today + more), today + more, 1, message);
    expect(rc, LIBSCHED_ERR_UNSUPPORTED, message, s, "with a member that is not known",
           today + more);
    check_(strstr(message, s->name) != NULL, message, "names the struct", 0);
  }
  for (uint32_t wrong = 0; wrong < 4; ++wrong)
    expect(call_with(s, today, wrong, today, 0, message), LIBSCHED_ERR_MISUSE, message, s,
           "struct_size is not set", wrong);
  const uint32_t stray = 0x7f3a5510; /* the half of a pointer, say */
  expect(call_with(s, today, stray, today, 0, message), LIBSCHED_ERR_MISUSE, message, s,
         "struct_size is stray", stray);
}

int main(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char* room =
      mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(room + page, page, PROT_NONE);
  page_end = room + page;
  open_world();
  for (size_t i = 0; i < sizeof structs / sizeof structs[0]; ++i) try(&structs[i]);
  return finish();
}
