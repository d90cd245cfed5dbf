/* A plugin with every slot, which records the calls and gives the configured answers.

   `answers` holds for all slots that return a code; `only` names the only slot with that answer,
   while the others succeed. */
#ifndef LIBSCHED_TESTS_CAPI_RECORDER_H
#define LIBSCHED_TESTS_CAPI_RECORDER_H

#include "fixture.h"

typedef struct recorder {
  char log[1024];
  const char* only;                   /* NULL: no slot answers with `code` */
  libsched_code code;                 /* the answer of that slot */
  const char* reason;                 /* NULL: no reason */
  bool release_status, release_state; /* releases that a slot must not make */
  uint32_t nomination_mode;
  int64_t timeout_ns;
  int destroys;
} recorder;

static inline libsched_code note(recorder* r, const char* slot, libsched_cycle_state* state,
                                 libsched_status* status) {
  if (strlen(r->log) + strlen(slot) + 2 < sizeof r->log) {
    if (r->log[0] != '\0') strcat(r->log, " ");
    strcat(r->log, slot);
  }
  if (r->only == NULL || strcmp(r->only, slot) != 0) return LIBSCHED_CODE_SUCCESS;
  if (r->reason != NULL && status != NULL) libsched_status_add_reason(status, text(r->reason));
  if (r->release_status) libsched_status_unref(status);
  if (r->release_state) libsched_cycle_state_unref(state);
  return r->code;
}

/* The calls recorded since the last check. */
static inline void check_log_(recorder* r, const char* expected, int line) {
  check_(strcmp(r->log, expected) == 0, "the slots that were asked", __FILE__, line);
  if (strcmp(r->log, expected) != 0)
    fprintf(stderr, "  asked: \"%s\", expected: \"%s\"\n", r->log, expected);
  r->log[0] = '\0';
}
#define CHECK_LOG(r, expected) check_log_((r), (expected), __LINE__)

typedef libsched_cycle_state state_;
typedef const libsched_pod pod_;

static inline libsched_str r_instance_name(void* i) { return (void)i, text("Recorder2"); }
static inline bool r_less(void* i, pod_* a, int64_t at, pod_* b, int64_t bt) {
  (void)a, (void)b;
  note(i, "less", NULL, NULL);
  return at < bt;
}
static inline libsched_code r_pre_enqueue(void* i, pod_* p, libsched_status* s) {
  return (void)p, note(i, "pre_enqueue", NULL, s);
}
static inline libsched_code r_pre_filter(void* i, state_* c, pod_* p, libsched_prefilter_result* o,
                                         libsched_status* s) {
  return (void)p, (void)o, note(i, "pre_filter", c, s);
}
static inline libsched_code r_add_pod(void* i, state_* c, pod_* p, pod_* other,
                                      const libsched_node_info* n, libsched_status* s) {
  return (void)p, (void)other, (void)n, note(i, "add_pod", c, s);
}
static inline libsched_code r_remove_pod(void* i, state_* c, pod_* p, pod_* other,
                                         const libsched_node_info* n, libsched_status* s) {
  return (void)p, (void)other, (void)n, note(i, "remove_pod", c, s);
}
static inline libsched_code r_filter(void* i, const state_* c, pod_* p, const libsched_node_info* n,
                                     libsched_status* s) {
  CHECK(libsched_cycle_state_view(c) != NULL && libsched_cycle_state_evaluator(c) != NULL);
  CHECK(libsched_view_node(libsched_cycle_state_view(c), libsched_node_info_row(n)) != NULL);
  return (void)p, note(i, "filter", (state_*)c, s);
}
static inline libsched_code r_post_filter(void* i, state_* c, pod_* p,
                                          const libsched_node_statuses* t, libsched_nomination* n,
                                          libsched_status* s) {
  static char name[] = "big";
  (void)p;
  CHECK(libsched_node_statuses_code(t, 0) == LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);
  n->mode = ((recorder*)i)->nomination_mode;
  n->node = text(name);
  return note(i, "post_filter", c, s);
}
static inline libsched_code r_reserve(void* i, state_* c, pod_* p, uint32_t row, libsched_str n,
                                      libsched_status* s) {
  return (void)p, (void)row, CHECK(n.len > 0), note(i, "reserve", c, s);
}
static inline void r_unreserve(void* i, state_* c, pod_* p, uint32_t row, libsched_str n) {
  (void)p, (void)row, (void)n;
  note(i, "unreserve", c, NULL);
}
static inline libsched_code r_permit(void* i, state_* c, pod_* p, libsched_str n, int64_t* timeout,
                                     libsched_status* s) {
  (void)p;
  CHECK(str_is(n, "big"));
  *timeout = ((recorder*)i)->timeout_ns;
  return note(i, "permit", c, s);
}
static inline libsched_code r_pre_flight(void* i, state_* c, pod_* p, libsched_str n,
                                         bool* parallel, libsched_status* s) {
  (void)p;
  CHECK(str_is(n, "big"));
  *parallel = true;
  return note(i, "pre_bind_pre_flight", c, s);
}
static inline libsched_code r_pre_bind(void* i, state_* c, pod_* p, libsched_str n,
                                       libsched_status* s) {
  return (void)p, CHECK(str_is(n, "big")), note(i, "pre_bind", c, s);
}
static inline libsched_code r_bind(void* i, state_* c, pod_* p, libsched_str n,
                                   libsched_status* s) {
  return (void)p, CHECK(str_is(n, "big")), note(i, "bind", c, s);
}
static inline void r_post_bind(void* i, state_* c, pod_* p, libsched_str n) {
  (void)p, (void)n;
  note(i, "post_bind", c, NULL);
}
static inline libsched_code r_sign(void* i, pod_* p, libsched_signature* g, libsched_status* s) {
  (void)p;
  libsched_signature_add(g, text("recorder"), text("{\"a\":1}"));
  libsched_signature_add(NULL, text("nobody"), text("1"));
  return note(i, "sign", NULL, s);
}
static inline libsched_code r_events(void* i, libsched_events* e, libsched_status* s) {
  libsched_events_add(e, text("Node"), 1, true);
  libsched_events_add(e, text("Pod"), 2, false);
  libsched_events_add(NULL, text("nobody"), 1, false);
  return note(i, "events_to_register", NULL, s);
}
static inline libsched_code r_hint(void* i, size_t index, pod_* p, const libsched_object_change* c,
                                   bool* queue, libsched_status* s) {
  (void)index, (void)p, (void)c;
  *queue = false;
  return note(i, "queueing_hint", NULL, s);
}
static inline void r_on_event(void* i, libsched_services* services, const libsched_view* view,
                              const libsched_object_change* c) {
  libsched_str raw;
  CHECK(services != NULL && view != NULL);
  CHECK(libsched_object_change_has_before(c) || libsched_object_change_has_after(c));
  const bool after = libsched_object_change_has_after(c);
  if (str_is(libsched_object_change_resource(c), "Node")) {
    CHECK(libsched_object_change_node(c, after) != NULL);
    CHECK(libsched_object_change_pod(c, after) == NULL);
    CHECK(libsched_object_change_actions(c) ==
          (!after ? 2 : !libsched_object_change_has_before(c)));
    CHECK_STR(libsched_object_change_namespace(c), "");
    CHECK_STR(libsched_object_change_name(c), "new");
    if (!libsched_object_change_has_before(c))
      CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "new",
                  libsched_object_change_raw(c, false, &raw, err));
    CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_raw",
                libsched_object_change_raw(c, after, &raw, err));
  }
  note(i, "on_event", NULL, NULL);
}
static inline void r_forked(void* i, const libsched_view* v) {
  (void)v, note(i, "forked", NULL, NULL);
}
static inline void r_reverted(void* i, const libsched_view* v) {
  (void)v, note(i, "reverted", NULL, NULL);
}
static inline void r_committed(void* i, const libsched_view* v) {
  (void)v, note(i, "committed", NULL, NULL);
}
static inline void r_destroy(void* u) { ++((recorder*)u)->destroys; }

