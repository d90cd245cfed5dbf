/* Slots that call back into the library: the calls allowed on the evaluator, the state and the
   cluster lent to them, and the limit on endless recursion. */
#include "fixture.h"

typedef struct asker {
  const char* at; /* the slot that calls back; NULL: none */
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator *evaluator, *own, *elsewhere; /* `own`: on the same cluster */
  libsched_services *services, *others;
  libsched_cycle_state *state, *fresh;
  libsched_objects* objects;
  libsched_changes* changes;
  libsched_node* node;
  libsched_pod *pod, *other;
  bool many;     /* the evaluator asks about many nodes, or about none */
  bool released; /* no data of the state is in use */
  bool endless;  /* calls itself without end */
  int asked, refused;
} asker;

#define REFUSED(part, call) CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, part, call)

static bool placed(void* user_data, const libsched_placement* placement) {
  return (void)user_data, (void)placement, true;
}

/* Every call that changes the cluster: tests/structure compares the calls with the headers. */
static void change(asker* a) {
  static const char kNot[] = "may not change";
  const libsched_node* nodes[] = {a->node};
  const libsched_pod* pods[] = {a->other};
  REFUSED(kNot, libsched_cluster_apply(a->cluster, a->objects, err));
  REFUSED(kNot, libsched_cluster_apply_changes(a->cluster, a->changes, NULL, err));
  REFUSED(kNot, libsched_cluster_add_nodes(a->cluster, nodes, 1, err));
  REFUSED(kNot, libsched_cluster_update_node(a->cluster, a->node, err));
  REFUSED(kNot, libsched_cluster_remove_node(a->cluster, text("big"), err));
  REFUSED(kNot, libsched_cluster_add_pods(a->cluster, pods, NULL, 1, err));
  REFUSED(kNot, libsched_cluster_update_pod(a->cluster, a->other, text("big"), err));
  REFUSED(kNot, libsched_cluster_remove_pod(a->cluster, text("default"), text("hog"), err));
  REFUSED(kNot, libsched_cluster_remove_object(a->cluster, text("Service"), text("default"),
                                               text("s"), err));
  REFUSED(kNot, libsched_cluster_assume(a->cluster, a->other, text("big"), err));
  REFUSED(kNot, libsched_cluster_forget(a->cluster, text("default"), text("hog"), err));
  REFUSED(kNot, libsched_cluster_fork(a->cluster, err));
  REFUSED(kNot, libsched_cluster_commit(a->cluster, err));
  REFUSED(kNot, libsched_cluster_revert(a->cluster, err));
  REFUSED(kNot,
          libsched_memory_api_deliver(libsched_services_memory_api(a->services), a->cluster, err));
  libsched_status* status = NULL;
  CHECK_OK(libsched_status_create(&status, err));
  const uint32_t row = libsched_view_find_node(libsched_cluster_view(a->cluster), text("big"));
  REFUSED(NULL, libsched_evaluator_assume(a->own, a->fresh, a->other, row, NULL, status, err));
  REFUSED(NULL, libsched_evaluator_forget(a->own, a->fresh, a->other, err));
  const libsched_pod* waiting[] = {a->pod};
  REFUSED(NULL, libsched_schedule(&a->own, 1, waiting, NULL, 1, NULL, placed, NULL, err));
  libsched_capacity* capacity = NULL;
  REFUSED(NULL, libsched_count_capacity(&a->own, 1, waiting, 1, NULL, &capacity, err));
  const libsched_str emptied = text("big");
  libsched_drain* drain = NULL;
  REFUSED(NULL, libsched_drain_nodes(&a->own, 1, &emptied, 1, NULL, &drain, err));
  libsched_text* why = NULL;
  REFUSED(NULL, libsched_why_json(&a->own, 1, a->pod, NULL, &why, err));
  libsched_comparison* comparison = NULL;
  CHECK_OK(libsched_comparison_create(&comparison, err));
  REFUSED(NULL, libsched_comparison_place(comparison, true, &a->own, 1, waiting, 1, NULL, err));
  libsched_comparison_unref(comparison);
  const libsched_str edit = text("cordon big");
  libsched_edited* edited = NULL;
  REFUSED(kNot, libsched_cluster_edit(a->cluster, &edit, 1, NULL, NULL, NULL, 0, &edited, err));
  libsched_writer_queue* writer = NULL;
  libsched_scheduling* none = NULL;
  CHECK_OK(libsched_writer_queue_create(&writer, err));
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  options.writer = writer;
  REFUSED(NULL, libsched_schedule_one(&a->own, 1, a->pod, &options, &none, err));
  REFUSED(NULL, libsched_writer_queue_apply(writer, a->cluster, NULL, NULL, err));
  libsched_writer_queue_unref(writer);
  libsched_status_unref(status);
}

