/* Scheduling functions, which are built on many calls of the framework. */
#include "bench.h"

static void test_first_fit(void) {
  bench b = setup();
  const libsched_view* view = libsched_cluster_view(b.cluster);
  libsched_pod* pod = pod_of("p", 500, "");
  libsched_fit fit = LIBSCHED_FIT_INIT;
  CHECK_OK(libsched_first_fit(b.evaluator, NULL, pod, NULL, &fit, b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK(str_is(fit.node_name, "small") || str_is(fit.node_name, "big"));
  CHECK(str_is(libsched_node_name(fit.node), fit.node_name.ptr));
  size_t count = 0;
  CHECK(libsched_view_order(view, &count)[fit.position] == fit.row);

  /* From the position after it, wrapping around: the other node, then the first again. */
  libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
  options.start = fit.position + 1;
  libsched_fit other = LIBSCHED_FIT_INIT;
  CHECK_OK(libsched_first_fit(b.evaluator, NULL, pod, &options, &other, b.status, err));
  CHECK(other.row != fit.row && other.row != LIBSCHED_NO_ROW);
  CHECK(libsched_view_order(view, NULL)[other.position] == other.row);
  options.start = other.position + 1;
  options.limit = 7; /* ignored */
  CHECK_OK(libsched_first_fit(b.evaluator, NULL, pod, &options, &other, b.status, err));
  CHECK(other.row == fit.row && other.position == fit.position);

  /* Only accepted nodes are searched. */
  const uint64_t accept[] = {~(UINT64_C(1) << fit.row)};
  options.accept = accept;
  options.accept_words = 1;
  CHECK_OK(libsched_first_fit(b.evaluator, NULL, pod, &options, &other, b.status, err));
  CHECK(other.row != fit.row && other.row != LIBSCHED_NO_ROW);
  options.accept_words = 0;
  CHECK_OK(libsched_first_fit(b.evaluator, NULL, pod, &options, &other, b.status, err));
  CHECK(other.row == LIBSCHED_NO_ROW && other.node == NULL && other.node_name.len == 0);
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK(libsched_status_reason_count(b.status) == 0);

  /* The state is filled for later calls. */
  libsched_cycle_state* state = NULL;
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_first_fit(b.evaluator, state, pod, NULL, &fit, b.status, err));
  uint64_t feasible[1];
  CHECK_OK(libsched_filter_nodes(b.evaluator, state, pod, NULL, feasible, 1, &count, NULL, err));
  CHECK(count == 2);
  libsched_cycle_state_unref(state);
  libsched_pod_unref(pod);
  teardown(&b);
}

static void test_first_fit_ends(void) {
  bench b = setup();
  libsched_pod* pod = pod_of("p", 500, "");
  libsched_pod* volumes = pod_of(
      "v", 1,
      ", \"volumes\": [{\"name\": \"x\", \"persistentVolumeClaim\": {\"claimName\": \"none\"}}]");
  libsched_fit fit = LIBSCHED_FIT_INIT;
  CHECK_OK(libsched_first_fit(b.evaluator, NULL, volumes, NULL, &fit, b.status, err));
  CHECK(fit.row == LIBSCHED_NO_ROW);
  CHECK(str_is(libsched_status_reason(b.status, 0), "persistentvolumeclaim \"none\" not found"));

  libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
  options.deadline_ns = -1;
  fit.position = 77;
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, NULL, NULL,
              libsched_first_fit(b.evaluator, NULL, pod, &options, &fit, b.status, err));
  CHECK(fit.position == 77); /* outputs are untouched */
  libsched_fit unset = LIBSCHED_FIT_INIT;
  unset.struct_size = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "struct_size",
              libsched_first_fit(b.evaluator, NULL, pod, NULL, &unset, b.status, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "fit",
              libsched_first_fit(b.evaluator, NULL, pod, NULL, NULL, b.status, err));
  libsched_pod_unref(volumes);
  libsched_pod_unref(pod);
  teardown(&b);
}

