/* Simulations: workloads from pods, documents and traces, runs, results as JSON, CSV and Arrow. */
#include "arrow_abi.h"
#include "fixture.h"

static const int64_t kSecond = INT64_C(1000000000);

static libsched_pod* small_pod(const char* name) {
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(
      text(
          format("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
                 "\"namespace\":\"d\"},\"spec\":{\"schedulerName\":\"default-scheduler\","
                 "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}",
                 name)),
      NULL, &pod, err));
  return pod;
}

static libsched_workload* some_workload(void) {
  libsched_workload* workload = NULL;
  CHECK_OK(libsched_workload_create(&workload, err));
  libsched_pod* pod = small_pod("p");
  libsched_timing timing = LIBSCHED_TIMING_INIT;
  timing.duration_ns = 30 * kSecond;
  timing.interval_ns = kSecond;
  CHECK_OK(libsched_workload_add(workload, pod, 40, &timing, err));
  libsched_pod_unref(pod);
  return workload;
}

typedef struct bench {
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_workload* workload;
  libsched_simulation* simulation;
} bench;

static bench setup(void) {
  bench b = {default_framework(), five_nodes(), some_workload(), NULL};
  const libsched_framework* profiles[] = {b.framework};
  CHECK_OK(libsched_simulation_create(profiles, 1, libsched_cluster_view(b.cluster), b.workload,
                                      NULL, &b.simulation, err));
  return b;
}
static void teardown(bench* b) {
  libsched_framework_unref(b->framework);
  libsched_cluster_unref(b->cluster);
  libsched_workload_unref(b->workload);
  libsched_simulation_unref(b->simulation);
}

/* The pieces of a table. */
typedef struct written {
  char text[20000];
  size_t length;
  size_t most; /* ends the call after so many bytes */
} written;
static bool keep(void* user_data, libsched_str piece) {
  written* w = user_data;
  if (w->length < sizeof w->text - 1) {
    const size_t room = sizeof w->text - 1 - w->length;
    memcpy(w->text + w->length, piece.ptr, piece.len < room ? piece.len : room);
  }
  w->length += piece.len;
  return w->length <= w->most;
}
static written* table_text(const libsched_simulation* simulation, const char* name,
                           uint32_t format) {
  static written out;
  memset(&out, 0, sizeof out);
  out.most = SIZE_MAX;
  libsched_table* table = NULL;
  CHECK_OK(libsched_simulation_table(simulation, text(name), &table, err));
  CHECK_OK(libsched_table_write(table, format, keep, &out, err));
  libsched_table_unref(table);
  return &out;
}

static bool summary_has(const libsched_simulation* simulation, const char* part) {
  libsched_text* summary = NULL;
  CHECK_OK(libsched_simulation_summary_json(simulation, &summary, err));
  const bool found = strstr(libsched_text_get(summary).ptr, part) != NULL;
  if (!found) fprintf(stderr, "  the summary is %s\n", libsched_text_get(summary).ptr);
  libsched_text_unref(summary);
  return found;
}

static bool told(void* user_data, const libsched_progress* p) {
  CHECK(p->struct_size == sizeof *p && p->total == 40 && p->bound <= p->arrived);
  ++*(int*)user_data;
  return true;
}

