/* Kubernetes objects: parsed once, immutable, reference-counted, independent of any cluster. Threads
   may share all handles here; borrowed texts and objects live as long as the object that lent them.
   Include <libsched.h>. */
#ifndef LIBSCHED_OBJECTS_H
#define LIBSCHED_OBJECTS_H

#include <libsched/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct libsched_pod libsched_pod;         /* a Pod, or the pod template of a workload */
typedef struct libsched_node libsched_node;       /* a Node */
typedef struct libsched_objects libsched_objects; /* the contents of one document */

/* The formats of documents. */
enum {
  LIBSCHED_FORMAT_AUTO = 0, /* detected from the first bytes */
  LIBSCHED_FORMAT_JSON = 1, /* one value, or several in sequence */
  LIBSCHED_FORMAT_YAML = 2, /* one document, or several separated by "---" */
  /* one message of the kind that a function asks for, or in the envelope of etcd (k8s\0), which names
     its kind and is recognised with LIBSCHED_FORMAT_AUTO, too */
  LIBSCHED_FORMAT_PROTOBUF = 3
};

/* The options for reading documents. Zero everywhere is the default. */
typedef struct libsched_parse_options {
  uint32_t struct_size; /* sizeof(libsched_parse_options) */
  uint32_t format;      /* LIBSCHED_FORMAT_*; gzip, xz and zstd are recognised in any case */
  bool defaults;        /* API defaulting where scheduling depends on it, and priority admission */
  bool strict;          /* unknown kinds and fields are errors, except within unused fields (env, ...) */
  bool keep_raw;        /* keep the documents for libsched_pod_raw() and libsched_node_raw() */
  bool validate;        /* report as warnings what the API server would refuse */
  uint64_t max_bytes;   /* of the document; 0: 4 GiB */
  uint32_t max_depth;   /* of nesting; 0: 200 */
  bool keep_annotations; /* of pods and nodes (fields.h); keep_raw implies it */
  bool reserved[3];     /* false */
  const libsched_objects *classes; /* further PriorityClasses for `defaults`; may be NULL */
  uint64_t max_decompressed_bytes; /* of decompressed data; 0: 1 GiB */
  /* Runs repeatedly on the calling thread, at least once for each object: the call ends with
     CANCELLED once it returns true. NULL: never. */
  bool (*interrupt)(void *user_data);
  void *interrupt_data; /* for `interrupt`; may be NULL */
} libsched_parse_options;
#define LIBSCHED_PARSE_OPTIONS_INIT \
  {sizeof(libsched_parse_options), 0, false, false, false, false, 0, 0, false, {false, false, false}, LIBSCHED_NULL, 0, LIBSCHED_NULL, LIBSCHED_NULL}

/* Parses single objects, Lists and streams of documents, JSON or YAML, plain or gzip, xz or zstd. `options`
   may be NULL. Either everything is accepted or nothing is.
     libsched_objects_parse(LIBSCHED_STR("{\"kind\": \"Pod\", ...}"), NULL, &objects, &error);
   Errors: INVALID with the path, LIMIT (size, depth, aliases), UNSUPPORTED (an option, or with
   `strict` a kind), CANCELLED. */
libsched_rc libsched_objects_parse(libsched_str document, const libsched_parse_options *options,
                                   LIBSCHED_OWN libsched_objects **out, LIBSCHED_OWN libsched_error **error);
/* As libsched_objects_parse(), for a file; "-" is not special. Errors: those of
   libsched_objects_parse(), and IO. */
libsched_rc libsched_objects_load(libsched_str path, const libsched_parse_options *options,
                                  LIBSCHED_OWN libsched_objects **out, LIBSCHED_OWN libsched_error **error);
libsched_objects *libsched_objects_ref(const libsched_objects *objects);
void libsched_objects_unref(LIBSCHED_OWN libsched_objects *objects);

/* The numbers of pods, nodes and workloads (objects with a pod template). */
size_t libsched_objects_pod_count(const libsched_objects *objects);
size_t libsched_objects_node_count(const libsched_objects *objects);
size_t libsched_objects_workload_count(const libsched_objects *objects);
/* Borrowed from `objects`; NULL if `index` is out of range. In the order of the document. */
const libsched_pod *libsched_objects_get_pod(const libsched_objects *objects, size_t index);
const libsched_node *libsched_objects_get_node(const libsched_objects *objects, size_t index);
/* The pod template of a Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController, Job
   or CronJob, named after it; its kind and replica count are written to `kind` and `replicas` (each may be NULL). */
const libsched_pod *libsched_objects_get_workload(const libsched_objects *objects, size_t index,
                                                  libsched_str *kind, int64_t *replicas);
/* JSON: {"counts": {kind: n}, "skipped": [{"kind", "count"}], "warnings": [{"path",
   "message"}], "unknownFields": n}. An entry of `skipped` whose kind changes or refuses pods that are created has
   "effect", a text that continues "it ...", and "namespaces" if it concerns its own namespace alone. */
libsched_rc libsched_objects_report_json(const libsched_objects *objects, LIBSCHED_OWN libsched_text **out,
                                         LIBSCHED_OWN libsched_error **error);

