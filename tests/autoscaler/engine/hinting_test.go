//go:build libsched

package engine

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"libsched.dev/tests/autoscaler/consumers"
	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// hinting is a random cluster with pods and the hints of some of them.
type hinting struct {
	r     *rand.Rand
	nodes []*v1.Node
	pods  []*v1.Pod
	hints []string
}

func newHinting(seed int64) *hinting {
	h := &hinting{r: rand.New(rand.NewSource(seed))}
	for i := range 3 + h.r.Intn(8) {
		name := fmt.Sprint("n", i)
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name}},
			Spec: v1.NodeSpec{Unschedulable: h.r.Intn(4) == 0},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourceCPU: *resource.NewQuantity(int64(1+h.r.Intn(3)), resource.DecimalSI),
				v1.ResourcePods: resource.MustParse("9")}}}
		h.nodes = append(h.nodes, node)
	}
	for i := range 2 + h.r.Intn(14) {
		h.pods = append(h.pods, h.pod(i))
		hint := ""
		if h.r.Intn(2) == 0 {
			hint = fmt.Sprint("n", h.r.Intn(len(h.nodes)+1)) // perhaps a node that is not there
		}
		h.hints = append(h.hints, hint)
	}
	return h
}

// pod returns one of few contents, so that many are equal. Some run only beside others.
func (h *hinting) pod(i int) *v1.Pod {
	name := fmt.Sprint("p", i)
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name),
		Labels: map[string]string{"role": []string{"leader", "other", "other"}[h.r.Intn(3)]}}}
	p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
		v1.ResourceCPU: resource.MustParse([]string{"500m", "1", "2"}[h.r.Intn(3)])}}}}
	if priority := int32(h.r.Intn(2)); priority != 0 {
		p.Spec.Priority = &priority
	}
	if h.r.Intn(3) == 0 {
		p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
	}
	if p.Labels["role"] == "other" && h.r.Intn(2) == 0 {
		p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"role": "leader"}}, TopologyKey: v1.LabelHostname}}}}
	}
	if kind := []string{"", "ReplicaSet", "ReplicaSet", "DaemonSet"}[h.r.Intn(4)]; kind != "" {
		yes := true
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: "o", UID: types.UID(kind), Controller: &yes}}
	}
	return p
}

// accepts is a function of names that refuses none, some or most.
func (h *hinting) accepts() func(string) bool {
	least := h.r.Intn(3)
	number := func(name string) int { return int(name[len(name)-1]) }
	switch h.r.Intn(3) {
	case 0:
		return func(string) bool { return true }
	case 1:
		return func(name string) bool { return number(name)%3 != least }
	}
	return func(name string) bool { return number(name)%3 == least }
}

// The autoscaler's loops and libsched's calls place alike, with hints, and leave the ring at the same node.
func TestHintingIsOneCall(t *testing.T) {
	placed := 0
	for seed := range int64(1500) {
		h := newHinting(seed)
		e, err := New(false)
		check(t, err)
		check(t, e.SetClusterState(h.nodes, nil, nil, nil))
		accept, stop := h.accepts(), h.r.Intn(3) == 0
		simulator := consumers.NewHintingSimulator()
		for i, hint := range h.hints {
			if hint != "" {
				simulator.Hints.Set(h.pods[i], hint)
			}
		}
		e.Fork()
		result, err := simulator.TrySchedulePods(context.Background(), e, h.pods, stop, clustersnapshot.SchedulingOptions{
			IsNodeAcceptable: func(info *framework.NodeInfo) bool { return accept(info.Node().Name) }})
		check(t, err)
		want := make([]string, len(h.pods))
		for _, status := range result.Statuses {
			want[slices.Index(h.pods, status.Pod)] = status.NodeName
			placed++
		}
		next := probe(t, e)
		e.Revert()
		// The ring of the loops stands where they left it; both begin at the first node.
		f, err := New(false)
		check(t, err)
		check(t, f.SetClusterState(h.nodes, nil, nil, nil))
		got, err := f.Inner().PlaceMany(h.pods, snapshot.PlaceOptions{Hints: h.hints, StopAtFailure: stop,
			Search: snapshot.Search{Accept: func(info *snapshot.NodeInfo) bool { return accept(info.Node().Name) }}})
		check(t, err)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, stop %v:\nloops %q\ncall  %q", seed, stop, want, got)
		}
		if other := probe(t, f); other != next {
			t.Fatalf("seed %d: the next pod is on %q and %q", seed, next, other)
		}
		e.Inner().Close()
		f.Inner().Close()
	}
	if placed < 3000 {
		t.Errorf("only %d pods found a node", placed)
	}
}

// The same of a removal.
func TestRemovalWithHintsIsOneCall(t *testing.T) {
	went := 0
	for seed := range int64(1500) {
		h := newHinting(seed)
		name := h.nodes[0].Name
		for _, pod := range h.pods {
			pod.Spec.NodeName = name
		}
		move := h.pods[:min(len(h.pods), 4)]
		accept := h.accepts()
		destinations := map[string]bool{}
		for _, node := range h.nodes {
			destinations[node.Name] = accept(node.Name)
		}
		e, err := New(false)
		check(t, err)
		check(t, e.SetClusterState(h.nodes, move, nil, nil))
		simulator := consumers.NewRemovalSimulator(e, true)
		simulator.Force = true
		for i, hint := range h.hints[:len(move)] {
			if hint != "" {
				simulator.Hinting.Hints.Set(move[i], hint)
			}
		}
		info, err := e.GetNodeInfo(name)
		check(t, err)
		var kept []*v1.Pod
		var hints []string
		for _, pod := range consumers.PodsOf(info) { // a DaemonSet's pods end with the node
			if !consumers.IsDaemonSetPod(pod) {
				kept, hints = append(kept, pod), append(hints, h.hints[slices.Index(h.pods, pod)])
			}
		}
		now := time.Unix(0, 0)
		gone, stays := simulator.SimulateNodeRemoval(context.Background(), name, destinations, now)
		next := probe(t, e)
		f, err := New(false)
		check(t, err)
		check(t, f.SetClusterState(h.nodes, move, nil, nil))
		moved, removed, err := f.Inner().SimulateRemoval(name, snapshot.Removal{Move: kept, Hints: hints, Keep: true,
			Ghost:  consumers.Ghost(h.nodes[0], now),
			Accept: func(info *snapshot.NodeInfo) bool { return destinations[info.Node().Name] }})
		check(t, err)
		if removed != (gone != nil) {
			t.Fatalf("seed %d: %v, loops: %v %+v", seed, removed, gone, stays)
		}
		if removed {
			went++
			for _, status := range gone.Statuses {
				at := slices.IndexFunc(moved, func(m snapshot.Moved) bool { return m.Pod.Name == status.Pod.Name })
				if at < 0 || moved[at].Node != status.NodeName {
					t.Fatalf("seed %d: %s is on %s, by the call %+v", seed, status.Pod.Name, status.NodeName, moved)
				}
			}
		}
		if other := probe(t, f); other != next {
			t.Fatalf("seed %d: the next pod is on %q and %q", seed, next, other)
		}
		e.Inner().Close()
		f.Inner().Close()
	}
	if went < 300 {
		t.Errorf("only %d nodes went", went)
	}
}

// probe places a small pod by the Snapshot's own ring.
func probe(t *testing.T, e *Engine) string {
	t.Helper()
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "probe", Namespace: "default"}}
	name, err := e.SchedulePodOnAnyNodeMatching(pod, clustersnapshot.SchedulingOptions{})
	if err != nil {
		return ""
	}
	return name
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
