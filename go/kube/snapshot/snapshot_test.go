package snapshot_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"
)

func node(name, cpu string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name}},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse("4Gi"),
			v1.ResourcePods: resource.MustParse("10"), "example.com/gpu": resource.MustParse("2")}},
	}
}

func pod(name, cpu string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}}}}},
	}
}

func on(node string, p *v1.Pod) *v1.Pod { p.Spec.NodeName = node; return p }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fits fails the test for a SchedulingError, whose nil would not be a nil error.
func fits(t *testing.T, err *snapshot.SchedulingError) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, options snapshot.Options, nodes []*v1.Node, pods ...*v1.Pod) *snapshot.Snapshot {
	t.Helper()
	fw, err := libsched.NewFramework()
	check(t, err)
	catalog, err := kube.NewCatalog(kube.CatalogOptions{})
	check(t, err)
	s, err := snapshot.New(fw, catalog, options)
	check(t, err)
	t.Cleanup(func() { s.Close(); catalog.Close(); fw.Close() })
	check(t, s.SetClusterState(nodes, pods))
	return s
}

// state is all that a Snapshot shows, and what the Sim has behind it.
func state(t *testing.T, s *snapshot.Snapshot) string {
	t.Helper()
	var out []string
	for i, info := range s.ListNodeInfos() {
		if again, err := s.GetNodeInfo(info.Node().Name); again != info || err != nil {
			t.Errorf("%s: %v %v", info.Node().Name, again, err)
		}
		if at := s.Sim().Position(info.ID()); at != i || s.Sim().Name(info.ID()) != info.Node().Name {
			t.Errorf("%s is at %d of the list and at %d of the Sim", info.Node().Name, i, at)
		}
		var pods []string
		for _, p := range info.Pods() {
			pods = append(pods, p.Name)
		}
		slices.Sort(pods)
		if len(s.Sim().PodsOn(info.ID(), nil)) != len(pods) || info.PodCount() != len(pods) {
			t.Errorf("%s has %d pods, and %d in the Sim", info.Node().Name, len(pods), len(s.Sim().PodsOn(info.ID(), nil)))
		}
		out = append(out, fmt.Sprintf("%s%v%d/%d", info.Node().Name, pods, info.Requested().MilliCPU, info.Allocatable().MilliCPU))
	}
	return strings.Join(out, " ")
}

func want(t *testing.T, s *snapshot.Snapshot, text string) {
	t.Helper()
	if got := state(t, s); got != text {
		t.Errorf("%s\nwant %s", got, text)
	}
}

func TestForks(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "1")}, on("a", pod("p", "1")), on("a", pod("q", "500m")), on("nowhere", pod("lost", "1")))
	before := "a[p q]1500/2000 b[]0/1000"
	want(t, s, before)
	a, err := s.GetNodeInfo("a")
	check(t, err)
	list := s.ListNodeInfos()
	s.Fork()
	fits(t, s.SchedulePod(pod("r", "500m"), "a"))
	check(t, s.UnschedulePod("default", "p", "a"))
	check(t, s.AddNodeInfo(node("c", "3"), pod("d", "100m")))
	want(t, s, "a[q r]1000/2000 b[]0/1000 c[d]100/3000")
	s.Fork()
	check(t, s.RemoveNodeInfo("b"))
	check(t, s.ForceAddPod(pod("s", "9"), "c"))
	bigger := node("a", "8")
	check(t, s.ReplaceNode(bigger))
	want(t, s, "a[q r]1000/8000 c[d s]9100/3000")
	if a.Node() != bigger || a.PodCount() != 2 {
		t.Error("a NodeInfo follows the changes")
	}
	s.Fork()
	check(t, s.RemoveNodeInfo("a"))
	check(t, s.AddNodeInfo(node("a", "1"), pod("t", "1"))) // takes the place
	want(t, s, "a[t]1000/1000 c[d s]9100/3000")
	check(t, s.RemoveNodeInfo("a"))
	if _, failed := s.SchedulePodOnAnyNodeMatching(pod("x", "1"), snapshot.Search{}); failed == nil { // it leaves
		t.Error("c is full")
	}
	check(t, s.AddNodeInfo(node("a", "1")))
	want(t, s, "c[d s]9100/3000 a[]0/1000")
	s.Revert()
	want(t, s, "a[q r]1000/8000 c[d s]9100/3000")
	check(t, s.Commit())
	want(t, s, "a[q r]1000/8000 c[d s]9100/3000")
	s.Revert()
	want(t, s, before)
	if now, _ := s.GetNodeInfo("a"); now != a || len(list) != 2 || list[0] != a {
		t.Error("NodeInfos come back")
	}
	s.Revert() // without a fork: no effect
	check(t, s.Commit())
	want(t, s, before)
}

