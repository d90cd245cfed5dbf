/* Prints whether a pod fits, as one line of JSON.

       fit CLUSTER POD          (files: JSON or YAML, plain or gzip)

   {"pod": "ml/train", "fits": true, "nodes": [names], "reasons": {text: number of nodes}}
   Exit code 0: it fits somewhere, 1: nowhere, 2: an input is wrong. */
#include <cjson/cJSON.h>
#include <libsched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Holds all handles of a run, so that one place releases them. */
typedef struct answer {
  libsched_cluster *cluster;
  libsched_objects *objects;
  libsched_framework *framework;
  libsched_evaluator *evaluator;
  libsched_decision *fit;
  libsched_text *json;
  libsched_error *error;
} answer;

/* Loads the pod with the defaults that an API server would have applied. */
static libsched_rc load_pod(answer *a, const char *path) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = true;
  return libsched_objects_load(libsched_str_from(path), &options, &a->objects, &a->error);
}

/* Returns the file's only pod, or the template of its only workload; NULL if there is not exactly one. */
static const libsched_pod *only_pod(const libsched_objects *objects) {
  size_t pods = libsched_objects_pod_count(objects);
  size_t workloads = libsched_objects_workload_count(objects);
  if (pods + workloads != 1) return NULL;
  return pods ? libsched_objects_get_pod(objects, 0)
              : libsched_objects_get_workload(objects, 0, NULL, NULL);
}

static void count(cJSON *reasons, const char *text) {
  cJSON *number = cJSON_GetObjectItemCaseSensitive(reasons, text);
  if (number) {
    cJSON_SetNumberValue(number, number->valuedouble + 1);
  } else {
    cJSON_AddNumberToObject(reasons, text, 1);
  }
}

/* Prints a summary of the library's explanation. */
static void print_short(const char *explanation) {
  cJSON *whole = cJSON_Parse(explanation);
  cJSON *brief = cJSON_CreateObject();
  cJSON_AddItemToObject(brief, "pod", cJSON_DetachItemFromObject(whole, "pod"));
  cJSON_AddItemToObject(brief, "fits", cJSON_DetachItemFromObject(whole, "fits"));
  cJSON_AddItemToObject(brief, "nodes", cJSON_DetachItemFromObject(whole, "feasible"));
  cJSON *reasons = cJSON_AddObjectToObject(brief, "reasons");
  const cJSON *node, *reason;
  cJSON_ArrayForEach(node, cJSON_GetObjectItem(whole, "nodes")) {
    cJSON_ArrayForEach(reason, cJSON_GetObjectItem(node, "reasons")) {
      count(reasons, reason->valuestring);
    }
  }
  char *text = cJSON_PrintUnformatted(brief);
  puts(text);
  free(text);
  cJSON_Delete(brief);
  cJSON_Delete(whole);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s CLUSTER POD\n", argv[0]);
    return 2;
  }
  answer a;
  memset(&a, 0, sizeof a);
  int code = 2;
  const libsched_pod *pod = NULL;
  if (libsched_cluster_load(libsched_str_from(argv[1]), &a.cluster, &a.error) ||
      load_pod(&a, argv[2])) {
    goto done;
  }
  pod = only_pod(a.objects);
  if (!pod) {
    fprintf(stderr, "%s: not exactly one pod\n", argv[2]);
    goto done;
  }
  if (libsched_framework_create(NULL, LIBSCHED_STR(""), NULL, NULL, &a.framework, &a.error) ||
      libsched_evaluator_create(a.framework, a.cluster, NULL, &a.evaluator, &a.error) ||
      libsched_check_pod_fits(a.evaluator, pod, LIBSCHED_ANY_NODE, NULL, &a.fit, &a.error) ||
      libsched_decision_explain_json(a.fit, &a.json, &a.error)) {
    goto done;
  }
  print_short(libsched_text_get(a.json).ptr);
  code = libsched_decision_feasible_count(a.fit) > 0 ? 0 : 1;

done:
  if (a.error) {
    fprintf(stderr, "%s%s%s\n", libsched_error_path(a.error).ptr,
            libsched_error_path(a.error).len ? ": " : "", libsched_error_message(a.error).ptr);
  }
  libsched_error_unref(a.error);
  libsched_text_unref(a.json);
  libsched_decision_unref(a.fit);
  libsched_evaluator_unref(a.evaluator);
  libsched_framework_unref(a.framework);
  libsched_objects_unref(a.objects);
  libsched_cluster_unref(a.cluster);
  return code;
}
