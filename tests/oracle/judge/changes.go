// Changes of nodes and bound pods between the pods of a case, through upstream's own cache: the
// state that the snapshot keeps (its order of nodes, the number of nodes that have an image) is
// visible.

package judge

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched.dev/tests/oracle/cases"
)

// world holds the latest objects given to the cache, by the keys of cases.Change.
type world struct {
	nodes map[string]*v1.Node
	pods  map[string]*v1.Pod
}

func newWorld(nodes []*v1.Node, bound []*v1.Pod) *world {
	w := &world{nodes: map[string]*v1.Node{}, pods: map[string]*v1.Pod{}}
	for _, n := range nodes {
		w.nodes["Node/"+n.Name] = n
	}
	for _, p := range bound {
		w.pods["Pod/"+PodKey(p)] = p
	}
	return w
}

func (e *engine) change(c *cases.Change) error {
	for _, key := range c.Delete {
		var err error
		if n, ok := e.world.nodes[key]; ok {
			err = e.cache.RemoveNode(e.logger, n)
			delete(e.world.nodes, key)
		} else if p, ok := e.world.pods[key]; ok {
			err = e.cache.RemovePod(e.logger, p)
			delete(e.world.pods, key)
		} else {
			err = fmt.Errorf("not there")
		}
		if err != nil {
			return fmt.Errorf("delete %q: %w", key, err)
		}
	}
	for i, raw := range c.Apply {
		obj, err := DecodeObject(raw, e.defaulter)
		if err != nil {
			return fmt.Errorf("apply[%d]: %w", i, err)
		}
		if err := e.applyObject(obj); err != nil {
			return fmt.Errorf("apply[%d]: %w", i, err)
		}
	}
	return nil
}

// applyObject adds or replaces an object. An unchanged object has no effect: an API server
// makes no new version of it, so informers do not deliver it.
func (e *engine) applyObject(obj runtime.Object) error {
	switch o := obj.(type) {
	case *v1.Node:
		key := "Node/" + o.Name
		if old, ok := e.world.nodes[key]; ok {
			if equality.Semantic.DeepEqual(old, o) {
				return nil
			}
			e.cache.UpdateNode(e.logger, old, o)
		} else {
			e.cache.AddNode(e.logger, o)
		}
		e.world.nodes[key] = o
	case *v1.Pod:
		if o.Spec.NodeName == "" {
			return fmt.Errorf("pod %s is not bound", PodKey(o))
		}
		key := "Pod/" + PodKey(o)
		old, ok := e.world.pods[key]
		if ok && equality.Semantic.DeepEqual(old, o) {
			return nil
		}
		if terminated(o) { // the scheduler's informer does not deliver such pods
			if !ok {
				return nil
			}
			delete(e.world.pods, key)
			return e.cache.RemovePod(e.logger, old)
		}
		e.world.pods[key] = o
		if ok {
			return e.cache.UpdatePod(e.logger, old, o)
		}
		return e.cache.AddPod(e.logger, o)
	default:
		return fmt.Errorf("%T cannot change, only nodes and bound pods can", obj)
	}
	return nil
}

// turn makes the changes before pod i, and begins its cycle.
func (e *engine) turn(all []cases.Change, i int) error {
	for k := range all {
		if all[k].Before != i {
			continue
		}
		if err := e.change(&all[k]); err != nil {
			return fmt.Errorf("changes[%d]: %w", k, err)
		}
	}
	return e.cache.UpdateSnapshot(e.logger, e.snapshot)
}

// order returns the order in which a cycle visits the nodes.
func (e *engine) order() ([]string, error) {
	infos, err := e.snapshot.NodeInfos().List()
	var names []string
	for _, info := range infos {
		names = append(names, info.Node().Name)
	}
	return names, err
}
