/* A program with the static library loads no shared objects. */
#ifdef LIBSCHED_STATIC_ARCHIVE
#include "net_bridge.h"

libsched_rc lsgo_net_register(libsched_registry *registry, libsched_str name, libsched_str address,
                              const lsgo_remote_options *options, libsched_error **error) {
  (void)registry, (void)address, (void)options;
  return libsched_error_create(LIBSCHED_ERR_UNSUPPORTED,
                               LIBSCHED_STR("this needs libsched-net.so, which a program that is linked to libsched.a does not load"),
                               LIBSCHED_STR(""), name, error);
}
#endif
