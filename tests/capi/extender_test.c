/* Extenders in the same process, and those of a configuration. */
#include "fixture.h"

/* An extender that follows a script, and the calls that reached it. */
typedef struct script {
  int filters, scores, preemptions, binds, destroyed;
  const char* rejects;   /* a node */
  bool unresolvable;
  const char* likes;     /* a node */
  const char* fails;     /* the error of every function */
  const char* ghost;     /* an unknown node that is rejected, too */
} script;

static libsched_code result_of(const script* s, libsched_status* status) {
  if (s->fails == NULL) return LIBSCHED_CODE_SUCCESS;
  if (*s->fails) libsched_status_set_error(status, text(s->fails));
  return LIBSCHED_CODE_ERROR;
}

static bool is_node(const libsched_node* node, const char* name) {
  return name != NULL && strcmp(libsched_node_name(node).ptr, name) == 0;
}

static libsched_code filter(void* data, const libsched_pod* pod, const libsched_node* const* nodes, size_t count,
                            const libsched_extender_answer* answer, libsched_status* status) {
  script* s = data;
  ++s->filters;
  CHECK(libsched_pod_name(pod).len != 0);
  for (size_t i = 0; i < count; ++i) {
    if (is_node(nodes[i], s->rejects))
      answer->reject(answer->context, libsched_node_name(nodes[i]), text("too small"), s->unresolvable);
    else
      answer->keep(answer->context, i);
  }
  answer->keep(answer->context, count + 7); /* no such node: ignored */
  if (s->ghost != NULL) answer->reject(answer->context, text(s->ghost), text("unknown to all"), false);
  return result_of(s, status);
}

static libsched_code prioritize(void* data, const libsched_pod* pod, const libsched_node* const* nodes, size_t count,
                                const libsched_extender_answer* answer, libsched_status* status) {
  script* s = data;
  (void)pod;
  ++s->scores;
  for (size_t i = 0; i < count; ++i)
    answer->score(answer->context, libsched_node_name(nodes[i]), is_node(nodes[i], s->likes) ? 10 : 0);
  answer->score(answer->context, text("nowhere"), 5);
  return result_of(s, status);
}

static libsched_code preempt(void* data, const libsched_pod* pod, const libsched_extender_candidate* candidates, size_t count,
                             const libsched_extender_answer* answer, libsched_status* status) {
  script* s = data;
  (void)pod;
  ++s->preemptions;
  for (size_t i = 0; i < count; ++i) {
    if (s->rejects != NULL && strcmp(candidates[i].node.ptr, s->rejects) == 0) continue;
    libsched_str uids[8];
    for (size_t k = 0; k < candidates[i].victim_count && k < 8; ++k) uids[k] = libsched_pod_uid(candidates[i].victims[k]);
    answer->victims(answer->context, candidates[i].node, uids, candidates[i].victim_count, candidates[i].budget_violations);
  }
  return result_of(s, status);
}

static libsched_code bind_pod(void* data, const libsched_pod* pod, libsched_str node, libsched_status* status) {
  script* s = data;
  ++s->binds;
  CHECK(libsched_pod_name(pod).len != 0 && node.len != 0);
  return result_of(s, status);
}

static void destroy(void* data) { ++((script*)data)->destroyed; }

static libsched_extender_functions functions_of(const char* name) {
  libsched_extender_functions f = LIBSCHED_EXTENDER_FUNCTIONS_INIT;
  f.name = text(name);
  f.filter = filter;
  f.prioritize = prioritize;
  f.process_preemption = preempt;
  f.bind = bind_pod;
  f.destroy = destroy;
  return f;
}

static libsched_evaluator* evaluator_with(libsched_cluster* cluster, const libsched_extender_functions* f, script* s) {
  libsched_extender* extender = NULL;
  CHECK_OK(libsched_extender_create(f, s, &extender, err));
  return evaluator_of_extenders(cluster, &extender, 1);
}

static libsched_cluster* two_nodes(void) {
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  add_node(cluster, node_of("a", 4, "z1", ""));
  add_node(cluster, node_of("b", 4, "z1", ""));
  return cluster;
}

static libsched_decision* decide(libsched_evaluator* evaluator, const libsched_pod* pod) {
  libsched_decision* decision = NULL;
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.score = true;
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, text(""), &options, &decision, err));
  return decision;
}

static bool explains(const libsched_decision* decision, const char* part) {
  libsched_text* json = NULL;
  CHECK_OK(libsched_decision_explain_json(decision, &json, err));
  const bool found = strstr(libsched_text_get(json).ptr, part) != NULL;
  if (!found) fprintf(stderr, "  %s\n", libsched_text_get(json).ptr);
  libsched_text_unref(json);
  return found;
}