/* A CronJob starts Jobs by the date of the beginning, and what has no effect is told. */
static void test_cron_jobs(void) {
  bench b = {default_framework(), five_nodes(), NULL, NULL};
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      text("kind: CronJob\napiVersion: batch/v1\nmetadata: {name: c}\n"
           "spec: {schedule: '@hourly', jobTemplate: {spec: {backoffLimit: 1, template: {spec: "
           "{schedulerName: default-scheduler}}}}}\n"),
      NULL, &objects, err));
  CHECK_OK(libsched_workload_create(&b.workload, err));
  CHECK_OK(libsched_workload_add_objects(b.workload, objects, err));
  libsched_objects_unref(objects);
  libsched_text* warnings = NULL;
  CHECK_OK(libsched_workload_warnings_json(b.workload, &warnings, err));
  CHECK(strcmp(libsched_text_get(warnings).ptr,
               "[{\"path\":\"workload default/c: spec.jobTemplate.spec.backoffLimit\",\"message\":"
               "\"not imitated: it has no effect here\"}]") == 0);
  libsched_text_unref(warnings);
  libsched_simulation_options options = LIBSCHED_SIMULATION_OPTIONS_INIT;
  options.start = text("noon");
  const libsched_framework* profiles[] = {b.framework};
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "start", "\"noon\" is no time such as",
              libsched_simulation_create(profiles, 1, libsched_cluster_view(b.cluster), b.workload,
                                         &options, &b.simulation, err));
  options.start = text("2026-01-01T01:30:00+01:00");
  CHECK_OK(libsched_simulation_create(profiles, 1, libsched_cluster_view(b.cluster), b.workload,
                                      &options, &b.simulation, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "until", "a CronJob starts Jobs without end",
              libsched_simulation_run(b.simulation, -1, NULL, NULL, NULL, err));
  CHECK_OK(libsched_simulation_run(b.simulation, 7200 * kSecond, NULL, NULL, NULL, err));
  CHECK(summary_has(b.simulation, "\"pods\":2,\"arrived\":2"));
  CHECK(strstr(table_text(b.simulation, "pods", LIBSCHED_TABLE_CSV)->text, "c-29453880-0") != NULL);
  teardown(&b);
}

/* A claim that waits for its first pod is bound on the virtual clock, to a volume that is made. */
static void test_volumes(void) {
  bench b = {default_framework(), five_nodes(), NULL, NULL};
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      text("kind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: wait}\n"
           "provisioner: csi.example.com\nvolumeBindingMode: WaitForFirstConsumer\n---\n"
           "kind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: data, namespace: d}\n"
           "spec: {storageClassName: wait, resources: {requests: {storage: 1Gi}}}\n"),
      NULL, &objects, err));
  CHECK_OK(libsched_cluster_apply(b.cluster, objects, err));
  libsched_objects_unref(objects);
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(
      text("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\","
           "\"namespace\":\"d\"},\"spec\":{\"schedulerName\":\"default-scheduler\",\"volumes\":"
           "[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}}],"
           "\"containers\":[{\"name\":\"c\"}]}}"),
      NULL, &pod, err));
  CHECK_OK(libsched_workload_create(&b.workload, err));
  CHECK_OK(libsched_workload_add(b.workload, pod, 0, NULL, err));
  libsched_pod_unref(pod);
  const libsched_framework* profiles[] = {b.framework};
  libsched_simulation_options options = LIBSCHED_SIMULATION_OPTIONS_INIT;
  options.provision_ns = 100 * kSecond;
  CHECK_OK(libsched_simulation_create(profiles, 1, libsched_cluster_view(b.cluster), b.workload,
                                      &options, &b.simulation, err));
  CHECK_OK(libsched_simulation_run(b.simulation, 99 * kSecond, NULL, NULL, NULL, err));
  CHECK(summary_has(b.simulation, "\"quiet\":false"));
  CHECK(strcmp(table_text(b.simulation, "volumes", LIBSCHED_TABLE_JSON)->text, "[]") == 0);
  CHECK_OK(libsched_simulation_run(b.simulation, -1, NULL, NULL, NULL, err));
  CHECK(summary_has(b.simulation, "\"running\":1"));
  const char* volumes = table_text(b.simulation, "volumes", LIBSCHED_TABLE_CSV)->text;
  CHECK(strncmp(volumes, "time,action,namespace,claim,volume,storageClass,node,message\n100.0",
                66) == 0);
  CHECK(strstr(volumes, ",provisioned,d,data,pvc-") != NULL);
  CHECK(strstr(volumes, ",bound,d,data,pvc-") != NULL);
  libsched_simulation* other = NULL;
  options.no_volumes = true;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "",
              "a time to make a volume needs a controller that makes volumes",
              libsched_simulation_create(profiles, 1, libsched_cluster_view(b.cluster), b.workload,
                                         &options, &other, err));
  teardown(&b);
}