/* Every call that would replace the plugins' data in the lent state. */
static void reuse(asker* a) {
  static const char kInUse[] = "with this cycle state already";
  libsched_status* status = NULL;
  libsched_decision* fit = NULL;
  libsched_check_options check = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  uint64_t bits = ~UINT64_C(0);
  int64_t totals[64];
  CHECK_OK(libsched_status_create(&status, err));
  check.state = a->state;
  REFUSED(kInUse, libsched_run_pre_filter_plugins(a->own, a->state, a->pod, NULL, status, err));
  REFUSED(kInUse, libsched_check_pod_fits(a->own, a->pod, LIBSCHED_ANY_NODE, &check, &fit, err));
  REFUSED(kInUse, libsched_run_cycle(a->own, a->state, a->pod, NULL, &outcome, status, err));
  REFUSED(kInUse, libsched_run_pre_score_plugins(a->own, a->state, a->pod, &bits, 1, status, err));
  REFUSED(kInUse, libsched_run_pre_filter_extension_add_pod(a->own, a->state, a->pod, a->other,
                                                            text("big"), status, err));
  REFUSED(kInUse, libsched_run_pre_filter_extension_remove_pod(a->own, a->state, a->pod, a->other,
                                                               text("big"), status, err));
  /* Names have other ids in another cluster, so plugins would prepare themselves again. */
  REFUSED(kInUse, filter_row(a->elsewhere, a->state, a->pod, 0, false, status, err));
  REFUSED(kInUse,
          libsched_filter_nodes(a->elsewhere, a->state, a->pod, NULL, &bits, 1, NULL, NULL, err));
  /* A copy may be used freely. */
  libsched_cycle_state* copy = NULL;
  CHECK_OK(libsched_cycle_state_clone(a->state, &copy, err));
  CHECK_OK(filter_row(a->elsewhere, copy, a->pod, 0, false, status, err));
  CHECK_OK(libsched_run_pre_filter_plugins(a->own, copy, a->pod, NULL, status, err));
  CHECK_OK(libsched_run_pre_score_plugins(a->own, copy, a->pod, &bits, 1, status, err));
  CHECK_OK(
      libsched_run_score_plugins(a->own, copy, a->pod, &bits, 1, totals, 64, NULL, status, err));
  libsched_cycle_state_unref(copy);
  libsched_status_unref(status);
}