static inline libsched_plugin recorder_plugin(void) {
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = LIBSCHED_STR("Recorder");
  p.destroy = r_destroy;
  p.less = r_less;
  p.pre_enqueue = r_pre_enqueue;
  p.pre_filter = r_pre_filter;
  p.add_pod = r_add_pod;
  p.remove_pod = r_remove_pod;
  p.filter = r_filter;
  p.post_filter = r_post_filter;
  p.reserve = r_reserve;
  p.unreserve = r_unreserve;
  p.permit = r_permit;
  p.pre_bind_pre_flight = r_pre_flight;
  p.pre_bind = r_pre_bind;
  p.bind = r_bind;
  p.post_bind = r_post_bind;
  p.sign = r_sign;
  p.events_to_register = r_events;
  p.queueing_hint = r_hint;
  p.on_event = r_on_event;
  p.forked = r_forked;
  p.reverted = r_reverted;
  p.committed = r_committed;
  return p;
}

/* A framework whose only plugin is the recorder, a cluster, and the arguments of calls. */
typedef struct scene {
  recorder r;
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator* evaluator;
  libsched_cycle_state* state;
  libsched_status* status;
  libsched_pod* pod;
  uint32_t big;
} scene;

static inline void open_scene(scene* s, const libsched_plugin* plugin) {
  libsched_registry* registry = NULL;
  libsched_config* config = NULL;
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  memset(s, 0, sizeof *s);
  options.feature_gates = LIBSCHED_STR("OpportunisticBatching=true");
  CHECK_OK(libsched_config_parse(
      text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
           "profiles: [{plugins: {multiPoint: {enabled: [{name: Recorder}], disabled: [{name: "
           "\"*\"}]}}}]"),
      NULL, &config, err));
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, plugin, &s->r, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, &options, &s->framework, err));
  libsched_config_unref(config);
  libsched_registry_unref(registry);
  s->cluster = five_nodes();
  s->pod = pod_of("p", 500, "");
  CHECK_OK(libsched_evaluator_create(s->framework, s->cluster, NULL, &s->evaluator, err));
  CHECK_OK(libsched_status_create(&s->status, err));
  CHECK_OK(libsched_cycle_state_create(&s->state, err));
  s->big = libsched_view_find_node(libsched_cluster_view(s->cluster), text("big"));
  CHECK_OK(libsched_run_pre_filter_plugins(s->evaluator, s->state, s->pod, NULL, s->status, err));
  s->r.log[0] = '\0';
}

static inline void close_scene(scene* s) {
  libsched_pod_unref(s->pod);
  libsched_cycle_state_unref(s->state);
  libsched_status_unref(s->status);
  libsched_evaluator_unref(s->evaluator);
  libsched_cluster_unref(s->cluster);
  libsched_framework_unref(s->framework);
  CHECK(s->r.destroys == 1);
}

static inline int says(const scene* s, libsched_code code, const char* part) {
  const libsched_str first = libsched_status_reason(s->status, 0);
  if (libsched_status_code(s->status) == code &&
      (part == NULL || (first.ptr != NULL && strstr(first.ptr, part) != NULL)))
    return 1;
  fprintf(stderr, "  status %d: %s\n", (int)libsched_status_code(s->status), first.ptr);
  return 0;
}

#endif
