/* Configuration, registry, framework, cycle state, status. Include <libsched.h>.
   @since 0.1, where nothing else is said. */
#ifndef LIBSCHED_FRAMEWORK_H
#define LIBSCHED_FRAMEWORK_H

#include <libsched/cluster.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status codes, with upstream's numbers. */
typedef int32_t libsched_code;
enum {
  LIBSCHED_CODE_SUCCESS = 0,       /* nothing stands in the way */
  LIBSCHED_CODE_ERROR = 1,         /* the plugin failed: a bug, or something that it needs is missing */
  LIBSCHED_CODE_UNSCHEDULABLE = 2, /* not here and now; taking pods away might help */
  LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE = 3, /* not here, whatever pods are taken away */
  LIBSCHED_CODE_WAIT = 4,          /* of Permit: the pod waits to be allowed */
  LIBSCHED_CODE_SKIP = 5,          /* PreFilter, PreScore: leave the plugin out; Bind: the next one shall */
  LIBSCHED_CODE_PENDING = 6        /* the pod waits for something outside of the scheduler */
};
/* Upstream's name of a code: "UnschedulableAndUnresolvable". Static; NULL if unknown. */
const char *libsched_code_name(libsched_code code);

/* What a plugin, or the framework, says: a verdict, not an error of the call. Made by the caller
   and filled by calls; one thread at a time. Texts are borrowed until it is filled again.
     libsched_status_create(&status, &error); */
typedef struct libsched_status libsched_status;
libsched_rc libsched_status_create(LIBSCHED_OWN libsched_status **out, LIBSCHED_OWN libsched_error **error);
void libsched_status_unref(LIBSCHED_OWN libsched_status *status);
libsched_code libsched_status_code(const libsched_status *status);  /* LIBSCHED_CODE_SUCCESS at first */
libsched_str libsched_status_plugin(const libsched_status *status); /* who says it; empty on success */
size_t libsched_status_reason_count(const libsched_status *status);
libsched_str libsched_status_reason(const libsched_status *status, size_t index); /* "Insufficient cpu" */
/* For plugins: sets the code and drops the reasons; appends a reason (copied). A status that runs
   out of memory becomes an ERROR with the one reason "out of memory", until it is set anew.
     libsched_status_add_reason(status, LIBSCHED_STR("node(s) were too noisy")); */
void libsched_status_set(libsched_status *status, libsched_code code);
void libsched_status_add_reason(libsched_status *status, libsched_str reason);
/* Upstream's WithError: the text comes first among the reasons and is what error texts quote. */
void libsched_status_set_error(libsched_status *status, libsched_str text);
/* Upstream's SetPlugin, for libsched_node_statuses_set(). What slots say is named by the framework. */
void libsched_status_set_plugin(libsched_status *status, libsched_str plugin);
/* Upstream's AsError: the error's text, or all reasons; false for Success, Wait and Skip. Borrowed
   until the status is filled again. */
bool libsched_status_as_error(const libsched_status *status, libsched_str *text);

/* A KubeSchedulerConfiguration v1, decoded, defaulted and validated. Immutable, shared freely. */
typedef struct libsched_config libsched_config;
/* How configurations are read. Zero everywhere is the default. */
typedef struct libsched_config_options {
  uint32_t struct_size;     /* sizeof(libsched_config_options) */
  bool several_queue_sorts; /* profiles may list more than one plugin at queueSort, which all profiles
                               list alike; frameworks of the configuration take them without their
                               own option */
  bool profile;             /* the document is one KubeSchedulerProfile, taken as it is: without default
                               plugins and without validation, as upstream's NewFramework gets it */
  bool reserved[2];         /* false */
} libsched_config_options;
#define LIBSCHED_CONFIG_OPTIONS_INIT {sizeof(libsched_config_options), false, false, {false, false}}
/* Reads a configuration, JSON or YAML. An empty document gives upstream's defaults. `options` may be NULL.
     libsched_config_parse(LIBSCHED_STR("..."), NULL, &config, &error);
   Errors: INVALID with upstream's message, LIMIT (size), UNSUPPORTED (the internal version; an option). */
libsched_rc libsched_config_parse(libsched_str document, const libsched_config_options *options,
                                  LIBSCHED_OWN libsched_config **out, LIBSCHED_OWN libsched_error **error);
libsched_config *libsched_config_ref(const libsched_config *config);
void libsched_config_unref(LIBSCHED_OWN libsched_config *config);
/* The profiles, in the order of the document; a name is its schedulerName. */
size_t libsched_config_profile_count(const libsched_config *config);
libsched_str libsched_config_profile_name(const libsched_config *config, size_t index); /* borrowed */
/* JSON: per profile the plugins of each extension point with their weights, and the defaulted
   arguments; of upstream's defaults if `config` is NULL. Errors: upstream's construction errors. */
libsched_rc libsched_config_describe_json(const libsched_config *config, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);

/* The plugins that a framework may use: the in-tree ones, and those added with
   libsched_registry_add() (plugin.h). One thread at a time while it is filled. */
