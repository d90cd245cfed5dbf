/* Small objects for the C tests: nodes and pods made of a few words, and a cluster of them.

   The functions that make objects give the caller a reference and count as a check. */
#ifndef LIBSCHED_TESTS_CAPI_FIXTURE_H
#define LIBSCHED_TESTS_CAPI_FIXTURE_H

#include <stdarg.h>

#include "check.h"

static inline libsched_str text(const char* s) { return libsched_str_from(s); }

/* Formats into memory that is reused after eight calls. */
static inline const char* format(const char* pattern, ...) {
  static _Thread_local char rooms[8][4096];
  static _Thread_local unsigned next;
  char* room = rooms[next++ % 8];
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(room, sizeof rooms[0], pattern, arguments);
  va_end(arguments);
  return room;
}

/* Two calls with an option; they give a code and count as no check. */
static inline libsched_rc evaluate_snapshot(const libsched_framework* framework,
                                            const libsched_snapshot* snapshot,
                                            libsched_evaluator** out, libsched_error** error) {
  libsched_evaluator_options options = LIBSCHED_EVALUATOR_OPTIONS_INIT;
  options.snapshot = snapshot;
  return libsched_evaluator_create(framework, NULL, &options, out, error);
}
static inline libsched_rc filter_row(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                     const libsched_pod* pod, uint32_t row, bool nominated,
                                     libsched_status* status, libsched_error** error) {
  libsched_run_filter_options options = LIBSCHED_RUN_FILTER_OPTIONS_INIT;
  options.row = row;
  options.by_row = true;
  options.nominated = nominated;
  return libsched_run_filter_plugins(evaluator, state, pod, text(""), &options, status, error);
}

static inline libsched_node* node_of_json(const char* json) {
  libsched_node* node = NULL;
  CHECK_OK(libsched_node_parse(text(json), NULL, &node, err));
  return node;
}

static inline libsched_pod* pod_of_json(const char* json) {
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(text(json), NULL, &pod, err));
  return pod;
}

/* `spec` is the content of spec: "" or "\"unschedulable\": true". */
static inline libsched_node* node_of(const char* name, int cpu, const char* zone,
                                     const char* spec) {
  return node_of_json(format(
      "{\"kind\": \"Node\", \"metadata\": {\"name\": \"%s\", \"labels\": {"
      "\"kubernetes.io/hostname\": \"%s\", \"topology.kubernetes.io/zone\": \"%s\"}}, "
      "\"spec\": {%s}, \"status\": {\"allocatable\": {\"cpu\": \"%d\", \"memory\": \"16Gi\", "
      "\"pods\": \"110\"}}}",
      name, name, zone, spec, cpu));
}

/* `spec` has the fields after the containers: "" or ", \"nodeName\": \"a\"". */
static inline libsched_pod* pod_of(const char* name, int milli_cpu, const char* spec) {
  return pod_of_json(
      format("{\"kind\": \"Pod\", \"metadata\": {\"name\": \"%s\", \"namespace\": \"default\", "
             "\"uid\": \"uid-%s\", \"labels\": {\"app\": \"%s\"}}, \"spec\": {\"containers\": "
             "[{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": \"%dm\", \"memory\": "
             "\"1Gi\"}}}]%s}}",
             name, name, name, milli_cpu, spec));
}

static inline void add_node(libsched_cluster* cluster, libsched_node* node) {
  const libsched_node* nodes[] = {node};
  CHECK_OK(libsched_cluster_add_nodes(cluster, nodes, 1, err));
  libsched_node_unref(node);
}

static inline void add_pod(libsched_cluster* cluster, libsched_pod* pod, const char* node) {
  const libsched_pod* pods[] = {pod};
  const libsched_str names[] = {text(node)};
  CHECK_OK(libsched_cluster_add_pods(cluster, pods, names, 1, err));
  libsched_pod_unref(pod);
}

#define TAINT \
  "\"taints\": [{\"key\": \"dedicated\", \"value\": \"batch\", \"effect\": \"NoSchedule\"}]"

/* Five nodes: small (1 CPU), big (8), full (4, all taken), tainted (8) and closed (8, cordoned). */
static inline libsched_cluster* five_nodes(void) {
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  add_node(cluster, node_of("small", 1, "a", ""));
  add_node(cluster, node_of("big", 8, "b", ""));
  add_node(cluster, node_of("full", 4, "c", ""));
  add_node(cluster, node_of("tainted", 8, "a", TAINT));
  add_node(cluster, node_of("closed", 8, "b", "\"unschedulable\": true"));
  add_pod(cluster, pod_of("hog", 4000, ""), "full");
  return cluster;
}

/* A framework with upstream's defaults. */
static inline libsched_framework* default_framework(void) {
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_framework_create(NULL, text(""), NULL, NULL, &framework, err));
  return framework;
}

/* An evaluator of a framework with upstream's defaults and these extenders, whose references it
 * takes. */
static inline libsched_evaluator* evaluator_of_extenders(libsched_cluster* cluster,
                                                         libsched_extender** extenders,
                                                         size_t count) {
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  options.extenders = (const libsched_extender* const*)extenders;
  options.extender_count = count;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_framework_create(NULL, text(""), NULL, &options, &framework, err));
  for (size_t i = 0; i < count; ++i) libsched_extender_unref(extenders[i]);
  libsched_evaluator* evaluator = NULL;
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  libsched_framework_unref(framework);
  return evaluator;
}

/* The waiting pod with this uid, or NULL; the caller owns it. */
static inline libsched_waiting_pod* waiting_of(const libsched_services* services,
                                               libsched_str uid) {
  libsched_waiting_pod* waiting = NULL;
  libsched_services_find_waiting_pod(services, uid, &waiting, NULL);
  return waiting;
}

#endif
