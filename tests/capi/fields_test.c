/* The fields of pods and nodes for plugins: each field, ends of lists, and null handles. */
#include "fixture.h"

static const char* const kPod =
    "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", \"namespace\": \"n\", \"labels\": {\"b\": "
    "\"2\","
    " \"a\": \"1\"}, \"creationTimestamp\": \"1970-01-01T00:00:02Z\", \"deletionTimestamp\": "
    "\"1970-01-01T00:00:03Z\", \"ownerReferences\": [{\"apiVersion\": \"v1\", \"kind\": \"Job\", "
    "\"name\": \"j\", \"uid\": \"u\", \"controller\": true}]}, \"spec\": {\"priorityClassName\": "
    "\"high\", \"preemptionPolicy\": \"Never\", \"hostNetwork\": true, \"nodeSelector\": "
    "{\"disk\": "
    "\"ssd\"}, \"tolerations\": [{\"key\": \"k\", \"operator\": \"Exists\", \"effect\": "
    "\"NoExecute\"}], \"schedulingGates\": [{\"name\": \"later\"}], \"initContainers\": "
    "[{\"name\": "
    "\"i\", \"image\": \"init:1\"}], \"containers\": [{\"name\": \"c\", \"image\": \"app:2\", "
    "\"ports\": [{\"containerPort\": 80, \"hostPort\": 8080}], \"resources\": {\"requests\": "
    "{\"cpu\": \"250m\", \"memory\": \"1Ki\", \"example.com/gpu\": \"2\"}}}], \"volumes\": "
    "[{\"name\": \"v\", \"persistentVolumeClaim\": {\"claimName\": \"data\"}}]}, \"status\": "
    "{\"startTime\": \"1970-01-01T00:00:04Z\"}}";

static void test_pod_lists(const libsched_pod* pod) {
  libsched_str a = text("?"), b = text("?"), c = text("?"), d = text("?");
  bool controller = false;
  CHECK(libsched_pod_label_count(pod) == 2);
  CHECK(libsched_pod_label_at(pod, 0, &a, &b));
  CHECK_STR(a, "a");
  CHECK_STR(b, "1");
  CHECK(libsched_pod_label_at(pod, 1, NULL, NULL) && !libsched_pod_label_at(pod, 2, &a, &b));
  CHECK_STR(a, "a"); /* untouched */
  CHECK(libsched_pod_owner_count(pod) == 1);
  CHECK(libsched_pod_owner(pod, 0, &a, &b, &c, &controller) && controller);
  CHECK_STR(a, "Job");
  CHECK_STR(b, "j");
  CHECK_STR(c, "u");
  CHECK(!libsched_pod_owner(pod, 1, &a, &b, &c, &controller));
  CHECK(libsched_pod_node_selector_count(pod) == 1);
  CHECK(libsched_pod_node_selector(pod, 0, &a, &b) && str_is(a, "disk") && str_is(b, "ssd"));
  CHECK(!libsched_pod_node_selector(pod, 1, &a, &b));
  CHECK(libsched_pod_toleration_count(pod) == 1);
  CHECK(libsched_pod_toleration(pod, 0, &a, &b, &c, &d));
  CHECK(str_is(a, "k") && str_is(b, "Exists") && str_is(c, "") && str_is(d, "NoExecute"));
  CHECK(!libsched_pod_toleration(pod, 1, &a, &b, &c, &d));
  CHECK(libsched_pod_tolerates(pod, text("k"), text("any"), text("NoExecute"), false));
  CHECK(!libsched_pod_tolerates(pod, text("k"), text("any"), text("NoSchedule"), false));
  CHECK(!libsched_pod_tolerates(pod, text("other"), text(""), text("NoExecute"), true));
  CHECK(libsched_pod_scheduling_gate_count(pod) == 1);
  CHECK(libsched_pod_scheduling_gate(pod, 0, &a) && str_is(a, "later"));
  CHECK(!libsched_pod_scheduling_gate(pod, 1, &a));
  CHECK(libsched_pod_container_count(pod) == 1 && libsched_pod_init_container_count(pod) == 1);
  CHECK(libsched_pod_container(pod, 0, &a, &b) && str_is(a, "c") && str_is(b, "app:2"));
  CHECK(libsched_pod_init_container(pod, 0, &a, &b) && str_is(a, "i") && str_is(b, "init:1"));
  CHECK(!libsched_pod_container(pod, 1, &a, &b) && !libsched_pod_init_container(pod, 1, &a, &b));
  CHECK(libsched_pod_claim_count(pod) == 1);
  CHECK(libsched_pod_claim(pod, 0, &a) && str_is(a, "data") && !libsched_pod_claim(pod, 1, &a));
}

