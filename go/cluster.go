package libsched

// #include "bridge.h"
import "C"

import "sync"

// Cluster holds the state that decisions depend on, nodes with their pods, and supports cheap what-ifs.
// Every change happens completely or not at all. Calls on one cluster exclude each other.
type Cluster struct {
	reader
	core *clusterCore
}

// clusterCore is the part of a Cluster that the cleanup closes; it must not point to its Cluster.
type clusterCore struct {
	mu      sync.Mutex
	id      *C.libsched_view    // constant, for comparisons
	cluster *C.libsched_cluster // nil when closed
	view    *C.libsched_view
	// nested counts the calls of plugins within the call that holds mu; closed says whether one of them
	// closed the cluster.
	nested     int
	closeLater bool
	evaluators evaluators // one for each framework
	services   *Services  // nil until needed
}

// ClusterOption changes how a cluster is made.
type ClusterOption func(*C.libsched_cluster_options)

// InsertionOrder makes queries visit the nodes in the order in which they were added. By default they
// are visited in kube-scheduler's order, which alternates between zones.
func InsertionOrder() ClusterOption {
	return func(o *C.libsched_cluster_options) { o.node_order = C.LIBSCHED_ORDER_INSERTION }
}

// NewCluster returns an empty cluster.
func NewCluster(options ...ClusterOption) (*Cluster, error) {
	o := C.libsched_cluster_options{struct_size: C.sizeof_libsched_cluster_options}
	for _, option := range options {
		option(&o)
	}
	var ptr *C.libsched_cluster
	var failure *C.libsched_error
	if rc := C.libsched_cluster_create(&o, &ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownCluster(ptr), nil
}

// LoadCluster returns a cluster with the objects of a file. Errors: as ApplyFile.
func LoadCluster(path string, options ...ClusterOption) (*Cluster, error) {
	c, err := NewCluster(options...)
	if err != nil {
		return nil, err
	}
	if err := c.ApplyFile(path); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func ownCluster(ptr *C.libsched_cluster) *Cluster {
	view := C.libsched_cluster_view(ptr)
	core := &clusterCore{id: view, cluster: ptr, view: view}
	c := &Cluster{core: core}
	c.reader = reader{enter: core.enter, leave: core.unlock}
	closeWhenUnreachable(c, core)
	return c
}

// Close releases the cluster. Its snapshots stay valid.
func (c *Cluster) Close() {
	if c != nil {
		c.core.close()
	}
}

// lock excludes other calls, except those of a plugin that is asked about this cluster: its calls
// are part of the call that holds the lock.
func (k *clusterCore) lock() {
	if k.mu.TryLock() {
		return
	}
	if C.lsgo_inside(k.id) {
		k.nested++
		return
	}
	k.mu.Lock()
}

func (k *clusterCore) unlock() {
	if k.nested > 0 {
		k.nested--
		return
	}
	if k.closeLater {
		k.free()
	}
	k.mu.Unlock()
}

func (k *clusterCore) close() {
	k.lock()
	defer k.unlock()
	if k.nested > 0 {
		k.closeLater = true
		return
	}
	k.free()
}

func (k *clusterCore) free() {
	k.evaluators.free()
	C.libsched_cluster_unref(k.cluster)
	k.cluster, k.view, k.closeLater = nil, nil, false
}

func (k *clusterCore) enter() *C.libsched_view {
	k.lock()
	if k.view == nil {
		k.unlock()
		return nil
	}
	return k.view
}

func (c *Cluster) borrow(fw *Framework) (*evaluator, *C.libsched_view, error) {
	k := c.core
	k.lock()
	e, err := k.evaluator(c, fw)
	if err != nil {
		k.unlock()
		return nil, nil, err
	}
	return e, k.view, nil
}

func (c *Cluster) giveBack(*Framework, *evaluator) { c.core.unlock() }

func (k *clusterCore) evaluator(c *Cluster, fw *Framework) (*evaluator, error) {
	switch {
	case k.cluster == nil:
		return nil, closedError(c)
	case fw.h.closed():
		return nil, closedError(fw)
	}
	if i := k.evaluators.find(fw.h); i >= 0 {
		return k.evaluators[i], nil
	}
	k.evaluators.drop()
	services, err := k.own()
	if err != nil {
		return nil, err
	}
	e, err := newEvaluatorOnCluster(fw, k.cluster, services)
	if err == nil {
		k.evaluators = append(k.evaluators, e)
	}
	return e, err
}

// own returns the services, with mu held.
func (k *clusterCore) own() (*Services, error) {
	if k.services == nil {
		services, err := NewServices(ServicesOptions{})
		if err != nil {
			return nil, err
		}
		k.services = services
	}
	return k.services, nil
}

// Services returns the services that queries on this cluster use. Without SetServices the cluster has
// its own, as made by NewServices. Snapshots share them.
func (c *Cluster) Services() (*Services, error) {
	if c == nil {
		return nil, closedError(c)
	}
	k := c.core
	k.lock()
	defer k.unlock()
	if k.cluster == nil {
		return nil, closedError(c)
	}
	return k.own()
}

// SetServices makes queries on this cluster, and on its future snapshots, use other services.
func (c *Cluster) SetServices(services *Services) error {
	ptr, err := services.acquire()
	if err != nil {
		return err
	}
	defer services.core.release()
	return c.change(func(*C.libsched_cluster, **C.libsched_error) C.libsched_rc {
		k := c.core
		if k.nested > 0 {
			return C.LIBSCHED_ERR_MISUSE
		}
		k.services = services
		for _, e := range k.evaluators {
			C.libsched_evaluator_set_services(e.c.evaluator, ptr, nil) // none is busy
			e.c.frame.services, e.services = ptr, services
		}
		return C.LIBSCHED_OK
	})
}

// spare makes an evaluator for use without mu, for calls that read nothing in the cluster; scrap
// must follow.
func (k *clusterCore) spare(c *Cluster, fw *Framework) (*evaluator, error) {
	k.lock()
	defer k.unlock()
	if k.cluster == nil {
		return nil, closedError(c)
	}
	services, err := k.own()
	if err != nil {
		return nil, err
	}
	return newEvaluatorOnCluster(fw, k.cluster, services)
}

func (k *clusterCore) scrap(e *evaluator) {
	k.lock()
	defer k.unlock()
	e.free()
}

type changeFunc func(cluster *C.libsched_cluster, err **C.libsched_error) C.libsched_rc

// change makes one call that changes the cluster.
func (c *Cluster) change(call changeFunc) error {
	if c == nil {
		return closedError(c)
	}
	k := c.core
	k.lock()
	defer k.unlock()
	if k.cluster == nil {
		return closedError(c)
	}
	var failure *C.libsched_error
	rc := call(k.cluster, &failure)
	panicLost(k.id)
	return takeError(rc, failure)
}

// Apply parses a document and adds or replaces its objects: nodes, pods that have a nodeName and
// have not ended, and all other supported kinds. Pods that have no nodeName or have ended are not
// stored; an earlier version of such a pod is removed from the cluster. Applying the same document again
// changes nothing. Errors: as ParseObjects.
func (c *Cluster) Apply(document []byte, options ...ParseOption) error {
	objects, err := ParseObjects(document, options...)
	if err != nil {
		return err
	}
	defer objects.Close()
	return c.ApplyObjects(objects)
}

// ApplyFile is Apply for a file. Errors: as Apply, and ErrIO.
func (c *Cluster) ApplyFile(path string, options ...ParseOption) error {
	objects, err := LoadObjects(path, options...)
	if err != nil {
		return err
	}
	defer objects.Close()
	return c.ApplyObjects(objects)
}

// ApplyObjects is Apply for a parsed document.
func (c *Cluster) ApplyObjects(objects *Objects) error {
	if objects == nil {
		return closedError(objects)
	}
	ptr, ok := objects.h.acquire()
	if !ok {
		return closedError(objects)
	}
	defer objects.h.release()
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_apply(k, ptr, err)
	})
}