static void test_decisions(void) {
  libsched_cluster* cluster = two_nodes();
  script s = {.rejects = "a"};
  const libsched_extender_functions f = functions_of("gpu");
  libsched_evaluator* evaluator = evaluator_with(cluster, &f, &s);
  libsched_pod* pod = pod_of("p", 100, "");

  libsched_decision* decision = decide(evaluator, pod);
  CHECK(libsched_decision_feasible_count(decision) == 1);
  CHECK(explains(decision, "\"too small\""));
  CHECK(s.filters == 1 && s.scores == 1);
  libsched_decision_unref(decision);

  s.rejects = NULL;
  s.likes = "b";
  decision = decide(evaluator, pod);
  CHECK(libsched_decision_feasible_count(decision) == 2);
  CHECK(explains(decision, "\"gpu\":{\"raw\":10,\"normalized\":100,\"weighted\":100}"));
  CHECK(explains(decision, "\"best\":[\"b\"]"));
  libsched_decision_unref(decision);

  /* Both nodes are rejected, one by the extender. */
  libsched_pod* big = pod_of("big", 5000, "");
  s.rejects = "a";
  s.filters = 0;
  decision = decide(evaluator, big);
  CHECK(s.filters == 0); /* no node is left to ask about */
  libsched_decision_unref(decision);
  libsched_pod_unref(big);
  CHECK_OK(libsched_cluster_remove_node(cluster, text("b"), err));
  s.ghost = "phantom";
  decision = decide(evaluator, pod);
  CHECK(explains(decision, "\"fitError\":\"0/1 nodes are available: 1 too small, 1 unknown to all.\""));
  CHECK(explains(decision, "\"unschedulablePlugins\":[\"Extender\"]"));
  libsched_decision_unref(decision);

  s.fails = "out of order";
  decision = decide(evaluator, pod);
  CHECK(explains(decision, "\"error\":\"out of order\""));
  libsched_decision_unref(decision);
  s.fails = "";
  decision = decide(evaluator, pod);
  CHECK(explains(decision, "filter of the extender \\\"gpu\\\" returned code 1"));
  libsched_decision_unref(decision);

  libsched_pod_unref(pod);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  CHECK(s.destroyed == 1);
}

/* Schedules and binds; returns the attempt, and whether the node is the expected one ("": none). */
static uint32_t run(libsched_evaluator* evaluator, const char* name, const char* node) {
  libsched_writer_queue* writer = NULL;
  CHECK_OK(libsched_writer_queue_create(&writer, err));
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  options.writer = writer;
  libsched_pod* pod = pod_of(name, 100, "");
  libsched_scheduling* scheduling = NULL;
  CHECK_OK(libsched_schedule_one(&evaluator, 1, pod, &options, &scheduling, err));
  libsched_scheduling_outcome outcome = LIBSCHED_SCHEDULING_OUTCOME_INIT;
  CHECK_OK(libsched_scheduling_get(scheduling, &outcome, err));
  CHECK_STR(outcome.node_name, node);
  libsched_status* status = NULL;
  CHECK_OK(libsched_status_create(&status, err));
  if (outcome.attempt == LIBSCHED_ATTEMPT_ASSUMED) CHECK_OK(libsched_scheduling_bind(scheduling, status, err));
  CHECK_OK(libsched_scheduling_get(scheduling, &outcome, err));
  libsched_status_unref(status);
  libsched_scheduling_unref(scheduling);
  libsched_pod_unref(pod);
  libsched_writer_queue_unref(writer);
  return outcome.attempt;
}

static void test_cycles_and_binding(void) {
  libsched_cluster* cluster = two_nodes();
  script s = {.likes = "b"};
  libsched_extender_functions f = functions_of("gpu");
  f.ignorable = true;
  libsched_evaluator* evaluator = evaluator_with(cluster, &f, &s);
  CHECK(run(evaluator, "p", "b") == LIBSCHED_ATTEMPT_BOUND);
  CHECK(s.filters == 1 && s.scores == 1 && s.binds == 1);

  /* The errors of an ignorable extender count as no answer. */
  s.fails = "out of order";
  CHECK(run(evaluator, "q", "a") == LIBSCHED_ATTEMPT_BOUND);
  CHECK(s.filters == 2 && s.binds == 2);
  libsched_evaluator_unref(evaluator);

  /* Those of another extender do not. */
  f.ignorable = false;
  evaluator = evaluator_with(cluster, &f, &s);
  CHECK(run(evaluator, "r", "") == LIBSCHED_ATTEMPT_FAILED);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  CHECK(s.destroyed == 2);
}

