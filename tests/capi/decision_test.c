/* The counts and lists of a decision: reasons of nodes, PostFilter's answer, victims; and the calls
   in which nominated pods count. */
#include "fixture.h"

typedef struct scene {
  libsched_cluster* cluster;
  libsched_framework* framework;
  libsched_evaluator* evaluator;
  libsched_status* status;
} scene;

static void open_scene(scene* s) {
  s->cluster = five_nodes();
  s->framework = default_framework();
  CHECK_OK(libsched_evaluator_create(s->framework, s->cluster, NULL, &s->evaluator, err));
  CHECK_OK(libsched_status_create(&s->status, err));
}
static void close_scene(scene* s) {
  libsched_status_unref(s->status);
  CHECK(libsched_evaluator_ref(s->evaluator) == s->evaluator &&
        libsched_evaluator_ref(NULL) == NULL);
  libsched_evaluator_unref(s->evaluator);
  libsched_evaluator_unref(s->evaluator);
  libsched_framework_unref(s->framework);
  libsched_cluster_unref(s->cluster);
}

static libsched_decision* decided(scene* s, libsched_pod* pod, bool post_filter) {
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.post_filter = post_filter;
  libsched_decision* decision = NULL;
  CHECK_OK(libsched_check_pod_fits(s->evaluator, pod, LIBSCHED_ANY_NODE, &options, &decision, err));
  libsched_pod_unref(pod);
  return decision;
}