/* Every call on the busy evaluator. */
static void ask(asker* a) {
  static const char kBusy[] =
      "this evaluator is asking its plugins already, in a slot or on another thread: give a plugin "
      "an evaluator of its own, and a thread one on a snapshot";
  libsched_evaluator* e = a->evaluator;
  libsched_status* status = NULL;
  libsched_decision* fit = NULL;
  libsched_node_statuses* statuses = NULL;
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  uint64_t bits = ~UINT64_C(0);
  int64_t totals[64];
  size_t count = 0;
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_node_statuses_create(&statuses, err));
  REFUSED(kBusy, libsched_run_pre_filter_plugins(e, a->fresh, a->pod, NULL, status, err));
  REFUSED(kBusy, libsched_run_pre_filter_plugins(e, a->state, a->pod, NULL, status, err));
  REFUSED(kBusy, libsched_filter_nodes(e, a->state, a->pod, NULL, &bits, 1, NULL, NULL, err));
  REFUSED(kBusy, libsched_check_pod_fits(e, a->pod, LIBSCHED_ANY_NODE, NULL, &fit, err));
  REFUSED(kBusy, libsched_run_cycle(e, a->fresh, a->pod, NULL, &outcome, status, err));
  REFUSED(kBusy, libsched_run_pre_score_plugins(e, a->state, a->pod, &bits, 1, status, err));
  REFUSED(kBusy,
          libsched_run_score_plugins(e, a->state, a->pod, &bits, 1, totals, 64, NULL, status, err));
  REFUSED(kBusy,
          libsched_run_post_filter_plugins(e, a->state, a->pod, statuses, NULL, status, err));
  REFUSED(kBusy, libsched_evaluator_assume(e, a->fresh, a->other, 1, NULL, status, err));
  REFUSED(kBusy, libsched_evaluator_forget(e, a->fresh, a->other, err));
  REFUSED(kBusy,
          libsched_run_reserve_plugins_reserve(e, a->state, a->pod, text("big"), status, err));
  REFUSED(kBusy, libsched_run_reserve_plugins_unreserve(e, a->state, a->pod, text("big"), err));
  REFUSED(kBusy, libsched_run_permit_plugins(e, a->state, a->pod, text("big"), NULL, 0, &count,
                                             status, err));
  REFUSED(kBusy, libsched_run_pre_bind_pre_flights(e, a->state, a->pod, text("big"), status, err));
  REFUSED(kBusy, libsched_run_pre_bind_plugins(e, a->state, a->pod, text("big"), status, err));
  REFUSED(kBusy, libsched_run_bind_plugins(e, a->state, a->pod, text("big"), status, err));
  REFUSED(kBusy, libsched_run_post_bind_plugins(e, a->state, a->pod, text("big"), err));
  REFUSED(kBusy, libsched_evaluator_set_parallelism(e, 2, err));
  REFUSED(kBusy, libsched_evaluator_keep_classes(e, LIBSCHED_CLASSES_OFF, 0, err));
  REFUSED("is asking its plugins already: its services are in use",
          libsched_evaluator_set_services(e, a->others, err));
  CHECK(libsched_evaluator_services(e) == a->services);
  libsched_node_statuses_unref(statuses);
  libsched_status_unref(status);
}

/* Runs the plugin itself, which calls back again. */
static void recurse(asker* a) {
  libsched_status* status = NULL;
  libsched_text* json = NULL;
  libsched_cycle_state* fresh = NULL;
  libsched_rc rc = LIBSCHED_OK;
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_cycle_state_create(&fresh, err));
  libsched_evaluator* each = NULL;
  CHECK_OK(libsched_evaluator_create(a->framework, a->cluster, NULL, &each, err));
  if (strcmp(a->at, "pre_enqueue") == 0) {
    rc = libsched_run_pre_enqueue_plugins(a->evaluator, a->pod, status, NULL);
  } else if (strcmp(a->at, "pre_filter") == 0) {
    rc = libsched_run_pre_filter_plugins(each, fresh, a->pod, NULL, status, NULL);
  } else if (strcmp(a->at, "filter") == 0) {
    rc = filter_row(a->evaluator, a->state, a->pod, 0, false, status, NULL);
  } else if (strcmp(a->at, "add_pod") == 0) {
    rc = libsched_run_pre_filter_extension_add_pod(each, fresh, a->pod, a->other, text("big"),
                                                   status, NULL);
  } else if (strcmp(a->at, "sign") == 0) {
    rc = libsched_sign_pod(a->evaluator, a->pod, &json, NULL);
  } else {
    libsched_node_statuses* statuses = NULL;
    CHECK_OK(libsched_node_statuses_create(&statuses, err));
    rc = libsched_run_post_filter_plugins(a->evaluator, a->state, a->pod, statuses, NULL, status,
                                          NULL);
    libsched_node_statuses_unref(statuses);
  }
  CHECK(rc == LIBSCHED_OK || rc == LIBSCHED_ERR_MISUSE);
  a->refused += rc == LIBSCHED_ERR_MISUSE;
  libsched_evaluator_unref(each);
  libsched_cycle_state_unref(fresh);
  libsched_text_unref(json);
  libsched_status_unref(status);
}

