/* Plugins from shared objects, which export libsched_plugin_init(): the examples in C and C++, and
   files that cannot be loaded. */
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

static libsched_rc load(libsched_registry* registry, const char* name, libsched_error** error) {
  return libsched_registry_load(registry, text(format(LIBSCHED_PLUGIN_DIR "/%s.so", name)), error);
}

static libsched_rc make(libsched_registry* registry, const char* name, const char* args,
                        libsched_framework** framework, libsched_error** error) {
  libsched_config* config = NULL;
  CHECK_OK(libsched_config_parse(
      text(format("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                  "profiles:\n- plugins: {multiPoint: {enabled: [{name: %s}]}}\n"
                  "  pluginConfig: [{name: %s, args: %s}]\n",
                  name, name, args)),
      NULL, &config, err));
  const libsched_rc rc =
      libsched_framework_create(config, text(""), registry, NULL, framework, error);
  libsched_config_unref(config);
  return rc;
}

/* The decision on a small pod; everything else is released, so that it stands alone. */
static libsched_decision* ask(libsched_framework* framework, bool score) {
  libsched_cluster* cluster = five_nodes();
  libsched_evaluator* evaluator = NULL;
  libsched_decision* decision = NULL;
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.score = score;
  libsched_pod* pod = pod_of("p", 500, "");
  add_pod(cluster, pod_of("a", 100, ""), "big");
  add_pod(cluster, pod_of("b", 100, ""), "big");
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, &options, &decision, err));
  libsched_pod_unref(pod);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  return decision;
}

static void test_c_plugin(void) {
  libsched_registry* registry = NULL;
  libsched_framework* framework = UNTOUCHED;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(load(registry, "max_pods", err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, "MaxPods", load(registry, "max_pods", err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "must be a positive number",
              make(registry, "MaxPods", "{pods: none}", &framework, err));
  CHECK(framework == UNTOUCHED);
  CHECK_OK(make(registry, "MaxPods", "{pods: 2}", &framework, err));
  libsched_registry_unref(registry); /* the framework keeps the shared object */
  libsched_decision* decision = ask(framework, false);
  CHECK(libsched_decision_feasible_count(decision) == 1);
  CHECK_STR(libsched_decision_feasible(decision, 0), "small");
  CHECK_STR(libsched_decision_node(decision, 0), "big");
  CHECK_STR(libsched_decision_plugin(decision, 0), "MaxPods");
  CHECK_STR(libsched_decision_reason(decision, 0, 0), "node(s) had as many pods as MaxPods allows");
  libsched_framework_unref(framework); /* closes the shared object */
  CHECK_STR(libsched_decision_reason(decision, 0, 0), "node(s) had as many pods as MaxPods allows");
  libsched_decision_unref(decision);
}

static void test_cpp_plugin(void) {
  libsched_registry* registry = NULL;
  libsched_framework* framework = UNTOUCHED;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(load(registry, "quiet_zone", err));
  /* The exception of the constructor is the error. */
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "zone must be a text",
              make(registry, "QuietZone", "{zone: 7}", &framework, err));
  CHECK_OK(make(registry, "QuietZone", "{zone: a}", &framework, err));
  libsched_registry_unref(registry);
  libsched_decision* decision = ask(framework, true);
  CHECK(libsched_decision_feasible_count(decision) == 1);
  CHECK_STR(libsched_decision_feasible(decision, 0), "big");
  CHECK_STR(libsched_decision_node(decision, 3), "small");
  CHECK_STR(libsched_decision_reason(decision, 3, 0), "node(s) were in the quiet zone a");
  const libsched_score_table* scores = libsched_decision_scores(decision);
  const size_t columns = libsched_score_table_column_count(scores);
  CHECK(columns > 0);
  CHECK_STR(libsched_score_table_plugin(scores, columns - 1), "QuietZone");
  CHECK(libsched_score_table_raw(scores, columns - 1)[0] == 97); /* (8000 - 200) of 8000 */
  libsched_decision_unref(decision);
  libsched_framework_unref(framework);
}

/* Schedules a gang of five pods that need one CPU each, on a node with so many CPUs. */
static void schedule_gang(int cpus, bool binds) {
  libsched_registry* registry = NULL;
  libsched_framework* framework = UNTOUCHED;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(load(registry, "gang", err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "must be a positive number",
              make(registry, "Gang", "{timeoutSeconds: 0}", &framework, err));
  CHECK_OK(make(registry, "Gang", "{timeoutSeconds: 30}", &framework, err));
  libsched_registry_unref(registry);
  libsched_cluster* cluster = NULL;
  libsched_evaluator* evaluator = NULL;
  libsched_status* status = NULL;
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_writer_queue_create(&options.writer, err));
  add_node(cluster, node_of("n", cpus, "a", ""));
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  libsched_services* services = libsched_evaluator_services(evaluator);
  const int64_t begin = libsched_clock_now(libsched_services_clock(services));
  libsched_scheduling* pods[5] = {NULL};
  int assumed = 0, bound = 0;
  for (int i = 0; i < 5; ++i) {
    libsched_pod* pod = pod_of_json(
        format("{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p%d\", \"namespace\": \"default\", "
               "\"uid\": \"u%d\", \"labels\": {\"gang\": \"g\", \"gang-size\": \"5\"}}, \"spec\": "
               "{\"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": "
               "\"1\"}}}]}}",
               i, i));
    CHECK_OK(libsched_schedule_one(&evaluator, 1, pod, &options, &pods[i], err));
    libsched_pod_unref(pod);
    CHECK_OK(libsched_clock_advance_to(libsched_services_clock(services),
                                       begin + (i + 1) * INT64_C(1000000000), err));
  }
  for (int i = 0; i < 5; ++i) {
    libsched_scheduling_outcome outcome = LIBSCHED_SCHEDULING_OUTCOME_INIT;
    CHECK_OK(libsched_scheduling_get(pods[i], &outcome, err));
    if (outcome.attempt == LIBSCHED_ATTEMPT_ASSUMED) {
      ++assumed;
      CHECK_OK(libsched_scheduling_bind(pods[i], status, err));
      CHECK_OK(libsched_scheduling_get(pods[i], &outcome, err));
      bound += outcome.attempt == LIBSCHED_ATTEMPT_BOUND;
      /* The first member waits until its time is up; then no other one waits any longer. */
      if (!binds)
        CHECK(libsched_clock_now(libsched_services_clock(services)) - begin == 30000000000);
    }
    CHECK_OK(libsched_writer_queue_apply(options.writer, cluster, NULL, NULL, err));
  }
  CHECK(assumed == cpus);
  CHECK(bound == (binds ? 5 : 0));
  size_t waiting = 1;
  CHECK_OK(libsched_services_waiting_pods(services, NULL, 0, &waiting, err));
  CHECK(waiting == 0);
  CHECK(libsched_view_pod_count(libsched_cluster_view(cluster)) == (binds ? 5U : 0U));
  for (int i = 0; i < 5; ++i) libsched_scheduling_unref(pods[i]);
  libsched_writer_queue_unref(options.writer);
  libsched_status_unref(status);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
}

static void test_gang(void) {
  schedule_gang(4, false);
  schedule_gang(5, true);
}

static void test_refused(void) {
  libsched_registry* registry = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "no_such_plugin", load(registry, "no_such_plugin", err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "empty", libsched_registry_load(registry, text(""), err));
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, LIBSCHED_PLUGIN_INIT_NAME,
              libsched_registry_load(registry, text("libm.so.6"), err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, load(NULL, "max_pods", err));
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "not a regular file",
              libsched_registry_load(registry, text(LIBSCHED_PLUGIN_DIR "/"), err));
  libsched_registry_unref(registry);
}

