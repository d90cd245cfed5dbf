package kube

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
)

// Sim is a libsched.Sim that takes objects of k8s.io/api. As that, it is for one goroutine at a time.
type Sim struct {
	*libsched.Sim
	catalog *Catalog

	names []string
	nodes []libsched.NodeRef
	pods  []libsched.PodRef
}

// NewSim returns an empty cluster with the plugins of a framework. Errors: as libsched.NewSim.
func NewSim(fw *libsched.Framework, catalog *Catalog) (*Sim, error) {
	if catalog == nil {
		return nil, errNilCatalog
	}
	s, err := libsched.NewSim(fw, catalog.catalog)
	if err != nil {
		return nil, err
	}
	return &Sim{Sim: s, catalog: catalog}, nil
}

// Catalog returns the catalog that NewSim was given.
func (s *Sim) Catalog() *Catalog { return s.catalog }

// Loaded says what became of the objects of ResetTo, by their indexes.
type Loaded struct {
	Nodes []libsched.NodeID
	Pods  []libsched.PodID // 0: the pod has no node, none of the given ones, or it has ended
}

// running tells whether a pod takes room on a node.
func running(pod *v1.Pod) bool {
	return pod.Spec.NodeName != "" && pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed
}

// ResetTo ends all forks and replaces all nodes and pods, in one call of the library beside that for new
// contents; other objects stay. Errors: those of Catalog.Pod and libsched.Sim.Reset.
func (s *Sim) ResetTo(nodes []*v1.Node, pods []*v1.Pod) (Loaded, error) {
	defer s.catalog.Hold().Release()
	var err error
	if s.nodes, err = s.catalog.Nodes(nodes, s.nodes); err != nil {
		return Loaded{}, err
	}
	at := make(map[string]int, len(nodes))
	s.names = s.names[:0]
	for i, node := range nodes {
		s.names = append(s.names, node.Name)
		at[node.Name] = i
	}
	var here []*v1.Pod
	var indexes []int
	for i, pod := range pods {
		if pod == nil {
			return Loaded{}, &libsched.Error{Code: libsched.ErrMisuse, Msg: fmt.Sprintf("pod %d is nil", i)}
		}
		if _, known := at[pod.Spec.NodeName]; known && running(pod) {
			here, indexes = append(here, pod), append(indexes, i)
		}
	}
	if s.pods, err = s.catalog.PlacedPods(here, s.pods); err != nil {
		return Loaded{}, atIndex(err, indexes)
	}
	places := make([]libsched.SimPod, len(here))
	for i, pod := range here {
		places[i] = libsched.SimPod{Pod: s.pods[i], Node: at[pod.Spec.NodeName]}
	}
	out := Loaded{make([]libsched.NodeID, len(nodes)), make([]libsched.PodID, len(pods))}
	ids := make([]libsched.PodID, len(here))
	if err := s.Reset(s.nodes, s.names, places, out.Nodes, ids); err != nil {
		return Loaded{}, err
	}
	for i, index := range indexes {
		out.Pods[index] = ids[i]
	}
	return out, nil
}

// Lister is a lister of client-go.
type Lister[T any] interface {
	List(selector labels.Selector) ([]T, error)
}

// ResetFrom is ResetTo with all nodes and pods of two listers. It returns them beside their ids.
func (s *Sim) ResetFrom(nodes Lister[*v1.Node], pods Lister[*v1.Pod]) ([]*v1.Node, []*v1.Pod, Loaded, error) {
	if nodes == nil || pods == nil {
		return nil, nil, Loaded{}, &libsched.Error{Code: libsched.ErrMisuse, Msg: "nil Lister"}
	}
	allNodes, err := nodes.List(labels.Everything())
	if err != nil {
		return nil, nil, Loaded{}, err
	}
	allPods, err := pods.List(labels.Everything())
	if err != nil {
		return nil, nil, Loaded{}, err
	}
	loaded, err := s.ResetTo(allNodes, allPods)
	return allNodes, allPods, loaded, err
}

