/* The catalog: equal contents have equal references, every form and option of documents, nothing is
   added by a call that fails, and contents are forgotten by age unless a simulated cluster needs
   them. */
#include "fixture.h"

/* A pod of the flat form with a name alone (docs/flat.md). */
static const libsched_str kFlatPod = {
    "LSF\1\1\0\0\0\0\0\0\0\x0f\0\0\0\1\2\x09\0\0\0\1\2\3\0\0\0flt", 31};
static const libsched_str kFlatNode = {
    "LSF\1\2\0\0\0\0\0\0\0\x0f\0\0\0\1\2\x09\0\0\0\1\2\3\0\0\0flt", 31};
/* A Pod message with metadata.name "pb" and a container "c". */
static const libsched_str kProtobufPod = {
    "\x0a\x04\x0a\x02pb\x12\x05\x12\x03\x0a\x01"
    "c",
    13};
/* A Node message with metadata.name "pb". */
static const libsched_str kProtobufNode = {"\x0a\x04\x0a\x02pb", 6};

static const uint64_t kUntouched = UINT64_C(0x5555555555555555);

static libsched_catalog* new_catalog(void) {
  libsched_catalog* catalog = NULL;
  CHECK_OK(libsched_catalog_create(&catalog, err));
  return catalog;
}

static const char* pod_document(const char* name, const char* labels, int milli_cpu,
                                const char* more) {
  return format(
      "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"%s\", \"uid\": "
      "\"u-%s\", "
      "\"labels\": {%s}}, \"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": "
      "{\"requests\": {\"cpu\": \"%dm\"}}}]%s}}",
      name, name, labels, milli_cpu, more);
}

static const char* node_document(const char* name, const char* hostname, int cpu) {
  return format(
      "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"%s\", \"uid\": "
      "\"u-%s\", "
      "\"labels\": {\"kubernetes.io/hostname\": \"%s\", \"zone\": \"a\"}}, \"status\": "
      "{\"allocatable\": {\"cpu\": \"%d\", \"memory\": \"8Gi\", \"pods\": \"110\"}}}",
      name, name, hostname, cpu);
}

static uint64_t pod_ref(libsched_catalog* catalog, const char* document) {
  uint64_t ref = 0;
  const libsched_str one = text(document);
  CHECK_OK(libsched_catalog_add_pods(catalog, &one, 1, NULL, &ref, err));
  CHECK(ref != 0);
  return ref;
}

static uint64_t node_ref(libsched_catalog* catalog, const char* document) {
  uint64_t ref = 0;
  const libsched_str one = text(document);
  CHECK_OK(libsched_catalog_add_nodes(catalog, &one, 1, NULL, &ref, err));
  CHECK(ref != 0);
  return ref;
}

static void test_equal_contents_have_equal_references(void) {
  libsched_catalog* c = new_catalog();
  CHECK(libsched_catalog_pod_count(c) == 0 && libsched_catalog_node_count(c) == 0);
  const uint64_t web = pod_ref(c, pod_document("web-1", "\"app\": \"web\"", 100, ""));
  CHECK(web == pod_ref(c, pod_document("web-2", "\"app\": \"web\"", 100, "")));
  CHECK(web != pod_ref(c, pod_document("web-1", "\"app\": \"db\"", 100, "")));
  CHECK(web != pod_ref(c, pod_document("web-1", "\"app\": \"web\"", 200, "")));
  CHECK(web != pod_ref(c, pod_document("web-1", "\"app\": \"web\"", 100,
                                       ", \"nodeSelector\": {\"a\": \"b\"}")));
  CHECK(libsched_catalog_pod_count(c) == 4);
  /* The label of the hostname follows the name; any other value is a part of the content. */
  const uint64_t small = node_ref(c, node_document("n1", "n1", 4));
  CHECK(small == node_ref(c, node_document("n2", "n2", 4)));
  CHECK(small != node_ref(c, node_document("n2", "elsewhere", 4)));
  CHECK(small != node_ref(c, node_document("n1", "n1", 8)));
  CHECK(libsched_catalog_node_count(c) == 3);
  CHECK(libsched_catalog_has_pod(c, web) && !libsched_catalog_has_node(c, web));
  CHECK(libsched_catalog_has_node(c, small) && !libsched_catalog_has_pod(c, small));
  CHECK(!libsched_catalog_has_pod(c, 0) && !libsched_catalog_has_node(c, 0));
  CHECK(!libsched_catalog_has_pod(c, UINT64_MAX) && !libsched_catalog_has_node(c, UINT64_MAX));
  /* Numbers that look like references, such as ids: of an index that has no content yet, or of
   * none. */
  for (uint64_t index = 0; index < 100; ++index) {
    const uint64_t next = web + 100 + index;
    CHECK(!libsched_catalog_has_pod(c, next) && !libsched_catalog_has_pod(c, index));
    CHECK(!libsched_catalog_has_node(c, small + 100 + index));
    libsched_catalog_touch_pods(c, &next, 1);
  }
  libsched_catalog_unref(c);
}

