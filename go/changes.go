package libsched

// #include "bridge.h"
import "C"

// Change is one change for [Cluster.ApplyChanges], made by [PutObjects], [PutNode], [PutPod] or
// [Remove].
type Change struct {
	add func(list *C.libsched_changes) error
}

// PutMode says how an object is put, depending on whether the cluster has an object of its kind,
// namespace and name.
type PutMode uint32

const (
	PutApply   PutMode = C.LIBSCHED_PUT_APPLY   // as [Cluster.Apply] does
	PutUpdate  PutMode = C.LIBSCHED_PUT_UPDATE  // add or replace, even if nothing differs; a pod must have a node
	PutMissing PutMode = C.LIBSCHED_PUT_MISSING // add as PutApply does; an existing object stays as it is
	PutNew     PutMode = C.LIBSCHED_PUT_NEW     // add; ErrExists if it exists; a pod must have a node

	// Flags for PutObjects that skip the document's nodes, or its pods.
	PutNoNodes PutMode = C.LIBSCHED_PUT_NO_NODES
	PutNoPods  PutMode = C.LIBSCHED_PUT_NO_PODS
)

// PutObjects puts all objects of a document.
func PutObjects(objects *Objects, mode PutMode) Change {
	return put(objects, func(o *Objects) *handle[*C.libsched_objects] { return o.h }, func(list *C.libsched_changes, ptr *C.libsched_objects,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_changes_put_objects(list, ptr, C.uint32_t(mode), err)
	})
}

// PutNode puts a node.
func PutNode(node *Node, mode PutMode) Change {
	return put(node, func(n *Node) *handle[*C.libsched_node] { return n.h }, func(list *C.libsched_changes, ptr *C.libsched_node,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_changes_put_node(list, ptr, C.uint32_t(mode), err)
	})
}

// PutPod puts a pod on a node; "" is the pod's own nodeName.
func PutPod(pod *Pod, node string, mode PutMode) Change {
	return put(pod, func(p *Pod) *handle[*C.libsched_pod] { return p.h }, func(list *C.libsched_changes, ptr *C.libsched_pod,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_changes_put_pod(list, ptr, str(node), C.uint32_t(mode), err)
	})
}

// put makes a Change of one put, with the handle open.
func put[P comparable, T any](what *T, of func(*T) *handle[P], add func(list *C.libsched_changes, ptr P,
	err **C.libsched_error) C.libsched_rc) Change {
	return Change{func(list *C.libsched_changes) error {
		if what == nil {
			return closedError(what)
		}
		h := of(what)
		ptr, ok := h.acquire()
		if !ok {
			return closedError(what)
		}
		defer h.release()
		var failure *C.libsched_error
		rc := add(list, ptr, &failure)
		return takeError(rc, failure)
	}}
}

// Remove removes an object by its kind as in manifests ("Node", "Pod", "PersistentVolumeClaim"),
// namespace ("" for cluster-scoped kinds) and name.
func Remove(kind, namespace, name string) Change {
	return Change{func(list *C.libsched_changes) error {
		var failure *C.libsched_error
		rc := C.libsched_changes_remove(list, str(kind), str(namespace), str(name), &failure)
		return takeError(rc, failure)
	}}
}

// ApplyChanges makes all changes in their order, or none; each sees the effect of those before it.
// It returns the number of objects added, changed or removed. Errors: ErrExists (PutNew), ErrNotFound
// (Remove), ErrInvalid (no node for a pod, a kind that a cluster does not store), ErrLimit.
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
