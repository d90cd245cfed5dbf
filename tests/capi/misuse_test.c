/* Misused handles: released handles, handles of another kind, and borrowed handles. A build that
   checks handles returns MISUSE, or the result for NULL; other builds run only the valid calls.
 */
#include "recorder.h"

#ifndef LIBSCHED_CHECK_HANDLES
#error "the build says whether handles are checked"
#endif

static const libsched_str kNowhere = {"", 0};

/* A handle of each kind, all owned by the test. */
typedef struct world {
  libsched_objects* objects;
  libsched_pod* pod;
  libsched_node* node;
  libsched_cluster* cluster;
  libsched_snapshot* snapshot;
  libsched_status* status;
  libsched_config* config;
  libsched_registry* registry;
  libsched_framework* framework;
  libsched_cycle_state* state;
  libsched_evaluator* evaluator;
  libsched_prefilter_result* narrowed;
  libsched_decision* decision;
  libsched_score_table* table;
  libsched_node_statuses* statuses;
  libsched_clock* clock;
  libsched_services* services;
  libsched_waiting_pod* waiting;
  libsched_text* text;
  libsched_error* error;
} world;

static const char kObjects[] =
    "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"v1\", \"kind\": "
    "\"Pod\", "
    "\"metadata\": {\"name\": \"listed\"}, "
    "\"spec\": {\"containers\": [{\"name\": \"c\"}]}}]}";

static void open_world(world* w) {
  const libsched_permit_wait wait = {LIBSCHED_STR("Somebody"), 1000000000};
  memset(w, 0, sizeof *w);
  w->cluster = five_nodes();
  w->framework = default_framework();
  w->pod = pod_of("asked", 100, "");
  w->node = node_of("spare", 2, "a", "");
  CHECK_OK(libsched_objects_parse(text(kObjects), NULL, &w->objects, err));
  CHECK_OK(libsched_cluster_snapshot(w->cluster, &w->snapshot, err));
  CHECK_OK(libsched_status_create(&w->status, err));
  CHECK_OK(libsched_config_parse(kNowhere, NULL, &w->config, err));
  CHECK_OK(libsched_registry_create(&w->registry, err));
  CHECK_OK(libsched_cycle_state_create(&w->state, err));
  CHECK_OK(libsched_evaluator_create(w->framework, w->cluster, NULL, &w->evaluator, err));
  CHECK_OK(libsched_prefilter_result_create(&w->narrowed, err));
  CHECK_OK(
      libsched_check_pod_fits(w->evaluator, w->pod, LIBSCHED_ANY_NODE, NULL, &w->decision, err));
  CHECK_OK(libsched_score_table_create(&w->table, err));
  CHECK_OK(libsched_node_statuses_create(&w->statuses, err));
  CHECK_OK(libsched_clock_create_virtual(0, &w->clock, err));
  CHECK_OK(libsched_services_create(NULL, &w->services, err));
  CHECK_OK(libsched_services_add_waiting_pod(w->services, w->pod, &wait, 1, err));
  w->waiting = waiting_of(w->services, libsched_pod_uid(w->pod));
  CHECK(w->waiting != NULL);
  CHECK_OK(libsched_decision_explain_json(w->decision, &w->text, err));
  CHECK(libsched_pod_parse(text("{"), NULL, &(libsched_pod*){NULL}, &w->error) != LIBSCHED_OK);
}

static void unref_all(const world* w) {
  libsched_waiting_pod_unref(w->waiting);
  libsched_services_unref(w->services);
  libsched_clock_unref(w->clock);
  libsched_node_statuses_unref(w->statuses);
  libsched_score_table_unref(w->table);
  libsched_decision_unref(w->decision);
  libsched_prefilter_result_unref(w->narrowed);
  libsched_evaluator_unref(w->evaluator);
  libsched_cycle_state_unref(w->state);
  libsched_framework_unref(w->framework);
  libsched_registry_unref(w->registry);
  libsched_config_unref(w->config);
  libsched_status_unref(w->status);
  libsched_snapshot_unref(w->snapshot);
  libsched_cluster_unref(w->cluster);
  libsched_node_unref(w->node);
  libsched_pod_unref(w->pod);
  libsched_objects_unref(w->objects);
  libsched_text_unref(w->text);
  libsched_error_unref(w->error);
}