/* One Pod. A workload gives its pod template. Errors: INVALID with the path, LIMIT. */
libsched_rc libsched_pod_parse(libsched_str document, const libsched_parse_options *options,
                               LIBSCHED_OWN libsched_pod **out, LIBSCHED_OWN libsched_error **error);
/* One Pod from the flat form (docs/flat.md), which Go writes from k8s.io/api; the pod is equal to the one that
   its JSON document gives. `options.format` is not looked at. Errors: INVALID with the path (also truncated, another
   kind or version), LIMIT. */
libsched_rc libsched_pod_parse_flat(libsched_str flat, const libsched_parse_options *options,
                                    LIBSCHED_OWN libsched_pod **out, LIBSCHED_OWN libsched_error **error);
/* A copy with another name, namespace, uid and nodeName; a value whose `ptr` is NULL is kept.
     libsched_pod_copy(pod, LIBSCHED_STR("web-2"), (libsched_str){0}, LIBSCHED_STR("uid-2"),
                       (libsched_str){0}, &copy, &error); */
libsched_rc libsched_pod_copy(const libsched_pod *pod, libsched_str name, libsched_str namespace_,
                              libsched_str uid, libsched_str node_name, LIBSCHED_OWN libsched_pod **out,
                              LIBSCHED_OWN libsched_error **error);
libsched_pod *libsched_pod_ref(const libsched_pod *pod);
void libsched_pod_unref(LIBSCHED_OWN libsched_pod *pod);
/* Texts of a pod, borrowed from it; empty where the document has none. */
libsched_str libsched_pod_name(const libsched_pod *pod);
libsched_str libsched_pod_namespace(const libsched_pod *pod);
libsched_str libsched_pod_uid(const libsched_pod *pod);
libsched_str libsched_pod_node_name(const libsched_pod *pod);           /* spec.nodeName */
libsched_str libsched_pod_nominated_node_name(const libsched_pod *pod); /* status.nominatedNodeName. */
libsched_str libsched_pod_scheduler_name(const libsched_pod *pod); /* spec.schedulerName */
libsched_str libsched_pod_phase(const libsched_pod *pod);          /* status.phase: "Running" */
int32_t libsched_pod_priority(const libsched_pod *pod);            /* spec.priority; 0 if it has none */
/* Writes the value of a label, borrowed from `pod`, to `value` (may be NULL). Returns false and leaves
   `value` as it is if the pod does not have the label. */
bool libsched_pod_label(const libsched_pod *pod, libsched_str key, libsched_str *value);
/* The pod's request of "cpu" (thousandths), "memory" (bytes) or any other resource (units), as the
   scheduler counts it, with init containers and overhead. 0 if the pod does not request it. */
int64_t libsched_pod_request(const libsched_pod *pod, libsched_str resource);
/* The JSON document, borrowed from `pod`. Errors: STATE unless it was parsed with keep_raw. */
libsched_rc libsched_pod_raw(const libsched_pod *pod, libsched_str *out, LIBSCHED_OWN libsched_error **error);

/* One Node. Errors: INVALID with the path, LIMIT. */
libsched_rc libsched_node_parse(libsched_str document, const libsched_parse_options *options,
                                LIBSCHED_OWN libsched_node **out, LIBSCHED_OWN libsched_error **error);
/* One Node from the flat form, as libsched_pod_parse_flat(). Errors: INVALID with the path, LIMIT. */
libsched_rc libsched_node_parse_flat(libsched_str flat, const libsched_parse_options *options,
                                     LIBSCHED_OWN libsched_node **out, LIBSCHED_OWN libsched_error **error);
/* A copy with another name (the hostname label follows it) and uid; a value whose `ptr` is NULL is
   kept. */
libsched_rc libsched_node_copy(const libsched_node *node, libsched_str name, libsched_str uid,
                               LIBSCHED_OWN libsched_node **out, LIBSCHED_OWN libsched_error **error);
libsched_node *libsched_node_ref(const libsched_node *node);
void libsched_node_unref(LIBSCHED_OWN libsched_node *node);
/* The fields of a node that filters read; texts are borrowed from it. */
libsched_str libsched_node_name(const libsched_node *node);
libsched_str libsched_node_uid(const libsched_node *node);
/* As libsched_pod_label(). */
bool libsched_node_label(const libsched_node *node, libsched_str key, libsched_str *value);
bool libsched_node_unschedulable(const libsched_node *node); /* spec.unschedulable */
/* The number of taints of a node, and one of them, borrowed from `node` (each output may be NULL).
   False if `index` is out of range. */
size_t libsched_node_taint_count(const libsched_node *node);
bool libsched_node_taint(const libsched_node *node, size_t index, libsched_str *key, libsched_str *value, libsched_str *effect);
/* status.allocatable, in the units of libsched_pod_request(); 0 if the node does not have the
   resource. */
int64_t libsched_node_allocatable(const libsched_node *node, libsched_str resource);
/* The JSON document, borrowed from `node`. Errors: STATE unless it was parsed with keep_raw. */
libsched_rc libsched_node_raw(const libsched_node *node, libsched_str *out, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
