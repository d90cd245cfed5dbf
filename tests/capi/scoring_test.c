/* Scores, cycles, and assumed pods, with a Score plugin in C so that the numbers are known.
 */
#include "fixture.h"

/* The score of a node is its CPUs, times two if `doubled`; the batch slot writes the same. */
typedef struct scorer {
  bool skip, normalize;
  libsched_code fail;       /* the answer of every slot */
  const char* fail_on;      /* Score of this node fails */
  const char* refuse;       /* Reserve refuses this node */
  libsched_cluster* meddle; /* Reserve tries to change it */
  int64_t constant;         /* added to every score */
  int pre_scores, scores, batches, normalizes, reserves, unreserves;
  size_t nodes_seen;
} scorer;

static libsched_code say(const scorer* s, libsched_status* status) {
  if (s->fail != LIBSCHED_CODE_SUCCESS)
    libsched_status_add_reason(status, LIBSCHED_STR("scale broke"));
  return s->fail;
}

static libsched_code pre_score(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                               const libsched_node_set* nodes, libsched_status* status) {
  scorer* s = instance;
  ++s->pre_scores;
  s->nodes_seen = libsched_node_set_count(nodes);
  CHECK(libsched_pod_name(pod).len > 0);
  CHECK_OK(libsched_cycle_state_write(state, LIBSCHED_STR("scale"), s, NULL, NULL, err));
  if (s->skip) return LIBSCHED_CODE_SKIP;
  return s->scores == -1 ? say(s, status) : LIBSCHED_CODE_SUCCESS; /* -1: only PreScore fails */
}

static int64_t cpus(const libsched_node_info* info) {
  return libsched_node_info_allocatable(info, LIBSCHED_STR("cpu")) / 1000;
}

static libsched_code score(void* instance, const libsched_cycle_state* state,
                           const libsched_pod* pod, const libsched_node_info* node, int64_t* out,
                           libsched_status* status) {
  scorer* s = instance;
  (void)pod;
  ++s->scores;
  CHECK(libsched_cycle_state_read(state, LIBSCHED_STR("scale")) == s);
  *out = cpus(node) + s->constant;
  if (s->fail_on != NULL && str_is(libsched_node_name(libsched_node_info_node(node)), s->fail_on))
    return say(s, status);
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_code score_batch(void* instance, const libsched_cycle_state* state,
                                 const libsched_pod* pod, const libsched_node_set* nodes,
                                 int64_t* scores, libsched_status* status) {
  scorer* s = instance;
  (void)state, (void)pod;
  ++s->batches;
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i)
    scores[i] = cpus(libsched_node_set_at(nodes, i)) + s->constant;
  return s->fail_on != NULL ? say(s, status) : LIBSCHED_CODE_SUCCESS;
}

static libsched_code normalize(void* instance, const libsched_cycle_state* state,
                               const libsched_pod* pod, const libsched_node_set* nodes,
                               int64_t* scores, libsched_status* status) {
  scorer* s = instance;
  (void)state, (void)pod;
  ++s->normalizes;
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i) scores[i] *= 10;
  return s->normalize ? LIBSCHED_CODE_SUCCESS : say(s, status);
}

static libsched_code reserve(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                             uint32_t row, libsched_str node_name, libsched_status* status) {
  scorer* s = instance;
  (void)state, (void)pod;
  ++s->reserves;
  CHECK(row != LIBSCHED_NO_ROW && node_name.len > 0);
  if (s->meddle != NULL)
    CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "may not change",
                libsched_cluster_remove_node(s->meddle, node_name, err));
  if (s->refuse == NULL || !str_is(node_name, s->refuse)) return LIBSCHED_CODE_SUCCESS;
  libsched_status_add_reason(status, LIBSCHED_STR("taken"));
  return s->fail != LIBSCHED_CODE_SUCCESS ? s->fail : LIBSCHED_CODE_UNSCHEDULABLE;
}

static void unreserve(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                      uint32_t row, libsched_str node_name) {
  (void)state, (void)pod, (void)row, (void)node_name;
  ++((scorer*)instance)->unreserves;
}

