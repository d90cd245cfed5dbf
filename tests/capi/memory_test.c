/* Memory does not grow: a million pods and nodes are added and removed, and afterwards the memory
   in use is the same as before. Under a sanitizer, which has its own allocator, the test is
   shorter and only runs. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <malloc.h>

#include "fixture.h"

enum { kBatch = 1000 };

static size_t in_use(void) {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

typedef struct stage {
  libsched_cluster* cluster;
  libsched_framework* framework;
  libsched_evaluator* evaluator;
  libsched_pod* pods[kBatch];
  libsched_str targets[kBatch];
  char names[kBatch][16];
} stage;

static const char* const kNames[] = {"small", "big", "full", "tainted"};

/* Adds and removes a batch of pods that the cluster has never seen: names, labels, uids. */
static void pods_come_and_go(stage* s, long round) {
  for (int i = 0; i < kBatch; ++i) {
    libsched_pod* pod = pod_of(format("pod-%ld-%d", round, i), 1 + i % 7, "");
    s->pods[i] = pod;
    s->targets[i] = text(kNames[i % 4]);
  }
  CHECK_OK(libsched_cluster_add_pods(s->cluster, (const libsched_pod* const*)s->pods, s->targets,
                                     kBatch, err));
  for (int i = 0; i < kBatch; ++i) {
    const libsched_pod* pod = s->pods[i];
    CHECK_OK(libsched_cluster_remove_pod(s->cluster, libsched_pod_namespace(pod),
                                         libsched_pod_name(pod), err));
    libsched_pod_unref(s->pods[i]);
  }
}

/* The same pod objects again and again, as a simulation does. */
static void forks_come_and_go(stage* s) {
  CHECK_OK(libsched_cluster_fork(s->cluster, err));
  CHECK_OK(libsched_cluster_add_pods(s->cluster, (const libsched_pod* const*)s->pods, s->targets,
                                     kBatch, err));
  CHECK_OK(libsched_cluster_revert(s->cluster, err));
}

static void nodes_come_and_go(stage* s, long round) {
  for (int i = 0; i < 50; ++i) {
    const char* name = format("node-%ld-%d", round, i);
    add_node(s->cluster, node_of(name, 4, format("zone-%ld", round % 9), i % 2 == 0 ? TAINT : ""));
    CHECK_OK(libsched_cluster_remove_node(s->cluster, text(name), err));
  }
}

static void questions_come_and_go(stage* s, long round) {
  libsched_pod* pod = pod_of(format("asked-%ld", round), 500, "");
  libsched_decision* decision = NULL;
  libsched_snapshot* snapshot = NULL;
  libsched_cluster* clone = NULL;
  CHECK_OK(libsched_check_pod_fits(s->evaluator, pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
  CHECK_OK(libsched_cluster_snapshot(s->cluster, &snapshot, err));
  CHECK_OK(libsched_cluster_clone(s->cluster, &clone, err));
  libsched_cluster_unref(clone);
  libsched_snapshot_unref(snapshot);
  libsched_decision_unref(decision);
  libsched_pod_unref(pod);
}

/* Runs `rounds` rounds and returns the memory in use afterwards. */
static size_t run(stage* s, long from, long rounds) {
  for (long round = from; round < from + rounds; ++round) {
    pods_come_and_go(s, round);
    nodes_come_and_go(s, round);
    questions_come_and_go(s, round);
  }
  return in_use();
}

static size_t run_forks(stage* s, int rounds) {
  for (int i = 0; i < kBatch; ++i) {
    s->pods[i] = pod_of(format("kept-%d", i), 1, "");
    s->targets[i] = text(kNames[i % 4]);
  }
  for (int round = 0; round < rounds; ++round) forks_come_and_go(s);
  const size_t used = in_use();
  for (int i = 0; i < kBatch; ++i) libsched_pod_unref(s->pods[i]);
  return used;
}

static void check_flat(const char* what, size_t before, size_t after) {
  const size_t grown = after > before ? after - before : 0;
  printf("%s: %zu KB in use, then %zu KB\n", what, before / 1024, after / 1024);
  if (getenv("LIBSCHED_SANITIZED") == NULL) CHECK(grown < 256 * 1024);
}

int main(void) {
  const bool full = getenv("LIBSCHED_SANITIZED") == NULL;
  static stage s;
  s.cluster = five_nodes();
  s.framework = default_framework();
  CHECK_OK(libsched_evaluator_create(s.framework, s.cluster, NULL, &s.evaluator, err));

  size_t before = run(&s, 0, full ? 150 : 5);
  size_t after = run(&s, 150, full ? 350 : 5); /* 350,000 pods and 17,500 nodes never seen before */
  check_flat("new pods and nodes", before, after);
  before = run_forks(&s, full ? 50 : 5);
  after = run_forks(&s, full ? 650 : 5); /* 650,000 additions, reverted */
  check_flat("pods added in forks", before, after);

  const libsched_view* view = libsched_cluster_view(s.cluster);
  CHECK(libsched_view_node_count(view) == 5 && libsched_view_pod_count(view) == 1);
  CHECK(libsched_view_row_count(view) < 64); /* rows are reused */
  libsched_evaluator_unref(s.evaluator);
  libsched_cluster_unref(s.cluster);
  libsched_framework_unref(s.framework);
  return finish();
}
