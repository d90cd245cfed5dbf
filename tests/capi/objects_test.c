/* Parsing, getters, copies and options of pods, nodes and whole documents. */
#include <cjson/cJSON.h>

#include "fixture.h"

static const char* const kPod =
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: web, namespace: shop, uid: u-1, labels: {app: web, tier: \"1\"}}\n"
    "spec:\n"
    "  nodeName: n1\n"
    "  schedulerName: mine\n"
    "  priority: 7\n"
    "  containers:\n"
    "  - {name: a, resources: {requests: {cpu: 1500m, memory: 1Gi, example.com/gpu: 2}}}\n"
    "  - {name: b, resources: {requests: {cpu: 1}}}\n"
    "status: {phase: Running}\n";

static void test_pod(void) {
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(text(kPod), NULL, &pod, err));
  CHECK_STR(libsched_pod_name(pod), "web");
  CHECK_STR(libsched_pod_namespace(pod), "shop");
  CHECK_STR(libsched_pod_uid(pod), "u-1");
  CHECK_STR(libsched_pod_node_name(pod), "n1");
  CHECK_STR(libsched_pod_scheduler_name(pod), "mine");
  CHECK_STR(libsched_pod_phase(pod), "Running");
  CHECK(libsched_pod_priority(pod) == 7);
  libsched_str value = {UNTOUCHED, 3};
  CHECK(libsched_pod_label(pod, LIBSCHED_STR("tier"), &value));
  CHECK_STR(value, "1");
  value.ptr = UNTOUCHED;
  CHECK(!libsched_pod_label(pod, LIBSCHED_STR("none"), &value) && value.ptr == UNTOUCHED);
  CHECK(libsched_pod_request(pod, LIBSCHED_STR("cpu")) == 2500);
  CHECK(libsched_pod_request(pod, LIBSCHED_STR("memory")) == INT64_C(1) << 30);
  CHECK(libsched_pod_request(pod, LIBSCHED_STR("example.com/gpu")) == 2);
  CHECK(libsched_pod_request(pod, LIBSCHED_STR("example.com/none")) == 0);
  libsched_pod* again = libsched_pod_ref(pod);
  CHECK(again == pod);
  libsched_pod_unref(pod);
  CHECK_STR(libsched_pod_name(again), "web");
  libsched_pod_unref(again);
  libsched_pod_unref(NULL);
}

/* A pod in the flat form: the header, metadata.namespace as content, metadata.name as identity. */
#define FLAT_HEADER "LSF\1\1\0\0\0"
static const char kFlat[] = FLAT_HEADER
    "\20\0\0\0\17\0\0\0"
    "\1\2\12\0\0\0\3\2\4\0\0\0shop"
    "\1\2\11\0\0\0\1\2\3\0\0\0web";
static const char kFlatNode[] =
    "LSF\1\2\0\0\0\0\0\0\0\15\0\0\0"
    "\1\2\7\0\0\0\1\2\1\0\0\0n";

static void test_flat(void) {
  const libsched_str flat = {kFlat, sizeof kFlat - 1};
  const libsched_str flat_node = {kFlatNode, sizeof kFlatNode - 1};
  libsched_pod* pod = NULL;
  libsched_node* node = NULL;
  CHECK_OK(libsched_pod_parse_flat(flat, NULL, &pod, err));
  CHECK_STR(libsched_pod_name(pod), "web");
  CHECK_STR(libsched_pod_namespace(pod), "shop");
  libsched_pod_unref(pod);
  CHECK_OK(libsched_node_parse_flat(flat_node, NULL, &node, err));
  CHECK_STR(libsched_node_name(node), "n");
  libsched_node_unref(node);
  for (size_t size = 0; size < flat.len; ++size) {
    CHECK(libsched_pod_parse_flat((libsched_str){kFlat, size}, NULL, &pod, NULL) ==
          LIBSCHED_ERR_INVALID);
  }
  CHECK(libsched_pod_parse_flat((libsched_str){kFlat, flat.len + 1}, NULL, &pod, NULL) ==
        LIBSCHED_ERR_INVALID);
  CHECK(libsched_node_parse_flat(flat, NULL, &node, NULL) == LIBSCHED_ERR_INVALID);
  CHECK(libsched_pod_parse_flat(flat_node, NULL, &pod, NULL) == LIBSCHED_ERR_INVALID);
  libsched_parse_options options = {.struct_size = sizeof options, .max_bytes = 20};
  CHECK(libsched_pod_parse_flat(flat, &options, &pod, NULL) == LIBSCHED_ERR_LIMIT);
  CHECK(libsched_pod_parse_flat(flat, NULL, NULL, NULL) == LIBSCHED_ERR_MISUSE);
}