func TestRemoveAndRevertAtOnce(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "1")}, on("a", pod("p", "1")))
	for _, end := range []func(){s.Revert, func() { check(t, s.Commit()); s.Revert() }} {
		s.Fork()
		s.Fork()
		check(t, s.RemoveNodeInfo("a"))
		end()
		s.Revert()
		want(t, s, "a[p]1000/2000 b[]0/1000")
	}
}

func TestWithFork(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2")})
	failure := errors.New("failure")
	for _, keep := range []bool{false, true} {
		result, cleanup := s.WithFork(func() (bool, error) { return keep, errors.Join(s.ForceAddPod(pod("p", "1"), "a"), failure) })
		if !errors.Is(result, failure) || cleanup != nil {
			t.Error(result, cleanup)
		}
		want(t, s, map[bool]string{false: "a[]0/2000", true: "a[p]1000/2000"}[keep])
	}
	func() {
		defer func() { recover() }()
		s.WithFork(func() (bool, error) { check(t, s.RemoveNodeInfo("a")); panic("f") })
	}()
	want(t, s, "a[p]1000/2000")
}

func TestAmounts(t *testing.T) {
	hungry := pod("p", "1500m")
	hungry.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2")}, on("a", hungry))
	info := s.ListNodeInfos()[0]
	if got := info.Requested(); got.MilliCPU != 1500 || got.Pods != 1 || got.Others["example.com/gpu"] != 1 || len(got.Others) != 1 {
		t.Error(got)
	}
	if got := info.Allocatable(); got.Memory != 4<<30 || got.Pods != 10 || got.Others["example.com/gpu"] != 2 {
		t.Error(got)
	}
	check(t, s.RemoveNodeInfo("a"))
	if got := info.Requested(); got.MilliCPU != 0 || info.Node().Name != "a" {
		t.Error(got)
	}
}

func claiming(name string, claims ...string) *v1.Pod {
	p := pod(name, "0")
	for _, claim := range claims {
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: claim, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
	}
	return p
}

func TestClaimsInUse(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2")}, on("a", claiming("one", "claim1")))
	used := func(want ...string) {
		t.Helper()
		for _, claim := range []string{"claim1", "claim2"} {
			if s.IsPVCUsedByPods("default/"+claim) != slices.Contains(want, claim) {
				t.Errorf("%s, want %v", claim, want)
			}
		}
	}
	used("claim1")
	s.Fork()
	check(t, s.ForceAddPod(claiming("two", "claim1", "claim2"), "a"))
	used("claim1", "claim2")
	check(t, s.ForceRemovePod("default", "one", "a"))
	used("claim1", "claim2")
	check(t, s.AddNodeInfo(node("b", "1"), claiming("three", "claim2")))
	check(t, s.RemoveNodeInfo("a"))
	used("claim2")
	check(t, s.RemoveNodeInfo("b"))
	used()
	s.Revert()
	used("claim1")
	check(t, s.Clear())
	used()
}

func TestTexts(t *testing.T) {
	tainted := node("a", "2")
	tainted.Spec.Taints = []v1.Taint{{Key: "k", Value: "v", Effect: v1.TaintEffectNoSchedule}}
	s := start(t, snapshot.Options{}, []*v1.Node{tainted, node("b", "2")})
	err := s.CheckPredicates(pod("p", "1"), "a")
	if err.Type() != snapshot.FailingPredicate || err.FailingPredicateName() != "TaintToleration" ||
		err.Error() != `can't schedule pod default/p: predicate "TaintToleration" didn't pass (predicateReasons=[node(s) had untolerated taint(s)]; `+
			`debugInfo=nodeName: "a", nodeTaints: []v1.Taint{v1.Taint{Key:"k", Value:"v", Effect:"NoSchedule", TimeAdded:<nil>}})` {
		t.Error(err)
	}
	only := pod("p", "1")
	only.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"b"}}}}}}}}
	err = s.CheckPredicates(only, "a")
	if err.FailingPredicateName() != "NodeAffinity" || err.UnexpectedText() != "PreFilter filtered the Node out" || len(err.Reasons()) != 0 {
		t.Error(err)
	}
	named := on("b", pod("p", "1")) // a pod that names a node fits there alone
	if err := s.CheckPredicates(named, "a"); err.FailingPredicateName() != "NodeName" {
		t.Error(err)
	}
	if name, err := s.SchedulePodOnAnyNodeMatching(named, snapshot.Search{}); name != "b" || err != nil {
		t.Error(name, err)
	}
	_, err = s.SchedulePodOnAnyNodeMatching(pod("p", "9"), snapshot.Search{})
	if err.Type() != snapshot.NoNodesPassing || err.Reasons()[0] != "can't schedule pod default/p: couldn't find a matching Node with passing predicates" {
		t.Error(err)
	}
	err = s.SchedulePod(pod("p", "1"), "c")
	if err.Type() != snapshot.InternalError || !errors.Is(err, snapshot.ErrNodeNotFound) || !errors.Is(err, &snapshot.SchedulingError{}) ||
		err.Error() != `can't schedule pod default/p: unexpected error: error obtaining NodeInfo for name "c": node not found` {
		t.Error(err)
	}
}

