/* Misbehaving slots result in statuses that name the plugin, never in a crash. */
#include "recorder.h"

static const char* const kSlots[] = {"reserve",  "permit",     "pre_bind_pre_flight",
                                     "pre_bind", "bind",       "filter",
                                     "add_pod",  "remove_pod", "pre_filter"};

/* Runs the point of kSlots[i]. */
static void run_slot(scene* s, size_t i) {
  const libsched_str n = text("big");
  switch (i) {
    case 0:
      CHECK_OK(
          libsched_run_reserve_plugins_reserve(s->evaluator, s->state, s->pod, n, s->status, err));
      break;
    case 1:
      CHECK_OK(libsched_run_permit_plugins(s->evaluator, s->state, s->pod, n, NULL, 0, NULL,
                                           s->status, err));
      break;
    case 2:
      CHECK_OK(
          libsched_run_pre_bind_pre_flights(s->evaluator, s->state, s->pod, n, s->status, err));
      break;
    case 3:
      CHECK_OK(libsched_run_pre_bind_plugins(s->evaluator, s->state, s->pod, n, s->status, err));
      break;
    case 4:
      CHECK_OK(libsched_run_bind_plugins(s->evaluator, s->state, s->pod, n, s->status, err));
      break;
    case 5:
      CHECK_OK(
          libsched_run_filter_plugins(s->evaluator, s->state, s->pod, n, NULL, s->status, err));
      break;
    case 6:
      CHECK_OK(libsched_run_pre_filter_extension_add_pod(s->evaluator, s->state, s->pod, s->pod, n,
                                                         s->status, err));
      break;
    case 7:
      CHECK_OK(libsched_run_pre_filter_extension_remove_pod(s->evaluator, s->state, s->pod, s->pod,
                                                            n, s->status, err));
      break;
    default:
      CHECK_OK(
          libsched_run_pre_filter_plugins(s->evaluator, s->state, s->pod, NULL, s->status, err));
  }
}

/* Runs every point whose slot returns a code, and checks its status. */
static void check_each(libsched_code code, bool release_status, bool release_state,
                       const char* part) {
  for (size_t i = 0; i < sizeof kSlots / sizeof *kSlots; ++i) {
    const libsched_plugin plugin = recorder_plugin();
    scene s;
    open_scene(&s, &plugin);
    s.r.only = kSlots[i];
    s.r.code = code;
    s.r.release_status = release_status;
    s.r.release_state = release_state;
    run_slot(&s, i);
    if (!says(&s, LIBSCHED_CODE_ERROR, part)) fprintf(stderr, "  of slot %s\n", kSlots[i]);
    CHECK(says(&s, LIBSCHED_CODE_ERROR, part));
    CHECK(says(&s, LIBSCHED_CODE_ERROR, "plugin \"Recorder\""));
    close_scene(&s);
  }
}

