/* Clocks, services, API clients in C, nominated and waiting pods, activations. */
#include "fixture.h"

static void test_clocks(void) {
  libsched_clock *stands = NULL, *runs = NULL;
  CHECK_OK(libsched_clock_create_virtual(5, &stands, err));
  CHECK(libsched_clock_now(stands) == 5);
  CHECK_OK(libsched_clock_advance_to(stands, 9, err));
  CHECK_OK(libsched_clock_advance_to(stands, 7, err)); /* never back */
  CHECK(libsched_clock_now(stands) == 9);
  CHECK_OK(libsched_clock_create_system(&runs, err));
  CHECK(libsched_clock_now(runs) > INT64_C(1600000000000000000));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "virtual", libsched_clock_advance_to(runs, 1, err));
  libsched_clock* again = libsched_clock_ref(stands);
  libsched_clock_unref(stands);
  CHECK(libsched_clock_now(again) == 9);
  libsched_clock_unref(again);
  libsched_clock_unref(runs);
  libsched_clock_unref(NULL);
  CHECK(libsched_clock_now(NULL) == 0 && libsched_clock_ref(NULL) == NULL);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_clock_create_system(NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_clock_create_virtual(0, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_clock_advance_to(NULL, 1, err));
}

typedef struct api {
  int binds, destroys;
  bool fail, silent;
} api;

static libsched_code api_bind(void* user_data, const libsched_pod* pod, libsched_str node,
                              libsched_status* status) {
  api* a = user_data;
  ++a->binds;
  CHECK_STR(libsched_pod_name(pod), "p");
  CHECK(str_is(node, "big"));
  if (!a->fail) return LIBSCHED_CODE_SUCCESS;
  if (!a->silent) libsched_status_add_reason(status, text("no route to host"));
  return LIBSCHED_CODE_ERROR;
}
static void api_destroy(void* user_data) { ++((api*)user_data)->destroys; }

static libsched_services* services_with(api* a, libsched_clock* clock) {
  libsched_services* services = NULL;
  libsched_api_client client = LIBSCHED_API_CLIENT_INIT;
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  client.bind = api_bind;
  client.destroy = api_destroy;
  options.clock = clock;
  options.api = a == NULL ? NULL : &client;
  options.api_user_data = a;
  CHECK_OK(libsched_services_create(&options, &services, err));
  return services;
}

static void check_failing_bind(libsched_evaluator* evaluator, libsched_cycle_state* state,
                               const libsched_pod* pod, libsched_status* status, api* a) {
  a->fail = true;
  CHECK_OK(libsched_run_bind_plugins(evaluator, state, pod, text("big"), status, err));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_ERROR);
  libsched_str error = {"", 0};
  CHECK(libsched_status_as_error(status, &error));
  CHECK(strstr(error.ptr, "no route to host") != NULL);
  a->silent = true;
  CHECK_OK(libsched_run_bind_plugins(evaluator, state, pod, text("big"), status, err));
  CHECK(libsched_status_as_error(status, &error) && strstr(error.ptr, "bind of the API") != NULL);
}

/* DefaultBinder binds through the client of the services. */
static void test_api_client(void) {
  api a = {0};
  libsched_services* services = services_with(&a, NULL);
  libsched_framework* framework = default_framework();
  libsched_cluster* cluster = five_nodes();
  libsched_evaluator* evaluator = NULL;
  libsched_cycle_state* state = NULL;
  libsched_status* status = NULL;
  libsched_text* json = UNTOUCHED;
  libsched_pod* pod = pod_of("p", 500, "");
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_status_create(&status, err));
  CHECK(libsched_evaluator_services(evaluator) != services);
  CHECK_OK(libsched_evaluator_set_services(evaluator, services, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "services",
              libsched_evaluator_set_services(evaluator, NULL, err));
  CHECK(libsched_evaluator_services(evaluator) == services);
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  CHECK_OK(libsched_run_bind_plugins(evaluator, state, pod, text("big"), status, err));
  const bool binds =
      libsched_status_code(status) != LIBSCHED_CODE_SKIP; /* DefaultBinder binds */
  CHECK(a.binds == (binds ? 1 : 0));
  if (binds) check_failing_bind(evaluator, state, pod, status, &a);
  CHECK(libsched_services_memory_api(services) == NULL);
  libsched_services_unref(services);
  CHECK(a.destroys == 0);

  /* A client that records the requests until they are delivered. */
  services = services_with(NULL, NULL);
  CHECK_OK(libsched_evaluator_set_services(evaluator, services, err));
  CHECK(a.destroys == 1);
  CHECK_OK(libsched_run_bind_plugins(evaluator, state, pod, text("big"), status, err));
  CHECK_OK(libsched_memory_api_requests_json(libsched_services_memory_api(services), &json, err));
  if (binds) {
    CHECK_STR(libsched_text_get(json),
              "[{\"verb\":\"bind\",\"pod\":\"default/p\",\"node\":\"big\"}]");
  } else {
    CHECK_STR(libsched_text_get(json), "[]");
  }
  libsched_text_unref(json);
  CHECK_OK(libsched_memory_api_deliver(libsched_services_memory_api(services), cluster, err));
  uint32_t row = LIBSCHED_NO_ROW;
  const libsched_view* view = libsched_cluster_view(cluster);
  CHECK((libsched_view_find_pod(view, text("default"), text("p"), &row) != NULL) == binds);
  CHECK(row == (binds ? libsched_view_find_node(view, text("big")) : LIBSCHED_NO_ROW));
  CHECK_OK(libsched_memory_api_requests_json(libsched_services_memory_api(services), &json, err));
  CHECK_STR(libsched_text_get(json), "[]");
  libsched_text_unref(json);
  libsched_services_unref(services);
  libsched_pod_unref(pod);
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
}