/* The placements of the pods: "name outcome node" for each. */
typedef struct story {
  char words[1024];
  int stop_after, told, replicas_made;
  libsched_cluster* cluster;
} story;

static bool tell(void* user_data, const libsched_placement* p) {
  static const char* const outcomes[] = {"placed", "unschedulable", "gated", "refused",
                                         "bound",  "kept",          "ended", "error"};
  story* s = user_data;
  const size_t at = strlen(s->words);
  snprintf(s->words + at, sizeof s->words - at, "%s %s%s%s x%zu; ", libsched_pod_name(p->pod).ptr,
           outcomes[p->outcome], p->node_name.len > 0 ? " " : "", p->node_name.ptr, p->count);
  CHECK(p->struct_size == sizeof *p);
  CHECK_STR(p->profile, p->outcome < LIBSCHED_OUTCOME_BOUND ? "default-scheduler" : "");
  CHECK((p->text.len == 0) == (p->outcome == LIBSCHED_OUTCOME_PLACED));
  if (s->cluster != NULL)
    CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
                libsched_cluster_remove_pod(s->cluster, text("default"), text("hog"), err));
  return ++s->told != s->stop_after;
}

static libsched_pod* make_replica(void* user_data, size_t pod, size_t index) {
  story* s = user_data;
  ++s->replicas_made;
  return index == 3 ? NULL : pod_of(format("r%zu-%zu", pod, index), 100, "");
}

static void test_schedule(void) {
  bench b = setup();
  libsched_pod* pods[] = {pod_of("x", 7000, ""), pod_of("y", 7000, ""), pod_of("hog", 1, ""),
                          pod_of("z", 1, ", \"nodeName\": \"small\""),
                          pod_of("g", 1, ", \"schedulingGates\": [{\"name\": \"a/b\"}]")};
  const libsched_pod* const* list = (const libsched_pod* const*)pods;
  libsched_evaluator* profiles[] = {b.evaluator};
  story s = {"", 0, 0, 0, b.cluster};
  CHECK_OK(libsched_schedule(profiles, 1, list, NULL, 5, NULL, tell, &s, err));
  CHECK(strcmp(s.words,
               "x placed big x1; y unschedulable x1; hog kept full x1; z bound small x1; "
               "g gated x1; ") == 0);
  const libsched_view* view = libsched_cluster_view(b.cluster);
  uint32_t row = 0;
  CHECK(libsched_view_find_pod(view, text("default"), text("x"), &row) != NULL);
  CHECK(libsched_view_find_pod(view, text("default"), text("y"), &row) == NULL);

  /* A thousand million replicas cost as much as the placed ones. */
  libsched_pod* web[] = {pod_of("web", 500, "")};
  const libsched_pod* const* one = (const libsched_pod* const*)web;
  const size_t replicas[] = {1000000000};
  story many = {"", 0, 0, 0, NULL};
  CHECK_OK(libsched_schedule(profiles, 1, one, replicas, 1, NULL, tell, &many, err));
  CHECK(strstr(many.words, "web-0 placed ") == many.words);
  CHECK(strstr(many.words, format("web-%d unschedulable x%d; ", many.told - 1,
                                  1000000000 - many.told + 1)) != NULL);

  /* Replicas that the caller makes, and a replica that is not made. */
  story named = {"", 2, 0, 0, NULL};
  libsched_schedule_options options = LIBSCHED_SCHEDULE_OPTIONS_INIT;
  options.replica = make_replica;
  CHECK_OK(libsched_cluster_fork(b.cluster, err));
  CHECK_OK(libsched_cluster_remove_pod(b.cluster, text("default"), text("x"), err));
  CHECK_OK(libsched_schedule(profiles, 1, one, replicas, 1, &options, tell, &named, err));
  CHECK(strcmp(named.words, "r0-0 placed big x1; r0-1 placed big x1; ") == 0);
  CHECK(named.replicas_made == 2);
  CHECK_OK(libsched_cluster_revert(b.cluster, err));
  story broken = {"", 0, 0, 0, NULL};
  CHECK_OK(libsched_cluster_fork(b.cluster, err));
  CHECK_OK(libsched_cluster_remove_pod(b.cluster, text("default"), text("x"), err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "a replica of pods[0] is not made",
              libsched_schedule(profiles, 1, one, replicas, 1, &options, tell, &broken, err));
  CHECK_OK(libsched_cluster_revert(b.cluster, err));

  options.replica = NULL;
  options.deadline_ns = -1;
  story none = {"", 0, 0, 0, NULL};
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, NULL, NULL,
              libsched_schedule(profiles, 1, one, NULL, 1, &options, tell, &none, err));
  CHECK(none.told == 0);
  options.reserved[3] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_schedule(profiles, 1, one, NULL, 1, &options, tell, &none, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "placed",
              libsched_schedule(profiles, 1, one, NULL, 1, NULL, NULL, &none, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_schedule(profiles, 0, one, NULL, 1, NULL, tell, &none, err));
  libsched_evaluator* twice[] = {b.evaluator, b.evaluator};
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "two evaluators have the profile",
              libsched_schedule(twice, 2, one, NULL, 1, NULL, tell, &none, err));
  for (size_t i = 0; i < 5; ++i) libsched_pod_unref(pods[i]);
  libsched_pod_unref(web[0]);
  teardown(&b);
}

