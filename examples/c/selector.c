/* Asks which devices of a dump a selector chooses, and why it does not choose the others.

       selector EXPRESSION OBJECTS      (a file with ResourceSlices: JSON or YAML, plain or gzip)

   Exit code 0: it chooses some; 1: none; 2: the expression does not compile, or the input is wrong. */
#include <cjson/cJSON.h>
#include <libsched.h>
#include <stdio.h>

static const char *text_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
  return text == NULL ? "" : text;
}

/* A line about a device; whether it is chosen. */
static bool tell(const cJSON *device) {
  const cJSON *match = cJSON_GetObjectItem(device, "match");
  const cJSON *because = cJSON_GetObjectItem(device, "because");
  printf("%s/%s/%s: ", text_of(device, "driver"), text_of(device, "pool"), text_of(device, "device"));
  if (cJSON_IsTrue(match)) {
    puts("yes");
  } else if (because == NULL) {
    printf("no%s%s\n", cJSON_IsNull(match) ? ", an error: " : "", text_of(device, "error"));
  } else {
    printf("no, %s: %s", text_of(because, "answer"), text_of(because, "expression"));
    if (*text_of(because, "subject") != '\0')
      printf(" (%s is %s)", text_of(because, "subject"), text_of(because, "value"));
    putchar('\n');
  }
  return cJSON_IsTrue(match);
}

static libsched_rc ask(const char *expression, const char *path, size_t *chosen,
                       libsched_error **error) {
  libsched_cel *selector = NULL;
  libsched_objects *objects = NULL;
  libsched_text *json = NULL;
  libsched_rc rc;
  if ((rc = libsched_cel_compile(libsched_str_from(expression), NULL, &selector, error)) == 0 &&
      (rc = libsched_objects_load(libsched_str_from(path), NULL, &objects, error)) == 0 &&
      (rc = libsched_cel_devices_json(selector, objects, &json, error)) == 0) {
    cJSON *devices = cJSON_Parse(libsched_text_get(json).ptr);
    const cJSON *device;
    cJSON_ArrayForEach(device, devices) *chosen += tell(device);
    cJSON_Delete(devices);
  }
  libsched_text_unref(json);
  libsched_objects_unref(objects);
  libsched_cel_unref(selector);
  return rc;
}

int main(int argc, char **argv) {
  libsched_error *error = NULL;
  size_t chosen = 0;
  if (argc != 3) {
    fprintf(stderr, "usage: %s EXPRESSION OBJECTS\n", argv[0]);
    return 2;
  }
  if (ask(argv[1], argv[2], &chosen, &error) != LIBSCHED_OK) {
    fprintf(stderr, "%s\n", libsched_error_message(error).ptr);
    libsched_error_unref(error);
    return 2;
  }
  return chosen != 0 ? 0 : 1;
}
