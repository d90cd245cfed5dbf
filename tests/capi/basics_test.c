/* Versions, strings, texts, errors and status codes; the rules that hold for every function. */
#include <cjson/cJSON.h>

#include "fixture.h"

static void test_versions(void) {
  CHECK(libsched_abi_version() == LIBSCHED_ABI_VERSION);
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", LIBSCHED_VERSION_MAJOR, LIBSCHED_VERSION_MINOR,
           LIBSCHED_VERSION_PATCH);
  CHECK(strcmp(libsched_version(), expected) == 0);
  CHECK(strcmp(libsched_k8s_version(), "1.37") == 0);
  CHECK(LIBSCHED_VERSION_AT_LEAST(0, 1));
  CHECK(!LIBSCHED_VERSION_AT_LEAST(99, 0));
}

static void test_strings(void) {
  const libsched_str literal = LIBSCHED_STR("four");
  CHECK(literal.len == 4);
  CHECK_STR(literal, "four");
  CHECK_STR(libsched_str_from("five5"), "five5");
  CHECK(libsched_str_from(NULL).len == 0);
  CHECK(libsched_str_from("").len == 0);
}

static void test_code_names(void) {
  static const char* const names[] = {
      "Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable",
      "Wait",    "Skip",  "Pending"};
  for (int code = LIBSCHED_CODE_SUCCESS; code <= LIBSCHED_CODE_PENDING; ++code)
    CHECK(strcmp(libsched_code_name(code), names[code]) == 0);
  CHECK(libsched_code_name(7) == NULL);
  CHECK(libsched_code_name(-1) == NULL);
}

/* An error names its place; it outlives its cause, and several errors can coexist. */
static void test_errors(void) {
  libsched_error *first = NULL, *second = NULL;
  libsched_pod* pod = UNTOUCHED;
  CHECK(libsched_pod_parse(LIBSCHED_STR("{\"spec\": {\"nodeName\": 7}}"), NULL, &pod, &first) ==
        LIBSCHED_ERR_INVALID);
  CHECK(libsched_pod_parse(LIBSCHED_STR("{\"metadata\": {\"labels\": []}}"), NULL, &pod, &second) ==
        LIBSCHED_ERR_INVALID);
  CHECK(pod == UNTOUCHED);
  CHECK_STR(libsched_error_path(first), "spec.nodeName");
  CHECK_STR(libsched_error_path(second), "metadata.labels");
  CHECK(libsched_error_code(first) == LIBSCHED_ERR_INVALID);
  CHECK(libsched_error_message(first).len > 0);
  CHECK_STR(libsched_error_plugin(first), "");
  CHECK(libsched_error_ref(first) == first && libsched_error_ref(NULL) == NULL);
  libsched_error_unref(first);
  CHECK(libsched_error_code(first) == LIBSCHED_ERR_INVALID);
  libsched_error_unref(first);
  libsched_error_unref(second);
  libsched_error_unref(NULL);
  libsched_text_unref(NULL);
}

static void test_text(void) {
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      LIBSCHED_STR("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}}"),
      NULL, &objects, err));
  libsched_text* report = NULL;
  CHECK_OK(libsched_objects_report_json(objects, &report, err));
  libsched_objects_unref(objects);
  const libsched_str json = libsched_text_get(report); /* the text outlives the objects */
  CHECK(json.ptr[json.len] == '\0');
  cJSON* document = cJSON_ParseWithLength(json.ptr, json.len);
  CHECK(cJSON_IsObject(cJSON_GetObjectItem(document, "counts")));
  cJSON_Delete(document);
  CHECK(libsched_text_ref(report) == report && libsched_text_ref(NULL) == NULL);
  libsched_text_unref(report);
  CHECK(libsched_text_get(report).len > 0);
  libsched_text_unref(report);
}

/* Getters return empty values for NULL. */
static void test_null_getters(void) {
  CHECK(libsched_text_get(NULL).len == 0);
  CHECK(libsched_error_code(NULL) == LIBSCHED_OK);
  CHECK(libsched_error_message(NULL).len == 0);
  CHECK(libsched_error_path(NULL).len == 0);
  CHECK(libsched_error_plugin(NULL).len == 0);
}

static void test_own_errors(void) {
  libsched_error* error = NULL;
  CHECK(libsched_error_create(LIBSCHED_ERR_IO, text("no answer"), text("a[1]"), text("Far"),
                              &error) == LIBSCHED_ERR_IO);
  CHECK(libsched_error_code(error) == LIBSCHED_ERR_IO);
  CHECK_STR(libsched_error_message(error), "no answer");
  CHECK_STR(libsched_error_path(error), "a[1]");
  CHECK_STR(libsched_error_plugin(error), "Far");
  libsched_error_unref(error);
  const libsched_str none = {NULL, 0};
  CHECK(libsched_error_create(LIBSCHED_OK, none, none, none, &error) == LIBSCHED_ERR_INTERNAL);
  CHECK_STR(libsched_error_message(error), "an error without a message");
  libsched_error_unref(error);
  CHECK(libsched_error_create(-99, none, none, none, NULL) == LIBSCHED_ERR_INTERNAL);
}

int main(void) {
  test_own_errors();
  test_versions();
  test_strings();
  test_code_names();
  test_errors();
  test_text();
  test_null_getters();
  return finish();
}