static void test_pod_copy(void) {
  libsched_pod *pod = NULL, *same = NULL, *other = NULL;
  CHECK_OK(libsched_pod_parse(text(kPod), NULL, &pod, err));
  const libsched_str as_it_is = {NULL, 0};
  CHECK_OK(libsched_pod_copy(pod, as_it_is, as_it_is, as_it_is, as_it_is, &same, err));
  CHECK_OK(libsched_pod_copy(pod, text("web-2"), text("other"), text("u-2"), LIBSCHED_STR(""),
                             &other, err));
  libsched_pod_unref(pod);
  CHECK_STR(libsched_pod_name(same), "web");
  CHECK_STR(libsched_pod_namespace(same), "shop");
  CHECK_STR(libsched_pod_uid(same), "u-1");
  CHECK_STR(libsched_pod_node_name(same), "n1");
  CHECK_STR(libsched_pod_name(other), "web-2");
  CHECK_STR(libsched_pod_namespace(other), "other");
  CHECK_STR(libsched_pod_uid(other), "u-2");
  CHECK_STR(libsched_pod_node_name(other), "");
  CHECK_STR(libsched_pod_scheduler_name(other), "mine");
  CHECK(libsched_pod_request(other, LIBSCHED_STR("cpu")) == 2500);
  libsched_pod_unref(same);
  libsched_pod_unref(other);
}

static void test_node(void) {
  libsched_node* node = node_of_json(
      "{\"kind\": \"Node\", \"metadata\": {\"name\": \"n1\", \"uid\": \"nu\", \"labels\": "
      "{\"kubernetes.io/hostname\": \"n1\", \"pool\": \"x\"}}, \"spec\": {\"unschedulable\": true, "
      "\"taints\": [{\"key\": \"k\", \"value\": \"v\", \"effect\": \"NoExecute\"}, {\"key\": "
      "\"l\", "
      "\"effect\": \"NoSchedule\"}]}, \"status\": {\"allocatable\": {\"cpu\": \"3900m\", "
      "\"memory\": "
      "\"8Gi\", \"pods\": \"30\", \"example.com/gpu\": \"4\"}}}");
  CHECK_STR(libsched_node_name(node), "n1");
  CHECK_STR(libsched_node_uid(node), "nu");
  libsched_str key, value, effect;
  CHECK(libsched_node_label(node, LIBSCHED_STR("pool"), &value));
  CHECK_STR(value, "x");
  CHECK(!libsched_node_label(node, LIBSCHED_STR("poo"), &value));
  CHECK(libsched_node_unschedulable(node));
  CHECK(libsched_node_taint_count(node) == 2);
  CHECK(libsched_node_taint(node, 0, &key, &value, &effect));
  CHECK_STR(key, "k");
  CHECK_STR(value, "v");
  CHECK_STR(effect, "NoExecute");
  CHECK(libsched_node_taint(node, 1, &key, &value, &effect));
  CHECK_STR(value, "");
  CHECK(!libsched_node_taint(node, 2, &key, &value, &effect));
  CHECK(libsched_node_allocatable(node, LIBSCHED_STR("cpu")) == 3900);
  CHECK(libsched_node_allocatable(node, LIBSCHED_STR("memory")) == INT64_C(8) << 30);
  CHECK(libsched_node_allocatable(node, LIBSCHED_STR("pods")) == 30);
  CHECK(libsched_node_allocatable(node, LIBSCHED_STR("example.com/gpu")) == 4);

  libsched_node* copy = NULL;
  CHECK_OK(libsched_node_copy(node, text("n2"), LIBSCHED_STR("nu2"), &copy, err));
  CHECK_STR(libsched_node_name(copy), "n2");
  CHECK_STR(libsched_node_uid(copy), "nu2");
  CHECK(libsched_node_label(copy, LIBSCHED_STR("kubernetes.io/hostname"), &value));
  CHECK_STR(value, "n2");
  CHECK(libsched_node_label(node, LIBSCHED_STR("kubernetes.io/hostname"), &value));
  CHECK_STR(value, "n1");
  libsched_node* again = libsched_node_ref(node);
  libsched_node_unref(node);
  CHECK_STR(libsched_node_name(again), "n1");
  libsched_node_unref(again);
  CHECK(libsched_node_taint_count(copy) == 2);
  libsched_node_unref(copy);
  libsched_node_unref(NULL);
}