static libsched_plugin plugin_of(bool batch, bool normalizes) {
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = LIBSCHED_STR("Scale");
  p.pre_score = pre_score;
  p.score = score;
  if (batch) p.score_batch = score_batch;
  if (normalizes) p.normalize_score = normalize;
  p.reserve = reserve;
  p.unreserve = unreserve;
  return p;
}

/* Upstream's filters, and Scale with weight 3 as the only scorer. */
static const char* const kConfig =
    "apiVersion: kubescheduler.config.k8s.io/v1\n"
    "kind: KubeSchedulerConfiguration\n"
    "profiles:\n"
    "- plugins:\n"
    "    preScore: {disabled: [{name: '*'}], enabled: [{name: Scale}]}\n"
    "    score: {disabled: [{name: '*'}], enabled: [{name: Scale, weight: 3}]}\n"
    "    reserve: {disabled: [{name: '*'}], enabled: [{name: Scale}]}\n";

typedef struct bench {
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator* evaluator;
  libsched_cycle_state* state;
  libsched_status* status;
  libsched_pod* pod;
} bench;

static bench setup(const libsched_plugin* plugin, scorer* s) {
  bench b = {.cluster = five_nodes(), .pod = pod_of("p", 500, "")};
  libsched_registry* registry = NULL;
  libsched_config* config = NULL;
  CHECK_OK(libsched_config_parse(text(kConfig), NULL, &config, err));
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, plugin, s, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &b.framework, err));
  libsched_registry_unref(registry);
  libsched_config_unref(config);
  add_node(b.cluster, node_of("wide", 8, "c", ""));
  CHECK_OK(libsched_evaluator_create(b.framework, b.cluster, NULL, &b.evaluator, err));
  CHECK_OK(libsched_cycle_state_create(&b.state, err));
  CHECK_OK(libsched_status_create(&b.status, err));
  return b;
}

static void teardown(bench* b) {
  libsched_framework_unref(b->framework);
  libsched_cluster_unref(b->cluster);
  libsched_evaluator_unref(b->evaluator);
  libsched_cycle_state_unref(b->state);
  libsched_status_unref(b->status);
  libsched_pod_unref(b->pod);
}

static libsched_decision* scored(bench* b) {
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_decision* decision = NULL;
  options.score = true;
  CHECK_OK(
      libsched_check_pod_fits(b->evaluator, b->pod, LIBSCHED_ANY_NODE, &options, &decision, err));
  return decision;
}

/* Of the five nodes and wide, big (8), small (1) and wide (8) take the pod. */
static void check_table(const libsched_score_table* t, int64_t factor) {
  CHECK(libsched_score_table_row_count(t) == 3 && libsched_score_table_column_count(t) == 1);
  CHECK_STR(libsched_score_table_plugin(t, 0), "Scale");
  CHECK(libsched_score_table_plugin(t, 1).len == 0 && libsched_score_table_weight(t, 1) == 0);
  CHECK(libsched_score_table_weight(t, 0) == 3);
  CHECK(libsched_score_table_raw(t, 1) == NULL && libsched_score_table_normalized(t, 1) == NULL &&
        libsched_score_table_weighted(t, 1) == NULL);
  int64_t sum = 0;
  for (size_t i = 0; i < libsched_score_table_row_count(t); ++i) {
    const int64_t raw = libsched_score_table_raw(t, 0)[i];
    sum += raw;
    CHECK(libsched_score_table_normalized(t, 0)[i] == raw * factor);
    CHECK(libsched_score_table_weighted(t, 0)[i] == raw * factor * 3);
    CHECK(libsched_score_table_totals(t)[i] == raw * factor * 3);
  }
  CHECK(sum == 8 + 1 + 8);
}