static libsched_code at(void* instance, const char* slot) {
  asker* a = instance;
  if (a->at == NULL || strcmp(a->at, slot) != 0) return LIBSCHED_CODE_SUCCESS;
  ++a->asked;
  if (a->endless) {
    recurse(a);
    return LIBSCHED_CODE_SUCCESS;
  }
  a->at = NULL; /* only once, not in the nested call */
  change(a);
  if (a->many) ask(a);
  if (!a->released) reuse(a);
  return LIBSCHED_CODE_SUCCESS;
}

typedef libsched_cycle_state state_;
typedef const libsched_pod pod_;

static libsched_code pre_enqueue(void* i, pod_* p, libsched_status* s) {
  return (void)p, (void)s, at(i, "pre_enqueue");
}
static libsched_code pre_filter(void* i, state_* c, pod_* p, libsched_prefilter_result* r,
                                libsched_status* s) {
  return (void)c, (void)p, (void)r, (void)s, at(i, "pre_filter");
}
static libsched_code change_pod(void* i, state_* c, pod_* p, pod_* o, const libsched_node_info* n,
                                libsched_status* s) {
  return (void)c, (void)p, (void)o, (void)n, (void)s, at(i, "add_pod");
}
static libsched_code filter(void* i, const state_* c, pod_* p, const libsched_node_info* n,
                            libsched_status* s) {
  return (void)c, (void)p, (void)n, (void)s, at(i, "filter");
}
static libsched_code post_filter(void* i, state_* c, pod_* p, const libsched_node_statuses* t,
                                 libsched_nomination* n, libsched_status* s) {
  return (void)c, (void)p, (void)t, (void)n, (void)s, at(i, "post_filter");
}
static libsched_code pre_score(void* i, state_* c, pod_* p, const libsched_node_set* n,
                               libsched_status* s) {
  return (void)c, (void)p, (void)n, (void)s, at(i, "pre_score");
}
static libsched_code score(void* i, const state_* c, pod_* p, const libsched_node_info* n,
                           int64_t* out, libsched_status* s) {
  return (void)c, (void)p, (void)n, (void)s, *out = 1, at(i, "score");
}
static libsched_code normalize(void* i, const state_* c, pod_* p, const libsched_node_set* n,
                               int64_t* out, libsched_status* s) {
  return (void)c, (void)p, (void)n, (void)s, (void)out, at(i, "normalize");
}
static libsched_code sign(void* i, pod_* p, libsched_signature* g, libsched_status* s) {
  return (void)p, (void)g, (void)s, at(i, "sign");
}

static void open_asker(asker* a) {
  libsched_registry* registry = NULL;
  libsched_config* config = NULL;
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = LIBSCHED_STR("Asker");
  p.pre_enqueue = pre_enqueue;
  p.pre_filter = pre_filter;
  p.add_pod = p.remove_pod = change_pod;
  p.filter = filter;
  p.post_filter = post_filter;
  p.pre_score = pre_score;
  p.score = score;
  p.normalize_score = normalize;
  p.sign = sign;
  memset(a, 0, sizeof *a);
  options.feature_gates = LIBSCHED_STR("OpportunisticBatching=true");
  CHECK_OK(libsched_config_parse(
      text(
          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
          "profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: "
          "PrioritySort}, {name: DefaultBinder}, {name: NodeResourcesFit}, {name: TaintToleration},"
          " {name: Asker}]}}}]"),
      NULL, &config, err));
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &p, a, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, &options, &a->framework, err));
  libsched_registry_unref(registry);
  libsched_config_unref(config);
  libsched_cluster* other = NULL;
  libsched_snapshot* snapshot = NULL;
  a->cluster = five_nodes();
  CHECK_OK(libsched_cluster_clone(a->cluster, &other, err));
  CHECK_OK(libsched_cluster_snapshot(other, &snapshot, err));
  CHECK_OK(libsched_evaluator_create(a->framework, a->cluster, NULL, &a->evaluator, err));
  CHECK_OK(libsched_evaluator_create(a->framework, a->cluster, NULL, &a->own, err));
  CHECK_OK(evaluate_snapshot(a->framework, snapshot, &a->elsewhere, err));
  libsched_snapshot_unref(snapshot);
  libsched_cluster_unref(other);
  CHECK_OK(libsched_services_create(NULL, &a->services, err));
  CHECK_OK(libsched_services_create(NULL, &a->others, err));
  CHECK_OK(libsched_evaluator_set_services(a->evaluator, a->services, err));
  CHECK_OK(libsched_cycle_state_create(&a->state, err));
  CHECK_OK(libsched_cycle_state_create(&a->fresh, err));
  CHECK_OK(libsched_objects_parse(text("{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": "
                                       "{\"name\": \"more\"}}"),
                                  NULL, &a->objects, err));
  CHECK_OK(libsched_changes_create(&a->changes, err));
  CHECK_OK(libsched_changes_put_objects(a->changes, a->objects, LIBSCHED_PUT_APPLY, err));
  a->node = node_of("more", 4, "a", "");
  a->pod = pod_of("p", 500, "");
  a->other = pod_of("o", 100, ", \"nodeName\": \"big\"");
  /* A request to deliver. */
  libsched_status* status = NULL;
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_run_bind_plugins(a->evaluator, a->fresh, a->other, text("big"), status, err));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_SUCCESS);
  libsched_status_unref(status);
}