static void test_raw(void) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.keep_raw = true;
  libsched_pod *pod = NULL, *without = pod_of("a", 1, "");
  libsched_node *node = NULL, *node_without = node_of("n", 1, "a", "");
  CHECK_OK(libsched_pod_parse(text(kPod), &options, &pod, err));
  libsched_str raw = {UNTOUCHED, 0};
  CHECK_OK(libsched_pod_raw(pod, &raw, err));
  cJSON* document = cJSON_ParseWithLength(raw.ptr, raw.len);
  const cJSON* spec = cJSON_GetObjectItem(document, "spec");
  CHECK(cJSON_GetArraySize(cJSON_GetObjectItem(spec, "containers")) == 2);
  cJSON_Delete(document);
  CHECK_OK(libsched_node_parse(
      LIBSCHED_STR("{\"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}}"), &options, &node, err));
  CHECK_OK(libsched_node_raw(node, &raw, err));
  document = cJSON_ParseWithLength(raw.ptr, raw.len);
  CHECK(strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(document, "kind")), "Node") == 0);
  cJSON_Delete(document);
  raw.ptr = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_raw", libsched_pod_raw(without, &raw, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_raw", libsched_node_raw(node_without, &raw, err));
  CHECK(raw.ptr == UNTOUCHED);
  libsched_pod_unref(pod);
  libsched_pod_unref(without);
  libsched_node_unref(node);
  libsched_node_unref(node_without);
}

static void test_documents(void) {
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      LIBSCHED_STR(
          "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: "
          "Pod\nmetadata: {name: p1}\n---\n"
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d1, namespace: x}\nspec:\n  "
          "replicas: 3\n"
          "  template:\n    metadata: {labels: {app: d}}\n    spec: {containers: [{name: c}]}\n"
          "---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: "
          "p2}}\n"
          "- {apiVersion: v1, kind: ConfigMap, metadata: {name: skipped}}\n"
          "- {apiVersion: v1, kind: Service, metadata: {name: s}}\n"),
      NULL, &objects, err));
  CHECK(libsched_objects_pod_count(objects) == 2);
  CHECK(libsched_objects_node_count(objects) == 1);
  CHECK(libsched_objects_workload_count(objects) == 1);
  CHECK_STR(libsched_pod_name(libsched_objects_get_pod(objects, 0)), "p1");
  CHECK_STR(libsched_pod_name(libsched_objects_get_pod(objects, 1)), "p2");
  CHECK(libsched_objects_get_pod(objects, 2) == NULL);
  CHECK_STR(libsched_node_name(libsched_objects_get_node(objects, 0)), "n1");
  CHECK(libsched_objects_get_node(objects, 1) == NULL);
  libsched_str kind;
  int64_t replicas = 0;
  const libsched_pod* template = libsched_objects_get_workload(objects, 0, &kind, &replicas);
  CHECK_STR(kind, "Deployment");
  CHECK(replicas == 3);
  CHECK_STR(libsched_pod_name(template), "d1");
  CHECK_STR(libsched_pod_namespace(template), "x");
  CHECK(libsched_objects_get_workload(objects, 0, NULL, NULL) == template);
  CHECK(libsched_objects_get_workload(objects, 1, &kind, &replicas) == NULL);

  libsched_text* report = NULL;
  CHECK_OK(libsched_objects_report_json(objects, &report, err));
  cJSON* document = cJSON_Parse(libsched_text_get(report).ptr);
  CHECK(cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(document, "counts"), "Pod")) ==
        2);
  CHECK(cJSON_GetNumberValue(
            cJSON_GetObjectItem(cJSON_GetObjectItem(document, "counts"), "Service")) == 1);
  CHECK(cJSON_GetArraySize(cJSON_GetObjectItem(document, "skipped")) == 1);
  cJSON_Delete(document);
  libsched_text_unref(report);

  /* A pod obtained from a document outlives it. */
  libsched_pod* pod = libsched_pod_ref(libsched_objects_get_pod(objects, 0));
  libsched_objects* again = libsched_objects_ref(objects);
  libsched_objects_unref(objects);
  CHECK(libsched_objects_pod_count(again) == 2);
  libsched_objects_unref(again);
  libsched_objects_unref(NULL);
  CHECK_STR(libsched_pod_name(pod), "p1");
  libsched_pod_unref(pod);
}

