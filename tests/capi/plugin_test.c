/* A plugin in C: PreFilter, Filter node by node and in batches, instances, errors, and
 * ownership. */
#include "fixture.h"

enum { kTooFar, kTooWarm, kReasons };
static const libsched_str kReasonTexts[kReasons] = {{"node(s) were too far", 20},
                                                    {"node(s) were too warm", 21}};

/* The behaviour of a fake plugin, and a record of its calls. */
typedef struct fake {
  libsched_code pre_filter, filter;
  const char* only_node; /* PreFilter leaves only this node */
  const char* reject;    /* Filter rejects this node */
  const char* args;      /* the arguments that create expects */
  bool fail_create;
  int creates, releases, destroys, pre_filters, filters, batches, batch_nodes;
  int64_t pods_seen, cpu_seen;
} fake;

static libsched_code fake_create(void* user_data, libsched_str args, void** instance,
                                 libsched_status* status) {
  fake* f = user_data;
  ++f->creates;
  CHECK_STR(args, f->args == NULL ? "null" : f->args);
  if (f->fail_create) {
    libsched_status_add_reason(status, LIBSCHED_STR("no such dial"));
    return LIBSCHED_CODE_ERROR;
  }
  *instance = f;
  return LIBSCHED_CODE_SUCCESS;
}

static void fake_release(void* user_data, void* instance) {
  CHECK(user_data == instance);
  ++((fake*)user_data)->releases;
}

static void fake_destroy(void* user_data) { ++((fake*)user_data)->destroys; }

static libsched_code fake_pre_filter(void* instance, libsched_cycle_state* state,
                                     const libsched_pod* pod, libsched_prefilter_result* result,
                                     libsched_status* status) {
  fake* f = instance;
  ++f->pre_filters;
  CHECK(libsched_pod_name(pod).len > 0);
  CHECK_OK(libsched_cycle_state_write(state, LIBSCHED_STR("fake"), f, NULL, NULL, err));
  if (f->only_node != NULL) {
    const libsched_str name = text(f->only_node);
    libsched_prefilter_result_set_nodes(result, &name, 1);
  }
  if (f->pre_filter != LIBSCHED_CODE_SUCCESS && f->pre_filter != LIBSCHED_CODE_SKIP)
    libsched_status_add_reason(status, LIBSCHED_STR("not today"));
  return f->pre_filter;
}

static libsched_code fake_filter(void* instance, const libsched_cycle_state* state,
                                 const libsched_pod* pod, const libsched_node_info* info,
                                 libsched_status* status) {
  fake* f = instance;
  ++f->filters;
  CHECK(libsched_cycle_state_read(state, LIBSCHED_STR("fake")) == f);
  CHECK(libsched_pod_name(pod).len > 0);
  f->pods_seen += (int64_t)libsched_node_info_pod_count(info);
  if (libsched_node_info_pod_count(info) > 0)
    CHECK_STR(libsched_pod_name(libsched_node_info_pod(info, 0)), "hog");
  CHECK(libsched_node_info_pod(info, 1) == NULL);
  f->cpu_seen += libsched_node_info_allocatable(info, LIBSCHED_STR("cpu")) -
                 libsched_node_info_requested(info, LIBSCHED_STR("cpu"));
  CHECK(libsched_node_info_row(info) < 64);
  if (f->reject == NULL || !str_is(libsched_node_name(libsched_node_info_node(info)), f->reject))
    return LIBSCHED_CODE_SUCCESS;
  libsched_status_add_reason(status, kReasonTexts[kTooFar]);
  libsched_status_add_reason(status, LIBSCHED_STR("and moved away"));
  return f->filter;
}

