/* A simulated cluster for the C tests: a catalog with some contents, and three nodes made of them.
 */
#ifndef LIBSCHED_TESTS_CAPI_SIM_FIXTURE_H
#define LIBSCHED_TESTS_CAPI_SIM_FIXTURE_H

#include "fixture.h"

static const uint64_t kUntouched = UINT64_C(0x5555555555555555);

/* Nodes n0 and n1 (4 CPUs, zones a and b) and n2 (8 CPUs, zone a, unschedulable), without pods. */
typedef struct sim_world {
  libsched_catalog* catalog;
  libsched_framework* framework;
  libsched_sim* sim;
  uint64_t small_a, small_b, closed; /* contents of nodes */
  uint64_t half, whole, huge;        /* contents of pods: 500m, 4 and 100 CPUs */
  uint64_t nodes[3];                 /* ids */
} sim_world;

static inline uint64_t node_like(libsched_catalog* catalog, int cpu, const char* zone,
                                 const char* spec) {
  libsched_node* node = node_of("any", cpu, zone, spec);
  uint64_t ref = 0;
  CHECK_OK(libsched_catalog_add_node(catalog, node, NULL, &ref, err));
  libsched_node_unref(node);
  return ref;
}

static inline uint64_t pod_like(libsched_catalog* catalog, const char* name, int milli_cpu,
                                const char* spec) {
  libsched_pod* pod = pod_of(name, milli_cpu, spec);
  uint64_t ref = 0;
  CHECK_OK(libsched_catalog_add_pod(catalog, pod, NULL, &ref, err));
  libsched_pod_unref(pod);
  return ref;
}

static inline uint64_t add_like(libsched_sim* sim, uint64_t like, const char* name) {
  uint64_t id = 0;
  const libsched_str one = text(name);
  CHECK_OK(libsched_sim_add_nodes(sim, like, &one, 1, &id, err));
  CHECK(id != 0);
  return id;
}

static inline uint64_t put(libsched_sim* sim, uint64_t pod, uint64_t node) {
  uint64_t id = 0;
  CHECK_OK(libsched_sim_add_pods(sim, &pod, &node, 1, &id, err));
  CHECK(id != 0);
  return id;
}

static inline sim_world open_sim(void) {
  sim_world w;
  memset(&w, 0, sizeof w);
  CHECK_OK(libsched_catalog_create(&w.catalog, err));
  w.framework = default_framework();
  CHECK_OK(libsched_sim_create(w.framework, w.catalog, &w.sim, err));
  w.small_a = node_like(w.catalog, 4, "a", "");
  w.small_b = node_like(w.catalog, 4, "b", "");
  w.closed = node_like(w.catalog, 8, "a", "\"unschedulable\": true");
  w.half = pod_like(w.catalog, "web", 500, "");
  w.whole = pod_like(w.catalog, "web", 4000, "");
  w.huge = pod_like(w.catalog, "web", 100000, "");
  w.nodes[0] = add_like(w.sim, w.small_a, "n0");
  w.nodes[1] = add_like(w.sim, w.small_b, "n1");
  w.nodes[2] = add_like(w.sim, w.closed, "n2");
  return w;
}

static inline void close_sim(sim_world* w) {
  libsched_sim_unref(w->sim);
  libsched_catalog_unref(w->catalog);
  libsched_framework_unref(w->framework);
}

/* All that can be read of a sim, as one text: a failed call must leave it as it was. */
static inline const char* contents_of(const libsched_sim* sim) {
  static char rooms[2][8192];
  static unsigned next;
  char* const room = rooms[next++ % 2];
  size_t at = 0, nodes = 0;
  uint64_t ids[64], pods[256];
  at +=
      (size_t)snprintf(room, 8192, "%zu nodes, %zu pods, %zu forks\n", libsched_sim_node_count(sim),
                       libsched_sim_pod_count(sim), libsched_sim_fork_depth(sim));
  if (libsched_sim_nodes(sim, ids, 64, &nodes, NULL) != LIBSCHED_OK) return "too many nodes";
  for (size_t i = 0; i < nodes && at < 8000; ++i) {
    size_t count = 0, resources = 0;
    int64_t requested[4] = {0}, offered[4] = {0};
    if (libsched_sim_pods_on(sim, ids[i], pods, 256, &count, NULL) != LIBSCHED_OK ||
        libsched_sim_requested(sim, ids[i], requested, 4, &resources, NULL) != LIBSCHED_OK ||
        libsched_sim_allocatable(sim, ids[i], offered, 4, &resources, NULL) != LIBSCHED_OK)
      return "a node cannot be read";
    at += (size_t)snprintf(room + at, 8192 - at, "%s %llx like %llx: %lld of %lld, %lld of %lld:",
                           libsched_sim_node_name(sim, ids[i]).ptr, (unsigned long long)ids[i],
                           (unsigned long long)libsched_sim_node_ref(sim, ids[i]),
                           (long long)requested[0], (long long)offered[0], (long long)requested[3],
                           (long long)offered[3]);
    for (size_t k = 0; k < count && at < 8000; ++k)
      at += (size_t)snprintf(room + at, 8192 - at, " %llx (%llx)", (unsigned long long)pods[k],
                             (unsigned long long)libsched_sim_pod_ref(sim, pods[k]));
    at += (size_t)snprintf(room + at, 8192 - at, "\n");
  }
  return room;
}

/* The call fails and changes nothing. */
#define CHECK_REFUSED(expected, text, sim, call)                                                  \
  do {                                                                                            \
    const char* const before_ = contents_of(sim);                                                 \
    CHECK_FAILS(expected, NULL, text, call);                                                      \
    check_(strcmp(before_, contents_of(sim)) == 0, #call " changes nothing", __FILE__, __LINE__); \
  } while (0)

#endif