static void test_pod_values(const libsched_pod* pod) {
  int64_t ns = 0, amount = 0;
  int32_t port = 0;
  libsched_str a = text("?"), b = text("?");
  CHECK(libsched_pod_creation_time(pod, &ns) && ns == 2000000000);
  CHECK(libsched_pod_deletion_time(pod, &ns) && ns == 3000000000);
  CHECK(libsched_pod_start_time(pod, &ns) && ns == 4000000000);
  CHECK_STR(libsched_pod_priority_class_name(pod), "high");
  CHECK_STR(libsched_pod_preemption_policy(pod), "Never");
  CHECK_STR(libsched_pod_group_name(pod), "");
  CHECK(libsched_pod_host_network(pod));
  CHECK(libsched_pod_resource_count(pod) == 3);
  CHECK(libsched_pod_resource(pod, 0, &a, &amount) && str_is(a, "cpu") && amount == 250);
  CHECK(libsched_pod_resource(pod, 1, &a, &amount) && str_is(a, "memory") && amount == 1024);
  CHECK(libsched_pod_resource(pod, 2, &a, &amount) && str_is(a, "example.com/gpu") && amount == 2);
  CHECK(!libsched_pod_resource(pod, 3, &a, &amount));
  CHECK(libsched_pod_host_port_count(pod) == 1);
  CHECK(libsched_pod_host_port(pod, 0, &a, &b, &port));
  CHECK(str_is(a, "0.0.0.0") && str_is(b, "TCP") && port == 8080);
  CHECK(!libsched_pod_host_port(pod, 1, &a, &b, &port));
  libsched_pod* plain = pod_of("plain", 100, "");
  ns = 7;
  CHECK(!libsched_pod_creation_time(plain, &ns) && !libsched_pod_deletion_time(plain, &ns));
  CHECK(!libsched_pod_start_time(plain, &ns) && ns == 7);
  CHECK(!libsched_pod_host_network(plain));
  libsched_pod_unref(plain);
}

static void test_node(void) {
  libsched_node* node = node_of_json(
      "{\"kind\": \"Node\", \"metadata\": {\"name\": \"n\", \"creationTimestamp\": "
      "\"1970-01-01T00:00:05Z\", \"labels\": {\"failure-domain.beta.kubernetes.io/zone\": "
      "\"old\"}},"
      " \"status\": {\"allocatable\": {\"cpu\": \"2\", \"pods\": \"5\", \"example.com/gpu\": "
      "\"1\"},"
      " \"images\": [{\"names\": [\"app:2\", \"app@sha\"], \"sizeBytes\": 77}], "
      "\"declaredFeatures\": [\"Swap\"]}}");
  libsched_str a = text("?"), b = text("?");
  int64_t amount = 0;
  size_t names = 0;
  CHECK(libsched_node_label_count(node) == 1);
  CHECK(libsched_node_label_at(node, 0, &a, &b) && str_is(b, "old"));
  CHECK(!libsched_node_label_at(node, 1, &a, &b));
  CHECK_STR(libsched_node_zone(node), "old");
  CHECK(libsched_node_creation_time(node, &amount) && amount == 5000000000);
  CHECK(libsched_node_resource_count(node) == 3);
  CHECK(libsched_node_resource(node, 0, &a, &amount) && str_is(a, "cpu") && amount == 2000);
  CHECK(libsched_node_resource(node, 1, &a, &amount) && str_is(a, "pods") && amount == 5);
  CHECK(libsched_node_resource(node, 2, &a, &amount) && str_is(a, "example.com/gpu"));
  CHECK(!libsched_node_resource(node, 3, &a, &amount));
  CHECK(libsched_node_image_count(node) == 1);
  CHECK(libsched_node_image(node, 0, &amount, &names) && amount == 77 && names == 2);
  CHECK(!libsched_node_image(node, 1, &amount, &names));
  CHECK(libsched_node_image_name(node, 0, 1, &a) && str_is(a, "app@sha"));
  CHECK(!libsched_node_image_name(node, 0, 2, &a) && !libsched_node_image_name(node, 1, 0, &a));
  CHECK(libsched_node_declared_feature_count(node) == 1);
  CHECK(libsched_node_declared_feature(node, 0, &a) && str_is(a, "Swap"));
  CHECK(!libsched_node_declared_feature(node, 1, &a));
  libsched_node_unref(node);
  node = node_of("m", 1, "z9", "");
  CHECK_STR(libsched_node_zone(node), "z9");
  libsched_node_unref(node);
}