#if LIBSCHED_CHECK_HANDLES
#define CHECK_MISUSE(part, call) CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, part, call)

/* Passes each handle once as its kind, in a call whose other handles come from `ok`. */
static void check_calls(const world* ok, const world* w, const char* what) {
  libsched_evaluator* e = NULL;
  libsched_framework* f = NULL;
  libsched_pod* p = NULL;
  libsched_node* n = NULL;
  libsched_text* t = NULL;
  libsched_cycle_state* c = NULL;
  libsched_services* s = NULL;
  libsched_objects* o = NULL;
  libsched_decision* d = NULL;
  libsched_str raw;
  uint64_t word = 1;
#define SAID(parameter) format("%s %s", parameter, what)
  CHECK_MISUSE(SAID("objects"), libsched_cluster_apply(ok->cluster, w->objects, err));
  CHECK_MISUSE(SAID("objects"), libsched_objects_report_json(w->objects, &t, err));
  CHECK_MISUSE(SAID("pod"), libsched_pod_raw(w->pod, &raw, err));
  CHECK_MISUSE(SAID("pod"),
               libsched_pod_copy(w->pod, kNowhere, kNowhere, kNowhere, kNowhere, &p, err));
  CHECK_MISUSE(SAID("pod"), libsched_cluster_assume(ok->cluster, w->pod, text("big"), err));
  CHECK_MISUSE(SAID("pod"), libsched_services_nominate(ok->services, w->pod, NULL, err));
  CHECK_MISUSE(SAID("node"), libsched_node_copy(w->node, kNowhere, kNowhere, &n, err));
  CHECK_MISUSE(SAID("node"), libsched_cluster_update_node(ok->cluster, w->node, err));
  CHECK_MISUSE(SAID("cluster"), libsched_cluster_fork(w->cluster, err));
  CHECK_MISUSE(SAID("cluster"),
               libsched_evaluator_create(ok->framework, w->cluster, NULL, &e, err));
  CHECK_MISUSE(SAID("snapshot"), evaluate_snapshot(ok->framework, w->snapshot, &e, err));
  CHECK_MISUSE(SAID("status"),
               libsched_run_pre_enqueue_plugins(ok->evaluator, ok->pod, w->status, err));
  CHECK_MISUSE(SAID("config"), libsched_framework_create(w->config, kNowhere, NULL, NULL, &f, err));
  CHECK_MISUSE(SAID("config"), libsched_config_describe_json(w->config, &t, err));
  CHECK_MISUSE(SAID("registry"),
               libsched_framework_create(ok->config, kNowhere, w->registry, NULL, &f, err));
  CHECK_MISUSE(SAID("registry"), libsched_registry_enable(w->registry, text("X"), 1, err));
  CHECK_MISUSE(SAID("framework"),
               libsched_evaluator_create(w->framework, ok->cluster, NULL, &e, err));
  CHECK_MISUSE(SAID("state"), libsched_cycle_state_clone(w->state, &c, err));
  CHECK_MISUSE(SAID("state"),
               libsched_cycle_state_write(w->state, text("k"), NULL, NULL, NULL, err));
  CHECK_MISUSE(SAID("evaluator"), libsched_sign_pod(w->evaluator, ok->pod, &t, err));
  CHECK_MISUSE(SAID("evaluator"),
               libsched_check_pod_fits(w->evaluator, ok->pod, LIBSCHED_ANY_NODE, NULL, &d, err));
  CHECK_MISUSE(SAID("result"), libsched_run_pre_filter_plugins(ok->evaluator, ok->state, ok->pod,
                                                               w->narrowed, ok->status, err));
  CHECK_MISUSE(SAID("decision"), libsched_decision_explain_json(w->decision, &t, err));
  CHECK_MISUSE(SAID("table"), libsched_run_score_plugins(ok->evaluator, ok->state, ok->pod, &word,
                                                         1, NULL, 0, w->table, ok->status, err));
  CHECK_MISUSE(SAID("statuses"),
               libsched_run_post_filter_plugins(ok->evaluator, ok->state, ok->pod, w->statuses,
                                                NULL, ok->status, err));
  CHECK_MISUSE(SAID("clock"), libsched_clock_advance_to(w->clock, 5, err));
  CHECK_MISUSE(SAID("services"), libsched_services_nominate(w->services, ok->pod, NULL, err));
  CHECK(libsched_waiting_pod_pending(w->waiting, NULL, 0) == 0);
  /* Handles in structs and arrays. */
  libsched_services_options services = LIBSCHED_SERVICES_OPTIONS_INIT;
  services.clock = w->clock;
  CHECK_MISUSE(SAID("clock"), libsched_services_create(&services, &s, err));
  libsched_parse_options parse = LIBSCHED_PARSE_OPTIONS_INIT;
  parse.classes = w->objects;
  CHECK_MISUSE(SAID("classes"), libsched_objects_parse(text(kObjects), &parse, &o, err));
  libsched_check_options check = LIBSCHED_CHECK_OPTIONS_INIT;
  check.state = w->state;
  CHECK_MISUSE(SAID("state"),
               libsched_check_pod_fits(ok->evaluator, ok->pod, kNowhere, &check, &d, err));
  const libsched_pod* pods[] = {ok->pod, w->pod};
  CHECK_MISUSE(SAID("pods[1]"), libsched_cluster_add_pods(ok->cluster, pods, NULL, 2, err));
  const libsched_node* nodes[] = {w->node};
  CHECK_MISUSE(SAID("nodes[0]"), libsched_cluster_add_nodes(ok->cluster, nodes, 1, err));
  CHECK(!e && !f && !p && !n && !t && !c && !s && !o && !d);
}

