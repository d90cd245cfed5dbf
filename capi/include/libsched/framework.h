/* Configuration, registry, framework, cycle state, status. Include <libsched.h>. */
#ifndef LIBSCHED_FRAMEWORK_H
#define LIBSCHED_FRAMEWORK_H

#include <libsched/cluster.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status codes, with upstream's numbers. */
typedef int32_t libsched_code;
enum {
  LIBSCHED_CODE_SUCCESS = 0,       /* no objection */
  LIBSCHED_CODE_ERROR = 1,         /* the plugin failed: a bug, or something that it needs is missing */
  LIBSCHED_CODE_UNSCHEDULABLE = 2, /* not now; removing pods might help */
  LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE = 3, /* removing pods does not help */
  LIBSCHED_CODE_WAIT = 4,          /* Permit: the pod waits to be allowed */
  LIBSCHED_CODE_SKIP = 5,          /* PreFilter, PreScore: skip the plugin; Bind: try the next plugin */
  LIBSCHED_CODE_PENDING = 6        /* the pod waits for something outside of the scheduler */
};
/* Upstream's name of a code: "UnschedulableAndUnresolvable". Static; NULL if unknown. */
const char *libsched_code_name(libsched_code code);

/* The answer of a plugin or of the framework: a verdict, not an error of the call. Made by the caller
   and filled by calls; one thread at a time. Texts are borrowed until it is filled again.
     libsched_status_create(&status, &error); */
typedef struct libsched_status libsched_status;
libsched_rc libsched_status_create(LIBSCHED_OWN libsched_status **out, LIBSCHED_OWN libsched_error **error);
void libsched_status_unref(LIBSCHED_OWN libsched_status *status);
libsched_code libsched_status_code(const libsched_status *status);  /* LIBSCHED_CODE_SUCCESS at first */
libsched_str libsched_status_plugin(const libsched_status *status); /* empty on success */
size_t libsched_status_reason_count(const libsched_status *status);
libsched_str libsched_status_reason(const libsched_status *status, size_t index); /* "Insufficient cpu" */
/* For plugins: _set sets the code and drops the reasons, _add_reason appends a copy of a reason. A
   status that runs out of memory becomes an ERROR with the single reason "out of memory" until it is
   set again.
     libsched_status_add_reason(status, LIBSCHED_STR("node(s) were too noisy")); */
void libsched_status_set(libsched_status *status, libsched_code code);
void libsched_status_add_reason(libsched_status *status, libsched_str reason);
/* Upstream's WithError: the text comes first among the reasons and is what error texts quote. */
void libsched_status_set_error(libsched_status *status, libsched_str text);
/* Upstream's SetPlugin, for libsched_node_statuses_set(). The framework names the plugin in the answers
   of slots. */
void libsched_status_set_plugin(libsched_status *status, libsched_str plugin);
/* Upstream's AsError: the error's text, or all reasons; false for Success, Wait and Skip. Borrowed
   until the status is filled again. */
bool libsched_status_as_error(const libsched_status *status, libsched_str *text);

/* A KubeSchedulerConfiguration v1, decoded, defaulted and validated. Immutable; freely shared. */
typedef struct libsched_config libsched_config;
/* The options for reading configurations. Zero everywhere is the default. */
typedef struct libsched_config_options {
  uint32_t struct_size;     /* sizeof(libsched_config_options) */
  bool several_queue_sorts; /* Allow several queueSort plugins. All profiles must list the same ones.
                               Frameworks of the configuration need no option of their own. */
  bool profile;             /* The document is a single KubeSchedulerProfile, used without default
                               plugins and validation, as upstream's NewFramework receives it. */
  bool reserved[2];         /* false */
  /* "A=true,B=false", which decide on defaults and on what is valid; empty: those of the release. A framework
     sets the defaults anew, and validates, with the gates of its own. */
  libsched_str feature_gates;
  /* The release whose fields, defaults, rules and texts apply, as in libsched_framework_options. Frameworks of
     the configuration follow it, and with other semantics they are an error. Empty: the default,
     libsched_k8s_version(), and a framework of another release reads the document anew. */
  libsched_str semantics;
} libsched_config_options;
#define LIBSCHED_CONFIG_OPTIONS_INIT {sizeof(libsched_config_options), false, false, {false, false}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}}
/* Reads a configuration, JSON or YAML. An empty document gives upstream's defaults. `options` may be NULL.
     libsched_config_parse(LIBSCHED_STR("..."), NULL, &config, &error);
   Errors: INVALID with upstream's message (also of a feature gate), LIMIT (size), UNSUPPORTED (the internal
   version; unknown semantics; an option). */