static void test_files(void) {
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_load(LIBSCHED_STR(LIBSCHED_SOURCE_DIR "/examples/clusters/shop.yaml"),
                                 NULL, &objects, err));
  CHECK(libsched_objects_node_count(objects) == 41);
  libsched_objects_unref(objects);
  objects = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "no-such-file",
              libsched_objects_load(LIBSCHED_STR("no-such-file.yaml"), NULL, &objects, err));
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "directory",
              libsched_objects_load(LIBSCHED_STR(LIBSCHED_SOURCE_DIR), NULL, &objects, err));
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "NUL",
              libsched_objects_load(LIBSCHED_STR("a\0b"), NULL, &objects, err));
  libsched_parse_options few = LIBSCHED_PARSE_OPTIONS_INIT; /* a device has no size */
  few.max_bytes = 1000;
  CHECK_FAILS(LIBSCHED_ERR_LIMIT, NULL, "/dev/zero",
              libsched_objects_load(LIBSCHED_STR("/dev/zero"), &few, &objects, err));
  CHECK(objects == UNTOUCHED);
}

static void test_bad_input(void) {
  libsched_pod* pod = UNTOUCHED;
  libsched_node* node = UNTOUCHED;
  libsched_objects* objects = UNTOUCHED;
  CHECK_FAILS(
      LIBSCHED_ERR_INVALID, "spec.containers[0].resources.requests.cpu", NULL,
      libsched_pod_parse(LIBSCHED_STR("{\"kind\": \"Pod\", \"spec\": {\"containers\": [{"
                                      "\"resources\": {\"requests\": {\"cpu\": \"1x\"}}}]}}"),
                         NULL, &pod, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "status.allocatable.memory", NULL,
              libsched_node_parse(LIBSCHED_STR("kind: Node\nstatus: {allocatable: {memory: lots}}"),
                                  NULL, &node, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "items[1].spec.nodeName", NULL,
              libsched_objects_parse(
                  LIBSCHED_STR("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": "
                               "[{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {"
                               "\"name\": \"a\"}}, {\"apiVersion\": \"v1\", \"kind\": \"Pod\", "
                               "\"spec\": {\"nodeName\": []}}]}"),
                  NULL, &objects, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_objects_parse(LIBSCHED_STR("{\"kind\": \"Pod\""), NULL, &objects, err));
  CHECK_FAILS(
      LIBSCHED_ERR_INVALID, NULL, "Node",
      libsched_pod_parse(LIBSCHED_STR("{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}}"),
                         NULL, &pod, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_pod_parse(LIBSCHED_STR(""), NULL, &pod, err));
  CHECK_FAILS(
      LIBSCHED_ERR_INVALID, NULL, NULL,
      libsched_pod_parse(LIBSCHED_STR("{\"kind\": \"Pod\", \"metadata\": {\"name\": \"\xff\"}}"),
                         NULL, &pod, err));
  CHECK(pod == UNTOUCHED && node == UNTOUCHED && objects == UNTOUCHED);
}

/* A Pod of Kubernetes' protobuf, alone and in its envelope, and one that ends too early. */
static void test_protobuf(void) {
  static const char kMessage[] = "\x0a\x05\x0a\x03web\x12\x04\x52\x02n1";
  static const char kEnvelope[] =
      "k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x0d\x0a\x05\x0a\x03web\x12\x04\x52\x02n1";
  const libsched_str message = {kMessage, sizeof kMessage - 1};
  const libsched_str envelope = {kEnvelope, sizeof kEnvelope - 1};
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.format = LIBSCHED_FORMAT_PROTOBUF;
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(message, &options, &pod, err));
  CHECK_STR(libsched_pod_name(pod), "web");
  CHECK_STR(libsched_pod_node_name(pod), "n1");
  libsched_pod_unref(pod);
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(envelope, NULL, &objects, err));
  CHECK(libsched_objects_pod_count(objects) == 1);
  libsched_objects_unref(objects);
  objects = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "no envelope",
              libsched_objects_parse(message, &options, &objects, err));
  CHECK(objects == UNTOUCHED);
  pod = UNTOUCHED;
  const libsched_str cut = {kMessage, sizeof kMessage - 3};
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "truncated",
              libsched_pod_parse(cut, &options, &pod, err));
  CHECK(pod == UNTOUCHED);
}