/* Functions without an error return the same as for NULL. */
static void check_reads(const world* w) {
  CHECK_STR(libsched_text_get(w->text), "");
  CHECK(libsched_error_code(w->error) == LIBSCHED_OK);
  CHECK_STR(libsched_error_message(w->error), "");
  CHECK(libsched_objects_pod_count(w->objects) == 0);
  CHECK(libsched_objects_get_pod(w->objects, 0) == NULL);
  CHECK_STR(libsched_pod_name(w->pod), "");
  CHECK(libsched_pod_ref(w->pod) == NULL);
  CHECK_STR(libsched_node_name(w->node), "");
  CHECK(libsched_node_taint_count(w->node) == 0);
  CHECK(libsched_cluster_view(w->cluster) == NULL && libsched_cluster_fork_depth(w->cluster) == 0);
  CHECK(libsched_snapshot_view(w->snapshot) == NULL && libsched_snapshot_ref(w->snapshot) == NULL);
  CHECK(libsched_status_code(w->status) == LIBSCHED_CODE_SUCCESS);
  libsched_status_add_reason(w->status, text("lost"));
  CHECK(libsched_status_reason_count(w->status) == 0);
  CHECK(libsched_config_profile_count(w->config) == 0);
  CHECK(libsched_registry_ref(w->registry) == NULL);
  CHECK_STR(libsched_framework_profile(w->framework), "");
  CHECK(libsched_cycle_state_read(w->state, text("key")) == NULL);
  CHECK(libsched_evaluator_services(w->evaluator) == NULL);
  CHECK(libsched_prefilter_result_all_nodes(w->narrowed));
  CHECK(libsched_decision_node_count(w->decision) == 0);
  CHECK(libsched_score_table_rows(w->table) == NULL);
  CHECK(libsched_node_statuses_code(w->statuses, 0) == LIBSCHED_CODE_ERROR);
  CHECK(libsched_clock_now(w->clock) == 0);
  CHECK(libsched_services_clock(w->services) == NULL);
  CHECK(libsched_waiting_pod_pod(w->waiting) == NULL);
}