typedef struct libsched_registry libsched_registry;
libsched_rc libsched_registry_create(LIBSCHED_OWN libsched_registry **out, LIBSCHED_OWN libsched_error **error);
libsched_registry *libsched_registry_ref(libsched_registry *registry);
void libsched_registry_unref(LIBSCHED_OWN libsched_registry *registry);
/* Every profile has this plugin at MultiPoint then, behind those that it names itself, unless it
   names the plugin at any point, enabled or disabled. `weight` 0: not given.
   Errors: NOT_FOUND (not in the registry), EXISTS (twice), MISUSE. */
libsched_rc libsched_registry_enable(libsched_registry *registry, libsched_str name, int32_t weight, LIBSCHED_OWN libsched_error **error);

/* One profile with its plugins made. Immutable, shared freely. */
typedef struct libsched_framework libsched_framework;
/* How a framework is made. Zero everywhere is the default. */
typedef struct libsched_framework_options {
  uint32_t struct_size;        /* sizeof(libsched_framework_options) */
  bool several_queue_sorts;    /* a profile may have more than one QueueSort plugin: where one calls two
                                  pods equal, the next decides. A configuration that lists them at
                                  queueSort is read with the same option. */
  bool reserved[3];            /* false */
  libsched_str feature_gates;  /* "A=true,B=false"; empty: the defaults of 1.36 */
  /* Whose semantics: "1.36" (empty: the same) or "1.31", which switches exactly three things to that
     release: NodeResourcesBalancedAllocation's formula, TaintToleration's reason text, and ties,
     which it breaks uniformly by the seed of the cycle. Nothing else of 1.31 is followed. */
  libsched_str semantics;
} libsched_framework_options;
#define LIBSCHED_FRAMEWORK_OPTIONS_INIT {sizeof(libsched_framework_options), false, {false, false, false}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}}
/* `config` NULL: upstream's defaults. `profile` empty: the only one. `registry` NULL: the in-tree
   plugins. `options` may be NULL. Errors: NOT_FOUND (profile), INVALID (upstream's construction
   errors, an unknown feature gate), UNSUPPORTED (also unknown semantics).
     libsched_framework_create(NULL, LIBSCHED_STR(""), NULL, NULL, &framework, &error); */
libsched_rc libsched_framework_create(const libsched_config *config, libsched_str profile, const libsched_registry *registry,
                                      const libsched_framework_options *options, LIBSCHED_OWN libsched_framework **out,
                                      LIBSCHED_OWN libsched_error **error);
libsched_framework *libsched_framework_ref(const libsched_framework *framework);
void libsched_framework_unref(LIBSCHED_OWN libsched_framework *framework);
libsched_str libsched_framework_profile(const libsched_framework *framework); /* schedulerName; borrowed */
/* The QueueSort plugin of the profile: whether pod `a`, in the queue since `a_since_ns` (nanoseconds
   since 1970), comes before pod `b`. Errors: MISUSE (a null handle). Concurrent calls are fine. */
libsched_rc libsched_framework_queue_less(const libsched_framework *framework, const libsched_pod *a, int64_t a_since_ns,
                                          const libsched_pod *b, int64_t b_since_ns, bool *out, LIBSCHED_OWN libsched_error **error);
/* JSON: {"preEnqueue": [{"name"}], "score": [{"name", "weight"}], ...}: the plugins of each point
   that has any, in their order; weights where plugins have them. */
libsched_rc libsched_framework_plugins_json(const libsched_framework *framework, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);

/* Data of one scheduling cycle. Keyed values may be read and written on several threads. It keeps
   the framework that filled it alive. */
typedef struct libsched_cycle_state libsched_cycle_state;
libsched_rc libsched_cycle_state_create(LIBSCHED_OWN libsched_cycle_state **out, LIBSCHED_OWN libsched_error **error);
/* A copy, for trying something out: every value is cloned by its clone function. */
libsched_rc libsched_cycle_state_clone(const libsched_cycle_state *state, LIBSCHED_OWN libsched_cycle_state **out, LIBSCHED_OWN libsched_error **error);
void libsched_cycle_state_unref(LIBSCHED_OWN libsched_cycle_state *state);
/* Stores `data` under `key`, replacing (and destroying) what was there. `clone` NULL: shared by
   clones and destroyed with the last of them. `destroy` may be NULL; it runs exactly once for
   each value, also if this call fails. What a plugin's slot writes is cloned and destroyed where its
   slots may run; what others write is cloned on the threads that call the library. */
libsched_rc libsched_cycle_state_write(libsched_cycle_state *state, libsched_str key, LIBSCHED_OWN void *data,
                                       void *(*clone)(void *data), void (*destroy)(void *data), LIBSCHED_OWN libsched_error **error);
/* The value under `key`, borrowed until it is written or deleted; NULL if there is none. */
void *libsched_cycle_state_read(const libsched_cycle_state *state, libsched_str key);
/* Deletes the value under `key`, if there is one, and destroys it. */
void libsched_cycle_state_delete(libsched_cycle_state *state, libsched_str key);
/* Whether PreFilter of this plugin asked to skip its Filter. */
bool libsched_cycle_state_skips_filter(const libsched_cycle_state *state, libsched_str plugin);

#ifdef __cplusplus
}
#endif
#endif