/* One memory API under two services: it has the requests of both, and outlives them. */
static void test_memory_api(void) {
  libsched_memory_api* api = NULL;
  libsched_services *one = NULL, *two = NULL;
  libsched_text* json = NULL;
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  CHECK_OK(libsched_memory_api_create(&api, err));
  options.memory_api = api;
  CHECK_OK(libsched_services_create(&options, &one, err));
  CHECK_OK(libsched_services_create(&options, &two, err));
  CHECK(libsched_services_memory_api(one) == api && libsched_services_memory_api(two) == api);
  libsched_cluster* cluster = five_nodes();
  libsched_framework* framework = default_framework();
  libsched_services* const both[] = {one, two};
  const char* const names[] = {"p", "q"};
  for (int i = 0; i < 2; ++i) {
    libsched_evaluator* evaluator = NULL;
    libsched_cycle_state* state = NULL;
    libsched_status* status = NULL;
    libsched_pod* pod = pod_of(names[i], 100, "");
    CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
    CHECK_OK(libsched_evaluator_set_services(evaluator, both[i], err));
    CHECK_OK(libsched_cycle_state_create(&state, err));
    CHECK_OK(libsched_status_create(&status, err));
    CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
    CHECK_OK(libsched_run_bind_plugins(evaluator, state, pod, text("big"), status, err));
    CHECK(libsched_status_code(status) == LIBSCHED_CODE_SUCCESS);
    libsched_pod_unref(pod);
    libsched_status_unref(status);
    libsched_cycle_state_unref(state);
    libsched_evaluator_unref(evaluator);
  }
  libsched_services_unref(one);
  libsched_services_unref(two);
  CHECK_OK(libsched_memory_api_requests_json(api, &json, err));
  CHECK_STR(libsched_text_get(json),
            "[{\"verb\":\"bind\",\"pod\":\"default/p\",\"node\":\"big\"},"
            "{\"verb\":\"bind\",\"pod\":\"default/q\",\"node\":\"big\"}]");
  libsched_text_unref(json);
  const libsched_view* view = libsched_cluster_view(cluster);
  const size_t before = libsched_view_pod_count(view);
  CHECK_OK(libsched_memory_api_deliver(api, cluster, err));
  CHECK(libsched_view_pod_count(view) == before + 2);
  CHECK(libsched_memory_api_ref(api) == api && libsched_memory_api_ref(NULL) == NULL);
  libsched_memory_api_unref(api);

  struct api a = {0};
  libsched_api_client client = LIBSCHED_API_CLIENT_INIT;
  client.destroy = api_destroy;
  options.api = &client;
  options.api_user_data = &a;
  one = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "api and memory_api",
              libsched_services_create(&options, &one, err));
  CHECK(one == UNTOUCHED && a.destroys == 2); /* CHECK_FAILS calls twice */
  CHECK(libsched_services_memory_api(NULL) == NULL);
  libsched_memory_api_unref(api);
  libsched_memory_api_unref(NULL);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
}

