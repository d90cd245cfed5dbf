/* Deadlines by a clock that stands still, a clock that a plugin moves, and the machine's clock; a
   call that ends by a deadline has no effect. */
#include "fixture.h"

enum { kNodes = 300 };
static const int64_t kStart = 1000;

/* A plugin that judges single nodes, and moves the clock in its n-th call. */
typedef struct mover {
  libsched_clock* clock;
  int asked, nth;
  int64_t to;
} mover;

static void tick(mover* m) {
  if (++m->asked == m->nth) CHECK_OK(libsched_clock_advance_to(m->clock, m->to, err));
}
static libsched_code m_filter(void* instance, const libsched_cycle_state* state,
                              const libsched_pod* pod, const libsched_node_info* node,
                              libsched_status* status) {
  (void)state, (void)pod, (void)node, (void)status;
  tick(instance);
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code m_score(void* instance, const libsched_cycle_state* state,
                             const libsched_pod* pod, const libsched_node_info* node,
                             int64_t* score, libsched_status* status) {
  (void)state, (void)pod, (void)node, (void)status;
  *score = 1;
  tick(instance);
  return LIBSCHED_CODE_SUCCESS;
}

typedef struct scene {
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator* evaluator;
  libsched_services* services;
  libsched_cycle_state* state;
  libsched_status* status;
  libsched_pod* pod;
} scene;

/* `clock` passes to the scene. */
static scene open_scene(libsched_plugin plugin, mover* m, libsched_clock* clock) {
  scene s = {0};
  libsched_registry* registry = NULL;
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  plugin.struct_size = sizeof plugin;
  plugin.abi_version = LIBSCHED_ABI_VERSION;
  plugin.name = LIBSCHED_STR("Mover");
  *m = (mover){clock, 0, 0, 0};
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, m, err));
  CHECK_OK(libsched_registry_enable(registry, plugin.name, 1, err));
  CHECK_OK(libsched_framework_create(NULL, text(""), registry, NULL, &s.framework, err));
  libsched_registry_unref(registry);
  CHECK_OK(libsched_cluster_create(NULL, &s.cluster, err));
  for (int i = 0; i < kNodes; ++i) add_node(s.cluster, node_of(format("n%03d", i), 4, "a", ""));
  CHECK_OK(libsched_evaluator_create(s.framework, s.cluster, NULL, &s.evaluator, err));
  options.clock = clock;
  CHECK_OK(libsched_services_create(&options, &s.services, err));
  CHECK_OK(libsched_evaluator_set_services(s.evaluator, s.services, err));
  CHECK_OK(libsched_cycle_state_create(&s.state, err));
  CHECK_OK(libsched_status_create(&s.status, err));
  s.pod = pod_of("p", 500, "");
  return s;
}
static void close_scene(scene* s, libsched_clock* clock) {
  libsched_pod_unref(s->pod);
  libsched_status_unref(s->status);
  libsched_cycle_state_unref(s->state);
  libsched_services_unref(s->services);
  libsched_evaluator_unref(s->evaluator);
  libsched_cluster_unref(s->cluster);
  libsched_framework_unref(s->framework);
  libsched_clock_unref(clock);
}
static libsched_clock* still(void) {
  libsched_clock* clock = NULL;
  CHECK_OK(libsched_clock_create_virtual(kStart, &clock, err));
  return clock;
}

/* The three calls. */
static libsched_rc check_until(scene* s, int64_t deadline, libsched_error** error) {
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_decision* decision = NULL;
  options.deadline_ns = deadline;
  options.score = true;
  options.state = s->state;
  const libsched_rc rc =
      libsched_check_pod_fits(s->evaluator, s->pod, LIBSCHED_ANY_NODE, &options, &decision, error);
  CHECK((decision != NULL) == (rc == LIBSCHED_OK));
  libsched_decision_unref(decision);
  return rc;
}
static libsched_rc cycle_until(scene* s, int64_t deadline, libsched_error** error) {
  libsched_cycle_options options = LIBSCHED_CYCLE_OPTIONS_INIT;
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  options.deadline_ns = deadline;
  options.sampling = true;
  outcome.total = 42;
  const libsched_rc rc =
      libsched_run_cycle(s->evaluator, s->state, s->pod, &options, &outcome, s->status, error);
  CHECK((outcome.total == 42) == (rc != LIBSCHED_OK));
  return rc;
}
static libsched_rc filter_until(scene* s, int64_t deadline, libsched_error** error) {
  libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
  uint64_t rows[8] = {42};
  size_t count = 99;
  options.deadline_ns = deadline;
  CHECK_OK(libsched_run_pre_filter_plugins(s->evaluator, s->state, s->pod, NULL, s->status, err));
  const libsched_rc rc =
      libsched_filter_nodes(s->evaluator, s->state, s->pod, &options, rows, 8, &count, NULL, error);
  CHECK((count == 99 && rows[0] == 42) == (rc != LIBSCHED_OK));
  return rc;
}

static void test_still(void) {
  mover m;
  libsched_clock* clock = still();
  scene s = open_scene((libsched_plugin){.filter = m_filter}, &m, clock);
  CHECK_OK(check_until(&s, 0, err));
  CHECK_OK(check_until(&s, kStart + 1, err));
  CHECK_OK(cycle_until(&s, kStart + 1, err));
  CHECK_OK(filter_until(&s, kStart + 1, err));
  CHECK(m.asked > kNodes);
  m.asked = 0;
  const size_t start = libsched_evaluator_next_start(s.evaluator);
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, "", "deadline exceeded", check_until(&s, kStart, err));
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, "", "deadline exceeded", cycle_until(&s, kStart, err));
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, "", "deadline exceeded", filter_until(&s, -1, err));
  CHECK(m.asked == 0);
  CHECK(libsched_evaluator_next_start(s.evaluator) == start);

  /* Callers with an older header without deadlines. */
  libsched_check_options old = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_decision* decision = NULL;
  old.struct_size = offsetof(libsched_check_options, deadline_ns);
  old.deadline_ns = 1; /* ignored */
  CHECK_OK(libsched_check_pod_fits(s.evaluator, s.pod, LIBSCHED_ANY_NODE, &old, &decision, err));
  CHECK(libsched_decision_feasible_count(decision) == kNodes);
  libsched_decision_unref(decision);
  close_scene(&s, clock);
}

