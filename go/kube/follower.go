package kube

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
)

// Follower keeps a Sim like a cluster. It is an event handler for client-go's informers of any kind that a Sim
// keeps: any goroutine delivers events, and the Sim's goroutine applies them by Sync, so that nothing changes
// within a loop. Events of one object that come between two Syncs count as the latest one.
type Follower struct {
	sim *Sim

	mu      sync.Mutex
	pending map[objectKey]runtime.Object // nil: deleted
	order   []objectKey                  // of the first events

	// Of the Sim's goroutine.
	nodes map[string]followedNode
	pods  map[objectKey]*followedPod
	on    map[string]map[objectKey]*followedPod // by node, which may not be there yet
}

type objectKey struct{ kind, namespace, name string }

type followedNode struct {
	id  libsched.NodeID
	ref libsched.NodeRef
}

type followedPod struct {
	pod  *v1.Pod
	ref  libsched.PodRef // valid while it is placed
	node string
	id   libsched.PodID // 0: its node is not there
}

// NewFollower returns a follower of an empty Sim.
func NewFollower(sim *Sim) *Follower {
	return &Follower{sim: sim, pending: map[objectKey]runtime.Object{}, nodes: map[string]followedNode{},
		pods: map[objectKey]*followedPod{}, on: map[string]map[objectKey]*followedPod{}}
}

// OnAdd delivers an object that is new. For something that is no object of a known kind Sync returns an error.
func (f *Follower) OnAdd(object any, isInInitialList bool) { f.deliver(object, false) }

// OnUpdate delivers an object that has changed.
func (f *Follower) OnUpdate(before, after any) { f.deliver(after, false) }

// OnDelete delivers an object that is gone, or what client-go delivers if it has missed the event.
func (f *Follower) OnDelete(object any) {
	if _, ok := object.(runtime.Object); !ok {
		// cache.DeletedFinalStateUnknown, a struct with the last known object
		v := reflect.Indirect(reflect.ValueOf(object))
		if v.Kind() == reflect.Struct {
			if inner := v.FieldByName("Obj"); inner.IsValid() && inner.CanInterface() {
				object = inner.Interface()
			}
		}
	}
	f.deliver(object, true)
}

