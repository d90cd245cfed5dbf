/* What the control plane makes of objects: pods of DaemonSets, claims of pods, and what the API server's admission does.
   Include <libsched.h>. */
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

/* The claims that controllers make for a pod and the view lacks.
   - PersistentVolumeClaims of a StatefulSet: one for each of the volumeClaimTemplates, named "TEMPLATE-POD", not
     bound, and of the default StorageClass if the template names none. `pod` is the pod template of a StatefulSet
     (libsched_objects_get_workload()), which stands for the first pod, or a copy of it with a pod's name; any other
     pod has none.
   - PersistentVolumeClaims of generic ephemeral volumes: one for each, named "POD-VOLUME", owned by the pod, and of the
     default StorageClass if the volume names none. One of that name that another pod owns stays.
   - ResourceClaims: one for each of the pod's spec.resourceClaims with a resourceClaimTemplateName, unless its
     status names one that is there, or there is one that was made for it. They are named
     "POD-ENTRY-xxxxx", the same for the same view and pod, are owned by the pod, and are not allocated.
     libsched_pod_with_claims() makes the pod that names them.
   Questions that place pods (libsched_schedule(), libsched_count_capacity(), ...) and simulations make these claims
   themselves; for others put the set into the cluster by libsched_changes_put_objects().
   Errors: NOT_FOUND (a ResourceClaimTemplate; the path is that in the pod), INVALID (the claim template of a volume). */
libsched_rc libsched_missing_claims(const libsched_view *view, const libsched_pod *pod,
                                    LIBSCHED_OWN libsched_objects **out, LIBSCHED_OWN libsched_error **error);
/* The pod with the names of its ResourceClaims from templates in status.resourceClaimStatuses: those that the view
   has, and those that libsched_missing_claims() makes. It is `pod` itself if nothing changes. Errors: those of
   libsched_missing_claims().
     libsched_missing_claims(view, pod, &claims, &error);
     libsched_pod_with_claims(view, pod, &claimed, &error); */
libsched_rc libsched_pod_with_claims(const libsched_view *view, const libsched_pod *pod, LIBSCHED_OWN libsched_pod **out,
                                     LIBSCHED_OWN libsched_error **error);

/* What the API server's admission makes of objects that are created: LimitRanges and RuntimeClasses, the default
   StorageClass, PriorityClasses, and the tolerations of DefaultTolerationSeconds. The function that plans an object calls
   it, once: objects of a dump have been admitted before, and no question admits by itself. `out` has the pods, pod
   templates and PersistentVolumeClaims of `objects` as they are then, and all other objects as they were. The classes and
   ranges of the view decide, and those of `objects`. A claim that the view has is left alone. An object that the API
   server refuses is admitted as far as possible.
   `report` (may be NULL) is JSON with what was done, the API server's refusals, and what is not imitated:
     {"notes": [{"kind": "Pod", "object": "default/web", "text"}], "refusals": likewise, "warnings": likewise}
   Example:
     libsched_admit_objects(libsched_cluster_view(cluster), objects, &made, &report, &error); */
libsched_rc libsched_admit_objects(const libsched_view *view, const libsched_objects *objects, LIBSCHED_OWN libsched_objects **out,
                                   LIBSCHED_OWN libsched_text **report, LIBSCHED_OWN libsched_error **error);
/* As libsched_admit_objects(), of one pod; it is `pod` itself if nothing changes. */
libsched_rc libsched_admit_pod(const libsched_view *view, const libsched_pod *pod, LIBSCHED_OWN libsched_pod **out,
                               LIBSCHED_OWN libsched_text **report, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
