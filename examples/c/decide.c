/* Lets a scheduler decide about pods, with an API client of its own: it prints what a real one would
   send, and tells the scheduler of the bound pods, as a watch would.

       decide CLUSTER PODS      (files: JSON or YAML, plain or gzip)

   Exit code 0: all pods were bound, 1: some were not, 2: an input is wrong. */
#include <libsched.h>
#include <stdio.h>

/* The user data of the API client. */
typedef struct client {
  libsched_scheduler *scheduler;
  size_t bound;
} client;

static void print(const char *verb, const libsched_pod *pod, libsched_str more) {
  const libsched_str ns = libsched_pod_namespace(pod), name = libsched_pod_name(pod);
  printf("%s %.*s/%.*s: %.*s\n", verb, (int)ns.len, ns.ptr, (int)name.len, name.ptr, (int)more.len,
         more.len ? more.ptr : "");
}

static libsched_code bind_pod(void *data, const libsched_pod *pod, libsched_str node,
                              libsched_status *status) {
  client *c = data;
  const libsched_str same = {NULL, 0};
  libsched_pod *bound = NULL;
  libsched_rc rc = libsched_pod_copy(pod, same, same, same, node, &bound, NULL);
  if (rc == LIBSCHED_OK) rc = libsched_scheduler_deliver_pod(c->scheduler, pod, bound, NULL);
  libsched_pod_unref(bound);
  if (rc != LIBSCHED_OK) {
    libsched_status_add_reason(status, LIBSCHED_STR("the bound pod cannot be told"));
    return LIBSCHED_CODE_ERROR;
  }
  print("bind", pod, node);
  ++c->bound;
  return LIBSCHED_CODE_SUCCESS;
}

static void record_event(void *data, const libsched_pod *pod, libsched_str type,
                         libsched_str reason, libsched_str action, libsched_str note) {
  (void)data, (void)reason, (void)action;
  if (type.len == 7) print("pending", pod, note); /* "Warning", not "Normal" */
}

/* Everything that a run holds, so that one place releases it. */
typedef struct run {
  client client;
  libsched_cluster *cluster;
  libsched_objects *pods;
  libsched_framework *framework;
  libsched_clock *clock;
  libsched_error *error;
} run;

static libsched_rc load(run *r, const char *cluster, const char *pods) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = true; /* as an API server would have applied them */
  const libsched_rc rc = libsched_cluster_load(libsched_str_from(cluster), &r->cluster, &r->error);
  if (rc != LIBSCHED_OK) return rc;
  return libsched_objects_load(libsched_str_from(pods), &options, &r->pods, &r->error);
}

static libsched_rc make_scheduler(run *r) {
  libsched_rc rc =
      libsched_framework_create(NULL, libsched_str_from(""), NULL, NULL, &r->framework, &r->error);
  if (rc == LIBSCHED_OK) rc = libsched_clock_create_virtual(0, &r->clock, &r->error);
  if (rc != LIBSCHED_OK) return rc;
  libsched_api_client functions = LIBSCHED_API_CLIENT_INIT;
  functions.bind = bind_pod;
  functions.event = record_event;
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.clock = r->clock;
  options.api = &functions;
  options.api_user_data = &r->client;
  const libsched_framework *profiles[] = {r->framework};
  return libsched_scheduler_create(profiles, 1, r->cluster, &options, &r->client.scheduler,
                                   &r->error);
}

static libsched_rc decide(run *r, const char *cluster, const char *pods) {
  libsched_rc rc = load(r, cluster, pods);
  if (rc == LIBSCHED_OK) rc = make_scheduler(r);
  if (rc == LIBSCHED_OK) rc = libsched_scheduler_start(r->client.scheduler, &r->error);
  for (size_t i = 0; rc == LIBSCHED_OK && i < libsched_objects_pod_count(r->pods); ++i)
    rc = libsched_scheduler_deliver_pod(r->client.scheduler, NULL,
                                        libsched_objects_get_pod(r->pods, i), &r->error);
  if (rc != LIBSCHED_OK) return rc;
  return libsched_scheduler_settle(r->client.scheduler, false, 0, &r->error);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s CLUSTER PODS\n", argv[0]);
    return 2;
  }
  run r = {0};
  const libsched_rc rc = decide(&r, argv[1], argv[2]);
  int code = 2;
  if (rc == LIBSCHED_OK) {
    code = r.client.bound == libsched_objects_pod_count(r.pods) ? 0 : 1;
  } else {
    fprintf(stderr, "%s: %s\n", libsched_error_path(r.error).ptr, libsched_error_message(r.error).ptr);
  }
  libsched_scheduler_unref(r.client.scheduler);
  libsched_clock_unref(r.clock);
  libsched_framework_unref(r.framework);
  libsched_objects_unref(r.pods);
  libsched_cluster_unref(r.cluster);
  libsched_error_unref(r.error);
  return code;
}
