/* Extenders that are asked about several pods at once: decisions equal those that are made one
   after the other, and only extenders that allow it meet calls at the same time. This test also
   runs under ThreadSanitizer. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "fixture.h"

enum { kPods = 70 };

/* An extender that answers by the pod's name, and what it has seen. */
typedef struct busy {
  bool concurrent, ignorable, whole_nodes;
  const char* fails;      /* the name of a pod */
  libsched_cancel* stops; /* set by the first call */
  pthread_t caller;
  atomic_int inside, most, calls, elsewhere;
} busy;

static void enter(busy* b) {
  const int now = atomic_fetch_add(&b->inside, 1) + 1;
  int most = atomic_load(&b->most);
  while (now > most && !atomic_compare_exchange_weak(&b->most, &most, now)) continue;
  atomic_fetch_add(&b->calls, 1);
  if (!pthread_equal(pthread_self(), b->caller)) atomic_fetch_add(&b->elsewhere, 1);
  if (b->stops != NULL) libsched_cancel_set(b->stops);
  nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* "p17": 17. */
static int number_of(const libsched_pod* pod) { return atoi(libsched_pod_name(pod).ptr + 1); }

static libsched_code left(busy* b, const libsched_pod* pod, libsched_status* status) {
  atomic_fetch_sub(&b->inside, 1);
  if (b->fails == NULL || strcmp(libsched_pod_name(pod).ptr, b->fails) != 0)
    return LIBSCHED_CODE_SUCCESS;
  libsched_status_set_error(status, text("too busy"));
  return LIBSCHED_CODE_ERROR;
}

static libsched_code filter(void* data, const libsched_pod* pod, const libsched_node* const* nodes,
                            size_t count, const libsched_extender_answer* answer,
                            libsched_status* status) {
  busy* b = data;
  enter(b);
  for (size_t i = 0; i < count; ++i) {
    if (((size_t)number_of(pod) + i) % 5 == 0)
      answer->reject(answer->context, libsched_node_name(nodes[i]), text("not this one"),
                     i % 2 == 0);
    else if (b->whole_nodes)
      answer->keep_node(answer->context, i, nodes[i]);
    else
      answer->keep(answer->context, i);
  }
  return left(b, pod, status);
}

static libsched_code prioritize(void* data, const libsched_pod* pod,
                                const libsched_node* const* nodes, size_t count,
                                const libsched_extender_answer* answer, libsched_status* status) {
  busy* b = data;
  enter(b);
  for (size_t i = 0; i < count; ++i)
    answer->score(answer->context, libsched_node_name(nodes[i]),
                  (int64_t)((size_t)number_of(pod) * 7 + i * 3) % 11);
  return left(b, pod, status);
}

static libsched_evaluator* evaluator_with(libsched_cluster* cluster, busy* list, size_t count) {
  libsched_extender* extenders[2];
  for (size_t i = 0; i < count; ++i) {
    libsched_extender_functions f = LIBSCHED_EXTENDER_FUNCTIONS_INIT;
    f.name = text(i == 0 ? "first" : "second");
    f.concurrent = list[i].concurrent;
    f.ignorable = list[i].ignorable;
    f.filter = filter;
    f.prioritize = prioritize;
    list[i].caller = pthread_self();
    CHECK_OK(libsched_extender_create(&f, &list[i], &extenders[i], err));
  }
  return evaluator_of_extenders(cluster, extenders, count);
}

static libsched_cluster* some_nodes(void) {
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  for (int i = 0; i < 12; ++i)
    add_node(cluster, node_of(format("n%d", i), 1 + i % 4, i % 2 ? "a" : "b",
                              i == 7 ? "\"unschedulable\": true" : ""));
  return cluster;
}

static void make_pods(const libsched_pod** pods) {
  for (int i = 0; i < kPods; ++i) pods[i] = pod_of(format("p%d", i), 400 + i * 60, "");
}

static void drop_pods(const libsched_pod** pods) {
  for (int i = 0; i < kPods; ++i) libsched_pod_unref((libsched_pod*)pods[i]);
}

static libsched_text* explained(const libsched_decision* decision) {
  libsched_text* json = NULL;
  CHECK_OK(libsched_decision_explain_json(decision, &json, err));
  return json;
}

/* Checks all pods with `calls`, and compares with checks one by one. */
static void compare(libsched_evaluator* evaluator, const libsched_pod* const* pods,
                    uint32_t calls) {
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.score = options.facts = true;
  options.extender_calls = calls;
  libsched_decision* many[kPods];
  CHECK_OK(libsched_check_pods_fit(evaluator, pods, kPods, &options, many, err));
  int fit = 0, different = 0;
  for (int i = 0; i < kPods; ++i) {
    libsched_decision* one = NULL;
    CHECK_OK(libsched_check_pod_fits(evaluator, pods[i], LIBSCHED_ANY_NODE, &options, &one, err));
    libsched_text *a = explained(one), *b = explained(many[i]);
    different += strcmp(libsched_text_get(a).ptr, libsched_text_get(b).ptr) != 0;
    fit += libsched_decision_feasible_count(one) != 0;
    libsched_text_unref(a);
    libsched_text_unref(b);
    libsched_decision_unref(one);
    libsched_decision_unref(many[i]);
  }
  CHECK(different == 0);
  CHECK(fit > kPods / 2 && fit < kPods);
}

static void test_equal_decisions(void) {
  libsched_cluster* cluster = some_nodes();
  const libsched_pod* pods[kPods];
  make_pods(pods);
  const struct {
    busy extenders[2];
    size_t count;
    uint32_t calls;
    bool at_once;
  } cases[] = {
      {{{.concurrent = true}}, 1, 6, true},
      {{{.concurrent = true}}, 1, 0, true},
      {{{.concurrent = true}}, 1, 1, false},
      {{{.concurrent = false}}, 1, 6, false},
      {{{.concurrent = true}, {.concurrent = true}}, 2, 6, true},
      {{{.concurrent = true}, {.concurrent = false}}, 2, 6, false},
      {{{.concurrent = true, .fails = "p11"}, {.concurrent = true}}, 2, 6, true},
      {{{.concurrent = true, .fails = "p11", .ignorable = true}, {.concurrent = true}}, 2, 6, true},
      {{{.concurrent = true, .whole_nodes = true}}, 1, 6, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    busy extenders[2] = {cases[i].extenders[0], cases[i].extenders[1]};
    libsched_evaluator* evaluator = evaluator_with(cluster, extenders, cases[i].count);
    compare(evaluator, pods, cases[i].calls);
    for (size_t k = 0; k < cases[i].count; ++k) {
      const int most = atomic_load(&extenders[k].most);
      CHECK(cases[i].at_once ? most > 1 && most <= (cases[i].calls ? (int)cases[i].calls : 8)
                             : most == 1);
      CHECK(cases[i].at_once == (atomic_load(&extenders[k].elsewhere) != 0));
      CHECK(atomic_load(&extenders[k].calls) > kPods);
    }
    libsched_evaluator_unref(evaluator);
  }
  drop_pods(pods);
  libsched_cluster_unref(cluster);
}

/* PostFilter may change what the next pod sees, so pods are checked one after the other. */
static void test_post_filter(void) {
  libsched_cluster* cluster = some_nodes();
  const libsched_pod* pods[kPods];
  make_pods(pods);
  busy extender = {.concurrent = true};
  libsched_evaluator* evaluator = evaluator_with(cluster, &extender, 1);
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.post_filter = true;
  libsched_decision* many[kPods];
  CHECK_OK(libsched_check_pods_fit(evaluator, pods, kPods, &options, many, err));
  CHECK(atomic_load(&extender.most) == 1 && atomic_load(&extender.elsewhere) == 0);
  for (int i = 0; i < kPods; ++i) libsched_decision_unref(many[i]);
  libsched_evaluator_unref(evaluator);
  drop_pods(pods);
  libsched_cluster_unref(cluster);
}

static void test_ends_early(void) {
  libsched_cluster* cluster = some_nodes();
  const libsched_pod* pods[kPods];
  make_pods(pods);
  busy extender = {.concurrent = true};
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  options.cancel = cancel;
  options.extender_calls = 4;
  extender.stops = cancel;
  libsched_evaluator* evaluator = evaluator_with(cluster, &extender, 1);
  libsched_decision* many[kPods] = {NULL};
  CHECK_FAILS(LIBSCHED_ERR_CANCELLED, NULL, NULL,
              libsched_check_pods_fit(evaluator, pods, kPods, &options, many, err));
  for (int i = 0; i < kPods; ++i) CHECK(many[i] == NULL);
  CHECK(atomic_load(&extender.calls) >= 1 && atomic_load(&extender.calls) <= 4);
  extender.stops = NULL;
  libsched_cancel_reset(cancel);

  libsched_cycle_state* state = NULL;
  CHECK_OK(libsched_cycle_state_create(&state, err));
  options.state = state;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "state",
              libsched_check_pods_fit(evaluator, pods, kPods, &options, many, err));
  options.state = NULL;
  options.extender_calls = 1025;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "1024",
              libsched_check_pods_fit(evaluator, pods, kPods, &options, many, err));
  options.extender_calls = 1024;
  options.reserved = 1;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_check_pods_fit(evaluator, pods, kPods, &options, many, err));
  options.reserved = 0;
  CHECK_OK(libsched_check_pods_fit(evaluator, NULL, 0, &options, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_check_pods_fit(evaluator, pods, 1, &options, NULL, err));
  const libsched_pod* none[] = {NULL};
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_check_pods_fit(evaluator, none, 1, &options, many, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_check_pods_fit(NULL, pods, 1, &options, many, err));
  libsched_cycle_state_unref(state);
  libsched_cancel_unref(cancel);
  libsched_evaluator_unref(evaluator);
  drop_pods(pods);
  libsched_cluster_unref(cluster);
}

