/* The extension points from PostFilter on, each run with a plugin that has every slot. */
#include "recorder.h"

static void test_binding_points(void) {
  const libsched_plugin plugin = recorder_plugin();
  scene s;
  open_scene(&s, &plugin);
  const libsched_str big = text("big");
  libsched_permit_wait wait = {{NULL, 0}, 0};
  size_t waits = 9;
  CHECK_OK(libsched_run_reserve_plugins_reserve(s.evaluator, s.state, s.pod, big, s.status, err));
  CHECK_OK(libsched_run_permit_plugins(s.evaluator, s.state, s.pod, big, &wait, 1, &waits, s.status,
                                       err));
  CHECK(waits == 0);
  CHECK_OK(libsched_wait_on_permit(s.evaluator, s.pod, s.status, err));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_OK(libsched_run_pre_bind_pre_flights(s.evaluator, s.state, s.pod, big, s.status, err));
  CHECK(!libsched_cycle_state_skips_pre_bind(s.state, text("Recorder")));
  CHECK(libsched_cycle_state_parallel_pre_bind(s.state, text("Recorder")));
  CHECK_OK(libsched_run_pre_bind_plugins(s.evaluator, s.state, s.pod, big, s.status, err));
  CHECK_OK(libsched_run_bind_plugins(s.evaluator, s.state, s.pod, big, s.status, err));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_OK(libsched_run_post_bind_plugins(s.evaluator, s.state, s.pod, big, err));
  CHECK_OK(libsched_run_reserve_plugins_unreserve(s.evaluator, s.state, s.pod, big, err));
  CHECK_LOG(&s.r, "reserve permit pre_bind_pre_flight pre_bind bind post_bind unreserve");

  s.r.only = "permit";
  s.r.code = LIBSCHED_CODE_WAIT;
  s.r.timeout_ns = 5000000000;
  CHECK_OK(libsched_run_permit_plugins(s.evaluator, s.state, s.pod, big, &wait, 1, &waits, s.status,
                                       err));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_WAIT && waits == 1);
  CHECK_STR(wait.plugin, "Recorder");
  CHECK(wait.timeout_ns == 5000000000);
  CHECK_OK(libsched_run_permit_plugins(s.evaluator, s.state, s.pod, big, NULL, 0, &waits, s.status,
                                       err));
  CHECK(waits == 1);
  s.r.only = "pre_bind_pre_flight";
  s.r.code = LIBSCHED_CODE_SKIP;
  CHECK_OK(libsched_run_pre_bind_pre_flights(s.evaluator, s.state, s.pod, big, s.status, err));
  CHECK(libsched_cycle_state_skips_pre_bind(s.state, text("Recorder")));
  CHECK(!libsched_cycle_state_skips_pre_bind(s.state, text("Other")));
  s.r.log[0] = '\0';
  CHECK_OK(libsched_run_pre_bind_plugins(s.evaluator, s.state, s.pod, big, s.status, err));
  CHECK_LOG(&s.r, "");
  s.r.only = "bind";
  CHECK_OK(libsched_run_bind_plugins(s.evaluator, s.state, s.pod, big, s.status, err));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SKIP);
  close_scene(&s);
}