// AddNode adds a node. Errors: ErrExists.
func (c *Cluster) AddNode(node *Node) error { return c.AddNodes([]*Node{node}) }

// AddNodes adds all nodes or none. Errors: ErrExists, even for a node that is in the list twice.
func (c *Cluster) AddNodes(nodes []*Node) error {
	if len(nodes) == 0 {
		return c.change(func(*C.libsched_cluster, **C.libsched_error) C.libsched_rc {
			return C.LIBSCHED_OK
		})
	}
	list := make([]*C.libsched_node, 0, len(nodes))
	defer func() {
		for _, node := range nodes[:len(list)] {
			node.h.release()
		}
	}()
	for _, node := range nodes {
		ptr, ok := node.acquire()
		if !ok {
			return closedError(node)
		}
		list = append(list, ptr)
	}
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_add_nodes(k, &list[0], C.size_t(len(list)), err)
	})
}

// UpdateNode adds or replaces a node.
func (c *Cluster) UpdateNode(node *Node) error {
	ptr, ok := node.acquire()
	if !ok {
		return closedError(node)
	}
	defer node.h.release()
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_update_node(k, ptr, err)
	})
}

// RemoveNode removes a node. Its pods are kept aside and return with it. Errors: ErrNotFound.
func (c *Cluster) RemoveNode(name string) error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_remove_node(k, str(name), err)
	})
}

// AddPod puts a pod on a node; "" is the pod's own nodeName. The node may be missing;
// the pod waits for it. Errors: ErrExists, ErrInvalid if no node is named.
func (c *Cluster) AddPod(pod *Pod, node string) error {
	return c.AddPods([]*Pod{pod}, []string{node})
}