/* destroy() runs once, whatever is wrong with the options. */
static void test_refused_options(void) {
  api a = {0};
  libsched_services* services = UNTOUCHED;
  libsched_api_client client = LIBSCHED_API_CLIENT_INIT;
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  client.destroy = api_destroy;
  options.api = &client;
  options.api_user_data = &a;
  options.reserved[1] = true;
  CHECK(libsched_services_create(&options, &services, NULL) == LIBSCHED_ERR_UNSUPPORTED);
  options.reserved[1] = false;
  CHECK(a.destroys == 1);
  client.reserved = 1;
  CHECK(libsched_services_create(&options, &services, NULL) == LIBSCHED_ERR_UNSUPPORTED);
  CHECK(a.destroys == 2);
  client.reserved = 0;
  CHECK(libsched_services_create(&options, NULL, NULL) == LIBSCHED_ERR_MISUSE);
  CHECK(a.destroys == 3 && services == UNTOUCHED);
  CHECK_OK(libsched_services_create(NULL, &services, err));
  CHECK(libsched_clock_now(libsched_services_clock(services)) == INT64_C(7258118400000000000));
  libsched_services* again = libsched_services_ref(services);
  libsched_services_unref(services);
  libsched_services_unref(again);
}

static void test_nominations(void) {
  libsched_services* services = services_with(NULL, NULL);
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  libsched_pod* pod = pod_of("p", 500, "");
  CHECK_OK(libsched_services_nominate(services, pod, NULL, err)); /* the pod names no node */
  CHECK_STR(libsched_services_nominated_node(services, pod), "");
  nomination.mode = LIBSCHED_NOMINATION_OVERRIDE;
  nomination.node = text("big");
  CHECK_OK(libsched_services_nominate(services, pod, &nomination, err));
  CHECK_STR(libsched_services_nominated_node(services, pod), "big");
  libsched_services_remove_nomination(services, pod);
  CHECK_STR(libsched_services_nominated_node(services, pod), "");
  nomination.mode = 3;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "mode",
              libsched_services_nominate(services, pod, &nomination, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_services_nominate(services, NULL, NULL, err));
  libsched_services_remove_nomination(NULL, pod);
  CHECK_STR(libsched_services_nominated_node(NULL, pod), "");
  libsched_pod_unref(pod);
  libsched_services_unref(services);
}