static void test_post_filter(void) {
  const libsched_plugin plugin = recorder_plugin();
  scene s;
  open_scene(&s, &plugin);
  libsched_node_statuses* statuses = NULL;
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  CHECK_OK(libsched_node_statuses_create(&statuses, err));
  libsched_status_set(s.status, LIBSCHED_CODE_UNSCHEDULABLE);
  libsched_status_add_reason(s.status, text("full"));
  libsched_status_set_plugin(s.status, text("NodeResourcesFit"));
  CHECK_OK(libsched_node_statuses_set(statuses, s.big, s.status, err));
  CHECK(libsched_node_statuses_code(statuses, s.big) == LIBSCHED_CODE_UNSCHEDULABLE);
  libsched_status_set(s.status, LIBSCHED_CODE_SUCCESS);
  libsched_status_set_plugin(s.status, text(""));
  libsched_node_statuses_get(statuses, s.big, s.status);
  CHECK_STR(libsched_status_plugin(s.status), "NodeResourcesFit");
  CHECK(says(&s, LIBSCHED_CODE_UNSCHEDULABLE, "full"));

  CHECK_OK(libsched_run_post_filter_plugins(s.evaluator, s.state, s.pod, statuses, &nomination,
                                            s.status, err));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SUCCESS);
  CHECK(nomination.mode == LIBSCHED_NOMINATION_NONE);
  s.r.nomination_mode = LIBSCHED_NOMINATION_OVERRIDE;
  CHECK_OK(libsched_run_post_filter_plugins(s.evaluator, s.state, s.pod, statuses, &nomination,
                                            s.status, err));
  CHECK(nomination.mode == LIBSCHED_NOMINATION_OVERRIDE);
  CHECK_STR(nomination.node, "big");
  s.r.nomination_mode = LIBSCHED_NOMINATION_NOOP;
  CHECK_OK(libsched_run_post_filter_plugins(s.evaluator, s.state, s.pod, statuses, &nomination,
                                            s.status, err));
  CHECK(nomination.mode == LIBSCHED_NOMINATION_NOOP);
  s.r.nomination_mode = 17;
  CHECK_OK(
      libsched_run_post_filter_plugins(s.evaluator, s.state, s.pod, statuses, NULL, s.status, err));
  CHECK(says(&s, LIBSCHED_CODE_ERROR, "unknown nomination mode 17"));
  nomination.struct_size = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "struct_size",
              libsched_run_post_filter_plugins(s.evaluator, s.state, s.pod, statuses, &nomination,
                                               s.status, err));
  libsched_status_set(s.status, LIBSCHED_CODE_PENDING);
  CHECK_OK(libsched_node_statuses_set_absent(statuses, s.status, err));
  CHECK(libsched_node_statuses_code(statuses, 3) == LIBSCHED_CODE_PENDING);
  libsched_node_statuses_unref(statuses);
  close_scene(&s);
}

static void check_no_event(const libsched_event_map* events, size_t index) {
  CHECK_STR(libsched_event_map_plugin(events, index), "");
  CHECK_STR(libsched_event_map_resource(events, index), "");
  CHECK_STR(libsched_event_map_label(events, index), "");
  CHECK(libsched_event_map_actions(events, index) == 0);
  CHECK(!libsched_event_map_has_hint(events, index));
}

static void check_event(const libsched_event_map* events, size_t index, const char* resource,
                        int64_t actions, const char* label, bool has_hint) {
  CHECK_STR(libsched_event_map_plugin(events, index), "Recorder");
  CHECK_STR(libsched_event_map_resource(events, index), resource);
  CHECK_STR(libsched_event_map_label(events, index), label);
  CHECK(libsched_event_map_actions(events, index) == actions);
  CHECK(libsched_event_map_has_hint(events, index) == has_hint);
}

/* What the recorder registers for. */
static void check_events(const libsched_event_map* events) {
  CHECK(libsched_event_map_count(events) == 2);
  check_event(events, 0, "Node", 1, "NodeAdd", true);
  check_event(events, 1, "Pod", 2, "PodDelete", false);
  check_no_event(events, 2);
  libsched_event_map* const other = libsched_event_map_ref(events);
  CHECK(other == events && libsched_event_map_count(NULL) == 0);
  libsched_event_map_unref(other);
}