static void test_a_run(void) {
  bench b = setup();
  CHECK(libsched_simulation_now(b.simulation) == 0);
  CHECK_OK(
      libsched_simulation_run(b.simulation, 10 * kSecond + kSecond / 2, NULL, NULL, NULL, err));
  CHECK(libsched_simulation_now(b.simulation) == 10 * kSecond + kSecond / 2);
  CHECK(summary_has(b.simulation, "\"time\":10.500000000,\"quiet\":false,\"pods\":40"));
  int times = 0;
  CHECK_OK(libsched_simulation_run(b.simulation, -1, NULL, told, &times, err));
  CHECK(summary_has(b.simulation, "\"quiet\":true"));
  CHECK(summary_has(b.simulation, "\"finished\":40"));
  CHECK(strncmp(table_text(b.simulation, "pods", LIBSCHED_TABLE_CSV)->text,
                "namespace,pod,state,arrival,bound,wait,end,node,attempts,reason,message\n"
                "d,p-0,finished,0.000000000,",
                99) == 0);
  CHECK(table_text(b.simulation, "resources", LIBSCHED_TABLE_JSON)->text[0] == '[');
  CHECK(strcmp(table_text(b.simulation, "preemptions", LIBSCHED_TABLE_JSON)->text, "[]") == 0);

  libsched_table *table = NULL, *again = NULL;
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "a simulation has no table \"podes\"",
              libsched_simulation_table(b.simulation, text("podes"), &table, err));
  CHECK_OK(libsched_simulation_table(b.simulation, text("pods"), &table, err));
  again = libsched_table_ref(table);
  libsched_table_unref(again);
  CHECK(libsched_table_row_count(table) == 40);
  CHECK(libsched_table_row_count(NULL) == 0);
  written little = {{0}, 0, 10};
  CHECK_FAILS(LIBSCHED_ERR_CANCELLED, "", "ended",
              libsched_table_write(table, LIBSCHED_TABLE_CSV, keep, &little, err));
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "", "unknown format of a table",
              libsched_table_write(table, 7, keep, &little, err));
  teardown(&b); /* the table lives on */

  struct ArrowArrayStream stream;
  CHECK_OK(libsched_table_export(table, &stream, err));
  libsched_table_unref(table);
  struct ArrowSchema schema;
  struct ArrowArray batch;
  CHECK(stream.get_schema(&stream, &schema) == 0);
  CHECK(stream.get_next(&stream, &batch) == 0);
  stream.release(&stream);
  CHECK(schema.n_children == 11 && batch.n_children == 11 && batch.length == 40);
  CHECK(strcmp(schema.children[1]->name, "pod") == 0);
  const int64_t* ends = batch.children[1]->buffers[1];
  CHECK(memcmp((const char*)batch.children[1]->buffers[2] + ends[39], "p-39", 4) == 0);
  batch.release(&batch);
  schema.release(&schema);
}

static bool stop(void* user_data, const libsched_progress* p) {
  (void)user_data;
  return p->arrived < 1000;
}

