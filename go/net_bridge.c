/* Loads libsched-net.so: beside libsched.so, or else where the loader finds it.
   With the static library, whose .pc file defines this, it would bring a second library along. */
#ifndef LIBSCHED_STATIC_ARCHIVE
#define _GNU_SOURCE
#include "net_bridge.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *library;
static char why[512];

static void load(void) {
  char name[64];
  char path[4096];
  Dl_info core;
  const char *text = NULL;
  snprintf(name, sizeof name, "libsched-net.so.0.%u", (unsigned)LIBSCHED_ABI_VERSION);
  if (dladdr((void *)libsched_version, &core) != 0 && core.dli_fname != NULL && strrchr(core.dli_fname, '/') != NULL) {
    const size_t folder = (size_t)(strrchr(core.dli_fname, '/') - core.dli_fname) + 1;
    if (folder + strlen(name) < sizeof path) {
      memcpy(path, core.dli_fname, folder);
      strcpy(path + folder, name);
      library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
  }
  if (library == NULL) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL && (text = dlerror()) != NULL) snprintf(why, sizeof why, "%s", text);
}

libsched_rc lsgo_net_register(libsched_registry *registry, libsched_str name, libsched_str address,
                              const lsgo_remote_options *options, libsched_error **error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  libsched_rc (*add)(libsched_registry *, libsched_str, libsched_str, const lsgo_remote_options *, libsched_error **);
  void *function = NULL;
  pthread_once(&once, load);
  if (library != NULL) function = dlsym(library, "libsched_net_register");
  if (function == NULL) {
    char message[640];
    snprintf(message, sizeof message, "this needs libsched-net.so, which cannot be loaded: %s",
             library == NULL ? why : "it is of another version");
    return libsched_error_create(LIBSCHED_ERR_UNSUPPORTED, libsched_str_from(message), LIBSCHED_STR(""), name, error);
  }
  memcpy(&add, &function, sizeof add);
  return add(registry, name, address, options, error);
}
#endif
