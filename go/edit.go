package libsched

// #include "bridge.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// EditedPod is a pod that a question is about, or the pod template of a workload.
type EditedPod struct {
	Pod      *Pod
	Kind     string // the workload's; "" for a pod
	Replicas int    // the workload's
}

// Edited is what [Cluster.Edit] leaves of the pods that a question is about.
type Edited struct {
	// Those passed, in order, as they are now, without pods taken away, and then the pods that scale has
	// made.
	Pods []EditedPod
	// For readers: what is left out of copies of nodes, and how many pods a taint evicts.
	Notes []string
}

// Edit applies edits in order, all of them or none; each sees the effects of those before it:
//
//	add-node NODE=N        N copies of a node, named NODE-0 and so on, with copies of its pods of
//	                       DaemonSets, static pods and CSINode, but without its cordon and the taints that
//	                       the node lifecycle controller manages
//	remove-node NODE       without the node and its pods; nothing takes their place. A pod of pods that
//	                       was on it has no node in the result
//	cordon NODE            the node becomes unschedulable and, as the node lifecycle controller has it,
//	                       gets the taint node.kubernetes.io/unschedulable:NoSchedule
//	uncordon NODE          takes exactly that away again
//	taint NODE KEY=VALUE:EFFECT, or KEY:EFFECT
//	                       with NoExecute, pods that do not tolerate it for good are gone
//	untaint NODE KEY:EFFECT, or KEY for all effects; the same as taint NODE KEY:EFFECT-
//	label NODE KEY=VALUE   or KEY- to take the label away
//	scale NAMESPACE/NAME=N N pods of a workload: pods are taken away, the newest first, or copies of the
//	                       newest pod, without a node, are added to the result
//	set NAMESPACE/NAME:FIELD=VALUE (FIELD- takes the field away)
//	                       a pod, or all pods of a workload; fields are requests.R and limits.R of the
//	                       only container, containers.C.requests.R, containers.C.limits.R,
//	                       nodeSelector.KEY, labels.KEY, priority and schedulerName
//
// NODE is the name of a node, or a selector of labels with an operator ("pool=gpu", "!spot") or behind "-l"
// ("-l spot"), as for kubectl: the edit applies to each node that it matches. A cluster holds no workloads, and
// no pods without a node but nominated ones, so those are passed in pods, which edits reach, too. Errors, which name the edit:
// ErrInvalid, ErrNotFound, ErrLimit.
func (c *Cluster) Edit(edits []string, pods []EditedPod) (*Edited, error) {
	list := make([]*Pod, len(pods))
	kinds := make([]string, len(pods))
	replicas := make([]C.size_t, len(pods)+1)
	for i, p := range pods {
		list[i], kinds[i] = p.Pod, p.Kind
		if p.Replicas < 0 {
			return nil, &Error{Code: ErrInvalid, Msg: "a workload has no negative number of replicas"}
		}
		replicas[i] = C.size_t(p.Replicas)
	}
	batch, err := newPodBatch(list, nil)
	if err != nil {
		return nil, err
	}
	defer batch.release(list)
	// C reads strings that Go holds, so their memory is pinned.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinned := func(texts []string) []C.libsched_str {
		out := make([]C.libsched_str, len(texts), len(texts)+1)
		for i, text := range texts {
			if text != "" {
				pinner.Pin(unsafe.StringData(text))
			}
			out[i] = str(text)
		}
		return out
	}
	texts, kindTexts := pinned(edits), pinned(kinds)
	var edited *C.libsched_edited
	err = c.change(func(k *C.libsched_cluster, e **C.libsched_error) C.libsched_rc {
		return C.lsgo_edit(k, unsafe.SliceData(texts), C.size_t(len(texts)), batch.list(),
			unsafe.SliceData(kindTexts), unsafe.SliceData(replicas), C.size_t(len(pods)), &edited, e)
	})
	if err != nil {
		return nil, err
	}
	defer C.libsched_edited_unref(edited)
	out := &Edited{
		Pods:  make([]EditedPod, C.libsched_edited_pod_count(edited)),
		Notes: make([]string, C.libsched_edited_note_count(edited)),
	}
	for i := range out.Pods {
		var origin, count C.size_t
		out.Pods[i].Pod = refPod(C.libsched_edited_pod(edited, C.size_t(i), &origin, &count))
		out.Pods[i].Replicas = int(count)
		if uint64(origin) < uint64(len(pods)) {
			out.Pods[i].Kind = pods[origin].Kind
		}
	}
	for i := range out.Notes {
		out.Notes[i] = goString(C.libsched_edited_note(edited, C.size_t(i)))
	}
	return out, nil
}