static void test_decision(bool batch, bool normalizes) {
  scorer s = {.normalize = true};
  const libsched_plugin plugin = plugin_of(batch, normalizes);
  bench b = setup(&plugin, &s);
  libsched_decision* d = scored(&b);
  CHECK(s.pre_scores == 1 && s.nodes_seen == 3 && s.normalizes == (normalizes ? 1 : 0));
  CHECK(batch ? s.batches == 1 && s.scores == 0 : s.batches == 0 && s.scores == 3);
  CHECK_OK(libsched_cluster_remove_node(b.cluster, text("big"), err)); /* the decision is kept */
  const libsched_score_table* t = libsched_decision_scores(d);
  check_table(t, normalizes ? 10 : 1);
  const uint32_t* rows = libsched_score_table_rows(t);
  CHECK_STR(libsched_decision_node(d, rows[0]), "big");
  CHECK_STR(libsched_decision_node(d, rows[1]), "small");
  CHECK_STR(libsched_decision_node(d, rows[2]), "wide");
  size_t count = 0;
  const uint32_t* best = libsched_decision_best(d, &count);
  CHECK(count == 2 && best[0] == rows[0] && best[1] == rows[2]);
  CHECK(libsched_decision_best(d, NULL) == best);
  CHECK(libsched_decision_skip_score_count(d) == 0 && libsched_decision_skip_score(d, 0).len == 0);
  CHECK(libsched_decision_score_error(d).len == 0 && libsched_decision_error(d).len == 0);
  CHECK(!libsched_decision_gate(d, b.status));
  const int8_t* codes = libsched_decision_codes(d);
  for (size_t i = 0; i < libsched_decision_node_count(d); ++i) {
    CHECK(codes[i] == libsched_decision_code(d, i));
    CHECK(!libsched_decision_excluded(d, i));
  }
  libsched_decision_unref(d);
  teardown(&b);
}

static void test_skip(void) {
  scorer s = {.skip = true};
  const libsched_plugin plugin = plugin_of(false, false);
  bench b = setup(&plugin, &s);
  libsched_decision* d = scored(&b);
  CHECK(s.scores == 0 && libsched_decision_skip_score_count(d) == 1);
  CHECK_STR(libsched_decision_skip_score(d, 0), "Scale");
  const libsched_score_table* t = libsched_decision_scores(d);
  CHECK(libsched_score_table_column_count(t) == 0 && libsched_score_table_row_count(t) == 3);
  CHECK(libsched_score_table_totals(t)[0] == 0);
  libsched_decision_unref(d);

  /* Scores exist only on request. */
  CHECK_OK(libsched_check_pod_fits(b.evaluator, b.pod, LIBSCHED_ANY_NODE, NULL, &d, err));
  CHECK(libsched_decision_scores(d) == NULL && libsched_decision_best(d, NULL) == NULL);
  libsched_decision_unref(d);
  teardown(&b);
}

/* Upstream's error texts. */
static void check_score_error(const libsched_plugin* plugin, scorer s, const char* expected) {
  bench b = setup(plugin, &s);
  libsched_decision* d = scored(&b);
  CHECK_STR(libsched_decision_score_error(d), expected);
  size_t count = 9;
  CHECK(libsched_decision_scores(d) == NULL && libsched_decision_best(d, &count) == NULL);
  CHECK(count == 0 && libsched_decision_feasible_count(d) == 3);
  libsched_decision_unref(d);
  teardown(&b);
}

static void test_errors(void) {
  const libsched_plugin scalar = plugin_of(false, false), batch = plugin_of(true, false);
  const libsched_plugin normalizing = plugin_of(false, true);
  const scorer node = {.fail = LIBSCHED_CODE_ERROR, .fail_on = "big"};
  check_score_error(&scalar, node,
                    "running Score plugins: plugin \"Scale\" failed with: scale broke");
  check_score_error(&batch, node,
                    "running Score plugins: plugin \"Scale\" failed with: scale broke");
  check_score_error(&scalar, (scorer){.fail = 77, .fail_on = "wide"},
                    "running Score plugins: plugin \"Scale\" failed with: plugin \"Scale\" "
                    "returned the unknown code 77");
  check_score_error(&normalizing, (scorer){.fail = LIBSCHED_CODE_ERROR},
                    "running Normalize on Score plugins: plugin \"Scale\" failed with: scale "
                    "broke");
  check_score_error(&scalar, (scorer){.fail = LIBSCHED_CODE_ERROR, .scores = -1},
                    "running PreScore plugin \"Scale\": scale broke");
  check_score_error(&batch, (scorer){.constant = 98},
                    "applying score defaultWeights on Score plugins: plugin \"Scale\" returns an "
                    "invalid score 106, it should in the range of [0, 100] after normalizing");
}

