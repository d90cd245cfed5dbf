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
// for each of a StatefulSet's volumeClaimTemplates and of the pod's generic ephemeral volumes, and ResourceClaims, one
// for each of the pod's spec.resourceClaims with a resourceClaimTemplateName. The pod is any pod; only the pod template of a StatefulSet,
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

// AdmissionRemark is a remark of admission on an object.
type AdmissionRemark struct {
	Kind   string `json:"kind"`   // "Pod", or that of a workload or a PersistentVolumeClaim
	Object string `json:"object"` // "default/web"
	Text   string `json:"text"`
}

// Admission is what the API server's admission says about objects that are created.
type Admission struct {
	Notes    []AdmissionRemark `json:"notes"`    // what was done
	Refusals []AdmissionRemark `json:"refusals"` // what the API server would answer instead
	Warnings []AdmissionRemark `json:"warnings"` // what is not imitated
}

// AdmitObjects makes of objects that are created what the API server's admission makes: LimitRanges and
// RuntimeClasses, the default StorageClass, PriorityClasses, and the tolerations of DefaultTolerationSeconds. Objects
// of a dump have been admitted before, and no question admits by itself. The result has the pods, pod templates and
// PersistentVolumeClaims as they are then; a claim that the view has is left alone. An object that the API server
// refuses is admitted as far as possible.
func (r *reader) AdmitObjects(objects *Objects) (*Objects, Admission, error) {
	if objects == nil {
		return nil, Admission{}, closedError(objects)
	}
	ptr, ok := objects.h.acquire()
	if !ok {
		return nil, Admission{}, closedError(objects)
	}
	defer objects.h.release()
	view := r.enter()
	if view == nil {
		return nil, Admission{}, &Error{Code: ErrMisuse, Msg: "the view is closed"}
	}
	defer r.leave()
	var made *C.libsched_objects
	var report *C.libsched_text
	var e *C.libsched_error
	if rc := C.libsched_admit_objects(view, ptr, &made, &report, &e); rc != C.LIBSCHED_OK {
		return nil, Admission{}, takeError(rc, e)
	}
	said, err := readJSON[Admission]("a report of admission", takeText(report), nil)
	return ownObjects(made), said, err
}

// AdmitPod is as AdmitObjects, of one pod.
func (r *reader) AdmitPod(pod *Pod) (*Pod, Admission, error) {
	var made *C.libsched_pod
	var report *C.libsched_text
	err := r.ask(pod, func(view *C.libsched_view, of *C.libsched_pod, e **C.libsched_error) C.libsched_rc {
		return C.libsched_admit_pod(view, of, &made, &report, e)
	})
	if err != nil {
		return nil, Admission{}, err
	}
	said, err := readJSON[Admission]("a report of admission", takeText(report), nil)
	return ownPod(made), said, err
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