/* A code that a slot may not return is told with those that it may return. */
static void test_codes(void) {
#define VERDICTS "Success, Unschedulable, UnschedulableAndUnresolvable, "
  static const struct {
    size_t slot;
    const char* wait; /* what is said about Wait; NULL: it is allowed */
    const char* skip;
  } kSaid[] = {
      {0,
       "Reserve plugin \"Recorder\": reserve returned Wait; it may return " VERDICTS
       "Pending or Error",
       "reserve returned Skip; it may return " VERDICTS "Pending or Error"},
      {1, NULL, "permit returned Skip; it may return " VERDICTS "Wait, Pending or Error"},
      {2, "It is supposed to return Success, Skip, or Error status", NULL},
      {3, "pre_bind returned Wait; it may return " VERDICTS "Pending or Error",
       "pre_bind returned Skip; it may return " VERDICTS "Pending or Error"},
      {4, "bind returned Wait; it may return " VERDICTS "Skip, Pending or Error", NULL},
      {5,
       "running \"Recorder\" filter plugin: filter returned Wait; it may return " VERDICTS
       "Pending or Error",
       "filter returned Skip; it may return " VERDICTS "Pending or Error"},
      {6, "add_pod returned Wait; it may return Success or Error",
       "add_pod returned Skip; it may return Success or Error"},
      {7, "remove_pod returned Wait; it may return Success or Error",
       "remove_pod returned Skip; it may return Success or Error"},
      {8, "pre_filter returned Wait; it may return " VERDICTS "Skip or Error", NULL},
  };
  for (size_t i = 0; i < 3 * sizeof kSaid / sizeof *kSaid; ++i) {
    static const libsched_code kCodes[] = {LIBSCHED_CODE_WAIT, LIBSCHED_CODE_SKIP,
                                           LIBSCHED_CODE_ERROR};
    char without[64];
    snprintf(without, sizeof without, "%s returned Error without a reason", kSlots[i / 3]);
    const char* const said[] = {kSaid[i / 3].wait, kSaid[i / 3].skip, i / 3 == 2 ? "" : without};
    const libsched_plugin plugin = recorder_plugin();
    scene s;
    open_scene(&s, &plugin);
    s.r.only = kSlots[kSaid[i / 3].slot];
    s.r.code = kCodes[i % 3];
    run_slot(&s, kSaid[i / 3].slot);
    if (said[i % 3] != NULL) {
      CHECK(says(&s, LIBSCHED_CODE_ERROR, said[i % 3]));
    } else {
      CHECK(libsched_status_code(s.status) != LIBSCHED_CODE_ERROR);
    }
    close_scene(&s);
  }
}

/* The codes and reasons written by batches. */
typedef struct batch {
  int8_t code;
  uint16_t reason;
  libsched_code whole;
  int64_t score;
  bool
      answers; /* once with code ERROR and once with `answer` and two reasons, in place of `code` */
  libsched_code answer;
} batch;

static libsched_code b_filter(void* instance, const libsched_cycle_state* state,
                              const libsched_pod* pod, const libsched_node_set* nodes,
                              int8_t* codes, uint16_t* reasons, libsched_status* status) {
  const batch* b = instance;
  (void)state, (void)pod;
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i) {
    if (!str_is(libsched_node_name(libsched_node_info_node(libsched_node_set_at(nodes, i))), "big"))
      continue;
    codes[i] = b->code;
    reasons[i] = b->reason;
    if (!b->answers) continue;
    libsched_status_set(status, LIBSCHED_CODE_ERROR);
    libsched_node_set_answer(nodes, i, status);
    libsched_node_set_answer(nodes, libsched_node_set_count(nodes), status);
    libsched_status_set(status, b->answer);
    libsched_status_add_reason(status, LIBSCHED_STR("first of big"));
    libsched_status_add_reason(status, LIBSCHED_STR("second"));
    libsched_node_set_answer(nodes, i, status);
    libsched_status_set(status, LIBSCHED_CODE_SUCCESS);
  }
  return b->whole;
}

static libsched_code b_score(void* instance, const libsched_cycle_state* state,
                             const libsched_pod* pod, const libsched_node_set* nodes,
                             int64_t* scores, libsched_status* status) {
  (void)state, (void)pod;
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i) scores[i] = ((batch*)instance)->score;
  libsched_node_set_answer(nodes, 0, status); /* a success */
  if (((batch*)instance)->score == 77) {
    libsched_status_set(status, LIBSCHED_CODE_UNSCHEDULABLE);
    libsched_status_add_reason(status, LIBSCHED_STR("no score of 77"));
    libsched_node_set_answer(nodes, libsched_node_set_count(nodes) - 1, status);
    libsched_status_set(status, LIBSCHED_CODE_SUCCESS);
  }
  return LIBSCHED_CODE_SUCCESS;
}