libsched_rc libsched_config_parse(libsched_str document, const libsched_config_options *options,
                                  LIBSCHED_OWN libsched_config **out, LIBSCHED_OWN libsched_error **error);
libsched_config *libsched_config_ref(const libsched_config *config);
void libsched_config_unref(LIBSCHED_OWN libsched_config *config);
/* The profiles, in the order of the document; the name of a profile is its schedulerName. */
size_t libsched_config_profile_count(const libsched_config *config);
libsched_str libsched_config_profile_name(const libsched_config *config, size_t index); /* borrowed */
/* JSON: for each profile the plugins of each extension point with their weights, and the defaulted
   arguments; and "warnings" of what is accepted, but hardly meant. If `config` is NULL, upstream's defaults. Errors: upstream's construction errors. */
libsched_rc libsched_config_describe_json(const libsched_config *config, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);
/* JSON: the configurations that stand in a document of another kind, such as in the data of a ConfigMap: a list
   of {"place": "data[\"scheduler.yaml\"]", "text": "...", "isFile": true}; what reads a place that is not
   `isFile` is not known. The list is empty if the document is a configuration itself, or cannot be read. */
libsched_rc libsched_embedded_configs_json(libsched_str document, LIBSCHED_OWN libsched_text **out,
                                           LIBSCHED_OWN libsched_error **error);

/* The plugins that a framework may use: the in-tree ones, and those added with
   libsched_registry_add() (plugin.h). One thread at a time while it is filled. */
typedef struct libsched_registry libsched_registry;
libsched_rc libsched_registry_create(LIBSCHED_OWN libsched_registry **out, LIBSCHED_OWN libsched_error **error);
libsched_registry *libsched_registry_ref(libsched_registry *registry);
void libsched_registry_unref(LIBSCHED_OWN libsched_registry *registry);
/* Adds the plugin to MultiPoint of every profile, after the plugins that the profile names, unless some
   profile of the configuration names the plugin at any point, enabled or disabled, or was read alone (the
   option `profile`). libsched_registry_add() has done so with weight 0; here such a plugin gets its weight.
   `weight` 0: not given. Errors: NOT_FOUND (not in the registry), MISUSE. */
libsched_rc libsched_registry_enable(libsched_registry *registry, libsched_str name, int32_t weight, LIBSCHED_OWN libsched_error **error);
/* All plugins, also those of kube-scheduler, by name: borrowed until one is added; empty if `index` is
   too large. */
size_t libsched_registry_plugin_count(const libsched_registry *registry);
libsched_str libsched_registry_plugin(const libsched_registry *registry, size_t index);

/* Filters and scores nodes beside the plugins: see extender.h. Immutable; freely shared. */
typedef struct libsched_extender libsched_extender;

/* One profile with the instances of its plugins. Immutable; freely shared. */
typedef struct libsched_framework libsched_framework;
/* The options of a framework. Zero everywhere is the default. */
typedef struct libsched_framework_options {
  uint32_t struct_size;        /* sizeof(libsched_framework_options) */
  bool several_queue_sorts;    /* Allow several QueueSort plugins in a profile: if a plugin considers
                                  two pods equal, the next one decides. A configuration that lists
                                  several at queueSort must be read with the same option. */
  bool skip_unknown_plugins;   /* Leave out plugins that the profile enables and the registry lacks, instead
                                  of the error INVALID; libsched_framework_skipped() names them. */
  bool reserved[2];            /* false */
  libsched_str feature_gates;  /* "A=true,B=false"; empty: those of the release. The configuration's
                                  defaults follow them, such as the plugin of a gate. */
  /* The release to follow: "1.31" to "1.37". Empty: that of the configuration, which is libsched_k8s_version()
     unless it was read with another one. A version of a release names it, too, as API servers and vendors write
     it ("v1.31.14", "v1.31.9-eks-1", "v1.31.2+rke2r1"). Feature gates, default plugins and rules of
     configurations are those of the release, as which plugins judge, score, count requests and ports,
     and word their reasons. Up to 1.34 ties are broken uniformly by the seed of the cycle. */
  libsched_str semantics;
  /* The extenders of the framework, which keeps them. A configuration with extenders needs as many;
     its managedResources with ignoredByScheduler replace ignoredResources of NodeResourcesFit. */
  const libsched_extender *const *extenders;
  size_t extender_count;
} libsched_framework_options;
#define LIBSCHED_FRAMEWORK_OPTIONS_INIT {sizeof(libsched_framework_options), false, false, {false, false}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0}
/* `config` NULL: upstream's defaults. `profile` empty: the only profile. `registry` NULL: the in-tree
   plugins. `options` may be NULL. Errors: NOT_FOUND (profile), INVALID (upstream's construction errors,
   an unknown feature gate, semantics other than the configuration's), UNSUPPORTED (also unknown semantics,
   extenders of the configuration that the options lack, and a plugin of the release that this version
   lacks).
     libsched_framework_create(NULL, LIBSCHED_STR(""), NULL, NULL, &framework, &error); */