static void test_reason_totals(void) {
  scene s;
  open_scene(&s);
  libsched_decision* decision = decided(&s, pod_of("p", 2000, ""), false);
  libsched_reason_total totals[4] = {{{NULL, 0}, {NULL, 0}, 0}};
  size_t count = 0;
  CHECK_OK(libsched_decision_reason_totals(decision, NULL, 0, &count, err));
  CHECK(count == 3);
  CHECK_OK(libsched_decision_reason_totals(decision, totals, 2, &count, err));
  CHECK(count == 3 && totals[2].nodes == 0);
  CHECK_OK(libsched_decision_reason_totals(decision, totals, 4, &count, err));
  CHECK(count == 3 && totals[3].nodes == 0);
  CHECK_STR(totals[0].reason, "Insufficient cpu");
  CHECK_STR(totals[0].plugin, "NodeResourcesFit");
  CHECK(totals[0].nodes == 2);
  CHECK_STR(totals[1].reason, "node(s) had untolerated taint(s)");
  CHECK_STR(totals[1].plugin, "TaintToleration");
  CHECK(totals[1].nodes == 1);
  CHECK_STR(totals[2].reason, "node(s) were unschedulable");
  CHECK_STR(totals[2].plugin, "NodeUnschedulable");
  CHECK(totals[2].nodes == 1);

  count = 7;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "decision",
              libsched_decision_reason_totals(NULL, totals, 4, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_decision_reason_totals(decision, NULL, 4, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "count",
              libsched_decision_reason_totals(decision, totals, 4, NULL, err));
  CHECK(count == 7);
  libsched_decision_unref(decision);
  close_scene(&s);
}

static void test_post_filter(void) {
  scene s;
  open_scene(&s);
  /* The pod fits, so PostFilter does not run. */
  libsched_decision* decision = decided(&s, pod_of("p", 2000, ""), true);
  CHECK(!libsched_decision_post_filter(decision, s.status));
  CHECK(libsched_decision_victim_count(decision) == 0);
  CHECK(libsched_decision_victim(decision, 0) == NULL);
  CHECK_STR(libsched_decision_nominated_node(decision), "");
  libsched_decision_unref(decision);

  /* The pod fits on no node, and no pod is less important. */
  decision = decided(&s, pod_of("p", 9000, ""), true);
  CHECK(libsched_decision_post_filter(decision, NULL));
  CHECK(libsched_decision_post_filter(decision, s.status));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK(libsched_status_reason_count(s.status) > 0);
  CHECK(libsched_decision_victim_count(decision) == 0);
  libsched_decision_unref(decision);

  /* The pods of "big" must make room for a more important pod. */
  add_pod(s.cluster, pod_of("low", 3000, ""), "big");
  add_pod(s.cluster, pod_of("lower", 3000, ", \"priority\": -1"), "big");
  decision = decided(&s, pod_of("vip", 8000, ", \"priority\": 1000"), true);
  CHECK(libsched_decision_post_filter(decision, s.status));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_STR(libsched_decision_nominated_node(decision), "big");
  CHECK(libsched_decision_victim_count(decision) == 2);
  CHECK_STR(libsched_pod_name(libsched_decision_victim(decision, 0)), "low");
  CHECK_STR(libsched_pod_name(libsched_decision_victim(decision, 1)), "lower");
  CHECK(libsched_decision_victim(decision, 2) == NULL);
  libsched_decision_unref(decision);

  CHECK(!libsched_decision_post_filter(NULL, s.status));
  CHECK(libsched_decision_victim_count(NULL) == 0 && libsched_decision_victim(NULL, 0) == NULL);
  CHECK_STR(libsched_decision_nominated_node(NULL), "");
  close_scene(&s);
}

/* A nominated pod takes its place in whole decisions and cycles, not in filter_nodes. */
static void test_nominated_pods(void) {
  scene s;
  open_scene(&s);
  libsched_pod* vip = pod_of("vip", 7000, ", \"priority\": 1000");
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  nomination.mode = LIBSCHED_NOMINATION_OVERRIDE;
  nomination.node = text("big");
  CHECK_OK(
      libsched_services_nominate(libsched_evaluator_services(s.evaluator), vip, &nomination, err));
  libsched_pod* pod = pod_of("p", 2000, "");
  libsched_cycle_state* state = NULL;
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_run_pre_filter_plugins(s.evaluator, state, pod, NULL, s.status, err));
  uint64_t rows[1] = {0};
  size_t count = 0;
  uint32_t first = LIBSCHED_NO_ROW;
  CHECK_OK(libsched_filter_nodes(s.evaluator, state, pod, NULL, rows, 1, &count, &first, err));
  CHECK(count == 1 &&
        first == libsched_view_find_node(libsched_cluster_view(s.cluster), text("big")));
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  CHECK_OK(libsched_run_cycle(s.evaluator, state, pod, NULL, &outcome, s.status, err));
  CHECK(outcome.row == LIBSCHED_NO_ROW);
  libsched_decision* decision = decided(&s, pod, false);
  CHECK(libsched_decision_feasible_count(decision) == 0);
  libsched_decision_unref(decision);
  libsched_cycle_state_unref(state);
  libsched_pod_unref(vip);
  close_scene(&s);
}

/* The place of a field of the first fact of a node. */
static size_t place_of(const libsched_decision* d, size_t node, const char* field) {
  size_t f = 0;
  while (f < libsched_decision_fact_field_count(d, node, 0) &&
         strcmp(libsched_decision_fact_field_name(d, node, 0, f).ptr, field) != 0)
    ++f;
  return f;
}