// AddPods adds all pods or none; pod i goes to nodes[i]. A nil `nodes`, or "" in it, stands for the
// pod's own nodeName. Errors: as AddPod, and ErrInvalid if the lengths differ.
func (c *Cluster) AddPods(pods []*Pod, nodes []string) error {
	if nodes != nil && len(nodes) != len(pods) {
		return &Error{Code: ErrInvalid, Msg: "as many node names as pods are needed, or none"}
	}
	batch, err := newPodBatch(pods, nodes)
	if err != nil {
		return err
	}
	defer batch.release(pods)
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.lsgo_add_pods(k, batch.list(), batch.text(), batch.lengthList(),
			C.size_t(len(pods)), err)
	})
}

// placePod calls change with the pod and its node.
func (c *Cluster) placePod(pod *Pod, node string, change func(k *C.libsched_cluster,
	ptr *C.libsched_pod, on C.libsched_str, err **C.libsched_error) C.libsched_rc) error {
	ptr, ok := pod.acquire()
	if !ok {
		return closedError(pod)
	}
	defer pod.h.release()
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return change(k, ptr, str(node), err)
	})
}

// UpdatePod adds or replaces a pod. A replaced pod is removed and added again, so it becomes the last
// on its node. "" is the pod's own nodeName. Errors: ErrInvalid if no node is named.
func (c *Cluster) UpdatePod(pod *Pod, node string) error {
	return c.placePod(pod, node, func(k *C.libsched_cluster, ptr *C.libsched_pod, on C.libsched_str,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_update_pod(k, ptr, on, err)
	})
}

// RemovePod removes a pod. Errors: ErrNotFound.
func (c *Cluster) RemovePod(namespace, name string) error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_remove_pod(k, str(namespace), str(name), err)
	})
}

// Assume puts a pod on a node until the API server confirms it (Apply or UpdatePod with the bound
// pod) or until Forget. Meanwhile it counts as if it ran there. "" is the pod's own nodeName. Assume calls
// no plugin; [Framework.Assume] does. Errors: ErrExists, ErrInvalid if no node is named.
func (c *Cluster) Assume(pod *Pod, node string) error {
	return c.placePod(pod, node, func(k *C.libsched_cluster, ptr *C.libsched_pod, on C.libsched_str,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_assume(k, ptr, on, err)
	})
}

// Forget takes an assumed pod off its node; it does nothing if the cluster does not have the pod.
// Errors: ErrState (the pod exists, but is not assumed).
func (c *Cluster) Forget(namespace, name string) error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_forget(k, str(namespace), str(name), err)
	})
}

// RemoveObject removes an object that is neither a pod nor a node, by its kind as in manifests; the
// namespace of a cluster-scoped kind is empty. Errors: ErrNotFound; ErrInvalid for a kind that a cluster
// does not store.
func (c *Cluster) RemoveObject(kind, namespace, name string) error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_remove_object(k, str(kind), str(namespace), str(name), err)
	})
}

// Fork marks the state: Revert undoes everything since the mark, Commit drops the mark. Forks nest
// without bound and cost nothing.
func (c *Cluster) Fork() error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_fork(k, err)
	})
}

// Commit keeps the changes since the last Fork. Errors: ErrState without an open fork.
func (c *Cluster) Commit() error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_commit(k, err)
	})
}

// Revert undoes the changes since the last Fork. Errors: ErrState without an open fork.
func (c *Cluster) Revert() error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_revert(k, err)
	})
}

// ForkDepth returns the number of open forks.
func (c *Cluster) ForkDepth() int {
	depth := 0
	_ = c.change(func(k *C.libsched_cluster, _ **C.libsched_error) C.libsched_rc { // 0 after Close
		depth = int(C.libsched_cluster_fork_depth(k))
		return C.LIBSCHED_OK
	})
	return depth
}

// Refresh updates the node order, as kube-scheduler does when a scheduling cycle starts.
// Queries call it by themselves.
func (c *Cluster) Refresh() error {
	return c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_refresh(k, err)
	})
}

// Clone returns an independent copy without open forks.
func (c *Cluster) Clone() (*Cluster, error) {
	var out *C.libsched_cluster
	err := c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_clone(k, &out, err)
	})
	if err != nil {
		return nil, err
	}
	return ownCluster(out), nil
}

// Snapshot returns an immutable copy that is safe for concurrent use. It may be taken inside a fork and
// outlives the revert. A further snapshot without a change in between costs nothing.
func (c *Cluster) Snapshot() (*Snapshot, error) {
	services, err := c.Services()
	if err != nil {
		return nil, err
	}
	var out *C.libsched_snapshot
	err = c.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cluster_snapshot(k, &out, err)
	})
	if err != nil {
		return nil, err
	}
	return ownSnapshot(out, services), nil
}