static void test_released(void) {
  world ok, w;
  open_world(&ok);
  open_world(&w);
  const libsched_view* view = libsched_cluster_view(w.cluster);
  const libsched_view* of_snapshot = libsched_snapshot_view(w.snapshot);
  const libsched_pod* hog = libsched_view_find_pod(view, text("default"), text("hog"), NULL);
  CHECK(hog != NULL);
  unref_all(&w);
  for (int twice = 0; twice < 2; ++twice) {
    check_calls(&ok, &w, "was released");
    check_reads(&w);
    unref_all(&w); /* repeated releases do nothing */
  }
  /* Handles borrowed from released objects. */
  libsched_str raw;
  CHECK_MISUSE("view was released",
               libsched_view_object_raw(view, text("Pod"), kNowhere, kNowhere, &raw, err));
  CHECK(libsched_view_node_count(view) == 0 && libsched_view_node_count(of_snapshot) == 0);
  CHECK_STR(libsched_pod_name(hog), "");
  unref_all(&ok);
}

/* Handles of another kind: each is passed in place of the next kind. */
static void test_other_kinds(void) {
  world ok, odd;
  open_world(&ok);
  void* all[sizeof(world) / sizeof(void*)];
  enum { kKinds = sizeof all / sizeof *all };
  memcpy(all, &ok, sizeof all);
  for (size_t shift = 1; shift < kKinds; shift += 6) {
    void* others[kKinds];
    for (size_t i = 0; i < kKinds; ++i) others[i] = all[(i + shift) % kKinds];
    memcpy(&odd, others, sizeof odd);
    check_calls(&ok, &odd, "is ");
    check_reads(&odd);
    unref_all(&odd);
  }
  CHECK_MISUSE("pod is a node, not a pod",
               libsched_pod_raw((const libsched_pod*)ok.node, &(libsched_str){NULL, 0}, err));
  CHECK_MISUSE("pod is a view, not a pod",
               libsched_pod_raw((const libsched_pod*)libsched_cluster_view(ok.cluster),
                                &(libsched_str){NULL, 0}, err));
  static const uint64_t no_handle[8];
  CHECK_MISUSE("pod is no handle",
               libsched_pod_raw((const libsched_pod*)no_handle, &(libsched_str){NULL, 0}, err));
  CHECK_STR(libsched_pod_name(ok.pod), "asked"); /* the objects are unchanged */
  CHECK_STR(libsched_node_name(ok.node), "spare");
  CHECK_OK(
      libsched_run_pre_filter_plugins(ok.evaluator, ok.state, ok.pod, ok.narrowed, ok.status, err));
  unref_all(&ok);
}

/* The program must not release borrowed handles. */
static void test_borrowed(void) {
  world w;
  open_world(&w);
  const libsched_pod* listed = libsched_objects_get_pod(w.objects, 0);
  libsched_services* services = libsched_evaluator_services(w.evaluator);
  for (int i = 0; i < 3; ++i) {
    libsched_pod_unref((libsched_pod*)listed);
    libsched_services_unref(services);
    libsched_score_table_unref((libsched_score_table*)libsched_decision_scores(w.decision));
  }
  CHECK_STR(libsched_pod_name(listed), "listed");
  CHECK(libsched_services_clock(services) != NULL);
  libsched_pod* mine = libsched_pod_ref(listed);
  libsched_objects_unref(w.objects);
  w.objects = NULL;
  CHECK_STR(libsched_pod_name(mine), "listed");
  libsched_pod_unref(mine);
  CHECK_STR(libsched_pod_name(mine), "");
  unref_all(&w);
}