static void test_extension_points(void) {
  scorer s = {.normalize = true};
  const libsched_plugin plugin = plugin_of(true, false);
  bench b = setup(&plugin, &s);
  const libsched_view* view = libsched_cluster_view(b.cluster);
  uint64_t rows[1] = {0};
  int64_t totals[64];
  libsched_score_table* table = NULL;
  CHECK_OK(libsched_score_table_create(&table, err));
  CHECK_OK(libsched_run_pre_filter_plugins(b.evaluator, b.state, b.pod, NULL, b.status, err));
  libsched_pod* stranger = NULL;
  CHECK_OK(libsched_pod_copy(b.pod, text("stranger"), text("d"), text("uid-stranger"), text(""),
                             &stranger, err));
  CHECK_FAILS(
      LIBSCHED_ERR_STATE, NULL, "another pod",
      libsched_run_pre_score_plugins(b.evaluator, b.state, stranger, rows, 1, b.status, err));
  libsched_pod_unref(stranger);
  CHECK_OK(libsched_filter_nodes(b.evaluator, b.state, b.pod, NULL, rows, 1, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_BUFFER, NULL, NULL,
              libsched_run_pre_score_plugins(b.evaluator, b.state, b.pod, rows, 0, b.status, err));
  CHECK_OK(libsched_run_pre_score_plugins(b.evaluator, b.state, b.pod, rows, 1, b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK(!libsched_cycle_state_skips_score(b.state, text("Scale")));
  CHECK_FAILS(LIBSCHED_ERR_BUFFER, NULL, NULL,
              libsched_run_score_plugins(b.evaluator, b.state, b.pod, rows, 1, totals, 63, NULL,
                                         b.status, err));
  CHECK_OK(libsched_run_score_plugins(b.evaluator, b.state, b.pod, rows, 1, totals, 64, table,
                                      b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK(totals[libsched_view_find_node(view, text("big"))] == 24);
  CHECK(totals[libsched_view_find_node(view, text("small"))] == 3);
  check_table(table, 1);
  for (size_t i = 0; i < 3; ++i)
    CHECK(libsched_score_table_totals(table)[i] == totals[libsched_score_table_rows(table)[i]]);

  /* An Error of the extension point empties the table. */
  s.constant = 1000;
  CHECK_OK(libsched_run_score_plugins(b.evaluator, b.state, b.pod, rows, 1, NULL, 0, table,
                                      b.status, err));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_ERROR);
  CHECK(libsched_score_table_row_count(table) == 0);
  s.skip = true;
  CHECK_OK(libsched_run_pre_score_plugins(b.evaluator, b.state, b.pod, rows, 1, b.status, err));
  CHECK(libsched_cycle_state_skips_score(b.state, text("Scale")));
  libsched_score_table_unref(table);
  teardown(&b);
}

static void test_cycle(void) {
  scorer s = {.normalize = true};
  const libsched_plugin plugin = plugin_of(true, false);
  bench b = setup(&plugin, &s);
  libsched_cycle_options options = LIBSCHED_CYCLE_OPTIONS_INIT;
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
#define CYCLE(pod) libsched_run_cycle(b.evaluator, b.state, pod, &options, &outcome, b.status, err)
  options.ties = LIBSCHED_TIES_NAME;
  CHECK_OK(CYCLE(b.pod));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_STR(outcome.node_name, "big");
  CHECK_STR(libsched_node_name(outcome.node), "big");
  CHECK(outcome.row == libsched_view_find_node(libsched_cluster_view(b.cluster), text("big")));
  CHECK(outcome.total == 24 && outcome.feasible == 3 && outcome.evaluated == 6);
  CHECK(libsched_evaluator_next_start(b.evaluator) == 0);

  /* Different seeds choose both best nodes, and never small. */
  int seen_big = 0, seen_wide = 0;
  options.ties = LIBSCHED_TIES_RANDOM;
  for (options.seed = 0; options.seed < 32; ++options.seed) {
    CHECK_OK(CYCLE(b.pod));
    seen_big += str_is(outcome.node_name, "big");
    seen_wide += str_is(outcome.node_name, "wide");
  }
  CHECK(seen_big > 0 && seen_wide > 0 && seen_big + seen_wide == 32);
  options.ties = LIBSCHED_TIES_UPSTREAM;
  CHECK_OK(libsched_run_cycle(b.evaluator, b.state, b.pod, NULL, &outcome, b.status, err));
  CHECK(outcome.total == 24);

  /* A sampled cycle advances the start. */
  options.sampling = true;
  libsched_evaluator_set_next_start(b.evaluator, 4);
  CHECK_OK(CYCLE(b.pod));
  CHECK(libsched_evaluator_next_start(b.evaluator) == 4); /* all six were judged */
  options.sampling = false;

  libsched_pod* huge = pod_of("huge", 64000, "");
  CHECK_OK(CYCLE(huge));
  CHECK(outcome.row == LIBSCHED_NO_ROW && outcome.node == NULL && outcome.node_name.len == 0);
  CHECK(outcome.feasible == 0 && outcome.evaluated == 6);
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK(libsched_status_reason_count(b.status) == 0);
  options.fit_error = true;
  CHECK_OK(CYCLE(huge));
  CHECK(outcome.row == LIBSCHED_NO_ROW);
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK_STR(libsched_status_plugin(b.status), ""); /* several plugins rejected it */
  CHECK(libsched_status_reason_count(b.status) == 1);
  libsched_decision* explained = NULL;
  CHECK_OK(libsched_check_pod_fits(b.evaluator, huge, LIBSCHED_ANY_NODE, NULL, &explained, err));
  CHECK_STR(libsched_status_reason(b.status, 0), libsched_decision_fit_error(explained).ptr);
  CHECK(strstr(libsched_status_reason(b.status, 0).ptr, "0/6 nodes are available: ") != NULL);
  libsched_decision_unref(explained);
  options.fit_error = false;
  libsched_pod_unref(huge);

  /* An older caller's shorter struct is not written beyond its end. */
  outcome = (libsched_cycle_outcome)LIBSCHED_CYCLE_OUTCOME_INIT;
  outcome.struct_size = offsetof(libsched_cycle_outcome, total);
  outcome.total = 5;
  CHECK_OK(CYCLE(b.pod));
  CHECK(outcome.total == 5 && outcome.node != NULL &&
        outcome.struct_size == offsetof(libsched_cycle_outcome, total));
  outcome.struct_size = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "struct_size", CYCLE(b.pod));
  outcome.struct_size = sizeof outcome;

  options.struct_size = 1u << 20;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "struct_size", CYCLE(b.pod));
  options.struct_size = sizeof options;
  options.reserved[5] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL, CYCLE(b.pod));
  options.reserved[5] = false;
  options.ties = 3;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL, CYCLE(b.pod));
  options.ties = 0;
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  libsched_cancel_set(cancel);
  options.cancel = cancel;
  CHECK_FAILS(LIBSCHED_ERR_CANCELLED, NULL, NULL, CYCLE(b.pod));

  libsched_check_options check = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_decision* decision = UNTOUCHED;
  check.cancel = cancel;
  CHECK_FAILS(
      LIBSCHED_ERR_CANCELLED, NULL, NULL,
      libsched_check_pod_fits(b.evaluator, b.pod, LIBSCHED_ANY_NODE, &check, &decision, err));
  CHECK(decision == UNTOUCHED);
  libsched_cancel_unref(cancel);
  teardown(&b);
}

