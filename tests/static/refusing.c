/* A plugin from a shared object is refused with the reason, also if there is no such file. */
#include <libsched.h>
#include <stdio.h>

int main(void) {
  libsched_registry* registry = NULL;
  libsched_error* error = NULL;
  if (libsched_registry_create(&registry, NULL)) return 1;
  if (libsched_registry_load(registry, LIBSCHED_STR(""), NULL) != LIBSCHED_ERR_INVALID) return 2;
  if (libsched_registry_load(registry, LIBSCHED_STR("plugin.so"), &error) !=
      LIBSCHED_ERR_UNSUPPORTED)
    return 3;
  printf("%s\n", libsched_error_message(error).ptr);
  libsched_error_unref(error);
  libsched_registry_unref(registry);
  return 0;
}
