package questions

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"

	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	csisnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/csi/snapshot"
	drasnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/dynamicresources/snapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// Engine answers questions. The three methods beside the contract may use the engine's own loops;
// Consumers implements them by those of the autoscaler.
type Engine interface {
	clustersnapshot.ClusterSnapshot
	// Claims returns all claims of devices, without leave to change them.
	Claims() ([]*resourceapi.ResourceClaim, error)
	// ReplaceNode gives a node another content; its pods and its place stay.
	ReplaceNode(node *v1.Node) error
	// Place places pods as TrySchedulePods does without hints, and returns their nodes.
	Place(pods []*v1.Pod, stop bool, opts clustersnapshot.SchedulingOptions) ([]string, error)
	// Estimate returns the node of each pod of the groups, "" for none, and the number of nodes with pods.
	Estimate(groups []consumers.Group, template *framework.NodeInfo, limit int) (places []string, nodes int, err error)
	// Remove is SimulateNodeRemoval; the statuses are nil if the node stays.
	Remove(name string, destinations map[string]bool, keep bool) ([]consumers.Status, bool, error)
}

// Now is the time of all taints.
var Now = time.Unix(1700000000, 0)

// Consumers makes an Engine of any snapshot.
type Consumers struct {
	clustersnapshot.ClusterSnapshot
}

// Claims implements Engine.
func (c Consumers) Claims() ([]*resourceapi.ResourceClaim, error) { return c.ResourceClaims().List() }

// ReplaceNode implements Engine as the autoscaler does it.
func (c Consumers) ReplaceNode(node *v1.Node) error {
	info, err := c.GetNodeInfo(node.Name)
	if err != nil {
		return err
	}
	pods := info.Pods()
	if err := c.RemoveNodeInfo(node.Name); err != nil {
		return err
	}
	return c.AddNodeInfo(framework.NewNodeInfo(node, info.LocalResourceSlices, pods...).SetCSINode(info.CSINode))
}

// Place implements Engine.
func (c Consumers) Place(pods []*v1.Pod, stop bool, opts clustersnapshot.SchedulingOptions) ([]string, error) {
	result, err := consumers.NewHintingSimulator().TrySchedulePods(context.Background(), c.ClusterSnapshot, pods, stop, opts)
	places := make([]string, len(pods))
	for _, status := range result.Statuses {
		places[slices.Index(pods, status.Pod)] = status.NodeName
	}
	return places, err
}

// Estimate implements Engine.
func (c Consumers) Estimate(groups []consumers.Group, template *framework.NodeInfo, limit int) ([]string, int, error) {
	e := &consumers.Estimator{Snapshot: c.ClusterSnapshot, Limiter: &consumers.Limit{Nodes: limit}}
	got, err := e.Estimate(groups, template)
	at := map[*v1.Pod]string{}
	for i, pod := range got.Scheduled {
		at[pod] = got.Places[i]
	}
	var places []string
	for _, group := range groups {
		for _, pod := range group.Pods {
			places = append(places, at[pod])
		}
	}
	return places, got.Nodes, err
}

// Remove implements Engine.
func (c Consumers) Remove(name string, destinations map[string]bool, keep bool) ([]consumers.Status, bool, error) {
	r := consumers.NewRemovalSimulator(c.ClusterSnapshot, keep)
	r.Force = true
	yes, no := r.SimulateNodeRemoval(context.Background(), name, destinations, Now)
	if no != nil {
		if no.Reason == consumers.NoPlaceToMovePods {
			return nil, false, nil
		}
		return nil, false, fmt.Errorf("reason %d: %w", no.Reason, no.Err)
	}
	return yes.Statuses, true, nil
}

// state is what the asker knows of the cluster in a fork.
type state struct {
	nodes []*v1.Node
	pods  map[string][]*v1.Pod
}

func (s *state) clone() *state {
	c := &state{nodes: slices.Clone(s.nodes), pods: make(map[string][]*v1.Pod, len(s.pods))}
	for name, pods := range s.pods {
		c.pods[name] = slices.Clone(pods)
	}
	return c
}

// asker asks an engine.
type asker struct {
	r       *rand.Rand
	engine  Engine
	now     *state
	outside []*state // of the open forks
	kinds   []*v1.Pod
	specs   map[*v1.Pod]resourceapi.ResourceClaimSpec // of the claims that are made for pods of a kind
	waiting map[*v1.Pod][]*v1.Pod                     // of a kind: pods whose claims are there
	shapes  []*v1.Node
	rings   []clustersnapshot.NodeOrderMapping
	count   int // of names given
	answers []string
}

