/* A program with the static library loads no shared objects. */
#ifdef LIBSCHED_STATIC_ARCHIVE
#include "net_bridge.h"

libsched_rc lsgo_net_register(libsched_registry *registry, const char *texts, const size_t *lengths, bool ignorable,
                              bool insecure, int64_t timeout_ns, libsched_error **error) {
  (void)registry, (void)ignorable, (void)insecure, (void)timeout_ns;
  return libsched_error_create(LIBSCHED_ERR_UNSUPPORTED,
                               LIBSCHED_STR("this needs libsched-net.so, which a program that is linked to libsched.a does not load"),
                               LIBSCHED_STR(""), (libsched_str){texts, lengths[0]}, error);
}
#endif
