//go:build libsched

package reference

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"libsched.dev/tests/autoscaler/consumers"
	"libsched.dev/tests/autoscaler/engine"
	"libsched.dev/tests/autoscaler/questions"
	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// The benchmarks run the same work on upstream's framework ("reference"), on libsched through the
// autoscaler's loops ("loops"), and by libsched's calls for many pods ("calls"). Each run fails unless
// the result is the expected one. -benchtime=1x runs each once.

func benchNode(name string, cpu, memory, pods int64) *v1.Node {
	resources := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(memory, resource.DecimalSI),
		v1.ResourcePods:   *resource.NewQuantity(pods, resource.DecimalSI),
	}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
		v1.LabelHostname: name, "topology.kubernetes.io/zone": "z"}},
		Status: v1.NodeStatus{Capacity: resources, Allocatable: resources}}
}

func benchPod(name string, cpu, memory int64) *v1.Pod {
	yes := true
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "universe", Name: name, UID: types.UID(name), Labels: map[string]string{"app": "estimatee"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "rs", UID: "rs", Controller: &yes}}},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
			v1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
			v1.ResourceMemory: *resource.NewQuantity(memory, resource.DecimalSI)}}}}}}
}

// cpu measures the CPU time of all threads, with the garbage collector's, which other programs on the
// machine do not change: call the result with the time stopped and running.
type cpu struct{ since, sum time.Duration }

func (c *cpu) read() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (c *cpu) start() { c.since = c.read() }
func (c *cpu) stop()  { c.sum += c.read() - c.since }
func (c *cpu) report(b *testing.B) {
	b.ReportMetric(float64(c.sum.Nanoseconds())/float64(b.N), "cpu-ns/op")
}

func withoutDevices(handle *Handle) *Snapshot {
	s := NewSnapshot(handle)
	s.WithDevices, s.WithCSINodes = false, false
	return s
}

// engines runs a benchmark for each engine.
func engines(b *testing.B, nodes []*v1.Node, pods []*v1.Pod, run func(b *testing.B, e questions.Engine)) {
	handle, err := NewHandle(context.Background(), "")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"reference", "loops", "calls"} {
		b.Run(name, func(b *testing.B) {
			var c cpu
			for range b.N {
				b.StopTimer()
				var e questions.Engine = questions.Consumers{ClusterSnapshot: withoutDevices(handle)}
				if name != "reference" {
					ours, err := engine.New(false)
					if err != nil {
						b.Fatal(err)
					}
					defer ours.Inner().Close()
					e = ours
					if name == "loops" {
						e = questions.Consumers{ClusterSnapshot: ours.Snapshot}
					}
				}
				if err := e.SetClusterState(nodes, pods, nil, nil); err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				b.StartTimer()
				c.start()
				run(b, e)
				c.stop()
			}
			c.report(b)
		})
	}
}

// BenchmarkRemoval tries to remove each of 2,000 nodes with 40 pods, filled to 40 %.
func BenchmarkRemoval(b *testing.B) {
	var nodes []*v1.Node
	var pods []*v1.Pod
	destinations := map[string]bool{}
	for i := range 2000 {
		nodes = append(nodes, benchNode(fmt.Sprint("n-", i), 1000, 4<<30, 110))
		destinations[nodes[i].Name] = true
		for k := range 40 {
			pod := benchPod(fmt.Sprint("p-", i, "-", k), 10, 1<<20)
			pod.Spec.NodeName = nodes[i].Name
			pods = append(pods, pod)
		}
	}
	engines(b, nodes, pods, func(b *testing.B, e questions.Engine) {
		gone := 0
		for _, node := range nodes {
			if _, removed, err := e.Remove(node.Name, destinations, true); err != nil {
				b.Fatal(err)
			} else if removed {
				gone++
			}
		}
		if gone < 1190 || gone > 1210 {
			b.Fatal(gone)
		}
	})
}

// BenchmarkPacking is the autoscaler's BenchmarkBinpackingEstimate: 51,000 pods of two groups.
func BenchmarkPacking(b *testing.B) {
	group := func(name string, cpu, memory int64, count int) consumers.Group {
		var g consumers.Group
		for i := range count {
			g.Pods = append(g.Pods, benchPod(fmt.Sprint(name, i), cpu, memory))
		}
		return g
	}
	groups := []consumers.Group{group("small", 50, 100, 50000), group("large", 95, 190, 1000)}
	template := consumers.NewNodeInfo(benchNode("template", 1000, 5000<<20, 100))
	engines(b, []*v1.Node{benchNode("oldnode", 100, 100<<20, 10)}, nil, func(b *testing.B, e questions.Engine) {
		places, nodes, err := e.Estimate(groups, template, 3000)
		if err != nil || nodes != 2595 || len(places) != 51000 {
			b.Fatal(nodes, len(places), err)
		}
	})
}

// BenchmarkNoFit looks for a node for a pod that fits on none of 5,000, as long as there is time.
func BenchmarkNoFit(b *testing.B) {
	handle, err := NewHandle(context.Background(), "")
	if err != nil {
		b.Fatal(err)
	}
	var nodes []*v1.Node
	var pods []*v1.Pod
	for i := range 5000 {
		nodes = append(nodes, benchNode(fmt.Sprint("n-", i), 100, 1<<30, 110))
		for k := range 10 {
			pod := benchPod(fmt.Sprint("p-", i, "-", k), 10, 1)
			pod.Spec.NodeName = nodes[i].Name
			pods = append(pods, pod)
		}
	}
	pod := benchPod("p", 50, 1)
	ours, err := engine.New(false)
	if err != nil {
		b.Fatal(err)
	}
	defer ours.Inner().Close()
	for name, e := range map[string]clustersnapshot.ClusterSnapshot{"reference": withoutDevices(handle), "libsched": ours} {
		if err := e.SetClusterState(nodes, pods, nil, nil); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			var c cpu
			defer c.report(b)
			c.start()
			defer c.stop()
			for range b.N {
				if _, err := e.SchedulePodOnAnyNodeMatching(pod, clustersnapshot.SchedulingOptions{}); err == nil || err.Type() != clustersnapshot.NoNodesPassingPredicatesFoundError {
					b.Fatal(err)
				}
			}
		})
	}
	// A pod is put somewhere between two questions, so that no answer stays.
	change := benchPod("change", 0, 0)
	b.Run("libsched-after-a-change", func(b *testing.B) {
		var c cpu
		defer c.report(b)
		c.start()
		defer c.stop()
		for i := range b.N {
			if _, err := ours.Inner().SchedulePodOnAnyNodeMatching(pod, snapshot.Search{}); err == nil {
				b.Fatal("found")
			}
			ours.Fork()
			if err := ours.ForceAddPod(change, nodes[i%len(nodes)].Name); err != nil {
				b.Fatal(err)
			}
			ours.Revert()
		}
	})
}