/* The quarantine certainly holds the latest handles. */
static void test_many(void) {
  enum { kMany = 3000 };
  static libsched_status* all[kMany];
  for (int i = 0; i < kMany; ++i) CHECK_OK(libsched_status_create(&all[i], err));
  for (int i = 0; i < kMany; ++i) libsched_status_unref(all[i]);
  int found = 0;
  for (int i = 0; i < kMany; ++i) {
    libsched_status_set(all[i], LIBSCHED_CODE_ERROR);
    libsched_status_unref(all[i]);
    found += libsched_status_code(all[i]) == LIBSCHED_CODE_SUCCESS;
  }
  CHECK(found == kMany);
}
#endif

/* --- slots --- */

/* The actions of a slot with its borrowed handles. */
typedef enum misdeed {
  kPod,
  kNode,
  kState,
  kStatus,
  kEvaluator,
  kServices,
  kClock,
  kCluster,
  kHog,
  kResult,
  kTwice,
  kNothing,    /* valid: releases only references that it took */
  kTakeNow,    /* valid: one slot takes a reference, ... */
  kReleaseNow, /* ... and another slot releases it */
} misdeed;

typedef struct culprit {
  misdeed deed;
  libsched_cluster* cluster;
  libsched_pod* kept;
  const libsched_node_info* info;
  const libsched_status* status;
  const libsched_prefilter_result* result;
} culprit;

static void commit(culprit* c, libsched_cycle_state* state, libsched_pod* pod,
                   const libsched_node_info* info, libsched_status* status) {
  libsched_pod* const hog = (libsched_pod*)libsched_view_find_pod(
      libsched_cycle_state_view(state), text("default"), text("hog"), NULL);
  libsched_evaluator* const evaluator = libsched_cycle_state_evaluator(state);
  switch (c->deed) {
    case kTwice:
      libsched_pod_unref(libsched_pod_ref(pod));
      libsched_pod_unref(pod); /* fallthrough */
    case kPod: libsched_pod_unref(pod); break;
    case kNode: libsched_node_unref((libsched_node*)libsched_node_info_node(info)); break;
    case kState: libsched_cycle_state_unref(state); break;
    case kStatus: libsched_status_unref(status); break;
    case kEvaluator: libsched_evaluator_unref(evaluator); break;
    case kServices: libsched_services_unref(libsched_evaluator_services(evaluator)); break;
    case kClock:
      libsched_clock_unref(libsched_services_clock(libsched_evaluator_services(evaluator)));
      break;
    case kHog: libsched_pod_unref(hog); break;
    case kTakeNow: c->kept = libsched_pod_ref(pod); break;
    case kReleaseNow:
      libsched_pod_unref(c->kept);
      c->kept = NULL;
      break;
    case kCluster:
    case kResult: break;
    case kNothing:
      libsched_pod_unref(libsched_pod_ref(pod));
      libsched_pod_unref(libsched_pod_ref(hog));
      libsched_node_unref(libsched_node_ref(libsched_node_info_node(info)));
      libsched_services_unref(libsched_services_ref(libsched_evaluator_services(evaluator)));
      CHECK_OK(libsched_status_create(&status, err));
      libsched_status_unref(status);
      break;
  }
}

