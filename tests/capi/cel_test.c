/* Expressions of the Common Expression Language. */
#include "check.h"

static libsched_cel* compiled(const char* expression) {
  libsched_cel* cel = NULL;
  CHECK_OK(libsched_cel_compile(libsched_str_from(expression), NULL, &cel, err));
  return cel;
}

static void test_match(void) {
  const libsched_str versions[] = {LIBSCHED_STR("1.2.3"), LIBSCHED_STR("2.0.0")};
  const libsched_cel_attribute attributes[] = {
      {LIBSCHED_STR("model"), LIBSCHED_CEL_STRING, 0, 0, LIBSCHED_STR("a100"), NULL, NULL, 0},
      {LIBSCHED_STR("numa"), LIBSCHED_CEL_INT, 0, 1, {NULL, 0}, NULL, NULL, 0}};
  libsched_cel_capacity capacity[] = {{LIBSCHED_STR("memory"), LIBSCHED_STR("40Gi")}};
  libsched_cel_device device = LIBSCHED_CEL_DEVICE_INIT;
  device.driver = LIBSCHED_STR("gpu.example.com");
  device.attributes = attributes;
  device.attribute_count = 2;
  device.capacity = capacity;
  device.capacity_count = 1;

  libsched_cel* cel = compiled(
      "device.attributes['gpu.example.com'].model == 'a100' && "
      "device.capacity['gpu.example.com'].memory.compareTo(quantity('30Gi')) >= 0");
  CHECK_STR(libsched_cel_type(cel), "bool");
  libsched_cel_answer answer = LIBSCHED_CEL_ANSWER_INIT;
  libsched_text* text = NULL;
  CHECK_OK(libsched_cel_match(cel, &device, &answer, &text, err));
  CHECK(answer.match == LIBSCHED_CEL_YES && answer.cost == 12);
  CHECK(libsched_text_get(text).len == 0);
  libsched_text_unref(text);
  capacity[0].value = LIBSCHED_STR("20Gi");
  CHECK_OK(libsched_cel_match(cel, &device, &answer, NULL, err));
  CHECK(answer.match == LIBSCHED_CEL_NO);
  device.driver = LIBSCHED_STR("other");
  CHECK_OK(libsched_cel_match(cel, &device, &answer, &text, err));
  CHECK(answer.match == LIBSCHED_CEL_ERROR);
  CHECK_STR(libsched_text_get(text), "no such key: model");
  libsched_text_unref(text);

  /* Bad input changes nothing. */
  text = NULL;
  answer.cost = 77;
  capacity[0].value = LIBSCHED_STR("much");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "capacity[0].value", "quantities must match",
              libsched_cel_match(cel, &device, &answer, &text, err));
  CHECK(text == NULL && answer.cost == 77);
  device.reserved[1] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_cel_match(cel, &device, &answer, NULL, err));
  device.reserved[1] = false;
  device.capacity_count = 0;
  libsched_cel_attribute unknown = attributes[0];
  unknown.kind = 99;
  device.attributes = &unknown;
  device.attribute_count = 1;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "attributes[0]", "unknown kind",
              libsched_cel_match(cel, &device, &answer, NULL, err));
  unknown = attributes[0];
  unknown.kind = LIBSCHED_CEL_INTS;
  unknown.numbers = NULL;
  unknown.count = 1;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "libsched_cel_attribute: a list with items is NULL",
              libsched_cel_match(cel, &device, &answer, NULL, err));
  device.attributes = NULL;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "libsched_cel_device: a list with items is NULL",
              libsched_cel_match(cel, &device, &answer, NULL, err));
  answer.struct_size = 0;
  device.attribute_count = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "struct_size",
              libsched_cel_match(cel, &device, &answer, NULL, err));
  answer.struct_size = sizeof answer;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "cel",
              libsched_cel_match(NULL, &device, &answer, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "device",
              libsched_cel_match(cel, NULL, &answer, NULL, err));
  libsched_cel_unref(cel);

  /* Values, lists and a limit. */
  libsched_cel_options options = LIBSCHED_CEL_OPTIONS_INIT;
  options.any_result = options.list_attributes = true;
  CHECK_OK(libsched_cel_compile(LIBSCHED_STR("device.attributes['x'].v.map(v, v.major())"),
                                &options, &cel, err));
  libsched_cel_attribute lists = {
      LIBSCHED_STR("x/v"), LIBSCHED_CEL_VERSIONS, 0, 0, {NULL, 0}, NULL, versions, 2};
  device.attributes = &lists;
  device.attribute_count = 1;
  CHECK_OK(libsched_cel_match(cel, &device, &answer, &text, err));
  CHECK_STR(libsched_text_get(text), "[int(1), int(2)]");
  libsched_text_unref(text);
  libsched_cel* same = libsched_cel_ref(cel);
  CHECK(same == cel);
  libsched_cel_unref(cel);
  libsched_cel_unref(same);
  options.cost_limit = 1;
  CHECK_OK(libsched_cel_compile(LIBSCHED_STR("device.driver == 'a'"), &options, &cel, err));
  CHECK_OK(libsched_cel_match(cel, &device, &answer, &text, err));
  CHECK_STR(libsched_text_get(text), "operation cancelled: actual cost limit exceeded");
  libsched_text_unref(text);
  libsched_cel_unref(cel);
}

