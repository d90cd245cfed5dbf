/* Cancel handles that are set, reset and released by other threads than that of the ended call.
   This test also runs under ThreadSanitizer. */
#include <pthread.h>
#include <stdatomic.h>

#include "fixture.h"

typedef struct caller {
  const libsched_framework* framework;
  const libsched_snapshot* snapshot;
  const libsched_pod* pod;
  libsched_cancel* cancel; /* a reference of its own */
  atomic_int calls;        /* finished calls */
  int wrong;
} caller;

/* Makes calls until one is cancelled. */
static void* ask(void* argument) {
  caller* c = argument;
  libsched_evaluator* evaluator = NULL;
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.cancel = c->cancel;
  if (evaluate_snapshot(c->framework, c->snapshot, &evaluator, NULL) != LIBSCHED_OK) {
    c->wrong = 1;
    return NULL;
  }
  for (libsched_rc rc = LIBSCHED_OK; rc == LIBSCHED_OK;) {
    libsched_decision* decision = NULL;
    rc = libsched_check_pod_fits(evaluator, c->pod, LIBSCHED_ANY_NODE, &options, &decision, NULL);
    c->wrong += rc != LIBSCHED_OK && rc != LIBSCHED_ERR_CANCELLED;
    libsched_decision_unref(decision);
    atomic_fetch_add(&c->calls, 1);
  }
  libsched_evaluator_unref(evaluator);
  libsched_cancel_unref(c->cancel);
  return NULL;
}

static void* set(void* argument) {
  libsched_cancel_set(argument);
  return NULL;
}

static void test_a_handle(void) {
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  CHECK(!libsched_cancel_is_set(cancel));
  libsched_cancel_set(cancel);
  libsched_cancel_set(cancel);
  CHECK(libsched_cancel_is_set(cancel));
  libsched_cancel_reset(cancel);
  CHECK(!libsched_cancel_is_set(cancel));
  CHECK(libsched_cancel_ref(cancel) == cancel);
  libsched_cancel_unref(cancel);
  libsched_cancel_unref(cancel);

  libsched_cancel_set(NULL);
  libsched_cancel_reset(NULL);
  CHECK(!libsched_cancel_is_set(NULL) && libsched_cancel_ref(NULL) == NULL);
  libsched_cancel_unref(NULL);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "NULL", libsched_cancel_create(NULL, err));
}

static void test_threads(void) {
  libsched_cluster* cluster = NULL;
  libsched_framework* framework = NULL;
  libsched_snapshot* snapshot = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  for (int i = 0; i < 100; ++i) {
    char name[16];
    snprintf(name, sizeof name, "n%03d", i);
    libsched_node* node = node_of(name, 4, "a", "");
    CHECK_OK(libsched_cluster_add_nodes(cluster, (const libsched_node* const[]){node}, 1, err));
    libsched_node_unref(node);
  }
  CHECK_OK(libsched_cluster_snapshot(cluster, &snapshot, err));
  CHECK_OK(libsched_framework_create(NULL, text(""), NULL, NULL, &framework, err));
  libsched_pod* pod = pod_of("p", 1, "");
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));

  for (int round = 0; round < 20; ++round) {
    caller callers[3];
    pthread_t threads[4];
    for (int i = 0; i < 3; ++i) {
      callers[i] = (caller){framework, snapshot, pod, libsched_cancel_ref(cancel), 0, 0};
      CHECK(pthread_create(&threads[i], NULL, ask, &callers[i]) == 0);
    }
    for (int i = 0; i < 3; ++i)
      while (atomic_load(&callers[i].calls) == 0) continue;
    CHECK(pthread_create(&threads[3], NULL, set, cancel) == 0);
    for (int i = 0; i < 4; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < 3; ++i) CHECK(callers[i].wrong == 0);
    CHECK(libsched_cancel_is_set(cancel));
    libsched_cancel_reset(cancel);
  }
  libsched_cancel_unref(cancel);
  libsched_pod_unref(pod);
  libsched_framework_unref(framework);
  libsched_snapshot_unref(snapshot);
  libsched_cluster_unref(cluster);
}

int main(void) {
  test_a_handle();
  test_threads();
  return finish();
}