/* A plugin that moves the clock: the deadline is checked from time to time between its nodes. */
static void test_moved(void) {
  for (int score = 0; score < 2; ++score) {
    mover m;
    libsched_clock* clock = still();
    scene s = open_scene(
        score ? (libsched_plugin){.score = m_score} : (libsched_plugin){.filter = m_filter}, &m,
        clock);
    m.nth = 10;
    m.to = kStart + 50;
    CHECK(check_until(&s, kStart + 50, NULL) == LIBSCHED_ERR_DEADLINE);
    CHECK(m.asked >= 10 && m.asked < 64);
    m.asked = 0;
    m.to = kStart + 100;
    const size_t start = libsched_evaluator_next_start(s.evaluator);
    CHECK(cycle_until(&s, kStart + 100, NULL) == LIBSCHED_ERR_DEADLINE);
    CHECK(m.asked >= 10 && m.asked <= 64);
    CHECK(libsched_evaluator_next_start(s.evaluator) == start);
    m.asked = m.nth = 0;
    CHECK_OK(check_until(&s, kStart + 101, err));
    CHECK(m.asked == kNodes);
    close_scene(&s, clock);
  }
}

static void test_machine(void) {
  mover m;
  libsched_clock* clock = NULL;
  CHECK_OK(libsched_clock_create_system(&clock, err));
  scene s = open_scene((libsched_plugin){.filter = m_filter}, &m, clock);
  CHECK_OK(check_until(&s, libsched_clock_now(clock) + INT64_C(3600000000000), err));
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, "", NULL, check_until(&s, libsched_clock_now(clock), err));
  close_scene(&s, clock);
}

/* Deadlines may use a separate clock. */
static void test_deadline_clock(void) {
  mover m;
  libsched_clock* clock = still();
  libsched_clock* other = NULL;
  libsched_services* services = NULL;
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  scene s = open_scene((libsched_plugin){.filter = m_filter}, &m, clock);
  CHECK(libsched_services_deadline_clock(s.services) == clock);
  CHECK(libsched_services_deadline_clock(NULL) == NULL);
  CHECK_OK(libsched_clock_create_system(&other, err));
  options.clock = clock;
  options.deadline_clock = other;
  CHECK_OK(libsched_services_create(&options, &services, err));
  CHECK(libsched_services_clock(services) == clock);
  CHECK(libsched_services_deadline_clock(services) == other);
  CHECK_OK(libsched_evaluator_set_services(s.evaluator, services, err));
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, "", NULL, check_until(&s, libsched_clock_now(other), err));
  CHECK_OK(check_until(&s, libsched_clock_now(other) + INT64_C(3600000000000), err));
  CHECK_OK(check_until(&s, 0, err));
  libsched_services_unref(services);
  libsched_clock_unref(other);
  close_scene(&s, clock);
}

/* Preemption: 300 nodes, each full of one pod of lower priority. */
static void test_preemption(void) {
  mover m;
  libsched_clock* clock = still();
  scene s = open_scene((libsched_plugin){.filter = m_filter}, &m, clock);
  for (int i = 0; i < kNodes; ++i)
    add_pod(s.cluster, pod_of(format("low-%03d", i), 4000, ", \"priority\": 1"),
            format("n%03d", i));
  libsched_pod* high = pod_of("high", 4000, ", \"priority\": 9");
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_decision* decision = NULL;
  libsched_text* requests = NULL;
  options.post_filter = true;
  options.deadline_ns = kStart + 100;
  m.nth = 20; /* some dry run in the middle: Filter itself asks the plugin about no node */
  m.to = kStart + 100;
  CHECK(libsched_check_pod_fits(s.evaluator, high, LIBSCHED_ANY_NODE, &options, &decision, NULL) ==
        LIBSCHED_ERR_DEADLINE);
  CHECK(m.asked >= 20 && m.asked < 30);
  CHECK(decision == NULL);
  CHECK_OK(
      libsched_memory_api_requests_json(libsched_services_memory_api(s.services), &requests, err));
  CHECK_STR(libsched_text_get(requests), "[]");
  libsched_text_unref(requests);
  CHECK_STR(libsched_services_nominated_node(s.services, high), "");
  options.deadline_ns = kStart + 101;
  CHECK_OK(libsched_check_pod_fits(s.evaluator, high, LIBSCHED_ANY_NODE, &options, &decision, err));
  CHECK_OK(
      libsched_memory_api_requests_json(libsched_services_memory_api(s.services), &requests, err));
  CHECK_STR(libsched_text_get(requests), "[]"); /* a query makes no requests */
  libsched_text_unref(requests);
  CHECK_OK(libsched_decision_explain_json(decision, &requests, err));
  CHECK(strstr(libsched_text_get(requests).ptr, "\"victims\"") != NULL);
  libsched_text_unref(requests);
  libsched_decision_unref(decision);
  libsched_pod_unref(high);
  close_scene(&s, clock);
}

int main(void) {
  test_still();
  test_moved();
  test_machine();
  test_deadline_clock();
  test_preemption();
  return finish();
}
