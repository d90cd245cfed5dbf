/* The state of a cluster: nodes, pods and the other objects that decisions depend on, with cheap
   what-ifs. Include <libsched.h>.

   A libsched_cluster has one writer thread. A libsched_snapshot is immutable; any number of threads may
   read it. A libsched_view reads either of them and is borrowed from it. A change happens completely or
   not at all; a slot may not change the cluster that it is asked about (MISUSE). */
#ifndef LIBSCHED_CLUSTER_H
#define LIBSCHED_CLUSTER_H

#include <libsched/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct libsched_cluster libsched_cluster;   /* the state, mutable; one thread at a time */
typedef struct libsched_snapshot libsched_snapshot; /* the state at one moment; any thread */
typedef struct libsched_view libsched_view;         /* reads either of them; always borrowed */

/* The order in which nodes are walked. */
enum {
  LIBSCHED_ORDER_UPSTREAM = 0, /* zones take turns, as kube-scheduler walks its nodes */
  LIBSCHED_ORDER_INSERTION = 1 /* in the order they were added */
};

/* The options of a cluster. Zero everywhere is the default. */
typedef struct libsched_cluster_options {
  uint32_t struct_size; /* sizeof(libsched_cluster_options) */
  uint32_t node_order;  /* LIBSCHED_ORDER_* */
} libsched_cluster_options;
#define LIBSCHED_CLUSTER_OPTIONS_INIT {sizeof(libsched_cluster_options), LIBSCHED_ORDER_UPSTREAM}

/* An empty cluster. Errors: UNSUPPORTED (an unknown node_order).
     libsched_cluster_create(NULL, &cluster, &error); */
libsched_rc libsched_cluster_create(const libsched_cluster_options *options /* may be NULL */,
                                    LIBSCHED_OWN libsched_cluster **out, LIBSCHED_OWN libsched_error **error);
/* A new cluster with the contents of a file, parsed with API defaulting. Errors: IO, INVALID with the
   path, LIMIT.
     libsched_cluster_load(LIBSCHED_STR("shop.yaml"), &cluster, &error); */
libsched_rc libsched_cluster_load(libsched_str path, LIBSCHED_OWN libsched_cluster **out, LIBSCHED_OWN libsched_error **error);
libsched_cluster *libsched_cluster_ref(libsched_cluster *cluster);
void libsched_cluster_unref(LIBSCHED_OWN libsched_cluster *cluster);

/* Adds or replaces every object: nodes, pods that have a nodeName and have not ended, and all other
   kinds that are read. Pods without a nodeName and pods that have ended are not stored; an earlier
   version of such a pod is removed. Of a pending pod with a status.nominatedNodeName the nomination is
   kept (services.h). Applying the same document again changes nothing, as informers send
   no event then; libsched_cluster_update_node() and _update_pod() always count as updates, and an
   updated node counts anew on how many nodes its images are. Errors: LIMIT (too many different
   resources). */
libsched_rc libsched_cluster_apply(libsched_cluster *cluster, const libsched_objects *objects, LIBSCHED_OWN libsched_error **error);

/* A list of changes that are applied together or not at all: additions, updates and removals of objects
   of any kind. One thread at a time; clusters only read it.
     libsched_changes_create(&changes, &error);
     libsched_changes_put_node(changes, node, LIBSCHED_PUT_APPLY, &error);
     libsched_changes_put_pod(changes, pod, LIBSCHED_STR("node-1"), LIBSCHED_PUT_APPLY, &error);
     libsched_changes_remove(changes, LIBSCHED_STR("Pod"), LIBSCHED_STR("default"), LIBSCHED_STR("web-1"), &error);
     libsched_cluster_apply_changes(cluster, changes, &count, &error); */
typedef struct libsched_changes libsched_changes;
/* How an object is put. A cluster identifies objects by kind, namespace and name. */
enum {
  LIBSCHED_PUT_APPLY = 0,   /* as libsched_cluster_apply() does */
  LIBSCHED_PUT_UPDATE = 1,  /* add or replace, even if nothing differs; a pod must have a node */
  LIBSCHED_PUT_MISSING = 2, /* add as APPLY does; existing objects stay as they are */
  LIBSCHED_PUT_NEW = 3,     /* add; EXISTS if the object exists; a pod must have a node */
  /* Flags of libsched_changes_put_objects(): leave out the document's nodes, or its pods. */
  LIBSCHED_PUT_NO_NODES = 256,
  LIBSCHED_PUT_NO_PODS = 512
};
libsched_rc libsched_changes_create(LIBSCHED_OWN libsched_changes **out, LIBSCHED_OWN libsched_error **error);
libsched_changes *libsched_changes_ref(libsched_changes *changes);
void libsched_changes_unref(LIBSCHED_OWN libsched_changes *changes);
/* Append all objects of a document, a node, or a pod, to be put as `how` (LIBSCHED_PUT_*) says.
   `node_name` empty: the pod's own nodeName. The list keeps references.
   Errors: UNSUPPORTED (an unknown `how`). */