/* A pod of a dump that waits for room counts although the caller gives no services, until it is bound. */
static void test_nominated_pods_of_a_cluster(void) {
  libsched_framework* framework = NULL;
  libsched_cluster* cluster = NULL;
  libsched_evaluator* evaluator = NULL;
  libsched_changes* changes = NULL;
  libsched_status* status = NULL;
  libsched_fit fit = LIBSCHED_FIT_INIT;
  CHECK_OK(libsched_framework_create(NULL, text(""), NULL, NULL, &framework, err));
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  CHECK_OK(libsched_changes_create(&changes, err));
  CHECK_OK(libsched_status_create(&status, err));
  libsched_node* node = node_of("n1", 4, "z", "");
  libsched_pod* pod = pod_of("asked", 3000, "");
  libsched_pod* nominated = pod_of_json(
      "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p1\", \"namespace\": \"default\"}, "
      "\"spec\": {\"priority\": 100, \"containers\": [{\"name\": \"c\", \"resources\": "
      "{\"requests\": {\"cpu\": \"2\"}}}]}, \"status\": {\"nominatedNodeName\": \"n1\"}}");
  CHECK_OK(libsched_cluster_update_node(cluster, node, err));
  CHECK_OK(libsched_changes_put_pod(changes, nominated, text(""), LIBSCHED_PUT_APPLY, err));
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  for (int waits = 0; waits < 2; ++waits) {
    libsched_decision* decision = NULL;
    CHECK_OK(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
    CHECK(libsched_decision_feasible_count(decision) == (waits ? 0 : 1));
    libsched_decision_unref(decision);
    CHECK_OK(libsched_first_fit(evaluator, NULL, pod, NULL, &fit, status, err));
    CHECK((fit.row == LIBSCHED_NO_ROW) == (waits == 1));
    if (!waits) CHECK_OK(libsched_cluster_apply_changes(cluster, changes, NULL, err));
  }
  CHECK_OK(libsched_cluster_remove_pod(cluster, text("default"), text("p1"), err));
  CHECK_OK(libsched_first_fit(evaluator, NULL, pod, NULL, &fit, status, err));
  CHECK(fit.row != LIBSCHED_NO_ROW);
  libsched_evaluator_unref(evaluator);
  libsched_changes_unref(changes);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
  libsched_status_unref(status);
  libsched_node_unref(node);
  libsched_pod_unref(pod);
  libsched_pod_unref(nominated);
}

static void test_waiting_pods(void) {
  libsched_clock* clock = NULL;
  CHECK_OK(libsched_clock_create_virtual(0, &clock, err));
  libsched_services* services = services_with(NULL, clock);
  libsched_waiting_pod* waiting[2] = {NULL, NULL};
  libsched_status* status = NULL;
  CHECK_OK(libsched_status_create(&status, err));
  const libsched_permit_wait waits[] = {{text("B"), 5000000000}, {text("A"), 5000000000}};
  const char* const names[] = {"q", "p", "r"};
  for (size_t i = 0; i < 3; ++i) {
    libsched_pod* pod = pod_of(names[i], 100, "");
    CHECK_OK(libsched_services_add_waiting_pod(services, pod, waits, 2, err));
    libsched_pod_unref(pod);
  }
  size_t count = 0;
  CHECK_OK(libsched_services_waiting_pods(services, NULL, 0, &count, err));
  CHECK(count == 3);
  count = 0;
  CHECK_OK(libsched_services_waiting_pods(services, waiting, 2, &count, err));
  CHECK(count == 3);
  CHECK_STR(libsched_pod_name(libsched_waiting_pod_pod(waiting[0])), "p");
  CHECK_STR(libsched_pod_name(libsched_waiting_pod_pod(waiting[1])), "q");
  libsched_str pending[2] = {{NULL, 0}, {NULL, 0}};
  CHECK(libsched_waiting_pod_pending(waiting[0], NULL, 0) == 2);
  CHECK(libsched_waiting_pod_pending(waiting[0], pending, 1) == 2);
  CHECK(pending[1].ptr == NULL);
  CHECK(libsched_waiting_pod_pending(waiting[0], pending, 2) == 2);
  CHECK_STR(pending[0], "A");
  CHECK_STR(pending[1], "B");
  CHECK(!libsched_waiting_pod_decided(waiting[0], status));
  libsched_waiting_pod_allow(waiting[0], text("A"));
  CHECK(!libsched_waiting_pod_decided(waiting[0], NULL));
  CHECK(libsched_waiting_pod_pending(waiting[0], pending, 2) == 1);
  CHECK_STR(pending[0], "B");
  libsched_waiting_pod_allow(waiting[0], text("B"));
  CHECK(libsched_waiting_pod_pending(waiting[0], pending, 2) == 0);
  CHECK(libsched_waiting_pod_decided(waiting[0], status));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_SUCCESS);
  CHECK(libsched_waiting_pod_reject(waiting[1], text("A"), text("changed my mind")));
  CHECK(!libsched_waiting_pod_preempt(waiting[1], text("A"), text("too late")));
  CHECK(libsched_waiting_pod_decided(waiting[1], status));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK_STR(libsched_status_plugin(status), "A");
  libsched_waiting_pod_unref(waiting[0]);
  libsched_waiting_pod_unref(waiting[1]);
  libsched_waiting_pod* none = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "no pod with the uid \"nobody\" waits",
              libsched_services_find_waiting_pod(services, text("nobody"), &none, err));
  CHECK(none == UNTOUCHED);
  libsched_waiting_pod* last = waiting_of(services, text("uid-r"));
  CHECK(libsched_services_reject_waiting_pod(services, text("uid-r")));
  CHECK(!libsched_services_reject_waiting_pod(services, text("nobody")));
  CHECK(libsched_waiting_pod_decided(last, status));
  CHECK_STR(libsched_status_reason(status, 0), "removed");
  CHECK(libsched_waiting_pod_ref(last) == last);
  libsched_waiting_pod_unref(last);
  libsched_waiting_pod_unref(last);
  libsched_status_unref(status);
  libsched_services_unref(services);
  libsched_clock_unref(clock);
}

/* Times beyond the range expire at once, or never. */
static void test_waits_that_are_refused_or_extreme(void) {
  libsched_pod* pod = pod_of("p", 100, "");
  const int64_t now[] = {-5, 5};
  const libsched_permit_wait past = {text("A"), INT64_MIN}, never = {text("A"), INT64_MAX};
  for (int i = 0; i < 4; ++i) {
    libsched_clock* clock = NULL;
    CHECK_OK(libsched_clock_create_virtual(now[i / 2], &clock, err));
    libsched_services* services = services_with(NULL, clock);
    CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "at least one plugin",
                libsched_services_add_waiting_pod(services, pod, &past, 0, err));
    size_t count = 1;
    CHECK_OK(libsched_services_waiting_pods(services, NULL, 0, &count, err));
    CHECK(count == 0);
    CHECK_OK(libsched_services_add_waiting_pod(services, pod, i % 2 == 0 ? &past : &never, 1, err));
    libsched_waiting_pod* waiting = waiting_of(services, text("uid-p"));
    CHECK(libsched_waiting_pod_decided(waiting, NULL) == (i % 2 == 0));
    libsched_waiting_pod_unref(waiting);
    libsched_services_unref(services);
    libsched_clock_unref(clock);
  }
  libsched_pod_unref(pod);
}

