/* What a C user's first program does: the versions, and an error that names its place. */
#include <libsched.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  if (libsched_abi_version() != LIBSCHED_ABI_VERSION) return 1;
  printf("libsched %s, Kubernetes %s\n", libsched_version(), libsched_k8s_version());

  libsched_pod *pod = NULL;
  libsched_error *error = NULL;
  libsched_str document =
      LIBSCHED_STR("{\"kind\": \"Pod\", \"spec\": {\"containers\": [{\"resources\": 1}]}}");
  if (libsched_pod_parse(document, NULL, &pod, &error) != LIBSCHED_ERR_INVALID) return 2;
  libsched_str path = libsched_error_path(error);
  printf("%s: %s\n", path.ptr, libsched_error_message(error).ptr);
  int found = strstr(path.ptr, "spec.containers[0].resources") != NULL;
  libsched_error_unref(error);
  return found ? 0 : 3;
}
