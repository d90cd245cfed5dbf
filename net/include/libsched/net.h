/* Doors to other processes: libsched-net.so, a second library beside libsched.so, which itself opens no
   socket. Include <libsched/net.h> and link with -lsched-net (pkg-config libsched-net, or the CMake target
   libsched::net).

   Conventions are those of <libsched.h>: ownership, errors and threads. */
#ifndef LIBSCHED_NET_H
#define LIBSCHED_NET_H

#include <libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The options of an HTTP extender. Zero everywhere is the default. */
typedef struct libsched_net_extender_options {
  uint32_t struct_size;     /* sizeof(libsched_net_extender_options) */
  uint32_t reserved;        /* 0 */
  libsched_str unix_socket; /* a path: connect there, whatever host the URL names */
  uint64_t max_response;    /* bytes of an answer's body, at most; 0: 64 MiB */
} libsched_net_extender_options;
#define LIBSCHED_NET_EXTENDER_OPTIONS_INIT \
  {sizeof(libsched_net_extender_options), 0, {LIBSCHED_NULL, 0}, 0}
/* An HTTP extender from an entry of `extenders` of a configuration, for libsched_framework_options: requests
   are those of kube-scheduler's extender/v1. It connects when it is asked first, keeps connections alive,
   and follows no redirect and no proxy. Any thread may use it.
     for (size_t i = 0; i < libsched_config_extender_count(config); ++i)
       libsched_net_extender_create(config, i, NULL, &extenders[i], &error);
   `options` may be NULL. Errors: NOT_FOUND (the index), IO and INVALID (a file of tlsConfig), UNSUPPORTED. */
libsched_rc libsched_net_extender_create(const libsched_config *config, size_t index, const libsched_net_extender_options *options,
                                         LIBSCHED_OWN libsched_extender **out, LIBSCHED_OWN libsched_error **error);

const char *libsched_net_version(void); /* of libsched-net.so: "0.1.0"; static */

/* --- plugins in other processes --- */
/* How a plugin is reached. Zero everywhere is the default. */
typedef struct libsched_net_plugin_options {
  uint32_t struct_size; /* sizeof(libsched_net_plugin_options) */
  bool ignorable;       /* a plugin that does not answer is skipped, as if it had no objection */
  bool tls_insecure;    /* the certificate of the plugin's server is not verified */
  bool reserved[2];     /* false */
  int64_t timeout_ns;   /* of a question; 0: 5 seconds; at most a day */
  libsched_str tls_server_name; /* the name in the server's certificate; empty: that of the address */
  libsched_str tls_ca_file;     /* PEM; empty: the authorities that the system trusts */
  libsched_str tls_cert_file;   /* PEM, with tls_key_file: for servers that verify their clients */
  libsched_str tls_key_file;
} libsched_net_plugin_options;
#define LIBSCHED_NET_PLUGIN_OPTIONS_INIT                                     \
  {sizeof(libsched_net_plugin_options), false, false, {false, false}, 0,     \
   {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}}

/* Adds the plugin of this name that another process provides at `address`: "unix:PATH", "tcp:HOST:PORT" or
   "tls:HOST:PORT" (a connection that stays open), or "http://HOST:PORT/PATH", "https://..." or "http+unix:PATH"
   (an HTTP POST for each question). docs/plugin_protocol.md describes what is spoken there. The plugin is asked
   at once which extension points it implements; no process is started. Each framework has an instance of its own, to
   which the plugin's pluginConfig is passed. The slots are serialised; a question ends within the timeout.

   A plugin that does not answer, or answers nonsense, has failed with a status ERROR that says why, unless it is
   `ignorable`. After 5 failures in a row it is not asked for 10 seconds, by the clock of the services.
   `options` may be NULL.
   Errors: EXISTS, INVALID (no name; the address; what the plugin says of itself, with the place in it as path),
   IO and DEADLINE (the plugin cannot be reached; a file of the TLS settings), UNSUPPORTED (an option).
     libsched_net_register(registry, LIBSCHED_STR("Quiet"), LIBSCHED_STR("unix:/run/quiet.sock"), NULL, &error); */
libsched_rc libsched_net_register(libsched_registry *registry, libsched_str name, libsched_str address,
                                  const libsched_net_plugin_options *options, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