static void test_activations(void) {
  libsched_cycle_state* state = NULL;
  libsched_pod* pod = pod_of("p", 100, "");
  libsched_pod* other = pod_of("a", 100, "");
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_cycle_state_activate(state, pod, err));
  CHECK_OK(libsched_cycle_state_activate(state, pod, err));
  CHECK_OK(libsched_cycle_state_activate(state, other, err));
  CHECK(libsched_cycle_state_activation_count(state) == 2);
  CHECK(libsched_cycle_state_activation(state, 0) == other);
  CHECK(libsched_cycle_state_activation(state, 1) == pod);
  CHECK(libsched_cycle_state_activation(state, 2) == NULL);
  libsched_cycle_state_clear_activations(state);
  CHECK(libsched_cycle_state_activation_count(state) == 0);
  CHECK(libsched_cycle_state_activation(state, 0) == NULL);
  libsched_pod_unref(other);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_cycle_state_activate(NULL, pod, err));
  libsched_pod_unref(pod);
  libsched_cycle_state_unref(state);
}

static void test_statuses(void) {
  libsched_status* status = NULL;
  libsched_str error = text("?");
  CHECK_OK(libsched_status_create(&status, err));
  CHECK(!libsched_status_as_error(status, &error));
  libsched_status_set(status, LIBSCHED_CODE_ERROR);
  libsched_status_add_reason(status, text("a"));
  libsched_status_add_reason(status, text("b"));
  CHECK(libsched_status_as_error(status, &error));
  CHECK_STR(error, "a, b");
  libsched_status_set_error(status, text("broken"));
  CHECK(libsched_status_as_error(status, &error));
  CHECK_STR(error, "broken");
  CHECK_STR(libsched_status_reason(status, 0), "broken");
  libsched_status_set(status, LIBSCHED_CODE_ERROR);
  CHECK(libsched_status_reason_count(status) == 0);
  CHECK(libsched_status_as_error(status, &error));
  CHECK_STR(error, "");
  libsched_status_set_error(NULL, text("nobody"));
  CHECK(!libsched_status_as_error(NULL, &error));
  libsched_status_unref(status);
}

static void test_null_handles(void) {
  CHECK(libsched_services_ref(NULL) == NULL && libsched_services_clock(NULL) == NULL);
  libsched_services_unref(NULL);
  libsched_waiting_pod_unref(NULL);
  CHECK(libsched_evaluator_services(NULL) == NULL);
  size_t count = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "services",
              libsched_services_waiting_pods(NULL, NULL, 0, &count, err));
  libsched_waiting_pod* waiting = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "services",
              libsched_services_find_waiting_pod(NULL, text("a"), &waiting, err));
  CHECK(libsched_waiting_pod_ref(NULL) == NULL);
  CHECK(!libsched_services_reject_waiting_pod(NULL, text("a")));
  CHECK(libsched_waiting_pod_pod(NULL) == NULL);
  libsched_waiting_pod_allow(NULL, text("a"));
  CHECK(!libsched_waiting_pod_reject(NULL, text("a"), text("b")));
  CHECK(!libsched_waiting_pod_preempt(NULL, text("a"), text("b")));
  CHECK(!libsched_waiting_pod_decided(NULL, NULL));
  libsched_text* json = NULL;
  CHECK(libsched_waiting_pod_pending(NULL, NULL, 0) == 0);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_memory_api_requests_json(NULL, &json, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_memory_api_deliver(NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_services_add_waiting_pod(NULL, NULL, NULL, 0, err));
  CHECK(libsched_cycle_state_activation_count(NULL) == 0);
  CHECK(libsched_cycle_state_activation(NULL, 0) == NULL);
  libsched_cycle_state_clear_activations(NULL);
}

int main(void) {
  test_clocks();
  test_api_client();
  test_memory_api();
  test_refused_options();
  test_nominations();
  test_nominated_pods_of_a_cluster();
  test_waiting_pods();
  test_waits_that_are_refused_or_extreme();
  test_activations();
  test_statuses();
  test_null_handles();
  return finish();
}
