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

/* libsched_net_register(). Errors: UNSUPPORTED (there is no such library). */
libsched_rc lsgo_net_register(libsched_registry *registry, libsched_str name, libsched_str address,
                              const lsgo_remote_options *options, libsched_error **error);

#endif
