/* The state of a cluster: nodes, pods and what else decisions depend on, with cheap what-ifs.
   Include <libsched.h>.

   A libsched_cluster has one writer thread. A libsched_snapshot is immutable and may be read by
   any number of threads. A libsched_view is either of them for reading; it is borrowed from the
   cluster or snapshot that it was got from. Every change either happens whole or not at all; a
   plugin that is being asked about a cluster may not change it (MISUSE).
   @since 0.1, where nothing else is said. */
#ifndef LIBSCHED_CLUSTER_H
#define LIBSCHED_CLUSTER_H

#include <libsched/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct libsched_cluster libsched_cluster;   /* the state, mutable; one thread at a time */
typedef struct libsched_snapshot libsched_snapshot; /* the state at one moment; any thread */
typedef struct libsched_view libsched_view;         /* either of them for reading; always borrowed */

/* The order in which nodes are walked. */
enum {
  LIBSCHED_ORDER_UPSTREAM = 0, /* zones take turns, as kube-scheduler walks its nodes */
  LIBSCHED_ORDER_INSERTION = 1 /* in the order they were added */
};

/* How a cluster is made. Zero everywhere is the default. */
typedef struct libsched_cluster_options {
  uint32_t struct_size; /* sizeof(libsched_cluster_options) */
  uint32_t node_order;  /* LIBSCHED_ORDER_* */
} libsched_cluster_options;
#define LIBSCHED_CLUSTER_OPTIONS_INIT {sizeof(libsched_cluster_options), LIBSCHED_ORDER_UPSTREAM}

/* A cluster without anything in it. Errors: UNSUPPORTED (an unknown node_order).
     libsched_cluster_create(NULL, &cluster, &error); */
libsched_rc libsched_cluster_create(const libsched_cluster_options *options /* may be NULL */,
                                    LIBSCHED_OWN libsched_cluster **out, LIBSCHED_OWN libsched_error **error);
/* A new cluster with what a file holds, parsed with API defaulting. Errors: IO, INVALID with the
   path, LIMIT.
     libsched_cluster_load(LIBSCHED_STR("shop.yaml"), &cluster, &error); */
libsched_rc libsched_cluster_load(libsched_str path, LIBSCHED_OWN libsched_cluster **out, LIBSCHED_OWN libsched_error **error);
libsched_cluster *libsched_cluster_ref(libsched_cluster *cluster);
void libsched_cluster_unref(LIBSCHED_OWN libsched_cluster *cluster);

/* Adds or replaces every object: nodes, pods that have a nodeName and have not ended, and all
   other kinds that are read. Pods without a nodeName and those that have ended are not stored; an
   earlier version of them leaves the cluster. The same document twice changes nothing, as informers
   send no event then; libsched_cluster_update_node() and _update_pod() do count as updates, after
   which a node knows anew on how many nodes its images are. Errors: LIMIT (too many different
   resources). */
libsched_rc libsched_cluster_apply(libsched_cluster *cluster, const libsched_objects *objects, LIBSCHED_OWN libsched_error **error);

/* A list of changes that happen together, whole or not at all: objects of any kind that come,
   change and go. One thread at a time; clusters only read it.
     libsched_changes_create(&changes, &error);
     libsched_changes_put_node(changes, node, LIBSCHED_PUT_APPLY, &error);
     libsched_changes_put_pod(changes, pod, LIBSCHED_STR("node-1"), LIBSCHED_PUT_APPLY, &error);
     libsched_changes_remove(changes, LIBSCHED_STR("Pod"), LIBSCHED_STR("default"), LIBSCHED_STR("web-1"), &error);
     libsched_cluster_apply_changes(cluster, changes, &count, &error); */
typedef struct libsched_changes libsched_changes;
/* What is done with an object that is put. A cluster knows objects by kind, namespace and name. */
enum {
  LIBSCHED_PUT_APPLY = 0,   /* as libsched_cluster_apply() does */
  LIBSCHED_PUT_UPDATE = 1,  /* add or replace, also where nothing differs; a pod must have a node */
  LIBSCHED_PUT_MISSING = 2, /* add as APPLY does; what is there already stays as it is */
  LIBSCHED_PUT_NEW = 3,     /* add; EXISTS if it is there already; a pod must have a node */
  /* Flags of libsched_changes_put_objects(): leave out the document's nodes, or its pods. */
  LIBSCHED_PUT_NO_NODES = 256,
  LIBSCHED_PUT_NO_PODS = 512
};
libsched_rc libsched_changes_create(LIBSCHED_OWN libsched_changes **out, LIBSCHED_OWN libsched_error **error);
libsched_changes *libsched_changes_ref(libsched_changes *changes);
void libsched_changes_unref(LIBSCHED_OWN libsched_changes *changes);
/* Append a part: everything that a document holds, a node, or a pod, to be put as `how`
   (LIBSCHED_PUT_*) says. `node_name` empty: the pod's own nodeName. The list keeps references.
   Errors: UNSUPPORTED (an unknown `how`). */