static libsched_code m_filter(void* instance, const libsched_cycle_state* state,
                              const libsched_pod* pod, const libsched_node_info* node,
                              libsched_status* status) {
  culprit* c = instance;
  c->info = node;
  c->status = status;
  commit(c, (libsched_cycle_state*)state, (libsched_pod*)pod, node, status);
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code m_pre_filter(void* instance, libsched_cycle_state* state,
                                  const libsched_pod* pod, libsched_prefilter_result* result,
                                  libsched_status* status) {
  culprit* c = instance;
  (void)state, (void)pod, (void)status;
  c->result = result;
  if (c->deed == kResult) libsched_prefilter_result_unref(result);
  return LIBSCHED_CODE_SUCCESS;
}

typedef struct stage {
  culprit c;
  libsched_cluster* cluster;
  libsched_framework* framework;
  libsched_evaluator* evaluator;
  libsched_cycle_state* state;
  libsched_status* status;
  libsched_pod* pod;
  libsched_services* services;
} stage;

static void open_stage(stage* s) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  libsched_registry* registry = NULL;
  libsched_config* config = NULL;
  memset(s, 0, sizeof *s);
  plugin.name = LIBSCHED_STR("Culprit");
  plugin.filter = m_filter;
  plugin.pre_filter = m_pre_filter;
  CHECK_OK(libsched_config_parse(
      text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
           "profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: "
           "PrioritySort}, {name: DefaultBinder}, {name: Culprit}]}}}]"),
      NULL, &config, err));
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, &s->c, err));
  CHECK_OK(libsched_framework_create(config, kNowhere, registry, NULL, &s->framework, err));
  s->cluster = s->c.cluster = five_nodes();
  s->pod = pod_of("asked", 100, "");
  CHECK_OK(libsched_evaluator_create(s->framework, s->cluster, NULL, &s->evaluator, err));
  CHECK_OK(libsched_services_create(NULL, &s->services, err));
  CHECK_OK(libsched_evaluator_set_services(s->evaluator, s->services, err));
  CHECK_OK(libsched_cycle_state_create(&s->state, err));
  CHECK_OK(libsched_status_create(&s->status, err));
  libsched_registry_unref(registry);
  libsched_config_unref(config);
}

static void close_stage(stage* s) {
  libsched_status_unref(s->status);
  libsched_cycle_state_unref(s->state);
  libsched_services_unref(s->services);
  libsched_evaluator_unref(s->evaluator);
  libsched_pod_unref(s->pod);
  libsched_cluster_unref(s->cluster);
  libsched_framework_unref(s->framework);
}

static void ask(stage* s, misdeed deed) {
  s->c.deed = deed;
  CHECK_OK(libsched_run_pre_filter_plugins(s->evaluator, s->state, s->pod, NULL, s->status, err));
  if (libsched_status_code(s->status) != LIBSCHED_CODE_SUCCESS) return;
  CHECK_OK(libsched_run_filter_plugins(s->evaluator, s->state, s->pod, text("big"), NULL, s->status,
                                       err));
}

static void test_slots_that_do_well(void) {
  static const misdeed kWell[] = {kNothing, kTakeNow, kReleaseNow, kNothing};
  stage s;
  open_stage(&s);
  for (size_t i = 0; i < sizeof kWell / sizeof *kWell; ++i) {
    ask(&s, kWell[i]);
    CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SUCCESS);
  }
  CHECK_STR(libsched_pod_name(s.pod), "asked");
  close_stage(&s);
}

#if LIBSCHED_CHECK_HANDLES
static void test_slots_that_release(void) {
  static const struct {
    misdeed deed;
    const char* says;
  } kCases[] = {
      {kPod, "released a pod that"},
      {kNode, "released a node that"},
      {kState, "released a cycle state that"},
      {kStatus, "released a status that"},
      {kEvaluator, "released an evaluator that"},
      {kServices, "released services that"},
      {kClock, "released a clock that"},
      {kHog, "released a pod that"},
      {kResult, "released a PreFilter result that"},
      {kTwice, "released a pod that"},
  };
  stage s;
  open_stage(&s);
  for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    ask(&s, kCases[i].deed);
    const libsched_str why = libsched_status_reason(s.status, 0);
    const int same = libsched_status_code(s.status) == LIBSCHED_CODE_ERROR &&
                     strstr(why.ptr, "plugin \"Culprit\"") != NULL &&
                     strstr(why.ptr, kCases[i].says) != NULL;
    CHECK(same);
    if (!same) fprintf(stderr, "  \"%s\": it is \"%s\"\n", kCases[i].says, why.ptr);
    /* No reference was lost. */
    ask(&s, kNothing);
    CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_SUCCESS);
    CHECK_STR(libsched_pod_name(s.pod), "asked");
  }
  close_stage(&s);
}