#define MANY 600
typedef struct crowd {
  libsched_pod* pods[MANY];
  size_t told;
} crowd;

/* Gives all pods up when the first has been placed. */
static bool let_go(void* user_data, const libsched_placement* p) {
  crowd* c = user_data;
  if (c->told == 0)
    for (size_t i = 0; i < MANY; ++i) libsched_pod_unref(c->pods[i]);
  CHECK(str_is(libsched_pod_name(p->pod), format("p%zu", c->told)));
  ++c->told;
  return true;
}

static void test_pods_are_held(void) {
  bench b = setup();
  crowd c = {{NULL}, 0};
  for (size_t i = 0; i < MANY; ++i) c.pods[i] = pod_of(format("p%zu", i), 1, "");
  const libsched_pod* list[MANY];
  for (size_t i = 0; i < MANY; ++i) list[i] = c.pods[i];
  libsched_evaluator* profiles[] = {b.evaluator};
  CHECK_OK(libsched_schedule(profiles, 1, list, NULL, MANY, NULL, let_go, &c, err));
  CHECK(c.told == MANY);
  teardown(&b);
}

/* A record of a cycle's events: the numbers of the points that ended. */
typedef struct heard {
  char points[256];
  size_t judged, nodes_scored, destroyed;
  libsched_cluster* cluster;
} heard;

static void hear(void* data, const libsched_cycle_event* e) {
  heard* h = data;
  CHECK(e->struct_size == sizeof *e && e->pod != NULL && e->state != NULL);
  if (h->cluster != NULL)
    CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
                libsched_cluster_remove_pod(h->cluster, text("default"), text("hog"), err));
  if (!e->ended) return;
  const size_t at = strlen(h->points);
  snprintf(h->points + at, sizeof h->points - at, "%u ", e->point);
  CHECK((e->point == LIBSCHED_POINT_PRE_FILTER) == (e->pre_filter != NULL));
  CHECK((e->point < LIBSCHED_POINT_RESERVE) == (e->node_name.len == 0));
  if (e->point == LIBSCHED_POINT_FILTER) {
    h->judged = e->judged_count;
    for (size_t i = 0; i < e->judged_count; ++i)
      CHECK(libsched_node_statuses_code(e->statuses, e->judged[i]) <= LIBSCHED_CODE_PENDING);
  }
  if (e->scores != NULL) h->nodes_scored = libsched_score_table_row_count(e->scores);
}