static void close_asker(asker* a) {
  libsched_pod_unref(a->pod);
  libsched_pod_unref(a->other);
  libsched_node_unref(a->node);
  libsched_objects_unref(a->objects);
  libsched_changes_unref(a->changes);
  libsched_cycle_state_unref(a->state);
  libsched_cycle_state_unref(a->fresh);
  libsched_services_unref(a->services);
  libsched_services_unref(a->others);
  libsched_evaluator_unref(a->evaluator);
  libsched_evaluator_unref(a->own);
  libsched_evaluator_unref(a->elsewhere);
  libsched_cluster_unref(a->cluster);
  libsched_framework_unref(a->framework);
}

/* The outer call has the same result as without a slot that calls back. */
static void test_decision(void) {
  static const char* const kSlots[] = {"pre_enqueue", "pre_filter", "filter",
                                       "pre_score",   "score",      "normalize"};
  for (size_t i = 0; i < sizeof kSlots / sizeof *kSlots; ++i) {
    asker a;
    open_asker(&a);
    libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
    libsched_decision* fit = NULL;
    size_t best = 0;
    options.score = true;
    options.state = a.state;
    a.at = kSlots[i];
    a.many = true;
    a.released = i == 0;
    const uint64_t version = libsched_view_version(libsched_cluster_view(a.cluster));
    CHECK_OK(libsched_check_pod_fits(a.evaluator, a.pod, LIBSCHED_ANY_NODE, &options, &fit, err));
    CHECK(a.asked == 1);
    CHECK(libsched_decision_feasible_count(fit) == 3); /* the cordoned one, too */
    CHECK(libsched_decision_best(fit, &best) != NULL && best >= 1);
    CHECK_STR(libsched_decision_error(fit), "");
    CHECK(libsched_view_version(libsched_cluster_view(a.cluster)) == version);
    CHECK(libsched_cluster_fork_depth(a.cluster) == 0);
    libsched_decision_unref(fit);
    close_asker(&a);
  }
}

