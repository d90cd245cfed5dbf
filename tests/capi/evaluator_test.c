/* Queries: single extension points, many nodes at once, and whole decisions. */
#include <cjson/cJSON.h>

#include "bench.h"

static void pre_filter(bench* b, const libsched_pod* pod) {
  CHECK_OK(libsched_run_pre_filter_plugins(b->evaluator, b->state, pod, b->result, b->status, err));
}

/* The verdict on a node as "code plugin: reason, reason". */
static const char* verdict(bench* b, const libsched_pod* pod, const char* node) {
  static char words[512];
  CHECK_OK(
      libsched_run_filter_plugins(b->evaluator, b->state, pod, text(node), NULL, b->status, err));
  const libsched_code code = libsched_status_code(b->status);
  int n = snprintf(words, sizeof words, "%s", libsched_code_name(code));
  if (code != LIBSCHED_CODE_SUCCESS)
    n += snprintf(words + n, sizeof words - (size_t)n,
                  " %s:", libsched_status_plugin(b->status).ptr);
  for (size_t i = 0; i < libsched_status_reason_count(b->status); ++i)
    n += snprintf(words + n, sizeof words - (size_t)n, "%s %s", i == 0 ? "" : ",",
                  libsched_status_reason(b->status, i).ptr);
  return words;
}

