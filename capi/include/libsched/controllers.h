/* What the controllers of workloads make: pods of DaemonSets, claims of StatefulSets. Include <libsched.h>. */
#ifndef LIBSCHED_CONTROLLERS_H
#define LIBSCHED_CONTROLLERS_H

#include <libsched/cluster.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the controller of the DaemonSet with this pod template makes a pod for the node in `row`: the
   template's nodeName, node selector and required node affinity match, and the pod tolerates all taints
   NoSchedule and NoExecute, by its own tolerations or those that the controller adds. False if the node
   has a pod of the DaemonSet already (the template is named after it), or the row holds no node. */
bool libsched_daemon_wants(const libsched_view *view, uint32_t row, const libsched_pod *pod_template);
/* The pod for a node, named `name`: with the controller's tolerations, owned by the DaemonSet, and required
   to run on this node by a node affinity that replaces other required terms. `node_name` empty: for no
   node yet, without that affinity.
     if (libsched_daemon_wants(view, row, pod_template))
       libsched_daemon_pod(pod_template, libsched_node_name(libsched_view_node(view, row)), name, &pod, &error); */
libsched_rc libsched_daemon_pod(const libsched_pod *pod_template, libsched_str node_name, libsched_str name,
                                LIBSCHED_OWN libsched_pod **out, LIBSCHED_OWN libsched_error **error);

/* The PersistentVolumeClaims that the controller of a StatefulSet makes for a pod and the view lacks: one for each
   of the volumeClaimTemplates, named "TEMPLATE-POD", not bound, and of the default StorageClass if the template
   names none. `pod` is the pod template of a StatefulSet (libsched_objects_get_workload()), which stands for the
   first pod, or a copy of it with a pod's name; for any other pod the set is empty. Questions that place pods
   (libsched_schedule(), libsched_count_capacity(), ...) and simulations make these claims themselves; for others put
   the set into the cluster by libsched_changes_put_objects(). */
libsched_rc libsched_missing_claims(const libsched_view *view, const libsched_pod *pod,
                                    LIBSCHED_OWN libsched_objects **out, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