libsched_rc libsched_framework_create(const libsched_config *config, libsched_str profile, const libsched_registry *registry,
                                      const libsched_framework_options *options, LIBSCHED_OWN libsched_framework **out,
                                      LIBSCHED_OWN libsched_error **error);
libsched_framework *libsched_framework_ref(const libsched_framework *framework);
void libsched_framework_unref(LIBSCHED_OWN libsched_framework *framework);
libsched_str libsched_framework_profile(const libsched_framework *framework); /* schedulerName; borrowed */
/* The plugins that `skip_unknown_plugins` has left out, by name; borrowed, empty if `index` is too large. */
size_t libsched_framework_skipped_count(const libsched_framework *framework);
libsched_str libsched_framework_skipped(const libsched_framework *framework, size_t index);
/* Asks the profile's QueueSort plugin whether pod `a`, in the queue since `a_since_ns` (nanoseconds
   since 1970), comes before pod `b`. Errors: MISUSE (a null handle). Threads may call it
   concurrently. */
libsched_rc libsched_framework_queue_less(const libsched_framework *framework, const libsched_pod *a, int64_t a_since_ns,
                                          const libsched_pod *b, int64_t b_since_ns, bool *out, LIBSCHED_OWN libsched_error **error);
/* The names of the extension points at which a profile lists plugins: "preFilter", "filter", ...;
   static, empty if `index` is out of range. */
libsched_str libsched_extension_point_name(size_t index);
/* The plugins at an extension point of the framework, in their order: their number, and the name and
   weight of one of them. Only plugins at "score" have weights. Names are borrowed from `framework`; an
   unknown point has no plugins.
     for (size_t i = 0; i < libsched_framework_plugin_count(framework, LIBSCHED_STR("filter")); ++i)
       puts(libsched_framework_plugin(framework, LIBSCHED_STR("filter"), i).ptr); */
size_t libsched_framework_plugin_count(const libsched_framework *framework, libsched_str point);
libsched_str libsched_framework_plugin(const libsched_framework *framework, libsched_str point, size_t index);
int64_t libsched_framework_plugin_weight(const libsched_framework *framework, libsched_str point, size_t index);

/* The data of one scheduling cycle. Several threads may read and write keyed values. It keeps the
   framework that filled it alive. */
typedef struct libsched_cycle_state libsched_cycle_state;
libsched_rc libsched_cycle_state_create(LIBSCHED_OWN libsched_cycle_state **out, LIBSCHED_OWN libsched_error **error);
/* A copy for a what-if: every value is cloned by its clone function. */
libsched_rc libsched_cycle_state_clone(const libsched_cycle_state *state, LIBSCHED_OWN libsched_cycle_state **out, LIBSCHED_OWN libsched_error **error);
void libsched_cycle_state_unref(LIBSCHED_OWN libsched_cycle_state *state);
/* Stores `data` under `key`; the old value is destroyed. If `clone` is NULL, clones of the state share
   the value, and it is destroyed with the last of them. `destroy` may be NULL; it runs exactly once for
   each value, also if this call fails. A value that a slot writes is cloned and destroyed on threads on
   which the plugin's slots may run; other values are cloned on the threads that call the library. */
libsched_rc libsched_cycle_state_write(libsched_cycle_state *state, libsched_str key, LIBSCHED_OWN void *data,
                                       void *(*clone)(void *data), void (*destroy)(void *data), LIBSCHED_OWN libsched_error **error);
/* The value under `key`, borrowed until it is written or deleted; NULL if the key has no value. */
void *libsched_cycle_state_read(const libsched_cycle_state *state, libsched_str key);
/* Deletes and destroys the value under `key`, if any. */
void libsched_cycle_state_delete(libsched_cycle_state *state, libsched_str key);
/* Whether PreFilter of this plugin asked to skip its Filter. */
bool libsched_cycle_state_skips_filter(const libsched_cycle_state *state, libsched_str plugin);

#ifdef __cplusplus
}
#endif
#endif