static void test_compile_errors(void) {
  libsched_cel* cel = NULL;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "1:9", "undeclared reference to 'nothing'",
              libsched_cel_compile(LIBSCHED_STR("true && nothing"), NULL, &cel, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "must evaluate to bool",
              libsched_cel_compile(LIBSCHED_STR("1"), NULL, &cel, err));
  libsched_cel_options newer = LIBSCHED_CEL_OPTIONS_INIT;
  newer.semantics = LIBSCHED_STR("1.37");
  CHECK_FAILS(
      LIBSCHED_ERR_INVALID, "1:9", "no matching overload",
      libsched_cel_compile(LIBSCHED_STR("duration(1) == duration('1s')"), &newer, &cel, err));
  newer.semantics = LIBSCHED_STR("1.30");
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "unknown semantics",
              libsched_cel_compile(LIBSCHED_STR("true"), &newer, &cel, err));
  libsched_cel_options options = LIBSCHED_CEL_OPTIONS_INIT;
  options.reserved[1] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_cel_compile(LIBSCHED_STR("true"), &options, &cel, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_cel_compile(LIBSCHED_STR("true"), NULL, NULL, err));
  CHECK(cel == NULL);
  CHECK(libsched_cel_type(NULL).len == 0);
  libsched_cel_unref(NULL);
  CHECK(libsched_cel_ref(NULL) == NULL);
}

static void test_devices(void) {
  const libsched_str document = LIBSCHED_STR(
      "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceSlice\", \"metadata\": "
      "{\"name\": \"s\"},"
      "\"spec\": {\"driver\": \"d\", \"nodeName\": \"n\", \"pool\": {\"name\": \"p\", "
      "\"generation\": 1, "
      "\"resourceSliceCount\": 1}, \"devices\": [{\"name\": \"one\"}]}}");
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(document, NULL, &objects, err));
  libsched_cel* cel = compiled("device.driver == 'x' && true");
  libsched_text* text = NULL;
  CHECK_OK(libsched_cel_devices_json(cel, objects, &text, err));
  CHECK_STR(libsched_text_get(text),
            "[{\"slice\":\"s\",\"driver\":\"d\",\"pool\":\"p\",\"device\":\"one\",\"node\":\"n\","
            "\"match\":false,"
            "\"cost\":3,\"because\":{\"expression\":\"device.driver == 'x'\",\"answer\":\"false\","
            "\"subject\":\"device.driver\",\"value\":\"\\\"d\\\"\"}}]");
  libsched_text_unref(text);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "objects",
              libsched_cel_devices_json(cel, NULL, &text, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_cel_devices_json(cel, objects, NULL, err));
  libsched_cel_unref(cel);
  libsched_objects_unref(objects);
}

int main(void) {
  test_match();
  test_compile_errors();
  test_devices();
  return finish();
}