libsched_rc libsched_changes_put_objects(libsched_changes *changes, const libsched_objects *objects, uint32_t how, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_changes_put_node(libsched_changes *changes, const libsched_node *node, uint32_t how, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_changes_put_pod(libsched_changes *changes, const libsched_pod *pod, libsched_str node_name, uint32_t how, LIBSCHED_OWN libsched_error **error);
/* Appends the removal of an object by its kind as in manifests ("Node", "Pod",
   "PersistentVolumeClaim"), namespace (empty for kinds without) and name. Errors: INVALID for a kind
   of which a cluster keeps no objects. */
libsched_rc libsched_changes_remove(libsched_changes *changes, libsched_str kind, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);
/* Makes all changes of the list in their order, or none: each sees what those before it have done.
   `count` gets how many objects came, changed or went (may be NULL). The list can be applied again,
   to any cluster. Plugins hear of the changes once all of them stand.
   Errors: EXISTS (NEW), NOT_FOUND (a removal), INVALID (no node for a pod), LIMIT. */
libsched_rc libsched_cluster_apply_changes(libsched_cluster *cluster, const libsched_changes *changes, size_t *count, LIBSCHED_OWN libsched_error **error);

/* Adds nodes. The cluster keeps references to them. Errors: EXISTS if one of them is there already
   (or twice in `nodes`), LIMIT. */
libsched_rc libsched_cluster_add_nodes(libsched_cluster *cluster, const libsched_node *const *nodes, size_t count, LIBSCHED_OWN libsched_error **error);
/* Adds or replaces one node; its row and its pods stay. Errors: LIMIT. */
libsched_rc libsched_cluster_update_node(libsched_cluster *cluster, const libsched_node *node, LIBSCHED_OWN libsched_error **error);
/* Removes a node; its pods stay in hidden memory and come back with it. Errors: NOT_FOUND. */
libsched_rc libsched_cluster_remove_node(libsched_cluster *cluster, libsched_str name, LIBSCHED_OWN libsched_error **error);
/* Adds pods; pod i goes to node_names[i], or to its own nodeName if that is empty or `node_names` is
   NULL. A node that is not there (yet) is allowed: the pod waits for it.
   Errors: EXISTS (one of the pods is there), INVALID (no node), LIMIT.
     libsched_cluster_add_pods(cluster, &pod, &(libsched_str){"node-1", 6}, 1, &error); */
libsched_rc libsched_cluster_add_pods(libsched_cluster *cluster, const libsched_pod *const *pods, const libsched_str *node_names, size_t count, LIBSCHED_OWN libsched_error **error);
/* Adds or replaces one pod (removed and added again, hence last on its node). `node_name` empty: its
   own nodeName. Errors: INVALID (no node), LIMIT. */
libsched_rc libsched_cluster_update_pod(libsched_cluster *cluster, const libsched_pod *pod, libsched_str node_name, LIBSCHED_OWN libsched_error **error);
/* Removes a pod, wherever it is. Errors: NOT_FOUND. */
libsched_rc libsched_cluster_remove_pod(libsched_cluster *cluster, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);

/* Removes an object that is neither a pod nor a node, by its kind as in manifests
   ("PersistentVolumeClaim"), namespace (empty for kinds without) and name. Errors: NOT_FOUND;
   INVALID for a kind of which a cluster keeps no objects. */
libsched_rc libsched_cluster_remove_object(libsched_cluster *cluster, libsched_str kind, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);

/* Assumed pods, as in upstream's cache: such a pod counts as if it ran on the node until the API
   server's word comes (apply or update_pod with the pod bound) or it is forgotten. `node_name`
   empty: its own nodeName. No plugin is asked; libsched_evaluator_assume() does that. Errors: EXISTS
   (the cluster has the pod), INVALID (no node name). */
libsched_rc libsched_cluster_assume(libsched_cluster *cluster, const libsched_pod *pod, libsched_str node_name, LIBSCHED_OWN libsched_error **error);
/* Takes an assumed pod off its node; nothing happens if the cluster does not have it. Errors: STATE
   (the pod is there, but not assumed). */
libsched_rc libsched_cluster_forget(libsched_cluster *cluster, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);

/* What-ifs: fork marks the state, revert undoes everything since the mark, commit drops the mark.
   They nest without bound; a fork costs nothing. Errors of commit and revert: STATE (no fork).
     libsched_cluster_fork(cluster, &error);
     libsched_cluster_add_nodes(cluster, nodes, 3, &error); // does the pod fit now?
     libsched_cluster_revert(cluster, &error); */
libsched_rc libsched_cluster_fork(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_cluster_commit(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_cluster_revert(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);
/* How many forks are open. */
size_t libsched_cluster_fork_depth(const libsched_cluster *cluster);

/* An independent, mutable copy (without open forks), for another thread. Cost: proportional to the
   cluster's size. */
libsched_rc libsched_cluster_clone(const libsched_cluster *cluster, LIBSCHED_OWN libsched_cluster **out, LIBSCHED_OWN libsched_error **error);
/* An immutable copy; may be taken inside a fork and outlives its revert. Taking another one
   without a change in between costs nothing.
     libsched_cluster_snapshot(cluster, &snapshot, &error); */
libsched_rc libsched_cluster_snapshot(libsched_cluster *cluster, LIBSCHED_OWN libsched_snapshot **out, LIBSCHED_OWN libsched_error **error);
libsched_snapshot *libsched_snapshot_ref(const libsched_snapshot *snapshot);
void libsched_snapshot_unref(LIBSCHED_OWN libsched_snapshot *snapshot);

/* Brings the order list up to date with the nodes that came or went: what upstream does when a
   scheduling cycle begins. Queries on a cluster do it by themselves before they walk the nodes. While
   a plugin is being asked the cycle has begun, and nothing happens. */
libsched_rc libsched_cluster_refresh(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);

/* Reading. A node is known by its row: a small number that stays while the node is there, and is
   used again after it has gone. Bitmaps over nodes have bit (row % 64) of word (row / 64). */
const libsched_view *libsched_cluster_view(const libsched_cluster *cluster);
const libsched_view *libsched_snapshot_view(const libsched_snapshot *snapshot);
/* How much there is to read. */
size_t libsched_view_node_count(const libsched_view *view);
size_t libsched_view_pod_count(const libsched_view *view); /* bound pods, those of unknown nodes included */
size_t libsched_view_row_count(const libsched_view *view); /* all rows are less than this */
#define LIBSCHED_NO_ROW UINT32_MAX /* the row of no node */
/* The row of a node; LIBSCHED_NO_ROW if there is none of that name. */
uint32_t libsched_view_find_node(const libsched_view *view, libsched_str name);
/* NULL if the row holds no node. Borrowed until the view changes. */
const libsched_node *libsched_view_node(const libsched_view *view, uint32_t row);
/* The rows in the order in which nodes are walked, as of the last refresh; `count` gets their number
   (may be NULL). Borrowed until the next refresh. */
const uint32_t *libsched_view_order(const libsched_view *view, size_t *count);
/* How many pods a row has: any row below libsched_view_row_count(), for one without a node may have
   pods that wait for it. */
size_t libsched_view_node_pod_count(const libsched_view *view, uint32_t row);
/* One pod of a row, in upstream's order of a node's pods. Borrowed until the view changes; NULL if
   out of range. */
const libsched_pod *libsched_view_node_pod(const libsched_view *view, uint32_t row, size_t index);
/* A bound pod by name, with its row in `row` (may be NULL); NULL if there is none. Borrowed until
   the view changes. */
const libsched_pod *libsched_view_find_pod(const libsched_view *view, libsched_str namespace_, libsched_str name, uint32_t *row);
/* What a node has, and what its pods ask for, of "cpu" (thousandths), "memory" (bytes), "pods" or any
   other resource (units); 0 if the row holds no node. */
int64_t libsched_view_allocatable(const libsched_view *view, uint32_t row, libsched_str resource);
int64_t libsched_view_requested(const libsched_view *view, uint32_t row, libsched_str resource);
/* The same for the rows below `capacity` at once: out[row], 0 where no node is. Both return
   libsched_view_row_count(); `out` may be NULL. */
size_t libsched_view_allocatable_column(const libsched_view *view, libsched_str resource, int64_t *out, size_t capacity);
size_t libsched_view_requested_column(const libsched_view *view, libsched_str resource, int64_t *out, size_t capacity);
/* The names of the resources that nodes offer or pods ask for: "cpu", "memory", "ephemeral-storage",
   "pods", then the others in no particular order; some that have gone may still be among them.
   Writes the first `capacity` and returns how many there are. Borrowed until the view changes. */
size_t libsched_view_resources(const libsched_view *view, libsched_str *out, size_t capacity);
/* Of one view: equal numbers mean equal contents. A revert brings the old number back. */
uint64_t libsched_view_version(const libsched_view *view);

#ifdef __cplusplus
}
#endif
#endif