func (f *Follower) deliver(object any, deleted bool) {
	key, value := objectKey{}, runtime.Object(nil)
	if o, ok := object.(runtime.Object); ok {
		if accessor, err := meta.Accessor(o); err == nil {
			if t, err := typeOf(o); err == nil {
				key = objectKey{t.Kind, accessor.GetNamespace(), accessor.GetName()}
			}
		}
		value = o
	}
	if key.kind == "" {
		key = objectKey{kind: "?", name: fmt.Sprintf("%T", object)}
	} else if deleted {
		value = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.pending[key]; !known {
		f.order = append(f.order, key)
	}
	f.pending[key] = value
}

// Node returns the node of a name, as of the latest Sync.
func (f *Follower) Node(name string) (libsched.NodeID, bool) {
	node, ok := f.nodes[name]
	return node.id, ok
}

// Pod returns the place of a pod, as of the latest Sync. It is false for a pod that is on no node.
func (f *Follower) Pod(namespace, name string) (libsched.PodID, bool) {
	pod := f.pods[objectKey{"Pod", namespace, name}]
	if pod == nil || pod.id == 0 {
		return 0, false
	}
	return pod.id, true
}

// Sync applies the events that were delivered: other objects, then nodes, then pods. An event whose object
// the Sim refuses is left out, and the error, which joins all of them, names the object. Errors:
// libsched.ErrState (a fork is open; the events wait).
func (f *Follower) Sync() error {
	if f.sim == nil {
		return &libsched.Error{Code: libsched.ErrMisuse, Msg: "nil Sim"}
	}
	defer f.sim.catalog.Hold().Release()
	if depth := f.sim.Depth(); depth != 0 {
		return &libsched.Error{Code: libsched.ErrState, Msg: fmt.Sprintf("%d forks are open", depth)}
	}
	f.mu.Lock()
	order, pending := f.order, f.pending
	f.order, f.pending = nil, map[objectKey]runtime.Object{}
	f.mu.Unlock()
	var failed []error
	var pods []objectKey
	steps := []func(objectKey, runtime.Object) error{f.syncOther, f.syncNode}
	for step, apply := range steps {
		for _, key := range order {
			if key.kind == "Pod" {
				if step == 0 {
					pods = append(pods, key)
				}
				continue
			}
			if (key.kind == "Node") != (step == 1) {
				continue
			}
			if err := apply(key, pending[key]); err != nil {
				failed = append(failed, fmt.Errorf("%s %s/%s: %w", key.kind, key.namespace, key.name, err))
			}
		}
	}
	failed = append(failed, f.syncPods(pods, pending)...)
	return errors.Join(failed...)
}

func (f *Follower) syncOther(key objectKey, object runtime.Object) error {
	if key.kind == "?" {
		return &libsched.Error{Code: libsched.ErrUnsupported, Msg: "it has no apiVersion, kind and name"}
	}
	if object != nil {
		return f.sim.Set(object)
	}
	if err := f.sim.Unset(key.kind, key.namespace, key.name); !errors.Is(err, libsched.ErrNotFound) {
		return err
	}
	return nil // it came and went between two calls of Sync
}

func (f *Follower) syncNode(key objectKey, object runtime.Object) error {
	known, here := f.nodes[key.name]
	node, _ := object.(*v1.Node)
	if node == nil {
		if !here {
			return nil
		}
		if err := f.sim.RemoveNode(known.id); err != nil {
			return err
		}
		delete(f.nodes, key.name)
		for _, pod := range f.on[key.name] {
			pod.id = 0
		}
		return nil
	}
	ref, err := f.sim.catalog.Node(node)
	if err != nil {
		return err
	}
	if here {
		if known.ref == ref { // a heartbeat
			return nil
		}
		if err := f.sim.ReplaceNode(known.id, ref); err != nil {
			return err
		}
		f.nodes[key.name] = followedNode{known.id, ref}
		return nil
	}
	id, err := f.sim.AddNode(ref, key.name)
	if err != nil {
		return err
	}
	f.nodes[key.name] = followedNode{id, ref}
	var waiting []*followedPod // they were there before it
	for _, pod := range f.on[key.name] {
		waiting = append(waiting, pod)
	}
	slices.SortFunc(waiting, func(a, b *followedPod) int {
		return cmp.Or(cmp.Compare(a.pod.Namespace, b.pod.Namespace), cmp.Compare(a.pod.Name, b.pod.Name))
	})
	for _, pod := range waiting {
		if pod.ref, err = f.sim.catalog.Placed(pod.pod); err != nil {
			return err
		}
		if pod.id, err = f.sim.AddPod(pod.ref, id); err != nil {
			return err
		}
	}
	return nil
}

// syncPods removes the pods that have gone or changed in one call, and adds those that are there in another.
func (f *Follower) syncPods(keys []objectKey, pending map[objectKey]runtime.Object) (failed []error) {
	var gone []libsched.PodID
	var added []*followedPod
	var pods []libsched.PodRef
	var nodes []libsched.NodeID
	for _, key := range keys {
		known := f.pods[key]
		pod, _ := pending[key].(*v1.Pod)
		next := &followedPod{}
		if pod != nil && running(pod) {
			ref, err := f.sim.catalog.Placed(pod)
			if err != nil {
				failed = append(failed, fmt.Errorf("Pod %s/%s: %w", key.namespace, key.name, err))
			} else {
				next.pod, next.ref, next.node = pod, ref, pod.Spec.NodeName
			}
		}
		if known != nil {
			if known.ref == next.ref && known.node == next.node && known.id != 0 {
				known.pod = pod
				continue
			}
			if known.id != 0 {
				gone = append(gone, known.id)
			}
			delete(f.pods, key)
			delete(f.on[known.node], key)
		}
		if next.ref == 0 {
			continue
		}
		f.pods[key] = next
		if f.on[next.node] == nil {
			f.on[next.node] = map[objectKey]*followedPod{}
		}
		f.on[next.node][key] = next
		if node, here := f.nodes[next.node]; here {
			added, pods, nodes = append(added, next), append(pods, next.ref), append(nodes, node.id)
		}
	}
	if err := f.sim.RemovePods(gone...); err != nil {
		failed = append(failed, err)
	}
	ids := make([]libsched.PodID, len(added))
	if err := f.sim.AddPods(pods, nodes, ids); err != nil {
		failed = append(failed, err)
	}
	for i, pod := range added {
		pod.id = ids[i]
	}
	return failed
}