/* Lent handles that a slot kept. */
static void test_after_the_slot(void) {
  stage s;
  open_stage(&s);
  ask(&s, kNothing);
  CHECK(s.c.info != NULL && s.c.status != NULL && s.c.result != NULL);
  CHECK(libsched_node_info_row(s.c.info) == LIBSCHED_NO_ROW);
  CHECK(libsched_node_info_node(s.c.info) == NULL);
  libsched_status_set((libsched_status*)s.c.status, LIBSCHED_CODE_ERROR);
  CHECK(libsched_status_code(s.c.status) == LIBSCHED_CODE_SUCCESS);
  CHECK_MISUSE("status was released", libsched_run_pre_enqueue_plugins(
                                          s.evaluator, s.pod, (libsched_status*)s.c.status, err));
  libsched_status_unref((libsched_status*)s.c.status);
  libsched_prefilter_result_unref((libsched_prefilter_result*)s.c.result);
  CHECK_MISUSE("result was released", libsched_run_pre_filter_plugins(
                                          s.evaluator, s.state, s.pod,
                                          (libsched_prefilter_result*)s.c.result, s.status, err));
  close_stage(&s);
}

/* `create` returns Success, but has released a lent handle: no framework is made, and its instance
   is destroyed. */
static int instances;
static libsched_code i_create(void* user_data, libsched_str args, void** instance,
                              libsched_status* status) {
  (void)user_data, (void)args;
  *instance = &instances;
  ++instances;
  libsched_status_unref(status);
  return LIBSCHED_CODE_SUCCESS;
}
static void i_release(void* user_data, void* instance) {
  (void)user_data;
  CHECK(instance == &instances);
  --instances;
}

static void test_create_that_releases(void) {
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  libsched_plugin plugin = {.struct_size = sizeof plugin,
                            .abi_version = LIBSCHED_ABI_VERSION,
                            .name = LIBSCHED_STR("Culprit"),
                            .create = i_create,
                            .release = i_release,
                            .filter = m_filter};
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, NULL, err));
  CHECK_OK(libsched_registry_enable(registry, plugin.name, 0, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "released a status",
              libsched_framework_create(NULL, kNowhere, registry, NULL, &framework, err));
  CHECK(framework == NULL && instances == 0);
  libsched_registry_unref(registry);
}

/* An API client that releases the pod of a request. */
static libsched_code a_bind(void* user_data, const libsched_pod* pod, libsched_str node,
                            libsched_status* status) {
  (void)user_data, (void)node, (void)status;
  libsched_pod_unref((libsched_pod*)pod);
  return LIBSCHED_CODE_SUCCESS;
}

static void test_api_client(void) {
  stage s;
  open_stage(&s);
  libsched_api_client api = {.struct_size = sizeof api, .bind = a_bind};
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  libsched_services* services = NULL;
  options.api = &api;
  CHECK_OK(libsched_services_create(&options, &services, err));
  CHECK_OK(libsched_evaluator_set_services(s.evaluator, services, err));
  ask(&s, kNothing);
  CHECK_OK(libsched_run_bind_plugins(s.evaluator, s.state, s.pod, text("big"), s.status, err));
  CHECK(libsched_status_code(s.status) == LIBSCHED_CODE_ERROR);
  CHECK(strstr(libsched_status_reason(s.status, 0).ptr, "released a pod that") != NULL);
  CHECK_STR(libsched_pod_name(s.pod), "asked");
  libsched_services_unref(services);
  close_stage(&s);
}
#endif

int main(void) {
  world w;
  open_world(&w);
  unref_all(&w);
  test_slots_that_do_well();
#if LIBSCHED_CHECK_HANDLES
  test_released();
  test_other_kinds();
  test_borrowed();
  test_many();
  test_slots_that_release();
  test_after_the_slot();
  test_create_that_releases();
  test_api_client();
#endif
  return finish();
}