static void test_ends(void) {
  bench b = setup();
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  libsched_cancel_set(cancel);
  libsched_workload* many = NULL;
  CHECK_OK(libsched_workload_create(&many, err));
  libsched_pod* pod = small_pod("q");
  CHECK_OK(libsched_workload_add(many, pod, 8000, NULL, err));
  CHECK(libsched_workload_pod_count(many) == 8000);
  const libsched_framework* profiles[] = {b.framework};
  libsched_simulation* simulation = NULL;
  libsched_simulation_options options = LIBSCHED_SIMULATION_OPTIONS_INIT;
  options.no_resources = true;
  CHECK_OK(libsched_simulation_create(profiles, 1, libsched_cluster_view(b.cluster), many, &options,
                                      &simulation, err));
  CHECK_FAILS(LIBSCHED_ERR_CANCELLED, "", "cancelled",
              libsched_simulation_run(simulation, -1, cancel, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_CANCELLED, "", "the simulation was ended",
              libsched_simulation_run(simulation, -1, NULL, stop, NULL, err));
  libsched_simulation* same = libsched_simulation_ref(simulation);
  libsched_simulation_unref(simulation);
  CHECK_OK(libsched_simulation_run(same, -1, NULL, NULL, NULL, err));
  CHECK(summary_has(same, "\"arrived\":8000"));
  libsched_simulation_unref(same);
  libsched_pod_unref(pod);
  libsched_workload_unref(many);
  libsched_cancel_unref(cancel);
  teardown(&b);
}

static void test_workloads(void) {
  libsched_workload* w = NULL;
  CHECK_OK(libsched_workload_create(&w, err));
  libsched_workload* same = libsched_workload_ref(w);
  libsched_workload_unref(same);
  CHECK(libsched_workload_pod_count(NULL) == 0);
  CHECK_OK(libsched_workload_add_trace(
      w, text("name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,500,1024,1,460\nb,1,1,0,0\n"), NULL,
      err));
  libsched_trace_options options = LIBSCHED_TRACE_OPTIONS_INIT;
  options.file = text("pods.csv");
  options.ns = text("other");
  CHECK_OK(
      libsched_workload_add_trace(w, text("name,cpu_milli,memory_mib\na,1,1\n"), &options, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "pods.csv:3: cpu_milli", "\"x\" is not a whole number",
              libsched_workload_add_trace(w, text("name,cpu_milli,memory_mib\nc,1,1\nd,x,1\n"),
                                          &options, err));
  CHECK_FAILS(
      LIBSCHED_ERR_EXISTS, "trace:2: name", "the workload has a pod \"default/a\" already",
      libsched_workload_add_trace(w, text("name,cpu_milli,memory_mib\na,1,1\n"), NULL, err));
  CHECK(libsched_workload_pod_count(w) == 3);

  libsched_parse_options parse = LIBSCHED_PARSE_OPTIONS_INIT;
  parse.keep_annotations = true;
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      text("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"annotations\":"
           "{\"libsched/arrival\":\"10s\"}}}"),
      &parse, &objects, err));
  CHECK_OK(libsched_workload_add_objects(w, objects, err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "pod default/n", "already",
              libsched_workload_add_objects(w, objects, err));
  CHECK(libsched_workload_pod_count(w) == 4);
  libsched_pod* pod = small_pod("p");
  libsched_timing late = LIBSCHED_TIMING_INIT;
  late.arrival_ns = INT64_MAX;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "the arrival is later than 50 years",
              libsched_workload_add(w, pod, 0, &late, err));
  late.reserved = 1;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "", "libsched_timing: reserved field is set",
              libsched_workload_add(w, pod, 0, &late, err));

  bench b = setup();
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "a simulation has this workload",
              libsched_workload_add(b.workload, pod, 0, NULL, err));
  libsched_simulation* none = NULL;
  CHECK_FAILS(
      LIBSCHED_ERR_MISUSE, NULL, NULL,
      libsched_simulation_create(NULL, 0, libsched_cluster_view(b.cluster), w, NULL, &none, err));
  const libsched_framework* profiles[] = {b.framework, b.framework};
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_simulation_create(profiles, 2, libsched_cluster_view(b.cluster), w, NULL,
                                         &none, err));
  CHECK(none == NULL);
  teardown(&b);
  libsched_pod_unref(pod);
  libsched_objects_unref(objects);
  libsched_workload_unref(w);
}

int main(void) {
  test_a_run();
  test_cron_jobs();
  test_volumes();
  test_ends();
  test_workloads();
  return finish();
}