static void check_batch(batch b, bool with_reasons, libsched_code code, const char* part) {
  static const libsched_str kReasons[] = {{"zero", 4}, {"one", 3}};
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  libsched_config* config = NULL;
  libsched_evaluator* evaluator = NULL;
  libsched_decision* decision = NULL;
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.score = true;
  plugin.name = LIBSCHED_STR("Batch");
  plugin.filter_batch = b_filter;
  plugin.score_batch = b_score;
  plugin.reasons = with_reasons ? kReasons : NULL;
  plugin.reason_count = with_reasons ? 2 : 0;
  CHECK_OK(libsched_config_parse(
      text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
           "profiles: [{plugins: {multiPoint: {enabled: [{name: Batch}]}}}]"),
      NULL, &config, err));
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, &b, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  libsched_cluster* cluster = five_nodes();
  libsched_pod* pod = pod_of("p", 500, "");
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, &options, &decision, err));
  CHECK_STR(libsched_decision_node(decision, 0), "big");
  CHECK(libsched_decision_code(decision, 0) == code);
  if (code != LIBSCHED_CODE_SUCCESS) {
    const libsched_str why = libsched_decision_reason(decision, 0, 0);
    const int same = strstr(why.ptr, part) != NULL;
    CHECK(same);
    if (!same) fprintf(stderr, "  it is \"%s\", not \"%s\"\n", why.ptr, part);
  } else if (b.score < 0 || b.score > 100 || b.score == 77) {
    CHECK(libsched_decision_scores(decision) == NULL);
    CHECK(strstr(libsched_decision_score_error(decision).ptr, part) != NULL);
  } else {
    CHECK(libsched_decision_scores(decision) != NULL);
  }
  libsched_decision_unref(decision);
  libsched_evaluator_unref(evaluator);
  libsched_pod_unref(pod);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
  libsched_registry_unref(registry);
  libsched_config_unref(config);
}

static void test_batches(void) {
  const libsched_code no = LIBSCHED_CODE_UNSCHEDULABLE, error = LIBSCHED_CODE_ERROR;
  check_batch((batch){.code = LIBSCHED_CODE_SUCCESS}, true, LIBSCHED_CODE_SUCCESS, "");
  check_batch((batch){.code = LIBSCHED_CODE_UNSCHEDULABLE, .reason = 1}, true, no, "one");
  check_batch((batch){.code = LIBSCHED_CODE_PENDING}, true, LIBSCHED_CODE_PENDING, "zero");
  check_batch((batch){.code = LIBSCHED_CODE_UNSCHEDULABLE}, false, no, "");
  check_batch((batch){.code = LIBSCHED_CODE_UNSCHEDULABLE, .reason = 2}, true, error,
              "reason 2 of 2");
  check_batch((batch){.code = LIBSCHED_CODE_UNSCHEDULABLE, .reason = 1}, false, error,
              "reason 1 of 0");
  check_batch((batch){.code = 99}, true, error, "unknown code 99");
  check_batch((batch){.code = -1}, true, error, "unknown code -1");
  check_batch((batch){.code = LIBSCHED_CODE_SKIP}, true, error,
              "running \"Batch\" filter plugin: filter_batch returned Skip; it may return " VERDICTS
              "Pending or Error");
  check_batch((batch){.code = LIBSCHED_CODE_WAIT}, false, error, "filter_batch returned Wait");
  check_batch((batch){.code = LIBSCHED_CODE_ERROR}, false, error,
              "filter_batch returned Error without a reason");
  check_batch((batch){.answers = true, .answer = LIBSCHED_CODE_SKIP}, true, error,
              "filter_batch returned Skip");
  check_batch((batch){.whole = LIBSCHED_CODE_ERROR}, true, error, "code 1 of filter_batch");
  check_batch((batch){.whole = LIBSCHED_CODE_SKIP}, true, error, "code 5 of filter_batch");
  check_batch((batch){.whole = 55}, true, error, "unknown code 55");
  check_batch((batch){.answers = true, .answer = no}, true, no, "first of big");
  check_batch((batch){.answers = true, .answer = no, .code = 99}, false, no, "first of big");
  check_batch((batch){.answers = true, .answer = LIBSCHED_CODE_SUCCESS, .code = 2}, true,
              LIBSCHED_CODE_SUCCESS, "");
  check_batch((batch){.answers = true, .answer = error}, true, error, "first of big");
  check_batch((batch){.answers = true, .answer = 256}, true, error, "unknown code 256");
  check_batch((batch){.score = 101}, true, LIBSCHED_CODE_SUCCESS, "101");
  check_batch((batch){.score = 77}, true, LIBSCHED_CODE_SUCCESS, "no score of 77");
  check_batch((batch){.score = -1}, true, LIBSCHED_CODE_SUCCESS, "-1");
}

