package libsched

// #include "bridge.h"
import "C"

// DaemonPods makes the pods of a DaemonSet as its controller does, given its pod template, which is named
// after it: one for each node whose name, labels and taints allow it and that has none of it yet. Each has the
// controller's tolerations, is required to run on its node, and is named after both.
func (r *reader) DaemonPods(template *Pod) ([]*Pod, error) {
	ptr, ok := template.acquire()
	if !ok {
		return nil, closedError(template)
	}
	defer template.h.release()
	var out []*Pod
	var failed error
	view := r.enter()
	if view == nil {
		return nil, &Error{Code: ErrMisuse, Msg: "the view is closed"}
	}
	defer r.leave()
	for row := C.uint32_t(0); C.size_t(row) < C.libsched_view_row_count(view) && failed == nil; row++ {
		if !C.libsched_daemon_wants(view, row, ptr) {
			continue
		}
		node := C.libsched_node_name(C.libsched_view_node(view, row))
		var pod *C.libsched_pod
		var e *C.libsched_error
		name := template.Name() + "-" + goString(node)
		if rc := C.libsched_daemon_pod(ptr, node, str(name), &pod, &e); rc != C.LIBSCHED_OK {
			failed = takeError(rc, e)
			continue
		}
		out = append(out, ownPod(pod))
	}
	return out, failed
}

// MissingClaims makes the claims that controllers make for a pod and the view lacks: PersistentVolumeClaims, one
// for each of a StatefulSet's volumeClaimTemplates, and ResourceClaims, one for each of the pod's
// spec.resourceClaims with a resourceClaimTemplateName. The pod is any pod; only the pod template of a StatefulSet,
// which stands for the first pod, and copies of it with a pod's name have volumeClaimTemplates. ResourceClaims
// are named "POD-ENTRY-xxxxx", the same for the same view and pod; PodWithClaims makes the pod that names them.
// Questions that place pods make these claims themselves; for others put them into the cluster by PutObjects.
// Errors: ErrNotFound (a ResourceClaimTemplate).
func (r *reader) MissingClaims(pod *Pod) (*Objects, error) {
	var made *C.libsched_objects
	err := r.ask(pod, func(view *C.libsched_view, of *C.libsched_pod, e **C.libsched_error) C.libsched_rc {
		return C.libsched_missing_claims(view, of, &made, e)
	})
	if err != nil {
		return nil, err
	}
	return ownObjects(made), nil
}

// PodWithClaims makes the pod that names its ResourceClaims from templates in status.resourceClaimStatuses: those
// that the view has, and those that MissingClaims makes. Errors: those of MissingClaims.
func (r *reader) PodWithClaims(pod *Pod) (*Pod, error) {
	var made *C.libsched_pod
	err := r.ask(pod, func(view *C.libsched_view, of *C.libsched_pod, e **C.libsched_error) C.libsched_rc {
		return C.libsched_pod_with_claims(view, of, &made, e)
	})
	if err != nil {
		return nil, err
	}
	return ownPod(made), nil
}

// ask calls the C library with a pod while the view is open.
func (r *reader) ask(pod *Pod,
	call func(view *C.libsched_view, of *C.libsched_pod, e **C.libsched_error) C.libsched_rc) error {
	ptr, ok := pod.acquire()
	if !ok {
		return closedError(pod)
	}
	defer pod.h.release()
	view := r.enter()
	if view == nil {
		return &Error{Code: ErrMisuse, Msg: "the view is closed"}
	}
	defer r.leave()
	var e *C.libsched_error
	if rc := call(view, ptr, &e); rc != C.LIBSCHED_OK {
		return takeError(rc, e)
	}
	return nil
}