static void test_a_content_tells_what_it_asks(void) {
  libsched_catalog* c = new_catalog();
  const uint64_t web = pod_ref(c, pod_document("web-1", "\"app\": \"web\"", 100, ""));
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_catalog_pod(c, web, &pod, err));
  CHECK(libsched_pod_request(pod, text("cpu")) == 100);
  CHECK(libsched_pod_name(pod).len == 0 && libsched_pod_label(pod, text("app"), NULL));
  CHECK(libsched_catalog_age(c, 0) == 0 && libsched_catalog_age(c, 0) == 1);
  CHECK(!libsched_catalog_has_pod(c, web) && libsched_pod_request(pod, text("cpu")) == 100);
  libsched_pod* none = NULL;
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL, libsched_catalog_pod(c, web, &none, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_catalog_pod(c, web, NULL, err));
  CHECK(none == NULL);
  libsched_pod_unref(pod);
  libsched_catalog_unref(c);
}

static void test_parsed_objects(void) {
  libsched_catalog* c = new_catalog();
  const uint64_t from_text = pod_ref(c, pod_document("web", "\"app\": \"web\"", 100, ""));
  libsched_pod* pod = pod_of_json(pod_document("other", "\"app\": \"web\"", 100, ""));
  uint64_t ref = 0;
  CHECK_OK(libsched_catalog_add_pod(c, pod, NULL, &ref, err));
  CHECK(ref == from_text);
  const uint64_t node_from_text = node_ref(c, node_document("n", "n", 4));
  libsched_node* node = node_of_json(node_document("m", "m", 4));
  CHECK_OK(libsched_catalog_add_node(c, node, NULL, &ref, err));
  CHECK(ref == node_from_text);
  CHECK(libsched_catalog_pod_count(c) == 1 && libsched_catalog_node_count(c) == 1);
  ref = kUntouched;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_catalog_add_pod(c, NULL, NULL, &ref, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_catalog_add_node(c, NULL, NULL, &ref, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_catalog_add_pod(c, pod, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_catalog_add_node(c, node, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_pod(NULL, pod, NULL, &ref, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_node(NULL, node, NULL, &ref, err));
  CHECK(ref == kUntouched);
  libsched_pod_unref(pod);
  libsched_node_unref(node);
  libsched_catalog_unref(c);
}

static void test_forms(void) {
  libsched_catalog* c = new_catalog();
  libsched_catalog_options options = LIBSCHED_CATALOG_OPTIONS_INIT;
  uint64_t refs[2] = {0, 0};
  const libsched_str yaml =
      text("apiVersion: v1\nkind: Pod\nmetadata: {name: yaml}\nspec: {containers: [{name: c}]}\n");
  CHECK_OK(libsched_catalog_add_pods(c, &yaml, 1, &options, refs, err));
  options.form = LIBSCHED_FORM_PROTOBUF;
  CHECK_OK(libsched_catalog_add_pods(c, &kProtobufPod, 1, &options, refs + 1, err));
  CHECK(refs[0] == refs[1]); /* whatever the form is */
  const uint64_t with_a_container = refs[0];
  CHECK_OK(libsched_catalog_add_nodes(c, &kProtobufNode, 1, &options, refs, err));
  CHECK(libsched_catalog_has_node(c, refs[0]));
  const uint64_t bare = refs[0];
  options.form = LIBSCHED_FORM_FLAT;
  const libsched_str both[] = {kFlatPod, kFlatPod};
  CHECK_OK(libsched_catalog_add_pods(c, both, 2, &options, refs, err));
  CHECK(refs[0] == refs[1] && refs[0] != with_a_container);
  CHECK_OK(libsched_catalog_add_nodes(c, &kFlatNode, 1, &options, refs, err));
  CHECK(refs[0] == bare);

  const size_t pods = libsched_catalog_pod_count(c), nodes = libsched_catalog_node_count(c);
  refs[0] = refs[1] = kUntouched;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_catalog_add_pods(c, &yaml, 1, &options, refs, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_catalog_add_nodes(c, &kFlatPod, 1, &options, refs, err));
  options.form = 3;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_catalog_add_pods(c, &yaml, 1, &options, refs, err));
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_catalog_add_nodes(c, &yaml, 1, &options, refs, err));
  CHECK(refs[0] == kUntouched && refs[1] == kUntouched);
  CHECK(libsched_catalog_pod_count(c) == pods && libsched_catalog_node_count(c) == nodes);
  libsched_catalog_unref(c);
}

static void test_all_or_none(void) {
  libsched_catalog* c = new_catalog();
  uint64_t refs[3] = {kUntouched, kUntouched, kUntouched};
  const libsched_str pods[] = {text(pod_document("a", "", 1, "")),
                               text("{\"kind\": \"Pod\", \"metadata\": {\"name\": 7}}"),
                               text(pod_document("b", "", 2, ""))};
  libsched_error* error = NULL;
  CHECK(libsched_catalog_add_pods(c, pods, 3, NULL, refs, &error) == LIBSCHED_ERR_INVALID);
  CHECK(strncmp(libsched_error_path(error).ptr, "[1]", 3) == 0); /* the index of the document */
  libsched_error_unref(error);
  CHECK(libsched_catalog_pod_count(c) == 0);
  const libsched_str nodes[] = {text(node_document("a", "a", 1)), text("{")};
  CHECK(libsched_catalog_add_nodes(c, nodes, 2, NULL, refs, &error) == LIBSCHED_ERR_INVALID);
  CHECK(strncmp(libsched_error_path(error).ptr, "[1]", 3) == 0);
  libsched_error_unref(error);
  CHECK(libsched_catalog_node_count(c) == 0);
  for (size_t i = 0; i < 3; ++i) CHECK(refs[i] == kUntouched);
  /* Pods are no nodes. */
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_catalog_add_pods(c, nodes, 1, NULL, refs, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_catalog_add_nodes(c, pods, 1, NULL, refs, err));
  CHECK_OK(libsched_catalog_add_pods(c, NULL, 0, NULL, NULL, err));
  CHECK_OK(libsched_catalog_add_nodes(c, NULL, 0, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_pods(c, NULL, 1, NULL, refs, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_pods(c, pods, 1, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_nodes(c, NULL, 1, NULL, refs, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_nodes(c, nodes, 1, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_pods(NULL, pods, 1, NULL, refs, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_nodes(NULL, nodes, 1, NULL, refs, err));
  CHECK(libsched_catalog_pod_count(c) == 0 && libsched_catalog_node_count(c) == 0);
  libsched_catalog_unref(c);
}

static void test_options(void) {
  libsched_catalog* c = new_catalog();
  libsched_catalog_options options = LIBSCHED_CATALOG_OPTIONS_INIT;
  const libsched_str free_ = text(pod_document("p", "", 100, ""));
  const libsched_str bound = text(pod_document("p", "", 100, ", \"nodeName\": \"n\""));
  const libsched_str both[] = {free_, bound};
  uint64_t refs[2] = {0, 0};
  CHECK_OK(libsched_catalog_add_pods(c, both, 2, &options, refs, err));
  CHECK(refs[0] != refs[1]); /* spec.nodeName is a part of the content */
  options.placed = true;
  CHECK_OK(libsched_catalog_add_pods(c, both, 2, &options, refs, err));
  CHECK(refs[0] == refs[1]);
  options.placed = false;
  /* API defaulting: a limit is a request as well. */
  const libsched_str limited = text(
      "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"}, \"spec\": {\"containers\": [{\"name\": "
      "\"c\", \"resources\": {\"limits\": {\"cpu\": \"100m\"}}}]}}");
  CHECK_OK(libsched_catalog_add_pods(c, &limited, 1, &options, refs, err));
  options.defaults = true;
  CHECK_OK(libsched_catalog_add_pods(c, &limited, 1, &options, refs + 1, err));
  CHECK(refs[0] != refs[1]);
  options.defaults = false;
  /* What plugins of the caller's read. */
  const libsched_str extras[] = {text("a"), text("b")}, same[] = {text("a"), text("a")};
  const libsched_str twice[] = {free_, free_};
  options.extras = extras;
  CHECK_OK(libsched_catalog_add_pods(c, twice, 2, &options, refs, err));
  CHECK(refs[0] != refs[1]);
  const uint64_t with_a = refs[0];
  options.extras = same;
  CHECK_OK(libsched_catalog_add_pods(c, twice, 2, &options, refs, err));
  CHECK(refs[0] == with_a && refs[1] == with_a);
  CHECK_OK(libsched_catalog_add_pods(c, twice, 1, NULL, refs, err));
  CHECK(refs[0] != with_a);
  libsched_pod* pod = pod_of_json(pod_document("p", "", 100, ""));
  CHECK_OK(libsched_catalog_add_pod(c, pod, &options, refs, err));
  CHECK(refs[0] == with_a);
  libsched_node* node = node_of_json(node_document("n", "n", 4));
  CHECK_OK(libsched_catalog_add_node(c, node, &options, refs, err));
  CHECK_OK(libsched_catalog_add_node(c, node, NULL, refs + 1, err));
  CHECK(refs[0] != refs[1]);

  options.extras = NULL;
  refs[0] = kUntouched;
  const size_t before = libsched_catalog_pod_count(c);
  for (size_t i = 0; i < sizeof options.reserved / sizeof *options.reserved; ++i) {
    options.reserved[i] = true;
    CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
                libsched_catalog_add_pods(c, &free_, 1, &options, refs, err));
    CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
                libsched_catalog_add_pod(c, pod, &options, refs, err));
    CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
                libsched_catalog_add_node(c, node, &options, refs, err));
    options.reserved[i] = false;
  }
  options.struct_size = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_catalog_add_pods(c, &free_, 1, &options, refs, err));
  struct {
    libsched_catalog_options options;
    uint64_t newer;
  } future = {LIBSCHED_CATALOG_OPTIONS_INIT, 1};
  future.options.struct_size = sizeof future;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_catalog_add_pods(c, &free_, 1, &future.options, refs, err));
  CHECK(refs[0] == kUntouched && libsched_catalog_pod_count(c) == before);
  future.newer = 0;
  CHECK_OK(libsched_catalog_add_pods(c, &free_, 1, &future.options, refs, err));
  options.struct_size = 8; /* from a header with the form alone */
  options.placed = true;
  CHECK_OK(libsched_catalog_add_pods(c, &bound, 1, &options, refs + 1, err));
  CHECK(refs[0] != refs[1]);
  libsched_pod_unref(pod);
  libsched_node_unref(node);
  libsched_catalog_unref(c);
}

static void test_ages(void) {
  libsched_catalog* c = new_catalog();
  const uint64_t old = pod_ref(c, pod_document("old", "", 100, ""));
  const uint64_t kept = pod_ref(c, pod_document("kept", "", 200, ""));
  const uint64_t node = node_ref(c, node_document("n", "n", 4));
  CHECK(libsched_catalog_age(c, 0) == 0); /* all are of this age */
  CHECK(kept == pod_ref(c, pod_document("kept", "", 200, "")));
  CHECK(libsched_catalog_age(c, 1) == 0); /* the others are of the age before */
  CHECK(kept == pod_ref(c, pod_document("kept", "", 200, "")));
  CHECK(libsched_catalog_age(c, 1) == 2);
  CHECK(!libsched_catalog_has_pod(c, old) && !libsched_catalog_has_node(c, node));
  CHECK(libsched_catalog_has_pod(c, kept));
  const uint64_t again = pod_ref(c, pod_document("old", "", 100, ""));
  CHECK(again != old && again != 0); /* a forgotten reference is never given again */
  CHECK(!libsched_catalog_has_pod(c, old) && libsched_catalog_has_pod(c, again));
  libsched_catalog_unref(c);

  /* Callers that keep references say which ones they use. */
  c = new_catalog();
  const uint64_t refs[] = {pod_ref(c, pod_document("a", "", 100, "")), 0, 12345};
  const uint64_t unused = pod_ref(c, pod_document("b", "", 200, ""));
  const uint64_t used_node = node_ref(c, node_document("n", "n", 4));
  CHECK(libsched_catalog_age(c, 0) == 0);
  libsched_catalog_touch_pods(c, refs, 3);
  libsched_catalog_touch_nodes(c, &used_node, 1);
  libsched_catalog_touch_pods(c, NULL, 0);
  libsched_catalog_touch_nodes(NULL, &used_node, 1);
  libsched_catalog_touch_pods(NULL, refs, 1);
  CHECK(libsched_catalog_age(c, 0) == 1 && !libsched_catalog_has_pod(c, unused));
  CHECK(libsched_catalog_has_pod(c, refs[0]) && libsched_catalog_has_node(c, used_node));
  libsched_catalog_unref(c);

  /* What a simulated cluster has, or a revert may bring back, is kept. */
  c = new_catalog();
  libsched_framework* framework = default_framework();
  libsched_sim* sim = NULL;
  CHECK_OK(libsched_sim_create(framework, c, &sim, err));
  const uint64_t shape = node_ref(c, node_document("n", "n", 4));
  const uint64_t web = pod_ref(c, pod_document("web", "", 100, ""));
  const libsched_str name = LIBSCHED_STR("n-0");
  uint64_t id = 0, pod = 0;
  CHECK_OK(libsched_sim_add_nodes(sim, shape, &name, 1, &id, err));
  CHECK_OK(libsched_sim_add_pods(sim, &web, &id, 1, &pod, err));
  libsched_catalog_age(c, 0);
  CHECK(libsched_catalog_age(c, 0) == 0);
  CHECK(libsched_catalog_has_pod(c, web) && libsched_catalog_has_node(c, shape));
  CHECK_OK(libsched_sim_fork(sim, err));
  CHECK_OK(libsched_sim_remove_node(sim, id, err));
  libsched_catalog_age(c, 0);
  CHECK(libsched_catalog_age(c, 0) == 0);
  CHECK_OK(libsched_sim_revert(sim, err));
  CHECK(libsched_sim_pod_ref(sim, pod) == web && libsched_sim_node_ref(sim, id) == shape);
  CHECK_OK(libsched_sim_remove_node(sim, id, err));
  libsched_catalog_age(c, 0);
  libsched_catalog_age(c, 0);
  CHECK(!libsched_catalog_has_pod(c, web) && !libsched_catalog_has_node(c, shape));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_add_nodes(sim, shape, &name, 1, &id, err));
  libsched_sim_unref(sim);
  libsched_framework_unref(framework);
  libsched_catalog_unref(c);
}

static void test_handles(void) {
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_catalog_create(NULL, err));
  libsched_catalog* c = new_catalog();
  libsched_catalog* same = libsched_catalog_ref(c);
  CHECK(same == c);
  libsched_catalog_unref(c);
  CHECK(libsched_catalog_pod_count(same) == 0);
  libsched_catalog_unref(same);
  libsched_catalog_unref(NULL);
  CHECK(libsched_catalog_ref(NULL) == NULL);
  CHECK(libsched_catalog_pod_count(NULL) == 0 && libsched_catalog_node_count(NULL) == 0);
  CHECK(!libsched_catalog_has_pod(NULL, 1) && !libsched_catalog_has_node(NULL, 1));
  CHECK(libsched_catalog_age(NULL, 0) == 0);
}

int main(void) {
  test_equal_contents_have_equal_references();
  test_a_content_tells_what_it_asks();
  test_parsed_objects();
  test_forms();
  test_all_or_none();
  test_options();
  test_ages();
  test_handles();
  return finish();
}
