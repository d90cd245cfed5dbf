/* Edits: "what if" as short texts, applied to a cluster and to the pods that a question is about. Include
   <libsched.h>. */
#ifndef LIBSCHED_EDITS_H
#define LIBSCHED_EDITS_H

#include <libsched/cluster.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The pods that a question is about, after edits. Immutable; threads share it freely. */
typedef struct libsched_edited libsched_edited;

/* Applies `edits` in order, all of them or none; each sees the effects of those before it. Its forms:
     add-node NODE=N       N copies of a node, named NODE-0, NODE-1, ... without names in use; hostname
                           labels follow. Each has copies of the node's CSINode, and of its pods of
                           DaemonSets and static pods. A copy is a healthy node that joins: it has neither
                           the cordon nor the taints that the node lifecycle controller manages, and a note
                           says what that leaves out.
     remove-node NODE      Without the node and its pods. Nothing takes their place. A pod in `pods` that
                           was on the node has none in the result, as if it were new.
     cordon NODE           The node becomes unschedulable, and has the taint
                           node.kubernetes.io/unschedulable:NoSchedule, which the node lifecycle controller
                           adds.
     uncordon NODE         Takes exactly that away again.
     taint NODE KEY=VALUE:EFFECT, or KEY:EFFECT
                           A taint of the same key and effect is replaced. With the effect NoExecute pods
                           that do not tolerate the taint for good are gone, as the taint eviction
                           controller has it, and a note counts them.
     taint NODE KEY:EFFECT-, or KEY- for all effects; the same as untaint NODE KEY:EFFECT, untaint NODE KEY
                           Without the taint.
     label NODE KEY=VALUE, or label NODE KEY- to take the label away
     scale NAMESPACE/NAME=N
                           N pods of a workload. If the workload is passed in `pods`, it gets so many
                           replicas. Otherwise pods whose controller it is (for a Deployment, those of its
                           ReplicaSets) are taken away, in a StatefulSet from the highest ordinal on,
                           otherwise first without a node, then the newest; or copies of its newest pod,
                           without a node, are added to the result. Copies in a StatefulSet get claims
                           like those of the copied pod.
     set NAMESPACE/NAME:FIELD=VALUE, or set NAMESPACE/NAME:FIELD- to take the field away
                           A pod, or all pods of a workload and its template. Fields: requests.R and
                           limits.R of the only container, containers.C.requests.R and
                           containers.C.limits.R of the container C (R is cpu, memory,
                           ephemeral-storage, a huge page or an extended resource, for which requests and
                           limits change together), nodeSelector.KEY, labels.KEY, priority, schedulerName.
   NODE is the name of a node, or a selector of labels, as for `kubectl -l`, with an operator ("pool=gpu",
   "pool!=gpu", "!spot", "pool in (a, b)"; joined by commas) or behind "-l" ("-l spot"): the edit applies to
   each node that it matches. To take something away that no such node has is an error.
   Only edits and drains include what controllers make of them: libsched_cluster_apply() and its like take
   objects as they are.
   A cluster has no workloads, and no pods without a node but nominated ones, so those are passed in `pods`:
   pods, and pod templates with the kind of their workload in kinds[i] and its replicas in replicas[i]. `kinds` and
   `replicas` may be NULL: all are pods. Edits reach the cluster and these alike. Works inside forks.
   Errors, which name the edit: INVALID, NOT_FOUND (no such name, with the nearest one; no node matches),
   LIMIT; MISUSE (in a slot).
     libsched_str edits[] = {LIBSCHED_STR("add-node gpu-1=2"), LIBSCHED_STR("cordon gpu-1")};
     libsched_cluster_edit(cluster, edits, 2, NULL, NULL, NULL, 0, &edited, &error); */
libsched_rc libsched_cluster_edit(libsched_cluster *cluster, const libsched_str *edits, size_t edit_count,
                                  const libsched_pod *const *pods, const libsched_str *kinds, const size_t *replicas, size_t count,
                                  LIBSCHED_OWN libsched_edited **out, LIBSCHED_OWN libsched_error **error);
/* The names of the nodes that NODE of an edit means, one a line, in the order of their bytes; at least one.
   Errors: INVALID (no selector), NOT_FOUND (no such name, with the nearest one; no node matches). */
libsched_rc libsched_view_choose_nodes(const libsched_view *view, libsched_str nodes, LIBSCHED_OWN libsched_text **out,
                                       LIBSCHED_OWN libsched_error **error);
libsched_edited *libsched_edited_ref(const libsched_edited *edited);
void libsched_edited_unref(LIBSCHED_OWN libsched_edited *edited);

/* The pods passed, in order, without those taken away, then those made by `scale`. */
size_t libsched_edited_pod_count(const libsched_edited *edited);
#define LIBSCHED_NEW_POD SIZE_MAX /* the origin of a pod that an edit has made */
/* A pod, borrowed from `edited`; NULL if `index` is too large. `origin` (may be NULL) gets its index among
   the pods passed, or LIBSCHED_NEW_POD; `replicas` (may be NULL) gets its workload's, 1 for a pod. */
const libsched_pod *libsched_edited_pod(const libsched_edited *edited, size_t index, size_t *origin, size_t *replicas);
/* Notes for readers, in the order of the edits: what is left out of copies of nodes, and how many pods a taint
   evicts. A note is borrowed from `edited`, and empty if `index` is too large. */
size_t libsched_edited_note_count(const libsched_edited *edited);
libsched_str libsched_edited_note(const libsched_edited *edited, size_t index);

#ifdef __cplusplus
}
#endif
#endif