static libsched_code fake_filter_batch(void* instance, const libsched_cycle_state* state,
                                       const libsched_pod* pod, const libsched_node_set* nodes,
                                       int8_t* codes, uint16_t* reason_indexes,
                                       libsched_status* status) {
  fake* f = instance;
  (void)pod;
  ++f->batches;
  CHECK(libsched_cycle_state_read(state, LIBSCHED_STR("fake")) == f);
  const libsched_view* view = libsched_node_set_view(nodes);
  const uint32_t* rows = libsched_node_set_rows(nodes);
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i) {
    ++f->batch_nodes;
    CHECK(codes[i] == LIBSCHED_CODE_SUCCESS);
    const libsched_node_info* info = libsched_node_set_at(nodes, i);
    CHECK(libsched_node_info_row(info) == rows[i]);
    CHECK(libsched_view_node(view, rows[i]) == libsched_node_info_node(info));
    if (f->reject != NULL && str_is(libsched_node_name(libsched_node_info_node(info)), f->reject)) {
      codes[i] = (int8_t)f->filter;
      reason_indexes[i] = kTooWarm;
    }
  }
  if (f->filter == LIBSCHED_CODE_ERROR) {
    libsched_status_add_reason(status, LIBSCHED_STR("thermometer broke"));
    return LIBSCHED_CODE_ERROR;
  }
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_plugin scalar_plugin(void) {
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = LIBSCHED_STR("Fake");
  p.create = fake_create;
  p.release = fake_release;
  p.destroy = fake_destroy;
  p.pre_filter = fake_pre_filter;
  p.filter = fake_filter;
  return p;
}

static libsched_plugin batch_plugin(void) {
  libsched_plugin p = scalar_plugin();
  p.filter_batch = fake_filter_batch;
  p.reasons = kReasonTexts;
  p.reason_count = kReasons;
  return p;
}

static const char* const kConfig =
    "apiVersion: kubescheduler.config.k8s.io/v1\n"
    "kind: KubeSchedulerConfiguration\n"
    "profiles:\n"
    "- plugins:\n"
    "    multiPoint: {enabled: [{name: Fake}]}\n"
    "  pluginConfig:\n"
    "  - {name: Fake, args: {dial: 7}}\n";

static libsched_config* fake_config(void) {
  libsched_config* config = NULL;
  CHECK_OK(libsched_config_parse(text(kConfig), NULL, &config, err));
  return config;
}

/* A framework with upstream's plugins and the fake one; the registry is released at once. */
static libsched_framework* framework_with(const libsched_plugin* plugin, fake* f) {
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  libsched_config* config = fake_config();
  f->args = "{\"dial\":7}";
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, plugin, f, err));
  CHECK(f->creates == 0);
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  CHECK(f->creates == 1);
  libsched_registry_unref(registry);
  libsched_config_unref(config);
  CHECK(f->destroys == 0);
  return framework;
}

/* The decision on a small pod. */
static libsched_decision* decide(libsched_framework* framework, libsched_cluster* cluster) {
  libsched_evaluator* evaluator = NULL;
  libsched_decision* decision = NULL;
  libsched_pod* pod = pod_of("p", 500, "");
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
  libsched_pod_unref(pod);
  libsched_evaluator_unref(evaluator);
  return decision;
}

static void check_released_once(libsched_framework* framework, fake* f) {
  libsched_framework_unref(framework);
  CHECK(f->releases == 1 && f->destroys == 1);
}

/* Allowed and forbidden calls of a slot. */
typedef struct meddler {
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator *asking, *own;
  libsched_pod* pod;
  int calls;
} meddler;