// Set adds or replaces objects that are neither pods nor nodes (CSINode, PersistentVolume, StorageClass,
// Namespace and so on), also in a fork. Errors: libsched.ErrUnsupported (a kind that is not kept), ErrInvalid
// (also a pod or a node), ErrMisuse (nil).
func (s *Sim) Set(objects ...runtime.Object) error {
	if len(objects) == 0 {
		return nil
	}
	parsed, err := parseObjects(objects)
	if err != nil {
		return err
	}
	defer parsed.Close()
	return s.PutObjects(parsed)
}

// ResetObjects does the same and removes all others of such objects: after it there are these alone.
func (s *Sim) ResetObjects(objects ...runtime.Object) error {
	parsed, err := parseObjects(objects)
	if err != nil {
		return err
	}
	defer parsed.Close()
	return s.Sim.ResetObjects(parsed)
}

// Get writes an object of such a kind to `into`, which is empty: a ResourceClaim has the devices that pods took
// when they were placed. It has the fields that the library reads. Errors: libsched.ErrNotFound, ErrInvalid and
// ErrUnsupported (a kind that is not kept), ErrMisuse (nil).
func (s *Sim) Get(namespace, name string, into runtime.Object) error {
	if into == nil {
		return &libsched.Error{Code: libsched.ErrMisuse, Msg: "a nil object"}
	}
	kind, err := typeOf(into)
	if err != nil {
		return err
	}
	items, err := s.items(kind.Kind, namespace, name)
	if err != nil {
		return err
	}
	if len(items) == 0 || name == "" {
		return &libsched.Error{Code: libsched.ErrNotFound, Msg: fmt.Sprintf("no %s %q in the simulated cluster", kind.Kind, name)}
	}
	return decode(items[0], into)
}

// ResourceClaims returns all claims as they are now. libsched.Sim.ObjectsVersion("ResourceClaim") tells whether
// they are as before.
func (s *Sim) ResourceClaims() ([]*resourcev1.ResourceClaim, error) {
	items, err := s.items("ResourceClaim", "", "")
	if err != nil {
		return nil, err
	}
	claims := make([]*resourcev1.ResourceClaim, len(items))
	for i, item := range items {
		claims[i] = &resourcev1.ResourceClaim{}
		if err := decode(item, claims[i]); err != nil {
			return nil, err
		}
	}
	return claims, nil
}

func (s *Sim) items(kind, namespace, name string) ([]json.RawMessage, error) {
	text, err := s.ObjectsJSON(kind, namespace, name)
	if err != nil {
		return nil, err
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, &libsched.Error{Code: libsched.ErrInternal, Msg: err.Error()}
	}
	return list.Items, nil
}

func decode(text []byte, into runtime.Object) error {
	if err := json.Unmarshal(text, into); err != nil {
		return &libsched.Error{Code: libsched.ErrInternal, Msg: err.Error()}
	}
	return nil
}

// Unset removes such an object. Errors: libsched.ErrNotFound, ErrInvalid (a kind that is not kept).
func (s *Sim) Unset(kind, namespace, name string) error { return s.RemoveObject(kind, namespace, name) }

// Put puts a pod onto a node, without asking whether it fits. Errors: those of Catalog.Placed and
// libsched.Sim.AddPod.
func (s *Sim) Put(pod *v1.Pod, node libsched.NodeID) (libsched.PodID, error) {
	defer s.catalog.Hold().Release()
	ref, err := s.catalog.Placed(pod)
	if err != nil {
		return 0, err
	}
	return s.AddPod(ref, node)
}

// Add adds a node behind all others. Errors: those of Catalog.Node and libsched.Sim.AddNode.
func (s *Sim) Add(node *v1.Node) (libsched.NodeID, error) {
	defer s.catalog.Hold().Release()
	ref, err := s.catalog.Node(node)
	if err != nil {
		return 0, err
	}
	return s.AddNode(ref, node.Name)
}