// A Search's Accept is asked about few nodes while it agrees, and about all of them once it has refused some.
func TestAccept(t *testing.T) {
	var nodes []*v1.Node
	for i := range 50 {
		nodes = append(nodes, node(fmt.Sprint("n", i), "1"))
	}
	s := start(t, snapshot.Options{}, nodes)
	asked := 0
	search := func(accept func(string) bool) (string, *snapshot.SchedulingError) {
		asked = 0
		return s.SchedulePodOnAnyNodeMatching(pod("p", "600m"), snapshot.Search{Accept: func(info *snapshot.NodeInfo) bool {
			asked++
			return accept(info.Node().Name)
		}})
	}
	if name, err := search(func(string) bool { return true }); name != "n1" || err != nil || asked != 1 {
		t.Error(name, err, asked)
	}
	if name, err := search(func(name string) bool { return name >= "n4" }); name != "n4" || err != nil || asked != 3 {
		t.Error(name, err, asked)
	}
	if name, err := search(func(name string) bool { return name == "n3" }); name != "n3" || err != nil || asked > 60 {
		t.Error(name, err, asked)
	}
	if name, err := search(func(string) bool { return false }); name != "" || err.Type() != snapshot.NoNodesPassing {
		t.Error(name, err)
	}
	set := s.NodeSet(func(info *snapshot.NodeInfo) bool { return info.Node().Name == "n40" })
	if name, err := s.SchedulePodOnAnyNodeMatching(pod("p", "600m"), snapshot.Search{AcceptSet: set}); name != "n40" || err != nil {
		t.Error(name, err)
	}
	if name, err := s.SchedulePodOnAnyNodeMatching(pod("p", "600m"), snapshot.Search{AcceptSet: set}); name != "" {
		t.Error(name, err)
	}
}

// A closed Snapshot answers with errors, and panics where the autoscaler's methods have none.
func TestClosed(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2")})
	s.Close()
	if err := s.SchedulePod(pod("p", "1"), "a"); err == nil || err.Type() != snapshot.InternalError || !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
	if err := s.AddNodeInfo(node("b", "1")); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
	if err := s.SetClusterState(nil, nil); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "libsched snapshot: Fork: ") {
			t.Error(text)
		}
	}()
	s.Fork()
}

// Bad objects are errors, and nothing has changed.
func TestBadObjects(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2")}, on("a", pod("p", "1")))
	before := state(t, s)
	bad := pod("bad", "1")
	bad.Labels = map[string]string{strings.Repeat("x", 300): "1"}
	bad.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "z", WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}}}
	if err := s.SchedulePod(bad, "a"); err == nil {
		t.Error("placed")
	}
	for i, err := range []error{
		s.AddNodeInfo(&v1.Node{}), s.AddNodeInfo(node("a", "1")), s.RemoveNodeInfo("b"), s.ReplaceNode(node("b", "1")),
		s.ForceAddPod(pod("q", "1"), "b"), s.ForceRemovePod("default", "q", "a"), s.UnschedulePod("other", "p", "a"),
		s.SetClusterState([]*v1.Node{node("x", "1"), node("x", "1")}, nil),
	} {
		if err == nil {
			t.Error(i)
		}
	}
	if _, _, err := s.SimulateRemoval("a", snapshot.Removal{Ghost: node("b", "1")}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	want(t, s, before)
	order := snapshot.Search{Ordering: tooFar{}}
	if _, err := s.SchedulePodOnAnyNodeMatching(pod("q", "1"), order); err == nil || err.Type() != snapshot.InternalError {
		t.Error(err)
	}
	want(t, s, before)
}

// tooFar is an order of nodes that are not there.
type tooFar struct{}

func (tooFar) Reset([]*snapshot.NodeInfo) {}
func (tooFar) At(int) int                 { return 7 }
func (tooFar) MarkMatch(int)              {}