static libsched_code meddle(void* instance, const libsched_cycle_state* state,
                            const libsched_pod* pod, const libsched_node_info* node,
                            libsched_status* status) {
  meddler* m = instance;
  (void)state;
  (void)pod;
  (void)node;
  (void)status;
  if (++m->calls > 1) return LIBSCHED_CODE_SUCCESS;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "may not change",
              libsched_cluster_remove_node(m->cluster, text("big"), err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "may not change",
              libsched_cluster_revert(m->cluster, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "may not change", libsched_cluster_fork(m->cluster, err));
  CHECK(libsched_cluster_fork_depth(m->cluster) == 1);
  libsched_decision* decision = NULL;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "already",
              libsched_check_pod_fits(m->asking, m->pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
  CHECK_OK(libsched_check_pod_fits(m->own, m->pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
  CHECK(libsched_decision_feasible_count(decision) == 2);
  libsched_decision_unref(decision);
  return LIBSCHED_CODE_SUCCESS;
}

static void test_meddling(void) {
  meddler m = {.cluster = five_nodes(), .pod = pod_of("p", 500, "")};
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = LIBSCHED_STR("Fake");
  plugin.filter = meddle;
  libsched_registry* registry = NULL;
  libsched_config* config = fake_config();
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, &m, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &m.framework, err));
  CHECK_OK(libsched_evaluator_create(m.framework, m.cluster, NULL, &m.asking, err));
  CHECK_OK(libsched_evaluator_create(m.framework, m.cluster, NULL, &m.own, err));
  CHECK_OK(libsched_cluster_fork(m.cluster, err));
  libsched_decision* decision = NULL;
  CHECK_OK(libsched_check_pod_fits(m.asking, m.pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
  CHECK(libsched_decision_feasible_count(decision) == 2 && m.calls == 4);
  CHECK_OK(libsched_cluster_revert(m.cluster, err)); /* afterwards it is allowed again */
  libsched_decision_unref(decision);
  libsched_evaluator_unref(m.asking);
  libsched_evaluator_unref(m.own);
  libsched_framework_unref(m.framework);
  libsched_registry_unref(registry);
  libsched_config_unref(config);
  libsched_pod_unref(m.pod);
  libsched_cluster_unref(m.cluster);
}

static void test_scalar(void) {
  fake f = {.filter = LIBSCHED_CODE_UNSCHEDULABLE, .reject = "big"};
  const libsched_plugin plugin = scalar_plugin();
  libsched_framework* framework = framework_with(&plugin, &f);
  libsched_cluster* cluster = five_nodes();
  libsched_decision* decision = decide(framework, cluster);
  /* It judges only the nodes that earlier plugins accept: small and big. */
  CHECK(f.pre_filters == 1 && f.filters >= 2);
  CHECK(libsched_decision_feasible_count(decision) == 1);
  CHECK_STR(libsched_decision_feasible(decision, 0), "small");
  CHECK_STR(libsched_decision_node(decision, 0), "big");
  CHECK(libsched_decision_code(decision, 0) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK_STR(libsched_decision_plugin(decision, 0), "Fake");
  CHECK(libsched_decision_reason_count(decision, 0) == 2);
  CHECK_STR(libsched_decision_reason(decision, 0, 0), "node(s) were too far");
  CHECK_STR(libsched_decision_reason(decision, 0, 1), "and moved away");
  libsched_decision_unref(decision);

  f.reject = NULL;
  f.pods_seen = f.cpu_seen = 0;
  f.filters = 0;
  decision = decide(framework, cluster);
  CHECK(f.filters == 2 && f.pods_seen == 0 && f.cpu_seen == 9000);
  CHECK(libsched_decision_feasible_count(decision) == 2);
  libsched_decision_unref(decision);
  libsched_cluster_unref(cluster);
  check_released_once(framework, &f);
}

/* An Error on one node is an Error of the decision: no node takes the pod. */
static void test_error_on_one_node(void) {
  fake f = {.filter = LIBSCHED_CODE_ERROR, .reject = "big"};
  const libsched_plugin plugin = scalar_plugin();
  libsched_framework* framework = framework_with(&plugin, &f);
  libsched_cluster* cluster = five_nodes();
  libsched_evaluator* evaluator = NULL;
  libsched_cycle_state* state = NULL;
  libsched_status* status = NULL;
  libsched_pod* pod = pod_of("p", 500, "");
  libsched_decision* decision = decide(framework, cluster);
  CHECK(libsched_decision_feasible_count(decision) == 0);
  CHECK_STR(libsched_decision_feasible(decision, 0), "");
  CHECK_STR(libsched_decision_fit_error(decision), "");
  CHECK(strstr(libsched_decision_error(decision).ptr, "running \"Fake\" filter plugin") != NULL);
  CHECK_STR(libsched_decision_node(decision, 0), "big");
  CHECK(libsched_decision_code(decision, 0) == LIBSCHED_CODE_ERROR);
  CHECK(libsched_decision_code(decision, 3) ==
        LIBSCHED_CODE_SUCCESS); /* small would take the pod */
  libsched_decision_unref(decision);

  uint64_t bits = 0x55;
  size_t count = 77;
  uint32_t first = 88;
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  CHECK_FAILS(LIBSCHED_ERR_PLUGIN, "node big", "running \"Fake\" filter plugin",
              libsched_filter_nodes(evaluator, state, pod, NULL, &bits, 1, &count, &first, err));
  CHECK(bits == 0x55 && count == 77 && first == 88);
  CHECK_OK(libsched_run_cycle(evaluator, state, pod, NULL, &outcome, status, err));
  CHECK(outcome.row == LIBSCHED_NO_ROW && outcome.node == NULL);
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_ERROR);
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  libsched_evaluator_unref(evaluator);
  libsched_pod_unref(pod);
  libsched_cluster_unref(cluster);
  check_released_once(framework, &f);
}

static void test_batch(void) {
  fake f = {.filter = LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE, .reject = "small"};
  const libsched_plugin plugin = batch_plugin();
  libsched_framework* framework = framework_with(&plugin, &f);
  libsched_cluster* cluster = five_nodes();
  libsched_decision* decision = decide(framework, cluster);
  CHECK(f.batches >= 1 && f.batch_nodes >= 2 && f.filters == 0);
  CHECK(libsched_decision_feasible_count(decision) == 1);
  CHECK_STR(libsched_decision_feasible(decision, 0), "big");
  CHECK_STR(libsched_decision_node(decision, 3), "small");
  CHECK(libsched_decision_code(decision, 3) == LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);
  CHECK_STR(libsched_decision_plugin(decision, 3), "Fake");
  CHECK(libsched_decision_reason_count(decision, 3) == 1);
  CHECK_STR(libsched_decision_reason(decision, 3, 0), "node(s) were too warm");
  libsched_decision_unref(decision);

  /* An Error of the batch is an Error of the decision. */
  f.filter = LIBSCHED_CODE_ERROR;
  decision = decide(framework, cluster);
  libsched_text* json = NULL;
  CHECK_OK(libsched_decision_explain_json(decision, &json, err));
  CHECK(strstr(libsched_text_get(json).ptr, "thermometer broke") != NULL);
  CHECK(strstr(libsched_text_get(json).ptr, "\"fits\":false") != NULL);
  libsched_text_unref(json);
  libsched_decision_unref(decision);
  libsched_cluster_unref(cluster);
  check_released_once(framework, &f);
}

static void test_pre_filter(void) {
  fake f = {.only_node = "small"};
  const libsched_plugin plugin = batch_plugin();
  libsched_framework* framework = framework_with(&plugin, &f);
  libsched_cluster* cluster = five_nodes();
  libsched_decision* decision = decide(framework, cluster);
  CHECK(libsched_decision_node_count(decision) == 1);
  CHECK_STR(libsched_decision_feasible(decision, 0), "small");
  libsched_decision_unref(decision);

  f.only_node = "nowhere";
  decision = decide(framework, cluster);
  CHECK(libsched_decision_feasible_count(decision) == 0);
  CHECK_STR(libsched_decision_fit_error(decision),
            "0/5 nodes are available: 5 node(s) didn't satisfy plugin(s) [Fake].");
  libsched_decision_unref(decision);

  f.only_node = NULL;
  f.pre_filter = LIBSCHED_CODE_SKIP; /* skips Filter */
  f.batches = 0;
  f.reject = "small";
  f.filter = LIBSCHED_CODE_UNSCHEDULABLE;
  decision = decide(framework, cluster);
  CHECK(f.batches == 0 && libsched_decision_feasible_count(decision) == 2);
  libsched_decision_unref(decision);

  f.pre_filter = LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE;
  decision = decide(framework, cluster);
  CHECK_STR(libsched_decision_fit_error(decision), "0/5 nodes are available: not today.");
  libsched_decision_unref(decision);

  f.pre_filter = LIBSCHED_CODE_ERROR;
  decision = decide(framework, cluster);
  libsched_text* json = NULL;
  CHECK_OK(libsched_decision_explain_json(decision, &json, err));
  CHECK(strstr(libsched_text_get(json).ptr, "running PreFilter plugin \\\"Fake\\\": not today") !=
        NULL);
  libsched_text_unref(json);
  libsched_decision_unref(decision);
  libsched_cluster_unref(cluster);
  check_released_once(framework, &f);
}

/* Invalid codes are Errors with the plugin's name, never taken for success. */
static void test_nonsense(void) {
  libsched_cluster* cluster = five_nodes();
  const libsched_code codes[] = {77, -3, LIBSCHED_CODE_WAIT, LIBSCHED_CODE_ERROR};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i) {
    fake f = {.filter = codes[i], .reject = "small"};
    const libsched_plugin plugin = scalar_plugin();
    libsched_framework* framework = framework_with(&plugin, &f);
    libsched_decision* decision = decide(framework, cluster);
    CHECK_STR(libsched_decision_node(decision, 3), "small");
    CHECK(libsched_decision_code(decision, 3) == LIBSCHED_CODE_ERROR);
    CHECK_STR(libsched_decision_plugin(decision, 3), "Fake");
    CHECK(strstr(libsched_decision_reason(decision, 3, 0).ptr, "Fake") != NULL);
    libsched_decision_unref(decision);
    check_released_once(framework, &f);
  }
  libsched_cluster_unref(cluster);
}

/* filter_nodes reports an Error of a plugin as an error of the call. */
static void test_filter_nodes_error(void) {
  fake f = {.filter = LIBSCHED_CODE_ERROR, .reject = "small"};
  const libsched_plugin plugin = scalar_plugin();
  libsched_framework* framework = framework_with(&plugin, &f);
  libsched_cluster* cluster = five_nodes();
  libsched_evaluator* evaluator = NULL;
  libsched_cycle_state* state = NULL;
  libsched_status* status = NULL;
  libsched_pod* pod = pod_of("p", 100, "");
  uint64_t rows[1] = {5};
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  CHECK_FAILS(LIBSCHED_ERR_PLUGIN, NULL, "too far",
              libsched_filter_nodes(evaluator, state, pod, NULL, rows, 1, NULL, NULL, err));
  CHECK(rows[0] == 5);
  CHECK_OK(libsched_run_filter_plugins(evaluator, state, pod, text("small"), NULL, status, err));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_ERROR);
  libsched_pod_unref(pod);
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
  CHECK(f.destroys == 0); /* the evaluator keeps the framework, which keeps the plugin */
  libsched_evaluator_unref(evaluator);
  CHECK(f.releases == 1 && f.destroys == 1);
}

static void test_failed_create(void) {
  fake f = {.fail_create = true, .args = "{\"dial\":7}"};
  const libsched_plugin plugin = scalar_plugin();
  libsched_registry* registry = NULL;
  libsched_framework* framework = UNTOUCHED;
  libsched_config* config = fake_config();
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, &f, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "no such dial",
              libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  CHECK(framework == UNTOUCHED && f.releases == 0 && f.destroys == 0);
  libsched_config_unref(config);
  libsched_registry_unref(registry);
  CHECK(f.destroys == 1);
}

/* A framework without the registry does not know the plugin. */
static void test_unknown_plugin(void) {
  libsched_config* config = fake_config();
  libsched_framework* framework = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "Fake",
              libsched_framework_create(config, text(""), NULL, NULL, &framework, err));
  CHECK(framework == UNTOUCHED);
  libsched_config_unref(config);
}

static void refuse(libsched_registry* registry, const libsched_plugin* plugin,
                   libsched_rc expected) {
  fake f = {0};
  libsched_error* error = NULL;
  CHECK(libsched_registry_add(registry, plugin, &f, &error) == expected);
  CHECK(error != NULL && libsched_error_code(error) == expected);
  libsched_error_unref(error);
  CHECK(f.destroys == 1 && f.creates == 0);
}

static libsched_code never_asked(void* instance, const libsched_cycle_state* state,
                                 const libsched_pod* pod, const libsched_node_set* nodes,
                                 int64_t* scores, libsched_status* status) {
  (void)instance, (void)state, (void)pod, (void)nodes, (void)scores, (void)status;
  CHECK(!"asked");
  return LIBSCHED_CODE_ERROR;
}

static void test_refused_registrations(void) {
  libsched_registry* registry = NULL;
  fake first = {0};
  libsched_plugin plugin = scalar_plugin();
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, &first, err));
  refuse(registry, &plugin, LIBSCHED_ERR_EXISTS);
  refuse(NULL, &plugin, LIBSCHED_ERR_MISUSE);
  plugin.name = LIBSCHED_STR("NodeName"); /* in-tree */
  refuse(registry, &plugin, LIBSCHED_ERR_EXISTS);
  plugin.name.len = 0;
  refuse(registry, &plugin, LIBSCHED_ERR_INVALID);
  plugin = scalar_plugin();
  plugin.name = LIBSCHED_STR("Other");
  plugin.abi_version = LIBSCHED_ABI_VERSION + 1;
  refuse(registry, &plugin, LIBSCHED_ERR_UNSUPPORTED);
  plugin.abi_version = LIBSCHED_ABI_VERSION;
  plugin.flags = 1u << 20;
  refuse(registry, &plugin, LIBSCHED_ERR_UNSUPPORTED);
  plugin.flags = 0;
  struct {
    libsched_plugin plugin;
    void* newer_slot;
  } future = {plugin, UNTOUCHED};
  future.plugin.struct_size = sizeof future;
  refuse(registry, &future.plugin, LIBSCHED_ERR_UNSUPPORTED);
  CHECK(libsched_registry_add(registry, NULL, NULL, NULL) == LIBSCHED_ERR_MISUSE);

  /* A plugin of an older header: fields behind its end are ignored. */
  fake old = {0};
  libsched_plugin older = scalar_plugin();
  older.name = LIBSCHED_STR("Older");
  older.struct_size = offsetof(libsched_plugin, pre_score);
  older.normalize_score = never_asked;
  CHECK_OK(libsched_registry_add(registry, &older, &old, err));
  older.struct_size = sizeof older; /* normalize_score without a Score slot */
  older.name = LIBSCHED_STR("Odd");
  refuse(registry, &older, LIBSCHED_ERR_INVALID);
  older.normalize_score = NULL; /* an unknown slot */
  older.reserved[15] = (void (*)(void))never_asked;
  refuse(registry, &older, LIBSCHED_ERR_UNSUPPORTED);

  /* Slots are in upstream's order. */
  CHECK(offsetof(libsched_plugin, less) < offsetof(libsched_plugin, pre_enqueue));
  CHECK(offsetof(libsched_plugin, pre_enqueue) < offsetof(libsched_plugin, pre_filter));
  CHECK(offsetof(libsched_plugin, filter) < offsetof(libsched_plugin, post_filter));
  CHECK(offsetof(libsched_plugin, post_filter) < offsetof(libsched_plugin, pre_score));
  CHECK(offsetof(libsched_plugin, normalize_score) < offsetof(libsched_plugin, reserve));
  CHECK(offsetof(libsched_plugin, unreserve) < offsetof(libsched_plugin, permit));
  CHECK(offsetof(libsched_plugin, permit) < offsetof(libsched_plugin, pre_bind));
  CHECK(offsetof(libsched_plugin, bind) < offsetof(libsched_plugin, post_bind));

  fake second = {0}; /* a plugin of a newer header that uses nothing new */
  future.newer_slot = NULL;
  CHECK_OK(libsched_registry_add(registry, &future.plugin, &second, err));
  CHECK(first.destroys == 0 && second.destroys == 0);
  libsched_registry_unref(registry);
  CHECK(first.destroys == 1 && second.destroys == 1);
}

