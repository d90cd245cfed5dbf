/* The fields of pods and nodes that plugins read, without parsing anything again; all other fields are
   in the documents (keep_raw). Include <libsched.h>.

   Everything here may be called by any thread, and allocates only errors. Strings are borrowed from
   the pod or node. Lists are read by position: a function with an `index` returns false,
   and writes nothing, if the index is out of range; outputs may be NULL. Amounts are thousandths of
   "cpu", bytes of "memory", units of anything else; times are nanoseconds since 1970. */
#ifndef LIBSCHED_FIELDS_H
#define LIBSCHED_FIELDS_H

#include <libsched/cluster.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- pods --- */
/* Labels, sorted by key. Example:
     libsched_str key, value;
     for (size_t i = 0; libsched_pod_label_at(pod, i, &key, &value); ++i) ... */
size_t libsched_pod_label_count(const libsched_pod *pod);
bool libsched_pod_label_at(const libsched_pod *pod, size_t index, libsched_str *key, libsched_str *value);
/* Annotations, sorted by key: their number, one by position, and one by key, which is written to
   `value` (may be NULL) if it is `found`. Parsing keeps annotations only on request; without them
   libsched_pod_annotation_at() returns false.
   Errors: STATE unless it was parsed with keep_annotations or keep_raw. */
libsched_rc libsched_pod_annotation_count(const libsched_pod *pod, size_t *out, LIBSCHED_OWN libsched_error **error);
bool libsched_pod_annotation_at(const libsched_pod *pod, size_t index, libsched_str *key, libsched_str *value);
libsched_rc libsched_pod_annotation(const libsched_pod *pod, libsched_str key, bool *found, libsched_str *value,
                                    LIBSCHED_OWN libsched_error **error);
/* metadata.ownerReferences; `controller`: this owner manages the pod. */
size_t libsched_pod_owner_count(const libsched_pod *pod);
bool libsched_pod_owner(const libsched_pod *pod, size_t index, libsched_str *kind, libsched_str *name, libsched_str *uid, bool *controller);
/* metadata.creationTimestamp and deletionTimestamp, status.startTime; false: not set. */
bool libsched_pod_creation_time(const libsched_pod *pod, int64_t *ns);
bool libsched_pod_deletion_time(const libsched_pod *pod, int64_t *ns);
bool libsched_pod_start_time(const libsched_pod *pod, int64_t *ns);
libsched_str libsched_pod_priority_class_name(const libsched_pod *pod);
libsched_str libsched_pod_preemption_policy(const libsched_pod *pod); /* "Never", ...; empty where absent */
/* spec.schedulingGroup.podGroupName; empty where absent. */
libsched_str libsched_pod_group_name(const libsched_pod *pod);
bool libsched_pod_host_network(const libsched_pod *pod);
/* spec.nodeSelector, sorted by key. */
size_t libsched_pod_node_selector_count(const libsched_pod *pod);
bool libsched_pod_node_selector(const libsched_pod *pod, size_t index, libsched_str *key, libsched_str *value);
/* `op` is "Equal", "Exists", ...; an empty key or effect matches all. */
size_t libsched_pod_toleration_count(const libsched_pod *pod);
bool libsched_pod_toleration(const libsched_pod *pod, size_t index, libsched_str *key, libsched_str *op, libsched_str *value, libsched_str *effect);
/* Whether one of the pod's tolerations covers a taint, as upstream compares them; the operators Lt
   and Gt cover nothing unless `comparison_operators` (the gate TaintTolerationComparisonOperators). */
bool libsched_pod_tolerates(const libsched_pod *pod, libsched_str key, libsched_str value, libsched_str effect, bool comparison_operators);
size_t libsched_pod_scheduling_gate_count(const libsched_pod *pod);
bool libsched_pod_scheduling_gate(const libsched_pod *pod, size_t index, libsched_str *name);
/* spec.containers and spec.initContainers. */
size_t libsched_pod_container_count(const libsched_pod *pod);
bool libsched_pod_container(const libsched_pod *pod, size_t index, libsched_str *name, libsched_str *image);
size_t libsched_pod_init_container_count(const libsched_pod *pod);
bool libsched_pod_init_container(const libsched_pod *pod, size_t index, libsched_str *name, libsched_str *image);
/* All requested resources with the amounts of libsched_pod_request(). */
size_t libsched_pod_resource_count(const libsched_pod *pod);
bool libsched_pod_resource(const libsched_pod *pod, size_t index, libsched_str *name, int64_t *amount);
/* Host ports of containers and sidecars, with the defaults "0.0.0.0" and "TCP". */
size_t libsched_pod_host_port_count(const libsched_pod *pod);
bool libsched_pod_host_port(const libsched_pod *pod, size_t index, libsched_str *ip, libsched_str *protocol, int32_t *port);
/* The PersistentVolumeClaims, in the pod's namespace, that volumes other than ephemeral ones name. */
size_t libsched_pod_claim_count(const libsched_pod *pod);
bool libsched_pod_claim(const libsched_pod *pod, size_t index, libsched_str *name);