/* Loads the first `size` bytes as a file of their own. */
static libsched_rc load_part(libsched_registry* registry, const char* bytes, size_t size,
                             libsched_error** error) {
  const char* path = format("/tmp/libsched-part-%ld.so", (long)getpid());
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
  const libsched_rc rc = libsched_registry_load(registry, text(path), error);
  CHECK(remove(path) == 0);
  return rc;
}

/* The loader would touch what is missing, which ends the process. */
static void test_truncated(void) {
  static char whole[1 << 22];
  FILE* file = fopen(LIBSCHED_PLUGIN_DIR "/max_pods.so", "rb");
  CHECK(file != NULL);
  const size_t size = fread(whole, 1, sizeof whole, file);
  CHECK(fclose(file) == 0 && size > sizeof(ElfW(Ehdr)) && size < sizeof whole);
  ElfW(Ehdr) header;
  memcpy(&header, whole, sizeof header);
  size_t needed = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    memcpy(&segment, whole + header.e_phoff + (size_t)i * sizeof segment, sizeof segment);
    const size_t end = segment.p_offset + segment.p_filesz;
    if (segment.p_type == PT_LOAD && end > needed) needed = end;
  }
  CHECK(needed > 4096 && needed <= size);

  libsched_registry* registry = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  const char* const foreign = "not a shared object";
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, foreign, load_part(registry, whole, 0, err));
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, foreign, load_part(registry, whole, 3, err));
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, foreign, load_part(registry, whole + 1, size - 1, err));
  for (size_t part = 4; part < needed; part += part < 1024 ? 37 : 997)
    CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "is truncated", load_part(registry, whole, part, err));
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "-part-", load_part(registry, whole, needed - 1, err));
  /* Sections are for linkers and debuggers. */
  CHECK_OK(load_part(registry, whole, needed, err));
  libsched_registry_unref(registry);
}

int main(void) {
  test_c_plugin();
  test_cpp_plugin();
  test_gang();
  test_refused();
  test_truncated();
  return finish();
}