static void test_facts(void) {
  scene s;
  open_scene(&s);
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.facts = true;
  libsched_decision* d = NULL;
  libsched_pod* pod = pod_of("p", 2000, "");
  CHECK_OK(libsched_check_pod_fits(s.evaluator, pod, LIBSCHED_ANY_NODE, &options, &d, err));
  libsched_pod_unref(pod);
  /* By name: big, closed, full, small, tainted. */
  CHECK(libsched_decision_fact_count(d, 0) == 0);
  CHECK(libsched_decision_fact_count(d, 3) == 1);
  CHECK_STR(libsched_decision_fact_reason(d, 3, 0), "Insufficient cpu");
  const size_t resource = place_of(d, 3, "resource"), asked = place_of(d, 3, "requested");
  CHECK(libsched_decision_fact_type(d, 3, 0, resource) == LIBSCHED_FACT_TEXT);
  CHECK(libsched_decision_fact_text_count(d, 3, 0, resource) == 1);
  CHECK_STR(libsched_decision_fact_text(d, 3, 0, resource, 0), "cpu");
  CHECK(libsched_decision_fact_number(d, 3, 0, resource) == 0);
  CHECK(libsched_decision_fact_type(d, 3, 0, asked) == LIBSCHED_FACT_NUMBER);
  CHECK(libsched_decision_fact_number(d, 3, 0, asked) == 2000);
  CHECK(libsched_decision_fact_text_count(d, 3, 0, asked) == 0);
  CHECK(libsched_decision_fact_number(d, 3, 0, place_of(d, 3, "free")) == 1000);
  CHECK(libsched_decision_fact_number(d, 2, 0, place_of(d, 2, "used")) == 4000);
  CHECK_STR(libsched_decision_fact_text(d, 4, 0, place_of(d, 4, "effect"), 0), "NoSchedule");
  /* Out of range, by node, fact, field and text. */
  CHECK(libsched_decision_fact_count(d, 5) == 0 && libsched_decision_fact_count(d, 6) == 0);
  CHECK(libsched_decision_fact_field_count(d, 3, 1) == 0);
  CHECK_STR(libsched_decision_fact_reason(d, 3, 1), "");
  CHECK_STR(libsched_decision_fact_field_name(d, 3, 0, 5), "");
  CHECK(libsched_decision_fact_type(d, 3, 0, 5) == LIBSCHED_FACT_NUMBER);
  CHECK(libsched_decision_fact_number(d, 3, 0, 5) == 0);
  CHECK(libsched_decision_fact_text_count(d, 3, 0, 5) == 0);
  CHECK_STR(libsched_decision_fact_text(d, 3, 0, resource, 1), "");
  CHECK_STR(libsched_decision_fact_text(d, 3, 0, asked, 0), "");
  CHECK(libsched_decision_fact_count(NULL, 0) == 0);
  libsched_decision_unref(d);

  /* Lists, and facts about the pod as a whole. */
  const char* const pods[] = {", \"nodeName\": \"nowhere\"",
                              ", \"schedulingGates\": [{\"name\": \"a\"}, {\"name\": \"b\"}]"};
  for (int i = 0; i < 2; ++i) {
    pod = pod_of("p", 500, pods[i]);
    CHECK_OK(libsched_check_pod_fits(s.evaluator, pod, text("small"), &options, &d, err));
    libsched_pod_unref(pod);
    CHECK(libsched_decision_fact_count(d, libsched_decision_node_count(d)) == 1);
    if (i == 0) {
      CHECK_STR(libsched_decision_fact_text(d, 0, 0, place_of(d, 0, "missing"), 0), "nowhere");
    } else {
      CHECK_STR(libsched_decision_fact_reason(d, 1, 0), "waiting for scheduling gates: [a b]");
      CHECK(libsched_decision_fact_type(d, 1, 0, 0) == LIBSCHED_FACT_TEXTS);
      CHECK(libsched_decision_fact_text_count(d, 1, 0, 0) == 2);
      CHECK_STR(libsched_decision_fact_text(d, 1, 0, 0, 1), "b");
      CHECK_STR(libsched_decision_fact_text(d, 1, 0, 0, 2), "");
    }
    libsched_decision_unref(d);
  }

  /* Without the option there are none. */
  d = decided(&s, pod_of("p", 2000, ""), false);
  CHECK(libsched_decision_fact_count(d, 3) == 0);
  libsched_decision_unref(d);
  close_scene(&s);
}

int main(void) {
  test_reason_totals();
  test_facts();
  test_post_filter();
  test_nominated_pods();
  return finish();
}
