/* Counts how many of some equal pods fit, now and if a cluster had more nodes, as an autoscaler
   asks.

       more_nodes CLUSTER POD COUNT NODE MORE      (files: JSON or YAML, plain or gzip)

   Asks a simulated cluster: COUNT pods like POD, which need no names, are placed on the first nodes
   that take them, then once more with MORE nodes like NODE. At last the pods are packed onto new
   nodes alone. Exit code 2: an input is wrong. */
#include <libsched.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything that a run holds, so that one place releases it. */
typedef struct run {
  libsched_objects *cluster, *pod;
  libsched_framework *framework;
  libsched_catalog *catalog;
  libsched_sim *sim;
  libsched_error *error;
  uint64_t web, like;     /* contents */
  uint64_t *pods;         /* `count` times the pod */
  libsched_sim_hit *hits; /* of each */
  size_t count;
} run;

static libsched_rc load(run *r, const char *cluster, const char *pod, const char *node) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  libsched_catalog_options placed = LIBSCHED_CATALOG_OPTIONS_INIT;
  libsched_rc rc;
  options.defaults = true; /* as an API server would have applied them */
  if ((rc = libsched_objects_load(libsched_str_from(cluster), &options, &r->cluster, &r->error)) ||
      (rc = libsched_objects_load(libsched_str_from(pod), &options, &r->pod, &r->error)) ||
      (rc = libsched_framework_create(NULL, LIBSCHED_STR(""), NULL, NULL, &r->framework,
                                      &r->error)) ||
      (rc = libsched_catalog_create(&r->catalog, &r->error)) ||
      (rc = libsched_sim_create(r->framework, r->catalog, &r->sim, &r->error)) ||
      (rc = libsched_sim_load(r->sim, r->cluster, &r->error)))
    return rc;
  const libsched_pod *one = libsched_objects_get_pod(r->pod, 0);
  r->like = libsched_sim_node_ref(r->sim, libsched_sim_find_node(r->sim, libsched_str_from(node)));
  if (one == NULL || r->like == 0) return LIBSCHED_ERR_NOT_FOUND;
  return libsched_catalog_add_pod(r->catalog, one, &placed, &r->web, &r->error);
}

/* The number of pods that fit; they stay. */
static libsched_rc place(run *r, size_t *placed) {
  return libsched_sim_place_many(r->sim, r->pods, r->count, NULL, NULL, r->hits, placed, NULL,
                                 &r->error);
}

static libsched_rc ask(run *r, const char *node, size_t more) {
  static const char *const kStages[] = {"PASSED", "PREFILTER_REJECTED", "PREFILTER_EXCLUDED",
                                        "FILTER_REJECTED", "NO_NODE"};
  libsched_rc rc;
  size_t placed = 0;
  if ((rc = libsched_sim_fork(r->sim, &r->error)) || (rc = place(r, &placed)) ||
      (rc = libsched_sim_revert(r->sim, &r->error)))
    return rc;
  printf("%zu of %zu pods fit\n", placed, r->count);

  if ((rc = libsched_sim_fork(r->sim, &r->error))) return rc;
  for (size_t i = 0; i < more; ++i) {
    char name[32];
    uint64_t id = 0;
    const libsched_str text = {name, (size_t)snprintf(name, sizeof name, "new-%zu", i)};
    if ((rc = libsched_sim_add_nodes(r->sim, r->like, &text, 1, &id, &r->error))) return rc;
  }
  if ((rc = place(r, &placed))) return rc;
  printf("%zu of %zu pods fit with %zu more nodes like %s\n", placed, r->count, more, node);
  if (placed < r->count) {
    libsched_sim_hit hit;
    libsched_sim_verdict why;
    if ((rc = libsched_sim_first(r->sim, r->web, NULL, &hit, &why, &r->error))) return rc;
    printf("the next one: %s\n", kStages[why.stage]);
  }
  if ((rc = libsched_sim_revert(r->sim, &r->error))) return rc;

  const libsched_sim_group group = {r->web, r->count};
  libsched_sim_pack_options options = LIBSCHED_SIM_PACK_OPTIONS_INIT;
  libsched_sim_packing packing;
  options.prefix = LIBSCHED_STR("new-");
  if ((rc = libsched_sim_bin_pack(r->sim, &group, 1, r->like, &options, &packing, &r->error)))
    return rc;
  printf("%zu of %zu pods fit on %zu new nodes alone\n", packing.placed, r->count,
         packing.node_count);
  return libsched_sim_revert(r->sim, &r->error);
}

int main(int argc, char **argv) {
  if (argc != 6) return fprintf(stderr, "usage: %s CLUSTER POD COUNT NODE MORE\n", argv[0]), 2;
  run r = {0};
  r.count = strtoul(argv[3], NULL, 10);
  r.pods = calloc(r.count + 1, sizeof *r.pods);
  r.hits = calloc(r.count + 1, sizeof *r.hits);
  libsched_rc rc = r.pods == NULL || r.hits == NULL ? LIBSCHED_ERR_NO_MEMORY
                                                    : load(&r, argv[1], argv[2], argv[4]);
  for (size_t i = 0; rc == LIBSCHED_OK && i < r.count; ++i) r.pods[i] = r.web;
  if (rc == LIBSCHED_OK) rc = ask(&r, argv[4], strtoul(argv[5], NULL, 10));
  if (r.error != NULL)
    fprintf(stderr, "%s: %s\n", libsched_error_path(r.error).ptr,
            libsched_error_message(r.error).ptr);
  else if (rc != LIBSCHED_OK)
    fprintf(stderr, "there is no such pod or node\n");
  libsched_error_unref(r.error);
  libsched_sim_unref(r.sim);
  libsched_catalog_unref(r.catalog);
  libsched_framework_unref(r.framework);
  libsched_objects_unref(r.pod);
  libsched_objects_unref(r.cluster);
  free(r.pods);
  free(r.hits);
  return rc == LIBSCHED_OK ? 0 : 2;
}