static void test_options(void) {
  libsched_pod* pod = UNTOUCHED;
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.format = LIBSCHED_FORMAT_JSON;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_pod_parse(text(kPod), &options, &pod, err));
  options.format = 9;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_pod_parse(text(kPod), &options, &pod, err));
  options.format = LIBSCHED_FORMAT_YAML;
  options.max_bytes = 16;
  CHECK_FAILS(LIBSCHED_ERR_LIMIT, NULL, NULL, libsched_pod_parse(text(kPod), &options, &pod, err));
  options.max_bytes = 0;
  options.format = LIBSCHED_FORMAT_AUTO;
  options.max_decompressed_bytes = 1;
  static const char kPacked[] = /* gzip data of "{}" */
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0";
  CHECK_FAILS(LIBSCHED_ERR_LIMIT, NULL, "more than the limit of 1",
              libsched_pod_parse(LIBSCHED_STR(kPacked), &options, &pod, err));
  options.max_decompressed_bytes = 0;
  options.format = LIBSCHED_FORMAT_YAML;
  options.max_depth = 2;
  CHECK_FAILS(LIBSCHED_ERR_LIMIT, NULL, NULL, libsched_pod_parse(text(kPod), &options, &pod, err));
  options.max_depth = 0;
  options.reserved[1] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_pod_parse(text(kPod), &options, &pod, err));
  CHECK(pod == UNTOUCHED);
  options.reserved[1] = false;
  CHECK_OK(libsched_pod_parse(text(kPod), &options, &pod, err));
  libsched_pod_unref(pod);

  pod = UNTOUCHED;
  options.strict = true;
  const libsched_str unknown = LIBSCHED_STR("kind: Pod\nmetadata: {name: a, colour: red}");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "metadata.colour", NULL,
              libsched_pod_parse(unknown, &options, &pod, err));
  options.strict = false;
  CHECK_OK(libsched_pod_parse(unknown, &options, &pod, err));
  libsched_pod_unref(pod);
}

/* A struct of an older header is shorter; one of a newer header is longer and may use what this
   library does not know. */