static void destroy_heard(void* data) { ++((heard*)data)->destroyed; }

static libsched_scheduling_outcome outcome_of(const libsched_scheduling* scheduling) {
  libsched_scheduling_outcome outcome = LIBSCHED_SCHEDULING_OUTCOME_INIT;
  CHECK_OK(libsched_scheduling_get(scheduling, &outcome, err));
  return outcome;
}

static void test_schedule_one(void) {
  bench b = setup();
  libsched_evaluator* const* profiles = &b.evaluator;
  heard h = {"", 0, 0, 0, b.cluster};
  libsched_writer_queue* writer = NULL;
  CHECK_OK(libsched_writer_queue_create(&writer, err));
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  options.node_by_node = true;
  options.writer = writer;
  options.other_profile = text("default-scheduler");
  options.event = hear;
  options.event_data = &h;
  options.event_destroy = destroy_heard;
  libsched_pod* pod = pod_of("p", 500, "");
  libsched_scheduling* scheduling = NULL;
  CHECK_OK(libsched_schedule_one(profiles, 1, pod, &options, &scheduling, err));
  libsched_scheduling_outcome outcome = outcome_of(scheduling);
  CHECK(outcome.attempt == LIBSCHED_ATTEMPT_ASSUMED);
  CHECK_STR(outcome.profile, "default-scheduler");
  CHECK_STR(outcome.node_name, "big");
  CHECK(outcome.feasible == 2 && outcome.evaluated == 5 && outcome.total > 0);
  CHECK(outcome.state != NULL);
  CHECK(strcmp(h.points, "0 2 4 5 6 8 ") == 0);
  CHECK(h.judged == 5 && h.nodes_scored == 2);
  libsched_scheduling_status(scheduling, b.status);
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);

  /* The binding cycle, and its message to the writer. */
  h.cluster = NULL;
  CHECK_OK(libsched_scheduling_bind(scheduling, b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK(outcome_of(scheduling).attempt == LIBSCHED_ATTEMPT_BOUND);
  CHECK(strcmp(h.points, "0 2 4 5 6 8 9 10 11 12 13 ") == 0);
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "no binding cycle",
              libsched_scheduling_bind(scheduling, b.status, err));
  libsched_scheduling* again = NULL;
  options.event_destroy = NULL;
  CHECK_OK(libsched_schedule_one(profiles, 1, pod, &options, &again, err));
  CHECK(outcome_of(again).attempt == LIBSCHED_ATTEMPT_SKIPPED_ASSUMED);
  libsched_scheduling_unref(again);
  CHECK(libsched_writer_queue_pending(writer) == 1);
  size_t applied = 7, dropped = 7;
  CHECK_OK(libsched_writer_queue_apply(writer, b.cluster, &applied, &dropped, err));
  CHECK(applied == 1 && dropped == 0 && libsched_writer_queue_pending(writer) == 0);
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, NULL, /* no longer only assumed */
              libsched_cluster_forget(b.cluster, text("default"), text("p"), err));
  CHECK(h.destroyed == 1); /* no events follow */
  CHECK(libsched_scheduling_ref(scheduling) == scheduling);
  libsched_scheduling_unref(scheduling);
  libsched_scheduling_unref(scheduling);
  CHECK(h.destroyed == 1);
  CHECK(libsched_writer_queue_ref(writer) == writer);
  libsched_writer_queue_unref(writer);
  libsched_writer_queue_unref(writer);
  libsched_pod_unref(pod);
  teardown(&b);
}