static void test_annotations(void) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  libsched_pod *pod = NULL, *copy = NULL, *without = pod_of("a", 1, "");
  libsched_node *node = NULL, *node_without = node_of("n", 1, "a", "");
  libsched_str key = text("?"), value = text("?");
  size_t n = 77;
  bool found = true;
  options.keep_annotations = true;
  CHECK_OK(libsched_pod_parse(text("{\"metadata\": {\"name\": \"p\", \"annotations\": {\"b\": "
                                   "\"{\\\"x\\\": 1}\", \"a\": null}}}"),
                              &options, &pod, err));
  CHECK_OK(libsched_pod_copy(pod, text("q"), text(""), text(""), text("n"), &copy, err));
  libsched_pod_unref(pod);
  CHECK_OK(libsched_pod_annotation_count(copy, &n, err));
  CHECK(n == 2);
  CHECK(libsched_pod_annotation_at(copy, 0, &key, &value) && str_is(key, "a") && str_is(value, ""));
  CHECK(libsched_pod_annotation_at(copy, 1, NULL, NULL));
  CHECK(!libsched_pod_annotation_at(copy, 2, &key, &value));
  CHECK_STR(key, "a");
  CHECK_OK(libsched_pod_annotation(copy, text("b"), &found, &value, err));
  CHECK(found && str_is(value, "{\"x\": 1}"));
  CHECK_OK(libsched_pod_annotation(copy, text("c"), &found, &value, err));
  CHECK(!found && str_is(value, "{\"x\": 1}"));
  options.keep_annotations = false;
  options.keep_raw = true; /* implies annotations; the list may be empty */
  CHECK_OK(libsched_node_parse(text("{\"metadata\": {\"name\": \"n\"}}"), &options, &node, err));
  CHECK_OK(libsched_node_annotation_count(node, &n, err));
  CHECK(n == 0 && !libsched_node_annotation_at(node, 0, &key, &value));
  CHECK_OK(libsched_node_annotation(node, text("a"), &found, NULL, err));
  CHECK(!found);

  n = 77;
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_annotations",
              libsched_pod_annotation_count(without, &n, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_annotations",
              libsched_pod_annotation(without, text("a"), &found, &value, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_annotations",
              libsched_node_annotation_count(node_without, &n, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_annotations",
              libsched_node_annotation(node_without, text("a"), &found, &value, err));
  CHECK(n == 77 && !libsched_pod_annotation_at(without, 0, &key, &value));
  libsched_pod_unref(copy);
  libsched_pod_unref(without);
  libsched_node_unref(node);
  libsched_node_unref(node_without);
}

static void test_other_objects(void) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  libsched_objects* objects = NULL;
  libsched_cluster* cluster = NULL;
  libsched_str raw = text("?");
  const libsched_str claim = text(
      "{\"kind\": \"PersistentVolumeClaim\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": "
      "\"c\","
      " \"namespace\": \"n\"}, \"spec\": {\"volumeName\": \"v\"}}");
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  CHECK_OK(libsched_objects_parse(claim, &options, &objects, err));
  CHECK_OK(libsched_cluster_apply(cluster, objects, err));
  const libsched_view* view = libsched_cluster_view(cluster);
  const libsched_str kind = text("PersistentVolumeClaim");
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "keep_raw",
              libsched_view_object_raw(view, kind, text("n"), text("c"), &raw, err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "\"d\"",
              libsched_view_object_raw(view, kind, text("n"), text("d"), &raw, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "Gadget",
              libsched_view_object_raw(view, text("Gadget"), text("n"), text("c"), &raw, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_view_object_raw(NULL, kind, text("n"), text("c"), &raw, err));
  CHECK_STR(raw, "?");
  /* What the library has read of it is there without keep_raw. */
  libsched_text* list = NULL;
  const uint64_t version = libsched_view_objects_version(view, kind);
  CHECK_OK(libsched_view_objects_json(view, kind, text("n"), text(""), &list, err));
  CHECK(strstr(libsched_text_get(list).ptr, "\"volumeName\":\"v\"") != NULL);
  libsched_text_unref(list);
  CHECK_OK(libsched_view_objects_json(view, kind, text("other"), text(""), &list, err));
  CHECK_STR(libsched_text_get(list), "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}");
  libsched_text_unref(list);
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "Gadget",
              libsched_view_objects_json(view, text("Gadget"), text(""), text(""), &list, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_view_objects_json(NULL, kind, text(""), text(""), &list, err));
  CHECK(version != 0 && libsched_view_objects_version(view, text("Gadget")) == 0 &&
        libsched_view_objects_version(NULL, kind) == 0);
  CHECK_OK(libsched_cluster_fork(cluster, err));
  CHECK_OK(libsched_cluster_remove_object(cluster, kind, text("n"), text("c"), err));
  CHECK(libsched_view_objects_version(view, kind) != version);
  CHECK_OK(libsched_cluster_revert(cluster, err));
  CHECK(libsched_view_objects_version(view, kind) == version);
  libsched_objects_unref(objects);
  libsched_cluster_unref(cluster);
}

static void test_null_handles(void) {
  libsched_str s = text("?");
  int64_t ns = 0;
  int32_t port = 0;
  bool flag = false;
  size_t n = 0;
  CHECK(libsched_pod_label_count(NULL) == 0 && !libsched_pod_label_at(NULL, 0, &s, &s));
  CHECK(libsched_pod_owner_count(NULL) == 0 && !libsched_pod_owner(NULL, 0, &s, &s, &s, &flag));
  CHECK(!libsched_pod_creation_time(NULL, &ns) && !libsched_pod_deletion_time(NULL, &ns));
  CHECK(!libsched_pod_start_time(NULL, &ns) && !libsched_pod_host_network(NULL));
  CHECK_STR(libsched_pod_priority_class_name(NULL), "");
  CHECK_STR(libsched_pod_preemption_policy(NULL), "");
  CHECK_STR(libsched_pod_group_name(NULL), "");
  CHECK(libsched_pod_node_selector_count(NULL) == 0 &&
        !libsched_pod_node_selector(NULL, 0, &s, &s));
  CHECK(libsched_pod_toleration_count(NULL) == 0);
  CHECK(!libsched_pod_toleration(NULL, 0, &s, &s, &s, &s));
  CHECK(!libsched_pod_tolerates(NULL, s, s, s, false));
  CHECK(libsched_pod_scheduling_gate_count(NULL) == 0 &&
        !libsched_pod_scheduling_gate(NULL, 0, &s));
  CHECK(libsched_pod_container_count(NULL) == 0 && !libsched_pod_container(NULL, 0, &s, &s));
  CHECK(libsched_pod_init_container_count(NULL) == 0);
  CHECK(!libsched_pod_init_container(NULL, 0, &s, &s));
  CHECK(libsched_pod_resource_count(NULL) == 0 && !libsched_pod_resource(NULL, 0, &s, &ns));
  CHECK(libsched_pod_host_port_count(NULL) == 0 && !libsched_pod_host_port(NULL, 0, &s, &s, &port));
  CHECK(libsched_pod_claim_count(NULL) == 0 && !libsched_pod_claim(NULL, 0, &s));
  CHECK(libsched_node_label_count(NULL) == 0 && !libsched_node_label_at(NULL, 0, &s, &s));
  CHECK_STR(libsched_node_zone(NULL), "");
  CHECK(!libsched_node_creation_time(NULL, &ns));
  CHECK(libsched_node_resource_count(NULL) == 0 && !libsched_node_resource(NULL, 0, &s, &ns));
  CHECK(libsched_node_image_count(NULL) == 0 && !libsched_node_image(NULL, 0, &ns, &n));
  CHECK(!libsched_node_image_name(NULL, 0, 0, &s));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_pod_annotation_count(NULL, &n, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_pod_annotation(NULL, s, &flag, &s, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_node_annotation_count(NULL, &n, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_node_annotation(NULL, s, &flag, &s, err));
  CHECK(!libsched_pod_annotation_at(NULL, 0, &s, &s));
  CHECK(!libsched_node_annotation_at(NULL, 0, &s, &s));
  CHECK(libsched_object_change_actions(NULL) == 0);
  CHECK(libsched_node_declared_feature_count(NULL) == 0);
  CHECK(!libsched_node_declared_feature(NULL, 0, &s));
}

/* Documents of objects and of a whole view, parsed again, are the same documents. */
static void test_documents(void) {
  libsched_cluster* c = five_nodes();
  const libsched_view* view = libsched_cluster_view(c);
  libsched_pod* pod = pod_of("web", 500, "");
  CHECK_OK(libsched_cluster_assume(c, pod, text("big"), err));
  CHECK(libsched_view_pod_assumed(view, text("default"), text("web")));
  CHECK(!libsched_view_pod_assumed(view, text("default"), text("hog")));
  CHECK(!libsched_view_pod_assumed(view, text("default"), text("absent")));
  CHECK(!libsched_view_pod_assumed(NULL, text("default"), text("web")));

  libsched_text *one = NULL, *two = NULL;
  libsched_pod* same = NULL;
  CHECK_OK(libsched_pod_json(pod, &one, err));
  CHECK_OK(libsched_pod_parse(libsched_text_get(one), NULL, &same, err));
  CHECK_OK(libsched_pod_json(same, &two, err));
  CHECK(strcmp(libsched_text_get(one).ptr, libsched_text_get(two).ptr) == 0);
  libsched_text_unref(one);
  libsched_text_unref(two);
  CHECK_OK(libsched_node_json(libsched_view_node(view, 0), &one, err));
  libsched_node* node = NULL;
  CHECK_OK(libsched_node_parse(libsched_text_get(one), NULL, &node, err));
  CHECK(libsched_node_allocatable(node, text("cpu")) ==
        libsched_node_allocatable(libsched_view_node(view, 0), text("cpu")));
  libsched_text_unref(one);
  CHECK_OK(libsched_view_json(view, &one, err));
  libsched_objects* all = NULL;
  CHECK_OK(libsched_objects_parse(libsched_text_get(one), NULL, &all, err));
  CHECK(libsched_objects_node_count(all) == libsched_view_node_count(view));
  CHECK(libsched_objects_pod_count(all) == libsched_view_pod_count(view));
  libsched_text_unref(one);

  CHECK_OK(libsched_view_release_json(view, text("v1.35.2-eks-1"), &one, err));
  CHECK(str_is(libsched_text_get(one),
               "{\"name\":\"1.35\",\"version\":\"v1.35.2-eks-1\",\"source\":\"the API "
               "server\",\"note\":\"\"}"));
  libsched_text_unref(one);

  libsched_text* none = NULL;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_view_release_json(NULL, text(""), &none, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_pod_json(NULL, &none, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_node_json(NULL, &none, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_view_json(NULL, &none, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_view_json(view, NULL, err));
  libsched_objects_unref(all);
  libsched_node_unref(node);
  libsched_pod_unref(same);
  libsched_pod_unref(pod);
  libsched_cluster_unref(c);
}

int main(void) {
  test_documents();
  libsched_pod* pod = pod_of_json(kPod);
  test_pod_lists(pod);
  test_pod_values(pod);
  libsched_pod_unref(pod);
  test_node();
  test_annotations();
  test_other_objects();
  test_null_handles();
  return finish();
}
