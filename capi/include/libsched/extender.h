/* Extenders: processes or code beside the plugins that filter and score nodes, choose victims and bind
   pods, as kube-scheduler's extenders do. Include <libsched.h>.

   A framework's extenders (libsched_framework_options) are asked by scheduling cycles, by decisions
   (libsched_check_pod_fits()) and by preemption, one after the other, those that are not ignorable first.
   What asks plugins alone (libsched_run_*, libsched_filter_nodes()) does not ask them. libsched-net.so
   makes HTTP extenders of a configuration (libsched_net_extender_create). */
#ifndef LIBSCHED_EXTENDER_H
#define LIBSCHED_EXTENDER_H

#include <libsched/framework.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the answer of an extender, during the call that it is passed to. Strings and objects are
   copied or retained. Without memory the answer becomes an error. */
typedef struct libsched_extender_answer {
  void *context; /* the first argument of all functions */
  /* filter: the node with this index passes. Nodes that are passed to neither function do not pass. */
  void (*keep)(void *context, size_t index);
  /* filter: it passes, and from now on is the node as given, without pods and images: upstream forgets
     these if an extender answers with whole nodes. `node` has the name of the node with this index. */
  void (*keep_node)(void *context, size_t index, const libsched_node *node);
  /* filter: why a node does not pass. Preemption does not help if it is `unresolvable`. A node that no
     other function names, or is unknown, may be named, too. */
  void (*reject)(void *context, libsched_str node, libsched_str reason, bool unresolvable);
  /* prioritize: the score of a node, 0 to 10, which is multiplied by ten times the weight. */
  void (*score)(void *context, libsched_str node, int64_t score);
  /* process_preemption: the pods to evict from a node, by uid. */
  void (*victims)(void *context, libsched_str node, const libsched_str *uids, size_t count, int64_t budget_violations);
} libsched_extender_answer;

/* A node on which a pod could be placed after evictions. */
typedef struct libsched_extender_candidate {
  libsched_str node;
  const libsched_pod *const *victims; /* most important first */
  size_t victim_count;
  int64_t budget_violations; /* victims that a PodDisruptionBudget protects */
} libsched_extender_candidate;

/* An extender. Every function gets user_data first; all but `bind` are called on the thread of the
   call that asks them, one at a time for each such call, and `bind` on any thread. If the extender is `concurrent`,
   libsched_check_pods_fit() calls `filter` and `prioritize` on several threads at once. They may not call functions that change the cluster. A
   result other than LIBSCHED_CODE_SUCCESS is an error, whose text is the reason in `status`. A NULL
   function means that the extender does not take part there. Arguments are borrowed. */
typedef struct libsched_extender_functions {
  uint32_t struct_size; /* sizeof(libsched_extender_functions) */
  bool ignorable;       /* errors of filter, process_preemption and bind count as no answer */
  bool reads_pods;      /* reads the documents of pods, which must be parsed with keep_raw */
  bool reads_nodes;     /* the same for nodes, and for victims */
  bool concurrent;      /* filter and prioritize may be called on several threads at once */
  libsched_str name;    /* in error texts; copied */
  int64_t weight;       /* of its scores */
  /* The extender is asked only about pods that request one of these resources or have a limit of it;
     none: about all pods. Copied. */
  const libsched_str *managed_resources;
  size_t managed_resource_count;
  libsched_code (*filter)(void *user_data, const libsched_pod *pod, const libsched_node *const *nodes, size_t count,
                          const libsched_extender_answer *answer, libsched_status *status);
  libsched_code (*prioritize)(void *user_data, const libsched_pod *pod, const libsched_node *const *nodes, size_t count,
                              const libsched_extender_answer *answer, libsched_status *status);
  libsched_code (*process_preemption)(void *user_data, const libsched_pod *pod, const libsched_extender_candidate *candidates,
                                      size_t count, const libsched_extender_answer *answer, libsched_status *status);
  libsched_code (*bind)(void *user_data, const libsched_pod *pod, libsched_str node_name, libsched_status *status);
  void (*destroy)(void *user_data); /* runs exactly once; may be NULL */
} libsched_extender_functions;
#define LIBSCHED_EXTENDER_FUNCTIONS_INIT \
  {sizeof(libsched_extender_functions), false, false, false, false, {LIBSCHED_NULL, 0}, 1, LIBSCHED_NULL, 0, \
   LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL}
/* functions->destroy() runs exactly once, also if the call fails. Errors: MISUSE (a NULL argument),
   UNSUPPORTED (fields that this version does not know). */
libsched_rc libsched_extender_create(const libsched_extender_functions *functions, LIBSCHED_OWN void *user_data,
                                     LIBSCHED_OWN libsched_extender **out, LIBSCHED_OWN libsched_error **error);
libsched_extender *libsched_extender_ref(const libsched_extender *extender);
void libsched_extender_unref(LIBSCHED_OWN libsched_extender *extender);
libsched_str libsched_extender_name(const libsched_extender *extender); /* borrowed */

/* The extenders of a configuration, which libsched.so only reads: their number, and one of them as JSON,
   with the fields of the document and "httpTimeoutNanoseconds". Errors: NOT_FOUND (the index). */
size_t libsched_config_extender_count(const libsched_config *config);
libsched_rc libsched_config_extender_json(const libsched_config *config, size_t index, LIBSCHED_OWN libsched_text **out,
                                          LIBSCHED_OWN libsched_error **error);

/* An extender of a configuration, made by libsched-net.so, which is loaded with the first one: the library
   beside libsched.so, or else the one that the dynamic loader finds. Programs that link libsched-net.so
   call libsched_net_extender_create themselves. Errors: those of that function, UNSUPPORTED (there is no
   libsched-net.so; the message names it). */
libsched_rc libsched_config_load_extender(const libsched_config *config, size_t index, LIBSCHED_OWN libsched_extender **out,
                                          LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