/* --- nodes --- */
/* Labels, sorted by key. */
size_t libsched_node_label_count(const libsched_node *node);
bool libsched_node_label_at(const libsched_node *node, size_t index, libsched_str *key, libsched_str *value);
/* Annotations, as libsched_pod_annotation(). Errors: STATE unless it was parsed with keep_annotations
   or keep_raw. */
libsched_rc libsched_node_annotation_count(const libsched_node *node, size_t *out, LIBSCHED_OWN libsched_error **error);
bool libsched_node_annotation_at(const libsched_node *node, size_t index, libsched_str *key, libsched_str *value);
libsched_rc libsched_node_annotation(const libsched_node *node, libsched_str key, bool *found, libsched_str *value,
                                    LIBSCHED_OWN libsched_error **error);
/* The label topology.kubernetes.io/zone, or failure-domain.beta.kubernetes.io/zone without it. */
libsched_str libsched_node_zone(const libsched_node *node);
bool libsched_node_creation_time(const libsched_node *node, int64_t *ns);
/* status.allocatable as the scheduler counts it. */
size_t libsched_node_resource_count(const libsched_node *node);
bool libsched_node_resource(const libsched_node *node, size_t index, libsched_str *name, int64_t *amount);
/* status.images: a size, and the names of one image. */
size_t libsched_node_image_count(const libsched_node *node);
bool libsched_node_image(const libsched_node *node, size_t index, int64_t *size_bytes, size_t *name_count);
bool libsched_node_image_name(const libsched_node *node, size_t image, size_t index, libsched_str *name);
/* status.declaredFeatures. */
size_t libsched_node_declared_feature_count(const libsched_node *node);
bool libsched_node_declared_feature(const libsched_node *node, size_t index, libsched_str *name);

/* --- other objects of a cluster --- */
/* The JSON document of an object that is neither a pod nor a node, with assumed changes: by kind as in
   manifests ("PersistentVolumeClaim"), namespace (empty for kinds without) and name. Borrowed until the
   view changes. Errors: NOT_FOUND; INVALID (a kind that clusters do not keep); STATE unless the object
   was parsed with keep_raw. */
libsched_rc libsched_view_object_raw(const libsched_view *view, libsched_str kind, libsched_str namespace_, libsched_str name,
                                     libsched_str *out, LIBSCHED_OWN libsched_error **error);

/* --- documents --- */
/* A pod or a node as a JSON document with every field that the library has kept of it, whether or not
   the object was parsed with keep_raw. Parsed without `defaults`, it gives an object that all plugins
   judge the same. Fields that no plugin reads are not part of it, and neither are a node's conditions
   and the times of its taints, of which only a hash is kept. The version of a node's kubelet is part of it;
   a pod's annotations and those of a node are if they were kept. */
libsched_rc libsched_pod_json(const libsched_pod *pod, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_node_json(const libsched_node *node, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);
/* A whole view as a List of such documents: the nodes by row, the pods row by row in upstream's order,
   each with the node that it is on as its nodeName, and all other objects, with assumed changes. */
libsched_rc libsched_view_json(const libsched_view *view, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);
/* The objects of a kind other than pods and nodes as a List of such documents, with assumed changes: those of a
   namespace and of a name, each of which may be empty, for any. Errors: INVALID (a kind that clusters do not keep).
     libsched_view_objects_json(view, LIBSCHED_STR("ResourceClaim"), ns, name, &text, &error); */
libsched_rc libsched_view_objects_json(const libsched_view *view, libsched_str kind, libsched_str namespace_, libsched_str name,
                                       LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);
/* Changes with every change of an object of the kind, an assumed one too; a revert restores the old number.
   Equal numbers of any two views mean equal objects. 0: a kind that clusters do not keep. */
uint64_t libsched_view_objects_version(const libsched_view *view, libsched_str kind);
/* The release of Kubernetes that the cluster has, as JSON: {"name":"1.36","version":"v1.36.1",
   "source":"the kubelet on node-1","note":""}. The name is for libsched_framework_options.semantics. The
   version is that of the image of a kube-scheduler pod in kube-system, else `server_version`, which an
   API server answers to GET /version as gitVersion (empty: not known), else that of the image of a
   kube-apiserver pod, else that of the newest kubelet. The note tells that a version is older or newer than
   all releases that may be chosen; the nearest one stands for it. Without any version, version, source
   and note are empty, and the name is that of the default.
     libsched_view_release_json(libsched_cluster_view(cluster), LIBSCHED_STR("v1.36.3"), &text, &error); */
libsched_rc libsched_view_release_json(const libsched_view *view, libsched_str server_version, LIBSCHED_OWN libsched_text **out,
                                       LIBSCHED_OWN libsched_error **error);
/* Whether the view has the pod, and it is only assumed (libsched_cluster_assume()). */
bool libsched_view_pod_assumed(const libsched_view *view, libsched_str namespace_, libsched_str name);

#ifdef __cplusplus
}
#endif
#endif