static void test_schedule_one_fails(void) {
  bench b = setup();
  libsched_evaluator* const* profiles = &b.evaluator;
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  CHECK_OK(libsched_writer_queue_create(&options.writer, err));
  options.other_profile = text("default-scheduler");
  libsched_pod* large = pod_of("large", 90000, "");
  libsched_scheduling* scheduling = NULL;
  CHECK_OK(libsched_schedule_one(profiles, 1, large, &options, &scheduling, err));
  libsched_scheduling_outcome outcome = outcome_of(scheduling);
  CHECK(outcome.attempt == LIBSCHED_ATTEMPT_FAILED && outcome.node_name.len == 0);
  CHECK(outcome.nomination.mode == LIBSCHED_NOMINATION_NONE ||
        outcome.nomination.mode == LIBSCHED_NOMINATION_OVERRIDE);
  libsched_scheduling_status(scheduling, b.status);
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK(strstr(libsched_status_reason(b.status, 0).ptr, "0/5 nodes are available: ") != NULL);
  CHECK(strstr(libsched_status_reason(b.status, 0).ptr, "preemption: ") != NULL);
  libsched_str plugins[1];
  CHECK(libsched_scheduling_rejectors(scheduling, false, plugins, 1) == 3);
  CHECK_STR(plugins[0], "NodeResourcesFit");
  CHECK(libsched_scheduling_rejectors(scheduling, true, plugins, 1) == 0);
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "not assumed",
              libsched_scheduling_bind(scheduling, b.status, err));
  libsched_scheduling_unref(scheduling);

  libsched_pod* deleted = pod_of_json(
      "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"d\", \"deletionTimestamp\": "
      "\"2026-01-01T00:00:00Z\"}, \"spec\": {\"containers\": [{\"name\": \"c\"}]}}");
  CHECK_OK(libsched_schedule_one(profiles, 1, deleted, &options, &scheduling, err));
  CHECK(outcome_of(scheduling).attempt == LIBSCHED_ATTEMPT_SKIPPED_DELETED);
  libsched_scheduling_unref(scheduling);

  heard h = {"", 0, 0, 0, NULL};
  libsched_scheduling* none = NULL;
  libsched_scheduling_options wrong = options;
  wrong.event_data = &h;
  wrong.event_destroy = destroy_heard;
  wrong.deadline_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, NULL, NULL,
              libsched_schedule_one(profiles, 1, large, &wrong, &none, err));
  wrong.deadline_ns = 0;
  wrong.reserved[2] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_schedule_one(profiles, 1, large, &wrong, &none, err));
  wrong.reserved[2] = false;
  wrong.ties = 9;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "ties",
              libsched_schedule_one(profiles, 1, large, &wrong, &none, err));
  wrong.ties = 0;
  wrong.writer = NULL;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "writer",
              libsched_schedule_one(profiles, 1, large, &wrong, &none, err));
  CHECK(h.destroyed == 8); /* CHECK_FAILS calls twice */
  wrong = options;
  wrong.other_profile = text("");
  libsched_pod* stranger = pod_of("s", 1, ", \"schedulerName\": \"stranger\"");
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "there is no profile \"stranger\"",
              libsched_schedule_one(profiles, 1, stranger, &wrong, &none, err));
  CHECK(none == NULL);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_writer_queue_apply(NULL, b.cluster, NULL, NULL, err));
  CHECK(libsched_writer_queue_pending(NULL) == 0 && libsched_writer_queue_ref(NULL) == NULL);
  CHECK(libsched_scheduling_ref(NULL) == NULL);
  CHECK(libsched_scheduling_rejectors(NULL, false, NULL, 0) == 0);
  libsched_scheduling_status(NULL, b.status);
  libsched_scheduling_outcome unset = LIBSCHED_SCHEDULING_OUTCOME_INIT;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_scheduling_get(NULL, &unset, err));
  libsched_pod_unref(stranger);
  libsched_pod_unref(deleted);
  libsched_pod_unref(large);
  libsched_writer_queue_unref(options.writer);
  teardown(&b);
}

int main(void) {
  test_first_fit();
  test_schedule_one();
  test_schedule_one_fails();
  test_schedule();
  test_pods_are_held();
  test_first_fit_ends();
  return finish();
}