static void test_other_points(void) {
  const libsched_plugin plugin = recorder_plugin();
  scene s;
  open_scene(&s, &plugin);
  bool less = false;
  CHECK_OK(libsched_framework_queue_less(s.framework, s.pod, 1, s.pod, 2, &less, err));
  CHECK(less);
  CHECK_OK(libsched_framework_queue_less(s.framework, s.pod, 2, s.pod, 1, &less, err));
  CHECK(!less);
  CHECK_OK(libsched_run_pre_enqueue_plugins(s.evaluator, s.pod, s.status, err));
  CHECK_OK(libsched_run_pre_filter_extension_add_pod(s.evaluator, s.state, s.pod, s.pod,
                                                     text("big"), s.status, err));
  CHECK_OK(libsched_run_pre_filter_extension_remove_pod(s.evaluator, s.state, s.pod, s.pod,
                                                        text("big"), s.status, err));
  CHECK_LOG(&s.r, "less less pre_enqueue add_pod remove_pod");
  /* Another pod is nominated to the node: judged first with it, then without it. */
  libsched_pod* other = NULL;
  CHECK_OK(libsched_pod_copy(s.pod, text("promised"), text("d"), text("uid-promised"), text(""),
                             &other, err));
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  nomination.mode = LIBSCHED_NOMINATION_OVERRIDE;
  nomination.node = text("big");
  libsched_services* services = libsched_evaluator_services(s.evaluator);
  CHECK_OK(libsched_services_nominate(services, other, &nomination, err));
  CHECK_OK(filter_row(s.evaluator, s.state, s.pod, s.big, true, s.status, err));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_LOG(&s.r, "add_pod filter filter");
  libsched_services_remove_nomination(services, other);
  CHECK_OK(filter_row(s.evaluator, s.state, s.pod, s.big, true, s.status, err));
  CHECK_LOG(&s.r, "filter");
  libsched_pod_unref(other);
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "row",
              filter_row(s.evaluator, s.state, s.pod, 999, true, s.status, err));
  libsched_event_map* events = NULL;
  CHECK_OK(libsched_framework_events(s.framework, &events, err));
  CHECK_LOG(&s.r, "events_to_register");
  check_events(events);
  libsched_event_map_unref(events);
  /* Outside of slots a state has no view and no evaluator. */
  CHECK(libsched_cycle_state_view(s.state) == NULL);
  CHECK(libsched_cycle_state_evaluator(s.state) == NULL);
  libsched_text* json = NULL;
  CHECK_OK(libsched_sign_pod(s.evaluator, s.pod, &json, err));
  CHECK(strstr(libsched_text_get(json).ptr, "\"recorder\":{\"a\":1}") != NULL);
  libsched_text_unref(json);
  s.r.only = "sign";
  s.r.code = LIBSCHED_CODE_UNSCHEDULABLE;
  CHECK_OK(libsched_sign_pod(s.evaluator, s.pod, &json, err));
  CHECK_STR(libsched_text_get(json), "");
  libsched_text_unref(json);
  s.r.only = NULL;
  close_scene(&s);
}

/* Every call refuses a null handle. */
static void test_misuse(void) {
  const libsched_plugin plugin = recorder_plugin();
  scene s;
  open_scene(&s, &plugin);
  const libsched_str n = text("big");
  libsched_text* json = UNTOUCHED;
  const libsched_rc bad = LIBSCHED_ERR_MISUSE;
  CHECK_FAILS(bad, NULL, NULL, filter_row(NULL, s.state, s.pod, 0, true, s.status, err));
  CHECK_FAILS(
      bad, NULL, NULL,
      libsched_run_post_filter_plugins(s.evaluator, s.state, s.pod, NULL, NULL, s.status, err));
  CHECK_FAILS(bad, NULL, NULL,
              libsched_run_reserve_plugins_reserve(s.evaluator, NULL, s.pod, n, s.status, err));
  CHECK_FAILS(bad, NULL, NULL,
              libsched_run_reserve_plugins_unreserve(s.evaluator, s.state, NULL, n, err));
  CHECK_FAILS(
      bad, NULL, NULL,
      libsched_run_permit_plugins(s.evaluator, s.state, s.pod, n, NULL, 1, NULL, s.status, err));
  CHECK_FAILS(bad, NULL, NULL, libsched_wait_on_permit(NULL, s.pod, s.status, err));
  CHECK_FAILS(bad, NULL, NULL, libsched_run_post_bind_plugins(NULL, s.state, s.pod, n, err));
  CHECK_FAILS(bad, NULL, NULL, libsched_sign_pod(s.evaluator, NULL, &json, err));
  CHECK_FAILS(bad, NULL, NULL, libsched_node_statuses_create(NULL, err));
  libsched_event_map* events = UNTOUCHED;
  CHECK_FAILS(bad, NULL, NULL, libsched_framework_events(NULL, &events, err));
  CHECK_FAILS(bad, NULL, NULL, libsched_framework_events(s.framework, NULL, err));
  CHECK(events == UNTOUCHED);
  check_no_event(NULL, 0);
  CHECK(json == UNTOUCHED);
  libsched_status_set_plugin(NULL, n);
  libsched_node_statuses_unref(NULL);
  CHECK_FAILS(bad, NULL, "statuses", libsched_node_statuses_set(NULL, 0, s.status, err));
  CHECK_FAILS(bad, NULL, "statuses", libsched_node_statuses_set_absent(NULL, s.status, err));
  libsched_node_statuses_get(NULL, 0, s.status);
  CHECK(libsched_node_statuses_code(NULL, 0) == LIBSCHED_CODE_ERROR);
  CHECK(!libsched_cycle_state_skips_pre_bind(NULL, n));
  CHECK(!libsched_cycle_state_parallel_pre_bind(NULL, n));
  close_scene(&s);
}

int main(void) {
  test_binding_points();
  test_post_filter();
  test_other_points();
  test_misuse();
  return finish();
}