/* The calls one by one, and a cycle. */
static void test_calls(void) {
  for (int i = 0; i < 6; ++i) {
    asker a;
    open_asker(&a);
    libsched_status* status = NULL;
    libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
    uint64_t bits = 0;
    size_t count = 0;
    CHECK_OK(libsched_status_create(&status, err));
    if (i > 1)
      CHECK_OK(libsched_run_pre_filter_plugins(a.evaluator, a.state, a.pod, NULL, status, err));
    a.at = i < 2 ? "pre_filter" : i == 4 ? "add_pod" : i == 5 ? "post_filter" : "filter";
    a.many = i < 3;
    a.released = i == 5;
    if (i == 0) {
      CHECK_OK(libsched_run_pre_filter_plugins(a.evaluator, a.state, a.pod, NULL, status, err));
    } else if (i == 1) {
      CHECK_OK(libsched_run_cycle(a.evaluator, a.state, a.pod, NULL, &outcome, status, err));
      CHECK(outcome.feasible == 3);
    } else if (i == 2) {
      CHECK_OK(
          libsched_filter_nodes(a.evaluator, a.state, a.pod, NULL, &bits, 1, &count, NULL, err));
      CHECK(count == 3);
    } else if (i == 3) {
      CHECK_OK(
          libsched_run_filter_plugins(a.evaluator, a.state, a.pod, text("big"), NULL, status, err));
    } else if (i == 4) {
      CHECK_OK(libsched_run_pre_filter_extension_add_pod(a.evaluator, a.state, a.pod, a.other,
                                                         text("big"), status, err));
    } else {
      libsched_node_statuses* statuses = NULL;
      CHECK_OK(libsched_node_statuses_create(&statuses, err));
      CHECK_OK(libsched_run_post_filter_plugins(a.evaluator, a.state, a.pod, statuses, NULL, status,
                                                err));
      libsched_node_statuses_unref(statuses);
    }
    CHECK(a.asked == 1);
    CHECK(libsched_status_code(status) == LIBSCHED_CODE_SUCCESS);
    libsched_status_unref(status);
    close_asker(&a);
  }
}

static void test_endless(void) {
  static const char* const kSlots[] = {"pre_enqueue", "pre_filter", "filter",
                                       "add_pod",     "sign",       "post_filter"};
  for (size_t i = 0; i < sizeof kSlots / sizeof *kSlots; ++i) {
    asker a;
    open_asker(&a);
    libsched_status* status = NULL;
    CHECK_OK(libsched_status_create(&status, err));
    CHECK_OK(libsched_run_pre_filter_plugins(a.evaluator, a.state, a.pod, NULL, status, err));
    libsched_status_unref(status);
    a.endless = true;
    a.at = kSlots[i];
    recurse(&a);
    CHECK(a.asked > 4 && a.asked < 100);
    CHECK(a.refused == 1);
    if (a.refused != 1) fprintf(stderr, "  of slot %s: %d\n", kSlots[i], a.asked);
    close_asker(&a);
  }
}

/* A slot may refresh the order and take snapshots; its cycle continues with its original
   order. */
typedef struct looker {
  libsched_cluster* cluster;
  int asked;
} looker;
static libsched_code look(void* i, const state_* c, pod_* p, const libsched_node_info* n,
                          libsched_status* s) {
  looker* l = i;
  const libsched_view* view = libsched_cluster_view(l->cluster);
  libsched_snapshot* snapshot = NULL;
  size_t before = 0, after = 0;
  (void)c, (void)p, (void)n, (void)s;
  ++l->asked;
  const uint64_t version = libsched_view_version(view);
  libsched_view_order(view, &before);
  CHECK_OK(libsched_cluster_refresh(l->cluster, err));
  CHECK_OK(libsched_cluster_snapshot(l->cluster, &snapshot, err));
  libsched_view_order(view, &after);
  CHECK(before == 0 && after == 0 && libsched_view_version(view) == version);
  libsched_view_order(libsched_snapshot_view(snapshot), &after);
  CHECK(after == 5);
  libsched_snapshot_unref(snapshot);
  return LIBSCHED_CODE_SUCCESS;
}
static void test_refresh(void) {
  looker l = {five_nodes(), 0};
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  libsched_evaluator* evaluator = NULL;
  libsched_cycle_state* state = NULL;
  libsched_status* status = NULL;
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = LIBSCHED_STR("Looker");
  p.filter = look;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &p, &l, err));
  CHECK_OK(libsched_registry_enable(registry, text("Looker"), 0, err));
  CHECK_OK(libsched_framework_create(NULL, text(""), registry, NULL, &framework, err));
  CHECK_OK(libsched_evaluator_create(framework, l.cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_status_create(&status, err));
  libsched_pod* pod = pod_of("p", 100, "");
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  CHECK_OK(libsched_run_filter_plugins(evaluator, state, pod, text("big"), NULL, status, err));
  CHECK(l.asked == 1);
  libsched_pod_unref(pod);
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_registry_unref(registry);
  libsched_cluster_unref(l.cluster);
}

int main(void) {
  test_refresh();
  test_decision();
  test_calls();
  test_endless();
  return finish();
}