static void test_preemption(void) {
  libsched_cluster* cluster = two_nodes();
  const libsched_pod* low[] = {pod_of("low-a", 4000, ", \"nodeName\": \"a\", \"priority\": 1"),
                               pod_of("low-b", 4000, ", \"nodeName\": \"b\", \"priority\": 1")};
  CHECK_OK(libsched_cluster_add_pods(cluster, low, NULL, 2, err));
  script s = {.rejects = "a"};
  const libsched_extender_functions f = functions_of("gpu");
  libsched_evaluator* evaluator = evaluator_with(cluster, &f, &s);
  libsched_pod* pod = pod_of("high", 4000, ", \"priority\": 9");
  libsched_decision* decision = NULL;
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.post_filter = true;
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, text(""), &options, &decision, err));
  CHECK(s.preemptions == 1);
  CHECK(explains(decision, "\"nominatedNode\":\"b\""));
  libsched_decision_unref(decision);
  libsched_pod_unref(pod);
  for (size_t i = 0; i < 2; ++i) libsched_pod_unref((libsched_pod*)low[i]);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
}

static void test_managed_resources_and_documents(void) {
  libsched_cluster* cluster = two_nodes();
  script s = {.rejects = "a"};
  libsched_extender_functions f = functions_of("gpu");
  const libsched_str managed[] = {LIBSCHED_STR("example.com/gpu")};
  f.managed_resources = managed;
  f.managed_resource_count = 1;
  libsched_evaluator* evaluator = evaluator_with(cluster, &f, &s);
  libsched_pod* pod = pod_of("p", 100, "");
  libsched_decision* decision = decide(evaluator, pod);
  CHECK(libsched_decision_feasible_count(decision) == 2 && s.filters == 0);
  libsched_decision_unref(decision);
  libsched_evaluator_unref(evaluator);

  f.managed_resource_count = 0;
  f.reads_nodes = true;
  evaluator = evaluator_with(cluster, &f, &s);
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_raw",
              libsched_check_pod_fits(evaluator, pod, text(""), NULL, &decision, err));
  libsched_evaluator_unref(evaluator);
  f.reads_nodes = false;
  f.reads_pods = true;
  evaluator = evaluator_with(cluster, &f, &s);
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "pod \"p\", which was parsed without keep_raw",
              libsched_check_pod_fits(evaluator, pod, text(""), NULL, &decision, err));
  libsched_evaluator_unref(evaluator);
  libsched_pod_unref(pod);
  libsched_cluster_unref(cluster);
}

static void test_bad_input(void) {
  script s = {0};
  libsched_extender* extender = NULL;
  libsched_extender_functions f = functions_of("x");
  CHECK_OK(libsched_extender_create(&f, &s, &extender, err));
  CHECK_STR(libsched_extender_name(extender), "x");
  libsched_extender_unref(libsched_extender_ref(extender));
  libsched_extender_unref(extender);
  CHECK(s.destroyed == 1);
  struct {
    libsched_extender_functions known;
    uint64_t unknown;
  } later = {f, 1};
  later.known.struct_size = sizeof later;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "libsched_extender_functions", libsched_extender_create(&later.known, &s, &extender, err));
  CHECK(s.destroyed == 3);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_extender_create(NULL, &s, &extender, err));
  CHECK(libsched_extender_name(NULL).len == 0);
}

static void test_configuration(void) {
  libsched_config* config = NULL;
  CHECK_OK(libsched_config_parse(
      text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n"
           "- {urlPrefix: 'http://127.0.0.1:1/x', filterVerb: f, httpTimeout: 2s}\n"),
      NULL, &config, err));
  CHECK(libsched_config_extender_count(config) == 1 && libsched_config_extender_count(NULL) == 0);
  libsched_text* json = NULL;
  CHECK_OK(libsched_config_extender_json(config, 0, &json, err));
  CHECK(strstr(libsched_text_get(json).ptr, "\"httpTimeoutNanoseconds\":2000000000") != NULL);
  libsched_text_unref(json);
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "has 1 extenders", libsched_config_extender_json(config, 1, &json, err));
  libsched_framework* framework = NULL;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "extenders", "libsched-net.so",
              libsched_framework_create(config, text(""), NULL, NULL, &framework, err));
  /* libsched-net.so is there, or the error names it. */
  libsched_extender* extender = NULL;
  libsched_error* error = NULL;
  const libsched_rc rc = libsched_config_load_extender(config, 0, &extender, &error);
  if (rc == LIBSCHED_OK)
    CHECK_STR(libsched_extender_name(extender), "http://127.0.0.1:1/x");
  else
    CHECK(rc == LIBSCHED_ERR_UNSUPPORTED && strstr(libsched_error_message(error).ptr, "libsched-net.so") != NULL);
  libsched_error_unref(error);
  libsched_extender_unref(extender);
  libsched_config_unref(config);
}

int main(void) {
  test_decisions();
  test_cycles_and_binding();
  test_preemption();
  test_managed_resources_and_documents();
  test_bad_input();
  test_configuration();
  return finish();
}
