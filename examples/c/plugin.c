/* A custom scheduling plugin: Filter in C, beside upstream's plugins.

       plugin CLUSTER POD ZONE   (files: JSON or YAML, plain or gzip)

   Keeps pods out of a zone that is being drained, and prints which plugin rejected each node. */
#include <libsched.h>
#include <stdio.h>
#include <string.h>

/* ---- the plugin: ten lines ---- */

static libsched_code not_in_zone(void* instance, const libsched_cycle_state* state,
                                 const libsched_pod* pod, const libsched_node_info* info,
                                 libsched_status* status) {
  const char* drained = instance; /* the user_data of the registration */
  (void)state, (void)pod;
  libsched_str zone;
  if (!libsched_node_label(libsched_node_info_node(info),
                           LIBSCHED_STR("topology.kubernetes.io/zone"), &zone) ||
      strcmp(zone.ptr, drained) != 0) {
    return LIBSCHED_CODE_SUCCESS;
  }
  libsched_status_add_reason(status, LIBSCHED_STR("node(s) were in a zone that is being drained"));
  return LIBSCHED_CODE_UNSCHEDULABLE;
}

/* ---- its registration, and a profile that enables it ---- */

static const char kConfig[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\n"
    "kind: KubeSchedulerConfiguration\n"
    "profiles:\n"
    "- plugins: {multiPoint: {enabled: [{name: DrainedZone}]}}\n";

static libsched_rc make_framework(char* zone, libsched_framework** out, libsched_error** error) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = LIBSCHED_STR("DrainedZone");
  plugin.flags = LIBSCHED_PLUGIN_CONCURRENT; /* it only reads */
  plugin.filter = not_in_zone;

  libsched_config* config = NULL;
  libsched_registry* registry = NULL;
  libsched_rc rc = libsched_config_parse(LIBSCHED_STR(kConfig), NULL, &config, error);
  if (!rc) rc = libsched_registry_create(&registry, error);
  if (!rc) rc = libsched_registry_add(registry, &plugin, zone, error);
  if (!rc) rc = libsched_framework_create(config, LIBSCHED_STR(""), registry, NULL, out, error);
  libsched_registry_unref(registry); /* the framework keeps what it needs */
  libsched_config_unref(config);
  return rc;
}

static void print_verdicts(const libsched_decision* fit) {
  for (size_t i = 0; i < libsched_decision_node_count(fit); ++i) {
    printf("%-24s", libsched_decision_node(fit, i).ptr);
    if (libsched_decision_code(fit, i) == LIBSCHED_CODE_SUCCESS)
      printf(" fits");
    else
      printf(" %-20s", libsched_decision_plugin(fit, i).ptr);
    for (size_t r = 0; r < libsched_decision_reason_count(fit, i); ++r)
      printf("%s%s", r == 0 ? " " : ", ", libsched_decision_reason(fit, i, r).ptr);
    putchar('\n');
  }
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s CLUSTER POD ZONE\n", argv[0]);
    return 2;
  }
  libsched_error* error = NULL;
  libsched_cluster* cluster = NULL;
  libsched_objects* objects = NULL;
  libsched_framework* framework = NULL;
  libsched_evaluator* evaluator = NULL;
  libsched_decision* fit = NULL;
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = true;
  int code = 2;
  if (libsched_cluster_load(libsched_str_from(argv[1]), &cluster, &error) ||
      libsched_objects_load(libsched_str_from(argv[2]), &options, &objects, &error) ||
      make_framework(argv[3], &framework, &error) ||
      libsched_evaluator_create(framework, cluster, NULL, &evaluator, &error)) {
    goto done;
  }
  if (libsched_objects_pod_count(objects) != 1) {
    fprintf(stderr, "%s: not exactly one pod\n", argv[2]);
    goto done;
  }
  if (libsched_check_pod_fits(evaluator, libsched_objects_get_pod(objects, 0), LIBSCHED_ANY_NODE,
                              NULL, &fit, &error)) {
    goto done;
  }
  if (libsched_decision_error(fit).len > 0) { /* a plugin failed: there is no verdict */
    fprintf(stderr, "%s\n", libsched_decision_error(fit).ptr);
    goto done;
  }
  print_verdicts(fit);
  code = libsched_decision_feasible_count(fit) > 0 ? 0 : 1;

done:
  if (error) {
    fprintf(stderr, "%s%s%s\n", libsched_error_path(error).ptr,
            libsched_error_path(error).len ? ": " : "", libsched_error_message(error).ptr);
  }
  libsched_error_unref(error);
  libsched_decision_unref(fit);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_objects_unref(objects);
  libsched_cluster_unref(cluster);
  return code;
}