static size_t pods_of(const bench* b) {
  return libsched_view_pod_count(libsched_cluster_view(b->cluster));
}

static void test_assume(void) {
  scorer s = {.normalize = true, .refuse = "small"};
  const libsched_plugin plugin = plugin_of(true, false);
  bench b = setup(&plugin, &s);
  const libsched_view* view = libsched_cluster_view(b.cluster);
  const uint32_t big = libsched_view_find_node(view, text("big"));
  const uint32_t small = libsched_view_find_node(view, text("small"));
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_decision* decision = NULL;
  options.state = b.state; /* a state that a check filled serves later calls */
  CHECK_OK(
      libsched_check_pod_fits(b.evaluator, b.pod, LIBSCHED_ANY_NODE, &options, &decision, err));
  libsched_decision_unref(decision);
#define ASSUME(row) libsched_evaluator_assume(b.evaluator, b.state, b.pod, row, NULL, b.status, err)
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, NULL, ASSUME(LIBSCHED_NO_ROW));
  CHECK_OK(ASSUME(small));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK_STR(libsched_status_plugin(b.status), "Scale");
  CHECK_STR(libsched_status_reason(b.status, 0), "taken");
  CHECK(s.reserves == 1 && s.unreserves == 1 && pods_of(&b) == 1);
  s.fail = LIBSCHED_CODE_ERROR;
  CHECK_OK(ASSUME(small));
  CHECK_STR(libsched_status_reason(b.status, 0), "running Reserve plugin \"Scale\": taken");
  s.fail = LIBSCHED_CODE_SUCCESS;

  s.meddle = b.cluster;
  CHECK_OK(ASSUME(big));
  CHECK(libsched_status_code(b.status) == LIBSCHED_CODE_SUCCESS && pods_of(&b) == 2);
  CHECK(libsched_view_requested(view, big, text("cpu")) == 500);
  /* Readers see it with its nodeName, whichever way they take. */
  const libsched_pod* seen =
      libsched_view_find_pod(view, libsched_pod_namespace(b.pod), libsched_pod_name(b.pod), NULL);
  CHECK(seen != b.pod);
  CHECK_STR(libsched_pod_node_name(seen), "big");
  CHECK_STR(libsched_pod_node_name(b.pod), "");
  CHECK(libsched_view_node_pod(view, big, libsched_view_node_pod_count(view, big) - 1) == seen);
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, "can't be assumed", ASSUME(big));
  const int before = s.unreserves;
  CHECK_OK(libsched_evaluator_forget(b.evaluator, b.state, b.pod, err));
  CHECK(s.unreserves == before + 1 && pods_of(&b) == 1);
  CHECK_OK(libsched_evaluator_forget(b.evaluator, b.state, b.pod, err)); /* only unreserves */

  /* The copy on the node has the given start time. */
  int64_t started = 0;
  libsched_assume_options how = LIBSCHED_ASSUME_OPTIONS_INIT;
  how.started = true;
  how.start_ns = 4102444801000000000;
  CHECK_OK(libsched_evaluator_assume(b.evaluator, b.state, b.pod, big, &how, b.status, err));
  const libsched_pod* placed =
      libsched_view_find_pod(view, libsched_pod_namespace(b.pod), libsched_pod_name(b.pod), NULL);
  CHECK(libsched_pod_start_time(placed, &started) && started == 4102444801000000000);
  CHECK_OK(libsched_evaluator_forget(b.evaluator, b.state, b.pod, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_evaluator_assume(b.evaluator, b.state, NULL, big, &how, b.status, err));
  how.reserved[1] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_evaluator_assume(b.evaluator, b.state, b.pod, big, &how, b.status, err));

  /* A snapshot cannot be changed. */
  libsched_snapshot* snapshot = NULL;
  libsched_evaluator* fixed = NULL;
  CHECK_OK(libsched_cluster_snapshot(b.cluster, &snapshot, err));
  CHECK_OK(evaluate_snapshot(b.framework, snapshot, &fixed, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "snapshot",
              libsched_evaluator_assume(fixed, b.state, b.pod, big, NULL, b.status, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "snapshot",
              libsched_evaluator_forget(fixed, b.state, b.pod, err));
  libsched_evaluator_unref(fixed);
  libsched_snapshot_unref(snapshot);

  /* No plugin runs; a revert undoes it as well. */
  CHECK_OK(libsched_cluster_fork(b.cluster, err));
  CHECK_OK(libsched_cluster_assume(b.cluster, b.pod, text("big"), err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, NULL,
              libsched_cluster_assume(b.cluster, b.pod, text("big"), err));
  CHECK(pods_of(&b) == 2);
  CHECK_OK(libsched_cluster_revert(b.cluster, err));
  CHECK(pods_of(&b) == 1);
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_cluster_assume(b.cluster, b.pod, text(""), err));
  CHECK_OK(libsched_cluster_assume(b.cluster, b.pod, text("big"), err));
  CHECK_OK(libsched_cluster_forget(b.cluster, text("default"), text("p"), err));
  CHECK_OK(libsched_cluster_forget(b.cluster, text("default"), text("p"), err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "wasn't assumed",
              libsched_cluster_forget(b.cluster, text("default"), text("hog"), err));
  CHECK(pods_of(&b) == 1);
  teardown(&b);
}

/* A gated pod fits on no node, though every node would take it. */
static void test_gate(void) {
  scorer s = {.normalize = true};
  const libsched_plugin plugin = plugin_of(true, false);
  bench b = setup(&plugin, &s);
  libsched_pod_unref(b.pod);
  b.pod = pod_of("g", 1, ", \"schedulingGates\": [{\"name\": \"example.com/wait\"}]");
  libsched_decision* d = scored(&b);
  CHECK(libsched_decision_gate(d, NULL) && libsched_decision_gate(d, b.status));
  CHECK_STR(libsched_status_plugin(b.status), "SchedulingGates");
  CHECK(libsched_decision_feasible_count(d) == 3);
  libsched_text* json = NULL;
  CHECK_OK(libsched_decision_explain_json(d, &json, err));
  CHECK(strstr(libsched_text_get(json).ptr, "\"fits\":false") != NULL);
  CHECK(strstr(libsched_text_get(json).ptr, "\"best\":[\"big\",\"wide\"]") != NULL);
  libsched_text_unref(json);
  libsched_decision_unref(d);
  teardown(&b);
}

static void test_null_handles(void) {
  scorer s = {0};
  const libsched_plugin plugin = plugin_of(true, false);
  bench b = setup(&plugin, &s);
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  uint64_t rows[1] = {0};
#define MISUSED(call) CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, call)
  MISUSED(libsched_run_pre_score_plugins(NULL, b.state, b.pod, rows, 1, b.status, err));
  MISUSED(libsched_run_pre_score_plugins(b.evaluator, b.state, b.pod, NULL, 1, b.status, err));
  MISUSED(
      libsched_run_score_plugins(b.evaluator, NULL, b.pod, rows, 1, NULL, 0, NULL, b.status, err));
  MISUSED(libsched_run_cycle(b.evaluator, b.state, NULL, NULL, &outcome, b.status, err));
  MISUSED(libsched_run_cycle(b.evaluator, b.state, b.pod, NULL, NULL, b.status, err));
  MISUSED(libsched_evaluator_assume(b.evaluator, b.state, b.pod, 0, NULL, NULL, err));
  MISUSED(libsched_evaluator_forget(NULL, b.state, b.pod, err));
  MISUSED(libsched_cluster_assume(NULL, b.pod, text("big"), err));
  MISUSED(libsched_cluster_forget(NULL, text("a"), text("b"), err));
  MISUSED(libsched_score_table_create(NULL, err));
  CHECK(libsched_evaluator_next_start(NULL) == 0);
  libsched_evaluator_set_next_start(NULL, 1);
  libsched_score_table_unref(NULL);
  CHECK(libsched_score_table_row_count(NULL) == 0 && libsched_score_table_rows(NULL) == NULL);
  CHECK(libsched_score_table_totals(NULL) == NULL && libsched_score_table_column_count(NULL) == 0);
  CHECK(libsched_decision_scores(NULL) == NULL && libsched_decision_codes(NULL) == NULL);
  CHECK(!libsched_decision_gate(NULL, NULL) && !libsched_decision_excluded(NULL, 0));
  CHECK(libsched_decision_error(NULL).len == 0 && libsched_decision_score_error(NULL).len == 0);
  CHECK(!libsched_cycle_state_skips_score(NULL, text("Scale")));
  CHECK(!libsched_cycle_state_skips_score(b.state, text("Scale")));
  teardown(&b);
}

int main(void) {
  test_decision(false, false);
  test_decision(false, true);
  test_decision(true, false);
  test_decision(true, true);
  test_skip();
  test_errors();
  test_extension_points();
  test_cycle();
  test_assume();
  test_gate();
  test_null_handles();
  return finish();
}
