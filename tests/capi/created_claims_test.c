/* API clients in C that create and delete the ResourceClaims of extended resources. */
#include <stddef.h>

#include "fixture.h"

static const char kCluster[] =
    "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": ["
    "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}, \"status\": "
    "{\"allocatable\": {\"cpu\": \"4\", \"memory\": \"8Gi\", \"pods\": \"9\"}}},"
    "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"DeviceClass\", \"metadata\": {\"name\": "
    "\"gpu\"}, \"spec\": {\"extendedResourceName\": \"example.com/gpu\"}},"
    "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceSlice\", \"metadata\": {\"name\": "
    "\"s\"}, \"spec\": {\"driver\": \"d\", \"nodeName\": \"n\", \"pool\": {\"name\": \"n\", "
    "\"resourceSliceCount\": 1}, \"devices\": [{\"name\": \"x\"}]}}]}";
static const char kPod[] =
    "{\"metadata\": {\"name\": \"p\", \"namespace\": \"default\", \"uid\": \"u\"}, \"spec\": "
    "{\"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"example.com/gpu\": 1}}}]}}";
static const char kCreated[] =
    "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\", \"metadata\": {\"name\": "
    "\"p-extended-resources-x7\", \"namespace\": \"default\", \"uid\": \"made\", "
    "\"resourceVersion\": \"9\"}, \"spec\": {\"devices\": {\"requests\": [{\"name\": "
    "\"container-0-request-0\", \"exactly\": {\"deviceClassName\": \"gpu\", \"allocationMode\": "
    "\"ExactCount\", \"count\": 1}}]}}}";

typedef struct api {
  int creates, deletes, patches, destroys;
  enum { MAKES, FAILS, MAKES_NOTHING, MAKES_A_NODE } how;
} api;

static bool has(libsched_str text, const char* part) { return strstr(text.ptr, part) != NULL; }

static libsched_code create_object(void* user_data, libsched_str kind, libsched_str namespace_,
                                   libsched_str object, libsched_objects** created,
                                   libsched_status* status) {
  api* a = user_data;
  ++a->creates;
  CHECK_STR(kind, "ResourceClaim");
  CHECK_STR(namespace_, "default");
  CHECK(has(object, "\"generateName\":\"p-extended-resources-\"") && !has(object, "\"name\":\"<") &&
        has(object, "\"deviceClassName\":\"gpu\"") && has(object, "\"uid\":\"u\"") &&
        has(object, "resource.kubernetes.io/extended-resource-claim"));
  switch (a->how) {
    case FAILS: libsched_status_add_reason(status, text("quota exceeded")); return LIBSCHED_CODE_ERROR;
    case MAKES_NOTHING: return LIBSCHED_CODE_SUCCESS;
    case MAKES_A_NODE:
      CHECK_OK(libsched_objects_parse(text(kCluster), NULL, created, err));
      return LIBSCHED_CODE_SUCCESS;
    default: CHECK_OK(libsched_objects_parse(text(kCreated), NULL, created, err));
  }
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code delete_object(void* user_data, libsched_str kind, libsched_str namespace_,
                                   libsched_str name, libsched_status* status) {
  (void)status;
  ++((api*)user_data)->deletes;
  CHECK_STR(kind, "ResourceClaim");
  CHECK_STR(namespace_, "default");
  CHECK_STR(name, "p-extended-resources-x7");
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code patch_object(void* user_data, libsched_str kind, libsched_str namespace_,
                                  libsched_str name, libsched_str patch, libsched_status* status) {
  (void)kind, (void)namespace_, (void)patch, (void)status;
  ++((api*)user_data)->patches;
  CHECK_STR(name, "p-extended-resources-x7");
  return LIBSCHED_CODE_SUCCESS;
}
static void destroy(void* user_data) { ++((api*)user_data)->destroys; }

typedef struct journey {
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator* evaluator;
  libsched_cycle_state* state;
  libsched_status* status;
  libsched_pod* pod;
} journey;

/* Takes a pod through PreBind; `text` is a part of the Error's text, or NULL: it succeeds. */
static void bind_with(journey* j, const libsched_api_client* client, api* a, const char* text_) {
  libsched_services* services = NULL;
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  options.api = client;
  options.api_user_data = a;
  j->cluster = NULL;
  j->framework = default_framework();
  CHECK_OK(libsched_cluster_create(NULL, &j->cluster, err));
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(text(kCluster), NULL, &objects, err));
  CHECK_OK(libsched_cluster_apply(j->cluster, objects, err));
  libsched_objects_unref(objects);
  CHECK_OK(libsched_evaluator_create(j->framework, j->cluster, NULL, &j->evaluator, err));
  CHECK_OK(libsched_services_create(&options, &services, err));
  CHECK_OK(libsched_evaluator_set_services(j->evaluator, services, err));
  libsched_services_unref(services);
  CHECK_OK(libsched_cycle_state_create(&j->state, err));
  CHECK_OK(libsched_status_create(&j->status, err));
  j->pod = pod_of_json(kPod);
  CHECK_OK(libsched_run_pre_filter_plugins(j->evaluator, j->state, j->pod, NULL, j->status, err));
  CHECK_OK(libsched_run_filter_plugins(j->evaluator, j->state, j->pod, text("n"), NULL, j->status,
                                       err));
  CHECK(libsched_status_code(j->status) == LIBSCHED_CODE_SUCCESS);
  CHECK_OK(libsched_run_reserve_plugins_reserve(j->evaluator, j->state, j->pod, text("n"),
                                                j->status, err));
  CHECK_OK(libsched_run_pre_bind_plugins(j->evaluator, j->state, j->pod, text("n"), j->status,
                                         err));
  libsched_str error = {"", 0};
  libsched_status_as_error(j->status, &error);
  if (text_ == NULL) {
    CHECK_STR(error, "");
  } else {
    CHECK(has(error, text_));
  }
}
static void end(journey* j) {
  libsched_pod_unref(j->pod);
  libsched_status_unref(j->status);
  libsched_cycle_state_unref(j->state);
  libsched_evaluator_unref(j->evaluator);
  libsched_cluster_unref(j->cluster);
  libsched_framework_unref(j->framework);
}

static libsched_api_client whole_client(void) {
  libsched_api_client client = LIBSCHED_API_CLIENT_INIT;
  client.create_object = create_object;
  client.delete_object = delete_object;
  client.patch_object = patch_object;
  client.destroy = destroy;
  return client;
}

static void test_claims_are_created_and_deleted(void) {
  api a = {0};
  journey j = {0};
  const libsched_api_client client = whole_client();
  bind_with(&j, &client, &a, NULL);
  CHECK(a.creates == 1 && a.deletes == 0 && a.patches == 1);
  CHECK_OK(libsched_run_reserve_plugins_unreserve(j.evaluator, j.state, j.pod, text("n"), err));
  CHECK(a.creates == 1 && a.deletes == 1 && a.patches == 2);
  end(&j);
  CHECK(a.destroys == 1);
}

static void test_failures(void) {
  const struct {
    int how;
    const char* text;
  } cases[] = {{FAILS, "create claim for extended resources default/: quota exceeded"},
               {MAKES_NOTHING, "gave no ResourceClaim in namespace default"},
               {MAKES_A_NODE, "gave no ResourceClaim in namespace default"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    api a = {.how = cases[i].how};
    journey j = {0};
    const libsched_api_client client = whole_client();
    bind_with(&j, &client, &a, cases[i].text);
    CHECK(a.creates == 1 && a.patches == 0);
    end(&j);
  }
}

/* A client of a program that was compiled with an older header has no such functions. */
static void test_shorter_structs(void) {
  api a = {0};
  journey j = {0};
  libsched_api_client client = whole_client();
  client.struct_size = offsetof(libsched_api_client, create_object);
  bind_with(&j, &client, &a, "the API client cannot create the ResourceClaim");
  CHECK(a.creates == 0);
  end(&j);
  CHECK(a.destroys == 1);
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  libsched_services* services = UNTOUCHED;
  options.api = &client;
  options.api_user_data = &a;
  options.reserved[0] = true;
  CHECK(libsched_services_create(&options, &services, NULL) == LIBSCHED_ERR_UNSUPPORTED);
  CHECK(a.destroys == 2);
}

int main(void) {
  test_claims_are_created_and_deleted();
  test_failures();
  test_shorter_structs();
  return finish();
}
