package libsched

// #include "bridge.h"
import "C"

// Change is a part of what [Cluster.ApplyChanges] does: what [PutObjects], [PutNode], [PutPod] and
// [Remove] make.
type Change struct {
	add func(list *C.libsched_changes) error
}

// PutMode says what is done with an object that is put, by whether the cluster has one of its kind,
// namespace and name.
type PutMode uint32

const (
	PutApply   PutMode = C.LIBSCHED_PUT_APPLY   // as [Cluster.Apply] does
	PutUpdate  PutMode = C.LIBSCHED_PUT_UPDATE  // add or replace, also where nothing differs; a pod must have a node
	PutMissing PutMode = C.LIBSCHED_PUT_MISSING // add as PutApply does; what is there stays as it is
	PutNew     PutMode = C.LIBSCHED_PUT_NEW     // add; ErrExists if it is there; a pod must have a node

	// Flags for PutObjects: leave out the document's nodes, or its pods.
	PutNoNodes PutMode = C.LIBSCHED_PUT_NO_NODES
	PutNoPods  PutMode = C.LIBSCHED_PUT_NO_PODS
)

// PutObjects puts everything that a document holds.
func PutObjects(objects *Objects, mode PutMode) Change {
	return Change{func(list *C.libsched_changes) error {
		if objects == nil {
			return closedError(objects)
		}
		ptr, ok := objects.h.acquire()
		if !ok {
			return closedError(objects)
		}
		defer objects.h.release()
		var failure *C.libsched_error
		rc := C.libsched_changes_put_objects(list, ptr, C.uint32_t(mode), &failure)
		return takeError(rc, failure)
	}}
}

// PutNode puts a node.
func PutNode(node *Node, mode PutMode) Change {
	return Change{func(list *C.libsched_changes) error {
		ptr, ok := node.acquire()
		if !ok {
			return closedError(node)
		}
		defer node.h.release()
		var failure *C.libsched_error
		rc := C.libsched_changes_put_node(list, ptr, C.uint32_t(mode), &failure)
		return takeError(rc, failure)
	}}
}

// PutPod puts a pod on a node; "" is the pod's own nodeName.
func PutPod(pod *Pod, node string, mode PutMode) Change {
	return Change{func(list *C.libsched_changes) error {
		ptr, ok := pod.acquire()
		if !ok {
			return closedError(pod)
		}
		defer pod.h.release()
		var failure *C.libsched_error
		rc := C.libsched_changes_put_pod(list, ptr, str(node), C.uint32_t(mode), &failure)
		return takeError(rc, failure)
	}}
}

// Remove removes an object by its kind as in manifests ("Node", "Pod", "PersistentVolumeClaim"),
// namespace ("" for kinds without) and name.
func Remove(kind, namespace, name string) Change {
	return Change{func(list *C.libsched_changes) error {
		var failure *C.libsched_error
		rc := C.libsched_changes_remove(list, str(kind), str(namespace), str(name), &failure)
		return takeError(rc, failure)
	}}
}

// ApplyChanges makes all changes in their order, or none; each sees what those before it have done.
// It returns how many objects came, changed or went. Errors: ErrExists (PutNew), ErrNotFound (Remove),
// ErrInvalid (no node for a pod, a kind of which a cluster keeps no objects), ErrLimit.
func (c *Cluster) ApplyChanges(changes ...Change) (int, error) {
	var list *C.libsched_changes
	var failure *C.libsched_error
	if rc := C.libsched_changes_create(&list, &failure); rc != C.LIBSCHED_OK {
		return 0, takeError(rc, failure)
	}
	defer C.libsched_changes_unref(list)
	for _, change := range changes {
		if change.add == nil {
			return 0, &Error{Code: ErrMisuse, Msg: "an empty Change"}
		}
		if err := change.add(list); err != nil {
			return 0, err
		}
	}
	var count C.size_t
	err := c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_apply_changes(k, list, &count, err)
	})
	return int(count), err
}