static void test_struct_size(void) {
  struct {
    libsched_parse_options options;
    uint64_t newer[2];
  } future = {LIBSCHED_PARSE_OPTIONS_INIT, {0, 0}};
  future.options.struct_size = sizeof future;
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(text(kPod), &future.options, &pod, err));
  libsched_pod_unref(pod);
  pod = UNTOUCHED;
  future.newer[1] = 1;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_pod_parse(text(kPod), &future.options, &pod, err));
  CHECK(pod == UNTOUCHED);

  libsched_parse_options past = LIBSCHED_PARSE_OPTIONS_INIT;
  past.struct_size = offsetof(libsched_parse_options, max_bytes);
  past.max_bytes = 1; /* beyond its end: ignored */
  past.classes = UNTOUCHED;
  CHECK_OK(libsched_pod_parse(text(kPod), &past, &pod, err));
  libsched_pod_unref(pod);
  pod = UNTOUCHED;
  past.struct_size = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_pod_parse(text(kPod), &past, &pod, err));
  CHECK(pod == UNTOUCHED);
}

static void test_defaults_and_classes(void) {
  const libsched_str limits_only = LIBSCHED_STR(
      "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"priorityClassName\": "
      "\"high\", "
      "\"containers\": [{\"name\": \"c\", \"resources\": {\"limits\": {\"cpu\": \"2\"}}}]}}");
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(limits_only, &options, &pod, err));
  CHECK(libsched_pod_request(pod, LIBSCHED_STR("cpu")) == 0);
  CHECK(libsched_pod_priority(pod) == 0);
  libsched_pod_unref(pod);

  libsched_objects* classes = NULL;
  CHECK_OK(libsched_objects_parse(
      LIBSCHED_STR("{\"apiVersion\": \"scheduling.k8s.io/v1\", \"kind\": \"PriorityClass\", "
                   "\"metadata\": {\"name\": \"high\"}, \"value\": 1000}"),
      NULL, &classes, err));
  options.defaults = true;
  options.classes = classes;
  CHECK_OK(libsched_pod_parse(limits_only, &options, &pod, err));
  libsched_objects_unref(classes);
  CHECK(libsched_pod_request(pod, LIBSCHED_STR("cpu")) == 2000);
  CHECK(libsched_pod_priority(pod) == 1000);
  CHECK_STR(libsched_pod_namespace(pod), "default");
  CHECK_STR(libsched_pod_scheduler_name(pod), "default-scheduler");
  libsched_pod_unref(pod);

  libsched_objects* judged = NULL;
  options.classes = NULL;
  options.defaults = false;
  options.validate = true;
  CHECK_OK(libsched_objects_parse(
      LIBSCHED_STR("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"Not A "
                   "Name\"}, \"spec\": {}}"),
      &options, &judged, err));
  libsched_text* report = NULL;
  CHECK_OK(libsched_objects_report_json(judged, &report, err));
  cJSON* document = cJSON_Parse(libsched_text_get(report).ptr);
  CHECK(cJSON_GetArraySize(cJSON_GetObjectItem(document, "warnings")) > 0);
  cJSON_Delete(document);
  libsched_text_unref(report);
  libsched_objects_unref(judged);
}