libsched_rc libsched_changes_put_objects(libsched_changes *changes, const libsched_objects *objects, uint32_t how, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_changes_put_node(libsched_changes *changes, const libsched_node *node, uint32_t how, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_changes_put_pod(libsched_changes *changes, const libsched_pod *pod, libsched_str node_name, uint32_t how, LIBSCHED_OWN libsched_error **error);
/* Appends the removal of an object by its kind as in manifests ("Node", "Pod",
   "PersistentVolumeClaim"), namespace (empty for kinds without) and name. Errors: INVALID (a kind that
   clusters do not keep). */
libsched_rc libsched_changes_remove(libsched_changes *changes, libsched_str kind, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);
/* Makes all changes of the list, in order, or none of them; each change sees the effects of those
   before it. `count` (may be NULL) gets the number of objects added, changed or removed. The list can
   be applied again, to any cluster. Plugins are notified after the last change.
   Errors: EXISTS (NEW), NOT_FOUND (a removal), INVALID (no node for a pod), LIMIT. */
libsched_rc libsched_cluster_apply_changes(libsched_cluster *cluster, const libsched_changes *changes, size_t *count, LIBSCHED_OWN libsched_error **error);

/* Adds nodes. The cluster keeps references to them. Errors: EXISTS (a node exists, or is in `nodes`
   twice), LIMIT. */
libsched_rc libsched_cluster_add_nodes(libsched_cluster *cluster, const libsched_node *const *nodes, size_t count, LIBSCHED_OWN libsched_error **error);
/* Adds or replaces one node; its row and its pods stay. Errors: LIMIT. */
libsched_rc libsched_cluster_update_node(libsched_cluster *cluster, const libsched_node *node, LIBSCHED_OWN libsched_error **error);
/* Removes a node. Its pods are hidden and return with the node. Errors: NOT_FOUND. */
libsched_rc libsched_cluster_remove_node(libsched_cluster *cluster, libsched_str name, LIBSCHED_OWN libsched_error **error);
/* Adds pods; pod i goes to node_names[i], or to its own nodeName if that is empty or `node_names` is
   NULL. The node need not exist (yet): the pod waits for it.
   Errors: EXISTS (a pod exists), INVALID (no node), LIMIT.
     libsched_cluster_add_pods(cluster, &pod, &(libsched_str){"node-1", 6}, 1, &error); */
libsched_rc libsched_cluster_add_pods(libsched_cluster *cluster, const libsched_pod *const *pods, const libsched_str *node_names, size_t count, LIBSCHED_OWN libsched_error **error);
/* Adds or replaces one pod. A replaced pod becomes the last one on its node, as if it had been removed
   and added. `node_name` empty: the pod's own nodeName. Errors: INVALID (no node), LIMIT. */
libsched_rc libsched_cluster_update_pod(libsched_cluster *cluster, const libsched_pod *pod, libsched_str node_name, LIBSCHED_OWN libsched_error **error);
/* Removes a pod from any node. Errors: NOT_FOUND. */
libsched_rc libsched_cluster_remove_pod(libsched_cluster *cluster, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);

/* Removes an object that is neither a pod nor a node, by its kind as in manifests
   ("PersistentVolumeClaim"), namespace (empty for kinds without) and name. Errors: NOT_FOUND;
   INVALID (a kind that clusters do not keep). */
libsched_rc libsched_cluster_remove_object(libsched_cluster *cluster, libsched_str kind, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);

/* Assumed pods, as in upstream's cache: such a pod counts as running on the node until it is confirmed
   (apply or update_pod with the pod bound) or forgotten. `node_name` empty: the pod's own nodeName. No
   plugin runs; libsched_evaluator_assume() runs the Reserve plugins. Errors: EXISTS (the cluster has
   the pod), INVALID (no node name). */
libsched_rc libsched_cluster_assume(libsched_cluster *cluster, const libsched_pod *pod, libsched_str node_name, LIBSCHED_OWN libsched_error **error);
/* Takes an assumed pod off its node; does nothing if the cluster does not have the pod. Errors: STATE
   (the pod exists, but is not assumed). */
libsched_rc libsched_cluster_forget(libsched_cluster *cluster, libsched_str namespace_, libsched_str name, LIBSCHED_OWN libsched_error **error);

/* What-ifs: fork marks the state, revert undoes everything since the mark, commit drops the mark.
   They nest without bound; a fork costs nothing. Errors of commit and revert: STATE (no fork).
     libsched_cluster_fork(cluster, &error);
     libsched_cluster_add_nodes(cluster, nodes, 3, &error); // does the pod fit now?
     libsched_cluster_revert(cluster, &error); */
libsched_rc libsched_cluster_fork(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_cluster_commit(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_cluster_revert(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);
/* The number of open forks. */
size_t libsched_cluster_fork_depth(const libsched_cluster *cluster);

/* An independent, mutable copy (without open forks), for another thread. Cost: proportional to the
   cluster's size. */
libsched_rc libsched_cluster_clone(const libsched_cluster *cluster, LIBSCHED_OWN libsched_cluster **out, LIBSCHED_OWN libsched_error **error);
/* An immutable copy; it may be taken inside a fork and outlives the revert. The first one of a
   cluster costs time and memory in proportion to the cluster. Each later one costs what has changed
   since the one before, and shares the rest of its memory with it; another one of an unchanged
   cluster costs nothing. Only the cluster's thread takes snapshots; any thread reads, references
   and releases them, even while the cluster changes.
     libsched_cluster_snapshot(cluster, &snapshot, &error); */
libsched_rc libsched_cluster_snapshot(libsched_cluster *cluster, LIBSCHED_OWN libsched_snapshot **out, LIBSCHED_OWN libsched_error **error);
libsched_snapshot *libsched_snapshot_ref(const libsched_snapshot *snapshot);
void libsched_snapshot_unref(LIBSCHED_OWN libsched_snapshot *snapshot);

/* Updates the order of nodes after nodes were added or removed, as upstream does at the start of a
   scheduling cycle. Queries on a cluster do so themselves before they walk the nodes. While a slot
   runs, the cycle has begun and the call does nothing. */
libsched_rc libsched_cluster_refresh(libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);

/* Reading. A node is identified by its row: a small number that is valid while the node exists and is
   reused after its removal. Bitmaps over nodes use bit (row % 64) of word (row / 64). */
const libsched_view *libsched_cluster_view(const libsched_cluster *cluster);
const libsched_view *libsched_snapshot_view(const libsched_snapshot *snapshot);
/* The sizes of a view. */
size_t libsched_view_node_count(const libsched_view *view);
size_t libsched_view_pod_count(const libsched_view *view); /* bound pods, those of unknown nodes included */
size_t libsched_view_row_count(const libsched_view *view); /* all rows are less than this */
#define LIBSCHED_NO_ROW UINT32_MAX /* the row of no node */
/* The row of a node; LIBSCHED_NO_ROW if no node has the name. */
uint32_t libsched_view_find_node(const libsched_view *view, libsched_str name);
/* NULL if the row holds no node. Borrowed until the view changes. */
const libsched_node *libsched_view_node(const libsched_view *view, uint32_t row);
/* The rows in the order in which nodes are walked, as of the last refresh; `count` (may be NULL) gets
   their number. Borrowed until the next refresh. */
const uint32_t *libsched_view_order(const libsched_view *view, size_t *count);
/* The number of pods of any row below libsched_view_row_count(): pods may wait on a row whose node does
   not exist. */
size_t libsched_view_node_pod_count(const libsched_view *view, uint32_t row);
/* One pod of a row, in upstream's order of a node's pods. Borrowed until the view changes; NULL if
   out of range. Each assumed pod has the name of its node (spec.nodeName): a copy is made when a pod
   without it is read, and the result is NULL if there is no memory for the copy. */
const libsched_pod *libsched_view_node_pod(const libsched_view *view, uint32_t row, size_t index);
/* A bound pod by name, with its row in `row` (may be NULL); NULL if not found. Borrowed until the view
   changes. An assumed pod has the name of its node, as above. */
const libsched_pod *libsched_view_find_pod(const libsched_view *view, libsched_str namespace_, libsched_str name, uint32_t *row);
/* The amount that a node offers, and the amount that its pods request, of "cpu" (thousandths), "memory"
   (bytes), "pods" or any other resource (units); 0 if the row holds no node. */
int64_t libsched_view_allocatable(const libsched_view *view, uint32_t row, libsched_str resource);
int64_t libsched_view_requested(const libsched_view *view, uint32_t row, libsched_str resource);
/* The same amounts for all rows below `capacity`: out[row], 0 for rows without a node. Both return
   libsched_view_row_count(); `out` may be NULL. */
size_t libsched_view_allocatable_column(const libsched_view *view, libsched_str resource, int64_t *out, size_t capacity);
size_t libsched_view_requested_column(const libsched_view *view, libsched_str resource, int64_t *out, size_t capacity);
/* The names of the resources that nodes offer or pods request: "cpu", "memory", "ephemeral-storage",
   "pods", then the others in no particular order. Names that are no longer in use may be included.
   Writes the first `capacity` and returns their number. Borrowed until the view changes. */
size_t libsched_view_resources(const libsched_view *view, libsched_str *out, size_t capacity);
/* The version of a view: equal numbers of any two views mean equal contents. A revert restores the old
   number. */
uint64_t libsched_view_version(const libsched_view *view);

#ifdef __cplusplus
}
#endif
#endif