/* The error of a pod has its place as path, and leaves no decision. */
static void test_a_pods_error(void) {
  libsched_cluster* cluster = some_nodes();
  const libsched_pod* pods[kPods];
  make_pods(pods);
  libsched_extender_functions f = LIBSCHED_EXTENDER_FUNCTIONS_INIT;
  f.name = text("reader");
  f.concurrent = f.reads_pods = true;
  f.filter = filter;
  busy data = {.concurrent = true};
  data.caller = pthread_self();
  libsched_extender* extender = NULL;
  CHECK_OK(libsched_extender_create(&f, &data, &extender, err));
  const libsched_extender* list[] = {extender};
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  options.extenders = list;
  options.extender_count = 1;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_framework_create(NULL, text(""), NULL, &options, &framework, err));
  libsched_evaluator* evaluator = NULL;
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  libsched_decision* many[kPods] = {NULL};
  CHECK_FAILS(LIBSCHED_ERR_STATE, "pods[0]", "keep_raw",
              libsched_check_pods_fit(evaluator, pods, kPods, NULL, many, err));
  CHECK(many[0] == NULL && many[kPods - 1] == NULL);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_extender_unref(extender);
  drop_pods(pods);
  libsched_cluster_unref(cluster);
}

int main(void) {
  test_equal_decisions();
  test_post_filter();
  test_ends_early();
  test_a_pods_error();
  return finish();
}
