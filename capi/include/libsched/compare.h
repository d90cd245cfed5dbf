/* Compare: where the same pods go under two configurations, or in two states of a cluster. Include
   <libsched.h>. */
#ifndef LIBSCHED_COMPARE_H
#define LIBSCHED_COMPARE_H

#include <libsched/scheduler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Outcomes of pods on two sides. One thread at a time. */
typedef struct libsched_comparison libsched_comparison;
/* The options for placing pods on a side. Zero everywhere is the default. */
typedef struct libsched_compare_options {
  uint32_t struct_size; /* sizeof(libsched_compare_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  uint64_t seed;        /* of LIBSCHED_TIES_RANDOM */
  /* Also place all pods of the cluster, before the others, without their nodeName, on nodes that are empty
     but for static pods: by priority, the highest first, then by creation, namespace and name. */
  bool all;
  bool no_claims_from_templates; /* as in libsched_schedule_options */
  bool reserved[6];              /* false */
  libsched_str other_profile;    /* as in libsched_schedule_options */
  const libsched_cancel *cancel; /* ends the call with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;           /* as in libsched_filter_options */
} libsched_compare_options;
#define LIBSCHED_COMPARE_OPTIONS_INIT                                                                     \
  {sizeof(libsched_compare_options), 0, 0, false, false, {false, false, false, false, false, false}, \
   {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0}

/* What became of a pod on one side; everything is empty if the side does not have it. Strings are borrowed
   from the comparison until the next libsched_comparison_place(). */
typedef struct libsched_compared_outcome {
  bool present;         /* whether the side has the pod */
  uint32_t outcome;     /* LIBSCHED_OUTCOME_* */
  libsched_str node;    /* if it has one */
  libsched_str text;    /* why it was not placed */
  libsched_str plugin;  /* the plugin that rejected it, if a single one did */
  libsched_str profile; /* the profile that judged it */
} libsched_compared_outcome;
/* A pod on both sides. The pod is borrowed as the strings are. */
typedef struct libsched_compared_pod {
  uint32_t struct_size; /* sizeof(libsched_compared_pod) */
  bool changed;         /* whether its node differs, having none included, or a side lacks the pod */
  const libsched_pod *pod;
  libsched_compared_outcome before, after;
} libsched_compared_pod;
#define LIBSCHED_COMPARED_POD_INIT                                               \
  {sizeof(libsched_compared_pod), false, LIBSCHED_NULL,                          \
   {false, 0, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}}, \
   {false, 0, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}}}

/* Without pods on either side.
     libsched_comparison_create(&comparison, &error);
     libsched_comparison_place(comparison, false, &old_evaluator, 1, pods, count, NULL, &error);
     libsched_comparison_place(comparison, true, &new_evaluator, 1, pods, count, NULL, &error); */
libsched_rc libsched_comparison_create(LIBSCHED_OWN libsched_comparison **out, LIBSCHED_OWN libsched_error **error);
libsched_comparison *libsched_comparison_ref(libsched_comparison *comparison);
void libsched_comparison_unref(LIBSCHED_OWN libsched_comparison *comparison);
/* Places the pods in order, as libsched_schedule() does, on the side `before` or `after`, whose earlier
   outcomes are dropped. The cluster is as before afterwards, also after an error; plugins with a Reserve of
   their own are not asked to Unreserve. The two sides may have one cluster or two. `options` may be NULL.
   Errors: CANCELLED, DEADLINE, STATE (an evaluator of a snapshot), MISUSE (evaluators of different
   clusters, or two of one profile; in a slot). After an error the comparison is as before. */
libsched_rc libsched_comparison_place(libsched_comparison *comparison, bool after, libsched_evaluator *const *profiles,
                                      size_t profile_count, const libsched_pod *const *pods, size_t count,
                                      const libsched_compare_options *options, LIBSCHED_OWN libsched_error **error);
/* The pods, matched by namespace and name: those of the side `before` in their order, then the others. */
size_t libsched_comparison_pod_count(const libsched_comparison *comparison);
/* How many of them are `changed`. */
size_t libsched_comparison_changed_count(const libsched_comparison *comparison);
/* Fills `pod`, whose struct_size the caller sets; false if `index` is too large. */
bool libsched_comparison_pod(const libsched_comparison *comparison, size_t index, libsched_compared_pod *pod);
/* JSON: the nodes of a side after placing: "nodes", "nodesInUse", the names of the "emptyNodes", and "resources", a
   list with "allocatable" and "requested" of all nodes, and "allocatableInUse" and "requestedInUse" of those
   in use. A node is in use if it has a pod that is neither static nor of a DaemonSet. */
libsched_rc libsched_comparison_use_json(const libsched_comparison *comparison, bool after, LIBSCHED_OWN libsched_text **out,
                                         LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