static void refuse(libsched_plugin plugin, const char* part) {
  libsched_registry* registry = NULL;
  libsched_error* error = NULL;
  recorder r = {.code = 0};
  plugin.destroy = r_destroy;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK(libsched_registry_add(registry, &plugin, &r, &error) == LIBSCHED_ERR_INVALID);
  CHECK(strstr(libsched_error_message(error).ptr, part) != NULL);
  CHECK(r.destroys == 1);
  libsched_error_unref(error);
  libsched_registry_unref(registry);
}

static void test_lonely_slots(void) {
  libsched_plugin plugin = recorder_plugin();
  plugin.remove_pod = NULL;
  refuse(plugin, "add_pod and remove_pod");
  plugin = recorder_plugin();
  plugin.pre_filter = NULL;
  refuse(plugin, "pre_filter is NULL");
  plugin = recorder_plugin();
  plugin.pre_bind = NULL;
  refuse(plugin, "pre_bind is NULL");
  plugin = recorder_plugin();
  plugin.events_to_register = NULL;
  refuse(plugin, "events_to_register is NULL");
}

static void test_no_slots(void) {
  const libsched_plugin none = LIBSCHED_PLUGIN_INIT;
  libsched_plugin plugin = none;
  plugin.name = text("Empty");
  plugin.instance_name = r_instance_name;
  refuse(plugin,
         "plugin \"Empty\" has no slot: set the functions of its extension points, such as "
         "plugin.filter or plugin.score");
  plugin.name = none.name;
  refuse(plugin, "a plugin needs a name");
}

static void test_instance_name(void) {
  libsched_plugin plugin = recorder_plugin();
  plugin.instance_name = r_instance_name;
  scene s;
  open_scene(&s, &plugin);
  s.r.only = "filter";
  s.r.code = LIBSCHED_CODE_UNSCHEDULABLE;
  CHECK_OK(
      libsched_run_filter_plugins(s.evaluator, s.state, s.pod, text("big"), NULL, s.status, err));
  CHECK_STR(libsched_status_plugin(s.status), "Recorder2");
  close_scene(&s);
}

static void test_change_without_handle(void) {
  libsched_str raw;
  CHECK_STR(libsched_object_change_resource(NULL), "");
  CHECK_STR(libsched_object_change_namespace(NULL), "");
  CHECK_STR(libsched_object_change_name(NULL), "");
  CHECK(!libsched_object_change_has_before(NULL) && !libsched_object_change_has_after(NULL));
  CHECK(libsched_object_change_pod(NULL, true) == NULL);
  CHECK(libsched_object_change_node(NULL, true) == NULL);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_object_change_raw(NULL, true, &raw, err));
  CHECK(libsched_cycle_state_view(NULL) == NULL && libsched_cycle_state_evaluator(NULL) == NULL);
}

int main(void) {
  check_each(77, false, false, "unknown code 77");
  check_each(-5, false, false, "unknown code -5");
  check_each(LIBSCHED_CODE_SUCCESS, true, false, "released a status");
  check_each(LIBSCHED_CODE_SUCCESS, false, true, "released a cycle state");
  test_codes();
  test_batches();
  test_no_slots();
  test_lonely_slots();
  test_instance_name();
  test_change_without_handle();
  return finish();
}