#define CHECK_VERDICT(b, pod, node, expected)                                          \
  do {                                                                                 \
    const char* got_ = verdict(b, pod, node);                                          \
    check_(strcmp(got_, expected) == 0, #node " gives " expected, __FILE__, __LINE__); \
    if (strcmp(got_, expected) != 0) fprintf(stderr, "  it gives %s\n", got_);         \
  } while (0)

static void test_filter(void) {
  bench b = setup();
  libsched_pod* pod = pod_of("p", 2000, "");
  pre_filter(&b, pod);
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK(libsched_prefilter_result_all_nodes(b.result));
  CHECK(libsched_prefilter_result_node_count(b.result) == 0);
  CHECK(libsched_prefilter_result_plugin_count(b.result) == 0);
  CHECK(libsched_cycle_state_skips_filter(b.state, text("NodePorts")));
  CHECK(!libsched_cycle_state_skips_filter(b.state, text("NodeResourcesFit")));
  CHECK_VERDICT(&b, pod, "big", "Success");
  CHECK_STR(libsched_status_plugin(b.status), "");
  CHECK_VERDICT(&b, pod, "small",
                "UnschedulableAndUnresolvable NodeResourcesFit: Insufficient cpu");
  CHECK_VERDICT(&b, pod, "full", "Unschedulable NodeResourcesFit: Insufficient cpu");
  CHECK_VERDICT(&b, pod, "tainted",
                "UnschedulableAndUnresolvable TaintToleration: node(s) had untolerated taint(s)");
  CHECK_VERDICT(&b, pod, "closed",
                "UnschedulableAndUnresolvable NodeUnschedulable: node(s) were unschedulable");

  /* The answer by row is the same. */
  const libsched_view* view = libsched_cluster_view(b.cluster);
  CHECK_OK(filter_row(b.evaluator, b.state, pod, libsched_view_find_node(view, text("full")), false,
                      b.status, err));
  CHECK_STR(libsched_status_reason(b.status, 0), "Insufficient cpu");

  libsched_run_filter_options options = LIBSCHED_RUN_FILTER_OPTIONS_INIT;
  options.row = libsched_view_find_node(view, text("full")); /* says nothing without `by_row` */
  CHECK_OK(
      libsched_run_filter_plugins(b.evaluator, b.state, pod, text("big"), &options, b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_OK(filter_row(b.evaluator, b.state, pod, options.row, false, b.status, err));
  options.by_row = true;
  CHECK_FAILS(
      LIBSCHED_ERR_MISUSE, NULL, "by its name and by its row",
      libsched_run_filter_plugins(b.evaluator, b.state, pod, text("big"), &options, b.status, err));
  options.reserved[5] = true;
  CHECK_FAILS(
      LIBSCHED_ERR_UNSUPPORTED, NULL, "libsched_run_filter_options: reserved",
      libsched_run_filter_plugins(b.evaluator, b.state, pod, text(""), &options, b.status, err));
  options.struct_size = 0;
  CHECK_FAILS(
      LIBSCHED_ERR_MISUSE, NULL, "libsched_run_filter_options.struct_size",
      libsched_run_filter_plugins(b.evaluator, b.state, pod, text(""), &options, b.status, err));

  /* The status of a call that fails stays as it was. */
  CHECK_FAILS(
      LIBSCHED_ERR_NOT_FOUND, NULL, "nowhere",
      libsched_run_filter_plugins(b.evaluator, b.state, pod, text("nowhere"), NULL, b.status, err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, NULL,
              filter_row(b.evaluator, b.state, pod, LIBSCHED_NO_ROW, false, b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK_STR(libsched_status_plugin(b.status), "NodeResourcesFit");

  /* The same state sees the node as it is now. */
  CHECK_OK(libsched_cluster_remove_pod(b.cluster, text("default"), text("hog"), err));
  CHECK_VERDICT(&b, pod, "full", "Success");
  CHECK_OK(libsched_cluster_fork(b.cluster, err));
  add_node(b.cluster, node_of("fresh", 8, "a", ""));
  CHECK_VERDICT(&b, pod, "fresh", "Success");
  CHECK_OK(libsched_cluster_revert(b.cluster, err));
  libsched_pod_unref(pod);
  teardown(&b);
}

static void test_pre_enqueue(void) {
  bench b = setup();
  libsched_pod* gated = pod_of("g", 1, ", \"schedulingGates\": [{\"name\": \"example.com/wait\"}]");
  libsched_pod* plain = pod_of("p", 1, "");
  CHECK_OK(libsched_run_pre_enqueue_plugins(b.evaluator, gated, b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);
  CHECK_STR(libsched_status_plugin(b.status), "SchedulingGates");
  CHECK(strstr(libsched_status_reason(b.status, 0).ptr, "example.com/wait") != NULL);
  CHECK_OK(libsched_run_pre_enqueue_plugins(b.evaluator, plain, b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS &&
        libsched_status_reason_count(b.status) == 0);
  libsched_pod_unref(gated);
  libsched_pod_unref(plain);
  teardown(&b);
}

#define ON_FIELDS(names)                                                                           \
  ", \"affinity\": {\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": {"      \
  "\"nodeSelectorTerms\": [{\"matchFields\": [{\"key\": \"metadata.name\", \"operator\": \"In\", " \
  "\"values\": [" names "]}]}]}}}"

static void test_pre_filter_result(void) {
  bench b = setup();
  libsched_pod* pod = pod_of("p", 100, ON_FIELDS("\"small\""));
  pre_filter(&b, pod);
  CHECK(!libsched_prefilter_result_all_nodes(b.result));
  CHECK(libsched_prefilter_result_node_count(b.result) == 1);
  CHECK_STR(libsched_prefilter_result_node(b.result, 0), "small");
  CHECK(libsched_prefilter_result_node(b.result, 1).len == 0);
  CHECK(libsched_prefilter_result_plugin_count(b.result) == 1);
  CHECK_STR(libsched_prefilter_result_plugin(b.result, 0), "NodeAffinity");
  CHECK(libsched_prefilter_result_plugin(b.result, 1).len == 0);

  /* Filter over many nodes uses it. */
  uint64_t rows[2] = {~UINT64_C(0), ~UINT64_C(0)};
  size_t count = 0;
  uint32_t first = 0;
  CHECK_OK(libsched_filter_nodes(b.evaluator, b.state, pod, NULL, rows, 2, &count, &first, err));
  CHECK(count == 1 && rows[1] == 0);
  CHECK_STR(libsched_node_name(libsched_view_node(libsched_cluster_view(b.cluster), first)),
            "small");
  libsched_pod_unref(pod);

  /* The next pod's result replaces it; `result` may be NULL. */
  pod = pod_of("q", 100, "");
  pre_filter(&b, pod);
  CHECK(libsched_prefilter_result_all_nodes(b.result));
  CHECK_OK(libsched_run_pre_filter_plugins(b.evaluator, b.state, pod, NULL, b.status, err));
  libsched_pod_unref(pod);
  teardown(&b);
}

static size_t bits(const uint64_t* rows, size_t words) {
  size_t n = 0;
  for (size_t i = 0; i < words; ++i)
    for (uint64_t word = rows[i]; word != 0; word &= word - 1) ++n;
  return n;
}

static void test_filter_nodes(void) {
  bench b = setup();
  for (int i = 0; i < 200; ++i) add_node(b.cluster, node_of(format("n%03d", i), 8, "a", ""));
  const libsched_view* view = libsched_cluster_view(b.cluster);
  const size_t words = (libsched_view_row_count(view) + 63) / 64;
  libsched_pod* pod = pod_of("p", 2000, "");
  uint64_t rows[8], small[1] = {7};
  size_t count = 99;
  uint32_t first = 99;

  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, NULL,
              libsched_filter_nodes(b.evaluator, b.state, pod, NULL, rows, 8, &count, &first, err));
  pre_filter(&b, pod);
  CHECK_FAILS(
      LIBSCHED_ERR_BUFFER, NULL, NULL,
      libsched_filter_nodes(b.evaluator, b.state, pod, NULL, small, 1, &count, &first, err));
  CHECK(small[0] == 7 && count == 99 && first == 99);

  CHECK_OK(
      libsched_filter_nodes(b.evaluator, b.state, pod, NULL, rows, words, &count, &first, err));
  CHECK(count == 201 && bits(rows, words) == 201); /* big, and the two hundred new nodes */
  CHECK_OK(libsched_filter_nodes(b.evaluator, b.state, pod, NULL, rows, words, NULL, NULL, err));

  libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
  options.limit = 3;
  CHECK_OK(
      libsched_filter_nodes(b.evaluator, b.state, pod, &options, rows, 8, &count, &first, err));
  CHECK(count == 3 && bits(rows, 8) == 3);

  /* From a start, the first result is the next feasible node in node order. */
  size_t length = 0;
  const uint32_t* order = libsched_view_order(view, &length);
  CHECK(length == 205);
  options.limit = 1;
  for (size_t start = 0; start < length; start += 41) {
    uint64_t all[8];
    libsched_filter_nodes(b.evaluator, b.state, pod, NULL, all, 8, NULL, NULL, NULL);
    size_t at = start;
    while ((all[order[at] / 64] >> (order[at] % 64) & 1) == 0) at = (at + 1) % length;
    options.start = start;
    CHECK_OK(
        libsched_filter_nodes(b.evaluator, b.state, pod, &options, rows, 8, &count, &first, err));
    CHECK(count == 1 && first == order[at]);
  }
  options.start = length + 7; /* wraps around beyond the end */
  CHECK_OK(
      libsched_filter_nodes(b.evaluator, b.state, pod, &options, rows, 8, &count, &first, err));
  CHECK(count == 1);

  /* Only accepted nodes; missing words accept none. */
  const uint32_t wanted = libsched_view_find_node(view, text("n150"));
  uint64_t accept[8] = {0};
  accept[wanted / 64] |= UINT64_C(1) << (wanted % 64);
  options = (libsched_filter_options)LIBSCHED_FILTER_OPTIONS_INIT;
  options.accept = accept;
  options.accept_words = words;
  CHECK_OK(
      libsched_filter_nodes(b.evaluator, b.state, pod, &options, rows, 8, &count, &first, err));
  CHECK(count == 1 && first == wanted);
  options.accept_words = wanted / 64;
  CHECK_OK(
      libsched_filter_nodes(b.evaluator, b.state, pod, &options, rows, 8, &count, &first, err));
  CHECK(count == 0 && first == LIBSCHED_NO_ROW && bits(rows, 8) == 0);

  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  libsched_cancel_set(cancel);
  options = (libsched_filter_options)LIBSCHED_FILTER_OPTIONS_INIT;
  options.cancel = cancel;
  count = 99;
  CHECK_FAILS(
      LIBSCHED_ERR_CANCELLED, NULL, NULL,
      libsched_filter_nodes(b.evaluator, b.state, pod, &options, rows, 8, &count, &first, err));
  CHECK(count == 99);
  libsched_cancel_reset(cancel);
  CHECK_OK(
      libsched_filter_nodes(b.evaluator, b.state, pod, &options, rows, 8, &count, &first, err));
  CHECK(count == 201);
  libsched_cancel_unref(cancel);

  /* Another pod needs its own PreFilter. */
  libsched_pod* other = pod_of("other", 1, "");
  CHECK_FAILS(
      LIBSCHED_ERR_STATE, NULL, NULL,
      libsched_filter_nodes(b.evaluator, b.state, other, NULL, rows, 8, &count, &first, err));
  CHECK_FAILS(
      LIBSCHED_ERR_STATE, NULL, NULL,
      libsched_run_filter_plugins(b.evaluator, b.state, other, text("big"), NULL, b.status, err));
  struct {
    libsched_filter_options options;
    uint64_t newer;
  } future = {LIBSCHED_FILTER_OPTIONS_INIT, 1};
  future.options.struct_size = sizeof future;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_filter_nodes(b.evaluator, b.state, pod, &future.options, rows, 8, &count,
                                    &first, err));
  libsched_pod_unref(other);
  libsched_pod_unref(pod);
  teardown(&b);
}

static const char* string_at(const cJSON* object, const char* key) {
  const char* found = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
  return found == NULL ? "" : found;
}

static void test_decision(void) {
  bench b = setup();
  libsched_pod *pod = pod_of("p", 2000, ""), *huge = pod_of("huge", 64000, "");
  libsched_decision *fit = NULL, *none = NULL, *one = NULL;
  CHECK_OK(libsched_check_pod_fits(b.evaluator, pod, LIBSCHED_ANY_NODE, NULL, &fit, err));
  CHECK_OK(libsched_check_pod_fits(b.evaluator, huge, LIBSCHED_ANY_NODE, NULL, &none, err));
  CHECK_OK(libsched_check_pod_fits(b.evaluator, pod, LIBSCHED_STR("full"), NULL, &one, err));
  libsched_decision* missing = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "nowhere",
              libsched_check_pod_fits(b.evaluator, pod, text("nowhere"), NULL, &missing, err));
  CHECK(missing == UNTOUCHED);
  /* Decisions stay valid after the cluster has changed and been released. */
  CHECK_OK(libsched_cluster_remove_node(b.cluster, text("big"), err));
  teardown(&b);

  CHECK(libsched_decision_feasible_count(fit) == 1);
  CHECK_STR(libsched_decision_feasible(fit, 0), "big");
  CHECK(libsched_decision_feasible(fit, 1).len == 0);
  CHECK_STR(libsched_decision_fit_error(fit), "");
  static const struct {
    const char *node, *plugin;
    libsched_code code;
  } expected[] = {{"big", "", LIBSCHED_CODE_SUCCESS},
                  {"closed", "NodeUnschedulable", LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE},
                  {"full", "NodeResourcesFit", LIBSCHED_CODE_UNSCHEDULABLE},
                  {"small", "NodeResourcesFit", LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE},
                  {"tainted", "TaintToleration", LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE}};
  CHECK(libsched_decision_node_count(fit) == 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK_STR(libsched_decision_node(fit, i), expected[i].node);
    CHECK_STR(libsched_decision_plugin(fit, i), expected[i].plugin);
    CHECK(libsched_decision_code(fit, i) == expected[i].code);
    CHECK(libsched_decision_reason_count(fit, i) ==
          (expected[i].code == LIBSCHED_CODE_SUCCESS ? 0 : 1));
  }
  CHECK_STR(libsched_decision_reason(fit, 2, 0), "Insufficient cpu");
  CHECK(libsched_decision_reason(fit, 2, 1).len == 0);
  CHECK(libsched_decision_node(fit, 5).len == 0 && libsched_decision_reason_count(fit, 5) == 0);

  CHECK(libsched_decision_feasible_count(none) == 0);
  CHECK_STR(libsched_decision_fit_error(none),
            "0/5 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were "
            "unschedulable, 3 Insufficient cpu.");
  CHECK(libsched_decision_node_count(one) == 1);
  CHECK_STR(libsched_decision_node(one, 0), "full");

  libsched_text* explanation = NULL;
  CHECK_OK(libsched_decision_explain_json(fit, &explanation, err));
  cJSON* document = cJSON_Parse(libsched_text_get(explanation).ptr);
  CHECK(strcmp(string_at(document, "pod"), "default/p") == 0);
  CHECK(strcmp(string_at(document, "profile"), "default-scheduler") == 0);
  CHECK(cJSON_IsTrue(cJSON_GetObjectItem(document, "fits")));
  const cJSON* nodes = cJSON_GetObjectItem(document, "nodes");
  CHECK(cJSON_GetArraySize(nodes) == 5);
  const cJSON* tainted = cJSON_GetArrayItem(nodes, 4);
  CHECK(strcmp(string_at(tainted, "node"), "tainted") == 0);
  CHECK(strcmp(string_at(tainted, "code"), "UnschedulableAndUnresolvable") == 0);
  CHECK(strcmp(string_at(tainted, "plugin"), "TaintToleration") == 0);
  CHECK(cJSON_GetArraySize(cJSON_GetObjectItem(document, "feasible")) == 1);
  cJSON_Delete(document);
  libsched_text_unref(explanation);

  libsched_decision* again = libsched_decision_ref(fit);
  libsched_decision_unref(fit);
  CHECK(libsched_decision_node_count(again) == 5);
  libsched_decision_unref(again);
  libsched_decision_unref(none);
  libsched_decision_unref(one);
  libsched_decision_unref(NULL);
  libsched_pod_unref(pod);
  libsched_pod_unref(huge);
}

/* Nodes that PreFilter excluded are judged only on request, and marked. */
static void test_judge_excluded(void) {
  bench b = setup();
  libsched_pod* pod = pod_of("p", 2000, ON_FIELDS("\"small\""));
  libsched_decision *few = NULL, *all = UNTOUCHED;
  CHECK_OK(libsched_check_pod_fits(b.evaluator, pod, LIBSCHED_ANY_NODE, NULL, &few, err));
  CHECK(libsched_decision_node_count(few) == 1);
  CHECK_STR(libsched_decision_fit_error(few),
            "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) "
            "[NodeAffinity].");
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.judge_excluded = true;
  CHECK_OK(libsched_check_pod_fits(b.evaluator, pod, LIBSCHED_ANY_NODE, &options, &all, err));
  CHECK(libsched_decision_node_count(all) == 5);
  libsched_text* explanation = NULL;
  CHECK_OK(libsched_decision_explain_json(all, &explanation, err));
  cJSON* document = cJSON_Parse(libsched_text_get(explanation).ptr);
  int marked = 0;
  const cJSON* node;
  cJSON_ArrayForEach(node, cJSON_GetObjectItem(document, "nodes")) marked +=
      cJSON_IsTrue(cJSON_GetObjectItem(node, "excludedByPreFilter"));
  CHECK(marked == 4);
  cJSON_Delete(document);
  libsched_text_unref(explanation);
  libsched_decision_unref(few);
  libsched_decision_unref(all);
  libsched_pod_unref(pod);
  teardown(&b);
}

/* A pod whose claim does not exist. */
static void test_claims_of_devices(void) {
  bench b = setup();
  libsched_pod* pod = pod_of(
      "p", 100, ", \"resourceClaims\": [{\"name\": \"c\", \"resourceClaimName\": \"claim\"}]");
  CHECK(libsched_run_pre_filter_plugins(b.evaluator, b.state, pod, b.result, b.status, NULL) ==
        LIBSCHED_OK);
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);
  CHECK_STR(libsched_status_plugin(b.status), "DynamicResources");
  libsched_pod_unref(pod);
  teardown(&b);
}

static void test_pre_filter_extensions(void) {
  bench b = setup();
  libsched_pod* pod = pod_of("p", 1,
                             ", \"affinity\": {\"podAntiAffinity\": {"
                             "\"requiredDuringSchedulingIgnoredDuringExecution\": [{"
                             "\"topologyKey\": \"topology.kubernetes.io/zone\", "
                             "\"labelSelector\": {\"matchLabels\": {\"app\": \"o\"}}}]}}");
  libsched_pod* other = pod_of("o", 1, "");
  CHECK_OK(libsched_run_pre_filter_extension_add_pod(b.evaluator, b.state, pod, other, text("big"),
                                                     b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_ERROR);
  CHECK(strstr(libsched_status_reason(b.status, 0).ptr, "from cycleState") != NULL);
  pre_filter(&b, pod);
  CHECK_VERDICT(&b, pod, "big", "Success");
  CHECK_OK(libsched_run_pre_filter_extension_add_pod(b.evaluator, b.state, pod, other, text("big"),
                                                     b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_VERDICT(&b, pod, "big",
                "Unschedulable InterPodAffinity: node(s) didn't match pod anti-affinity rules");
  CHECK_VERDICT(&b, pod, "small", "Success");
  CHECK_OK(libsched_run_pre_filter_extension_remove_pod(b.evaluator, b.state, pod, other,
                                                        text("big"), b.status, err));
  CHECK_VERDICT(&b, pod, "big", "Success");
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "nowhere",
              libsched_run_pre_filter_extension_remove_pod(b.evaluator, b.state, pod, other,
                                                           text("nowhere"), b.status, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_run_pre_filter_extension_add_pod(b.evaluator, b.state, pod, NULL,
                                                        text("big"), b.status, err));
  libsched_pod_unref(other);
  libsched_pod_unref(pod);
  teardown(&b);
}

static void test_null_handles(void) {
  bench b = setup();
  libsched_pod* pod = pod_of("p", 1, "");
  libsched_evaluator* evaluator = UNTOUCHED;
  libsched_decision* decision = UNTOUCHED;
  libsched_text* json = UNTOUCHED;
  uint64_t rows[1];
#define MISUSED(call) CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, call)
  MISUSED(libsched_evaluator_create(NULL, b.cluster, NULL, &evaluator, err));
  MISUSED(libsched_evaluator_create(b.framework, NULL, NULL, &evaluator, err));
  MISUSED(libsched_evaluator_create(b.framework, b.cluster, NULL, NULL, err));
  MISUSED(evaluate_snapshot(b.framework, NULL, &evaluator, err));
  libsched_evaluator_options how = LIBSCHED_EVALUATOR_OPTIONS_INIT;
  CHECK_OK(libsched_cluster_snapshot(b.cluster, (libsched_snapshot**)&how.snapshot, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "cluster and options->snapshot are both given",
              libsched_evaluator_create(b.framework, b.cluster, &how, &evaluator, err));
  how.reserved = 1;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "libsched_evaluator_options: reserved",
              libsched_evaluator_create(b.framework, NULL, &how, &evaluator, err));
  how.struct_size = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "libsched_evaluator_options.struct_size",
              libsched_evaluator_create(b.framework, NULL, &how, &evaluator, err));
  libsched_snapshot_unref((libsched_snapshot*)how.snapshot);
  MISUSED(libsched_prefilter_result_create(NULL, err));
  MISUSED(libsched_run_pre_enqueue_plugins(NULL, pod, b.status, err));
  MISUSED(libsched_run_pre_enqueue_plugins(b.evaluator, NULL, b.status, err));
  MISUSED(libsched_run_pre_enqueue_plugins(b.evaluator, pod, NULL, err));
  MISUSED(libsched_run_pre_filter_plugins(NULL, b.state, pod, b.result, b.status, err));
  MISUSED(libsched_run_pre_filter_plugins(b.evaluator, NULL, pod, b.result, b.status, err));
  MISUSED(libsched_run_pre_filter_plugins(b.evaluator, b.state, NULL, b.result, b.status, err));
  MISUSED(libsched_run_pre_filter_plugins(b.evaluator, b.state, pod, b.result, NULL, err));
  MISUSED(libsched_run_filter_plugins(NULL, b.state, pod, text("big"), NULL, b.status, err));
  MISUSED(libsched_run_filter_plugins(b.evaluator, NULL, pod, text("big"), NULL, b.status, err));
  MISUSED(
      libsched_run_filter_plugins(b.evaluator, b.state, NULL, text("big"), NULL, b.status, err));
  MISUSED(libsched_run_filter_plugins(b.evaluator, b.state, pod, text("big"), NULL, NULL, err));
  MISUSED(filter_row(NULL, b.state, pod, 0, false, b.status, err));
  MISUSED(libsched_filter_nodes(NULL, b.state, pod, NULL, rows, 1, NULL, NULL, err));
  MISUSED(libsched_filter_nodes(b.evaluator, b.state, pod, NULL, NULL, 1, NULL, NULL, err));
  MISUSED(libsched_check_pod_fits(NULL, pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
  MISUSED(libsched_check_pod_fits(b.evaluator, NULL, LIBSCHED_ANY_NODE, NULL, &decision, err));
  MISUSED(libsched_check_pod_fits(b.evaluator, pod, LIBSCHED_ANY_NODE, NULL, NULL, err));
  MISUSED(libsched_decision_explain_json(NULL, &json, err));
  CHECK(evaluator == UNTOUCHED && decision == UNTOUCHED && json == UNTOUCHED);
  libsched_evaluator_unref(NULL);
  libsched_prefilter_result_unref(NULL);
  CHECK(libsched_prefilter_result_node_count(NULL) == 0 &&
        libsched_prefilter_result_plugin_count(NULL) == 0);
  CHECK(libsched_prefilter_result_node(NULL, 0).len == 0 &&
        libsched_prefilter_result_plugin(NULL, 0).len == 0);
  libsched_prefilter_result_all_nodes(NULL);
  libsched_prefilter_result_set_nodes(NULL, NULL, 0);
  CHECK(libsched_decision_ref(NULL) == NULL && libsched_decision_feasible_count(NULL) == 0);
  CHECK(libsched_decision_feasible(NULL, 0).len == 0 && libsched_decision_node_count(NULL) == 0);
  CHECK(libsched_decision_node(NULL, 0).len == 0 && libsched_decision_plugin(NULL, 0).len == 0);
  libsched_decision_code(NULL, 0);
  CHECK(libsched_decision_reason_count(NULL, 0) == 0 &&
        libsched_decision_reason(NULL, 0, 0).len == 0);
  CHECK(libsched_decision_fit_error(NULL).len == 0);
  libsched_pod_unref(pod);
  teardown(&b);
}

/* Any order of release is legal: each of the 120 orders of five handles. */
static void release_in_order(const int* order) {
  bench b = setup();
  libsched_snapshot* snapshot = NULL;
  libsched_evaluator* on_snapshot = NULL;
  CHECK_OK(libsched_cluster_snapshot(b.cluster, &snapshot, err));
  CHECK_OK(evaluate_snapshot(b.framework, snapshot, &on_snapshot, err));
  libsched_pod* pod = pod_of("p", 100, "");
  pre_filter(&b, pod);
  for (int i = 0; i < 5; ++i) {
    switch (order[i]) {
      case 0:
        libsched_framework_unref(b.framework);
        b.framework = NULL;
        break;
      case 1:
        libsched_cluster_unref(b.cluster);
        b.cluster = NULL;
        break;
      case 2:
        libsched_evaluator_unref(b.evaluator);
        b.evaluator = NULL;
        break;
      case 3: libsched_snapshot_unref(snapshot); break;
      default:
        libsched_evaluator_unref(on_snapshot);
        on_snapshot = NULL;
        break;
    }
    /* A remaining evaluator still answers. */
    if (b.evaluator != NULL) CHECK_VERDICT(&b, pod, "big", "Success");
    libsched_decision* decision = NULL;
    if (on_snapshot != NULL) {
      CHECK_OK(libsched_check_pod_fits(on_snapshot, pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
      CHECK(libsched_decision_feasible_count(decision) == 2);
      libsched_decision_unref(decision);
    }
  }
  libsched_pod_unref(pod);
  teardown(&b);
}

static void test_release_orders(void) {
  int order[5];
  for (int n = 0; n < 120; ++n) { /* the n-th permutation, in factorial digits */
    int left[5] = {0, 1, 2, 3, 4}, rest = n;
    for (int i = 0; i < 5; ++i) {
      const int size = 5 - i, at = rest % size;
      rest /= size;
      order[i] = left[at];
      left[at] = left[size - 1];
    }
    release_in_order(order);
  }
}

/* A state keeps its framework: it may be used, cloned and released after the framework is released,
   and no later framework is mistaken for it. */
static void test_state_outlives_framework(void) {
  bench b = setup();
  libsched_pod* pod = pod_of("p", 100, "");
  pre_filter(&b, pod);
  libsched_framework_unref(b.framework);
  libsched_evaluator_unref(b.evaluator);
  CHECK(libsched_cycle_state_skips_filter(b.state, text("NodePorts")));
  b.framework = default_framework();
  CHECK_OK(libsched_evaluator_create(b.framework, b.cluster, NULL, &b.evaluator, err));
  CHECK_FAILS(
      LIBSCHED_ERR_MISUSE, NULL, "another framework",
      libsched_run_filter_plugins(b.evaluator, b.state, pod, text("big"), NULL, b.status, err));
  libsched_cycle_state* clone = NULL;
  CHECK_OK(libsched_cycle_state_clone(b.state, &clone, err));
  libsched_cycle_state_unref(b.state);
  b.state = clone;
  CHECK(!libsched_cycle_state_skips_filter(clone, text("NodeName")));
  libsched_pod_unref(pod);
  teardown(&b);
}

/* PreFilter's results belong to its pod: another pod is refused until PreFilter has run for
   it. */
static void test_another_pod(void) {
  bench b = setup();
  libsched_pod *first = pod_of("first", 100, ""), *second = pod_of("second", 100, "");
  pre_filter(&b, first);
  CHECK_VERDICT(&b, first, "big", "Success");
  libsched_pod_unref(first);
  CHECK_FAILS(
      LIBSCHED_ERR_STATE, NULL, "another pod",
      libsched_run_filter_plugins(b.evaluator, b.state, second, text("big"), NULL, b.status, err));
  pre_filter(&b, second);
  CHECK_VERDICT(&b, second, "big", "Success");
  libsched_pod_unref(second);
  teardown(&b);
}

int main(void) {
  test_filter();
  test_another_pod();
  test_pre_enqueue();
  test_pre_filter_result();
  test_filter_nodes();
  test_decision();
  test_judge_excluded();
  test_claims_of_devices();
  test_pre_filter_extensions();
  test_null_handles();
  test_release_orders();
  test_state_outlives_framework();
  return finish();
}
