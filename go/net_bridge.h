/* Functions of libsched-net.so, which is loaded when one of them is called: programs work without it. */
#ifndef LIBSCHED_GO_NET_BRIDGE_H
#define LIBSCHED_GO_NET_BRIDGE_H

#include <libsched.h>

/* libsched_net_plugin_options of libsched/net.h, which need not be installed. */
typedef struct lsgo_remote_options {
  uint32_t struct_size;
  bool ignorable;
  bool tls_insecure;
  bool reserved[2];
  int64_t timeout_ns;
  libsched_str tls_server_name, tls_ca_file, tls_cert_file, tls_key_file;
} lsgo_remote_options;

/* libsched_net_register(). Texts are the bytes of `texts`, one after the other with these lengths: the name, the
   address, and the four texts of the options. Errors: UNSUPPORTED (there is no such library). */
libsched_rc lsgo_net_register(libsched_registry *registry, const char *texts, const size_t *lengths, bool ignorable,
                              bool insecure, int64_t timeout_ns, libsched_error **error);

#endif