// Run asks so many questions and returns the answers, one text each.
func Run(seed int64, count int, engine Engine) ([]string, error) {
	r := rand.New(rand.NewSource(seed))
	a := &asker{r: r, engine: engine, now: &state{pods: map[string][]*v1.Pod{}},
		specs: map[*v1.Pod]resourceapi.ResourceClaimSpec{}, waiting: map[*v1.Pod][]*v1.Pod{}}
	for range 4 {
		a.shapes = append(a.shapes, shape(r))
	}
	var names []string
	size := 3 + r.Intn(15)
	if r.Intn(8) == 0 {
		size += 60 + r.Intn(140) // the library keeps verdicts of larger clusters
	}
	for i := range size {
		names = append(names, fmt.Sprint("n", i))
		a.now.nodes = append(a.now.nodes, named(r, shape(r), names[i]))
	}
	for i := range 12 {
		p := kind(r, i, names)
		if r.Intn(3) == 0 {
			a.needs(p)
		}
		if r.Intn(5) == 0 {
			mount(r, p)
		}
		a.kinds = append(a.kinds, p)
	}
	for range 3 {
		a.rings = append(a.rings, clustersnapshot.NewLastIndexOrderMapping(r.Intn(4)))
	}
	if err := a.begin(names); err != nil {
		return nil, err
	}
	for len(a.answers) < count {
		answer, err := a.ask()
		if err != nil {
			return a.answers, fmt.Errorf("seed %d, question %d: %w", seed, len(a.answers), err)
		}
		if answer != "" {
			a.answers = append(a.answers, answer)
		}
	}
	for range a.outside {
		engine.Revert()
	}
	return a.answers, nil
}

// begin makes the state of the cluster.
func (a *asker) begin(names []string) error {
	r := a.r
	claims := a.prepare()
	local, drivers := map[string][]*resourceapi.ResourceSlice{}, map[string]*storagev1.CSINode{}
	taken := map[string]map[string]bool{}
	for _, name := range names {
		if slices := cards(r, name, pick(r, 0, 0, 1, 2, 4)); slices != nil {
			local[name] = slices
		}
		drivers[name] = driver(r, name)
		taken[name] = map[string]bool{}
	}
	var pods []*v1.Pod
	for range r.Intn(3 * len(names)) {
		pod, claim := a.made(pick(r, a.kinds...))
		pod.Spec.NodeName = pick(r, names...)
		if claim != nil {
			give(claim, pod, pod.Spec.NodeName, local[pod.Spec.NodeName], taken[pod.Spec.NodeName])
			claims = append(claims, claim)
		}
		pods = append(pods, pod)
		a.now.pods[pod.Spec.NodeName] = append(a.now.pods[pod.Spec.NodeName], pod)
	}
	return a.engine.SetClusterState(a.now.nodes, pods, drasnapshot.NewSnapshot(claimsByName(claims), local, networks(r), classes()),
		csisnapshot.NewSnapshot(drivers))
}

func (a *asker) name(prefix string) string {
	a.count++
	return fmt.Sprint(prefix, a.count)
}

// pod returns a new pod of a random kind.
func (a *asker) pod() *v1.Pod { return a.podOf(pick(a.r, a.kinds...)) }

func (a *asker) podOf(kind *v1.Pod) *v1.Pod {
	if waiting := a.waiting[kind]; len(waiting) > 0 {
		a.waiting[kind] = waiting[1:]
		return waiting[0]
	}
	p, claim := a.made(kind)
	if claim != nil {
		if err := a.engine.DraSnapshot().AddClaims([]*resourceapi.ResourceClaim{claim}); err != nil {
			panic(err) // there is one of the name, which only a bug in the questions can cause
		}
	}
	return p
}

func (a *asker) node() *v1.Node { return pick(a.r, a.now.nodes...) }

// there returns a random pod with its node; nil if there is none.
func (a *asker) there() (*v1.Pod, string) {
	var names []string
	for _, n := range a.now.nodes {
		if len(a.now.pods[n.Name]) > 0 {
			names = append(names, n.Name)
		}
	}
	if len(names) == 0 {
		return nil, ""
	}
	name := pick(a.r, names...)
	return pick(a.r, a.now.pods[name]...), name
}

func (a *asker) put(pod *v1.Pod, node string) { a.now.pods[node] = append(a.now.pods[node], pod) }

func (a *asker) take(pod *v1.Pod, node string) {
	pods := a.now.pods[node]
	at := slices.Index(pods, pod)
	a.now.pods[node] = slices.Delete(slices.Clone(pods), at, at+1)
}

func (a *asker) drop(name string) {
	a.now.nodes = slices.DeleteFunc(slices.Clone(a.now.nodes), func(n *v1.Node) bool { return n.Name == name })
	delete(a.now.pods, name)
}

// verdict is the text of an answer.
func verdict(err clustersnapshot.SchedulingError) string {
	if err == nil {
		return "ok"
	}
	return fmt.Sprintf("%v %q %q %v", err.Type(), err.FailingPredicateName(), err.FailingPredicateReasons(), err)
}

// listing is the text of the whole state, in the order of nodes.
func listing(engine Engine) (string, error) {
	infos, err := engine.ListNodeInfos()
	if err != nil {
		return "", err
	}
	var out []string
	for _, info := range infos {
		var pods []string
		for _, pod := range info.Pods() {
			pods = append(pods, pod.Name)
		}
		slices.Sort(pods)
		out = append(out, fmt.Sprint(info.Node().Name, pods))
	}
	return strings.Join(out, " "), nil
}