static void test_null_handles(void) {
  libsched_pod* pod = UNTOUCHED;
  libsched_node* node = UNTOUCHED;
  libsched_text* report = UNTOUCHED;
  libsched_str raw = {UNTOUCHED, 0};
  const libsched_str none = {NULL, 0};
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_pod_parse(text(kPod), NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_node_parse(text("{}"), NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_objects_parse(text("{}"), NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_objects_load(text("f"), NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_pod_copy(NULL, none, none, none, none, &pod, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_node_copy(NULL, none, none, &node, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_pod_raw(NULL, &raw, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_node_raw(NULL, &raw, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_objects_report_json(NULL, &report, err));
  CHECK(pod == UNTOUCHED && node == UNTOUCHED && report == UNTOUCHED && raw.ptr == UNTOUCHED);
  CHECK(libsched_objects_pod_count(NULL) == 0 && libsched_objects_node_count(NULL) == 0);
  CHECK(libsched_objects_workload_count(NULL) == 0 && libsched_objects_get_pod(NULL, 0) == NULL);
  CHECK(libsched_objects_get_node(NULL, 0) == NULL);
  CHECK(libsched_objects_get_workload(NULL, 0, NULL, NULL) == NULL);
  CHECK(libsched_pod_name(NULL).len == 0 && libsched_pod_namespace(NULL).len == 0);
  CHECK(libsched_pod_uid(NULL).len == 0 && libsched_pod_node_name(NULL).len == 0);
  CHECK(libsched_pod_nominated_node_name(NULL).len == 0);
  CHECK(libsched_pod_scheduler_name(NULL).len == 0 && libsched_pod_phase(NULL).len == 0);
  CHECK(libsched_pod_priority(NULL) == 0 && !libsched_pod_label(NULL, text("a"), &raw));
  CHECK(libsched_pod_request(NULL, text("cpu")) == 0);
  CHECK(libsched_pod_ref(NULL) == NULL && libsched_node_ref(NULL) == NULL &&
        libsched_objects_ref(NULL) == NULL);
  CHECK(libsched_node_name(NULL).len == 0 && libsched_node_uid(NULL).len == 0);
  CHECK(!libsched_node_label(NULL, text("a"), &raw) && !libsched_node_unschedulable(NULL));
  CHECK(libsched_node_taint_count(NULL) == 0 && !libsched_node_taint(NULL, 0, &raw, &raw, &raw));
  CHECK(libsched_node_allocatable(NULL, text("cpu")) == 0);
}

/* Returns true from its `at`th call on; 0: never. */
typedef struct interrupter {
  int asked, at;
} interrupter;
static bool interrupts(void* data) {
  interrupter* self = data;
  return ++self->asked >= self->at && self->at != 0;
}

static void test_interrupt(void) {
  enum { kObjects = 500 };
  static char json[kObjects * 96], yaml[kObjects * 96];
  size_t j = 0, y = 0;
  for (int i = 0; i < kObjects; ++i) {
    j += (size_t)snprintf(
        json + j, sizeof json - j,
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%d\"}}", i);
    y += (size_t)snprintf(yaml + y, sizeof yaml - y,
                          "---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d}\n", i);
  }
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  interrupter self = {0, 0};
  options.interrupt = interrupts;
  options.interrupt_data = &self;
  const libsched_str documents[] = {{json, j}, {yaml, y}};
  for (int i = 0; i < 2; ++i) {
    libsched_objects* objects = NULL;
    self = (interrupter){0, 0};
    CHECK_OK(libsched_objects_parse(documents[i], &options, &objects, err));
    CHECK(libsched_objects_node_count(objects) == kObjects);
    libsched_objects_unref(objects);
    CHECK(self.asked >= kObjects);
    const int all = self.asked;
    for (int at = 1; at <= all; at += all / 7) {
      self = (interrupter){0, at};
      objects = UNTOUCHED;
      CHECK_FAILS(LIBSCHED_ERR_CANCELLED, "", "cancelled",
                  libsched_objects_parse(documents[i], &options, &objects, err));
      CHECK(objects == UNTOUCHED);
      CHECK(self.asked == at + 1); /* the check calls twice */
    }
  }
}

static void test_replication_controller(void) {
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      text("apiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc, namespace: x}\n"
           "spec: {replicas: 4, selector: {a: b}, template: {metadata: {labels: {a: b}},\n"
           "  spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}}}\n"),
      NULL, &objects, err));
  CHECK(libsched_objects_workload_count(objects) == 1);
  libsched_str kind = {NULL, 0};
  int64_t replicas = 0;
  const libsched_pod* pod = libsched_objects_get_workload(objects, 0, &kind, &replicas);
  CHECK_STR(kind, "ReplicationController");
  CHECK(replicas == 4 && libsched_pod_request(pod, text("cpu")) == 2000);
  CHECK_STR(libsched_pod_name(pod), "rc");
  CHECK_STR(libsched_pod_namespace(pod), "x");
  libsched_objects_unref(objects);
}

int main(void) {
  test_pod();
  test_interrupt();
  test_replication_controller();
  test_flat();
  test_pod_copy();
  test_node();
  test_raw();
  test_documents();
  test_files();
  test_bad_input();
  test_options();
  test_protobuf();
  test_struct_size();
  test_defaults_and_classes();
  test_null_handles();
  return finish();
}