/* A plugin that needs nothing but Filter: no instance, no release, no destroy. */
static libsched_code reject_all(void* instance, const libsched_cycle_state* state,
                                const libsched_pod* pod, const libsched_node_info* node,
                                libsched_status* status) {
  (void)state, (void)pod, (void)node;
  libsched_status_add_reason(status, *(const libsched_str*)instance);
  return LIBSCHED_CODE_UNSCHEDULABLE;
}

static void test_smallest_plugin(void) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = LIBSCHED_STR("Fake");
  plugin.flags = LIBSCHED_PLUGIN_CONCURRENT;
  plugin.filter = reject_all;
  libsched_str reason = LIBSCHED_STR("no");
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  libsched_config* config = fake_config();
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, &reason, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  libsched_cluster* cluster = five_nodes();
  libsched_decision* decision = decide(framework, cluster);
  CHECK(libsched_decision_feasible_count(decision) == 0);
  CHECK_STR(libsched_decision_reason(decision, 0, 0), "no");
  libsched_decision_unref(decision);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
  libsched_registry_unref(registry);
  libsched_config_unref(config);
}

static void test_null_handles(void) {
  CHECK(libsched_node_info_row(NULL) == LIBSCHED_NO_ROW && libsched_node_info_node(NULL) == NULL);
  CHECK(libsched_node_info_pod_count(NULL) == 0 && libsched_node_info_pod(NULL, 0) == NULL);
  CHECK(libsched_node_info_allocatable(NULL, text("cpu")) == 0);
  CHECK(libsched_node_info_requested(NULL, text("cpu")) == 0);
  CHECK(libsched_node_set_count(NULL) == 0 && libsched_node_set_rows(NULL) == NULL);
  CHECK(libsched_node_set_view(NULL) == NULL && libsched_node_set_at(NULL, 0) == NULL);
}

int main(void) {
  test_meddling();
  test_scalar();
  test_error_on_one_node();
  test_batch();
  test_pre_filter();
  test_nonsense();
  test_filter_nodes_error();
  test_failed_create();
  test_unknown_plugin();
  test_refused_registrations();
  test_smallest_plugin();
  test_null_handles();
  return finish();
}
