package libsched_test

import (
	"context"
	"fmt"
	"testing"

	"libsched"
)

// benchCluster makes a cluster in which every second node takes the pod.
func benchCluster(b *testing.B, nodes int) (*libsched.Framework, *libsched.Cluster, *libsched.Pod) {
	c := must(libsched.NewCluster())(b)
	b.Cleanup(c.Close)
	list := make([]*libsched.Node, nodes)
	for i := range list {
		list[i] = newNode(b, fmt.Sprintf("n%05d", i), 1+7*(i%2), fmt.Sprint("zone-", i%3), "")
	}
	check(b, c.AddNodes(list))
	return newFramework(b), c, newPod(b, "p", 2000, "")
}

func BenchmarkRunFilterPlugins(b *testing.B) {
	fw, cluster, pod := benchCluster(b, 5000)
	snapshot := must(cluster.Snapshot())(b)
	defer snapshot.Close()
	for name, view := range map[string]libsched.View{"cluster": cluster, "snapshot": snapshot} {
		for verdict, node := range map[string]string{"fits": "n02501", "rejected": "n02500"} {
			b.Run(name+"/"+verdict, func(b *testing.B) {
				state := preFiltered(b, fw, view, pod)
				b.ReportAllocs()
				for b.Loop() {
					fw.RunFilterPlugins(ctx, state, view, pod, node)
				}
			})
		}
	}
	b.Run("at", func(b *testing.B) {
		state := preFiltered(b, fw, cluster, pod)
		row, _ := cluster.FindNode("n02501")
		b.ReportAllocs()
		for b.Loop() {
			fw.RunFilterPluginsAt(ctx, state, cluster, pod, row)
		}
	})
}

func BenchmarkRunPreFilterPlugins(b *testing.B) {
	fw, cluster, pod := benchCluster(b, 10)
	state := libsched.NewCycleState()
	b.ReportAllocs()
	for b.Loop() {
		fw.RunPreFilterPlugins(ctx, state, cluster, pod)
	}
}

func BenchmarkCheckPodFits(b *testing.B) {
	for _, nodes := range []int{1, 100, 5000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			fw, cluster, pod := benchCluster(b, nodes)
			b.ReportAllocs()
			for b.Loop() {
				must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(b).Close()
			}
		})
	}
}

func BenchmarkFirstFit(b *testing.B) {
	ending, cancel := context.WithCancel(ctx)
	defer cancel()
	for name, ctx := range map[string]context.Context{"background": ctx, "cancellable": ending} {
		b.Run(name, func(b *testing.B) {
			fw, cluster, pod := benchCluster(b, 5000)
			b.ReportAllocs()
			next := 0
			for b.Loop() {
				fit, ok, err := fw.FirstFit(ctx, cluster, pod,
					libsched.FirstFitOptions{Start: next})
				if !ok || err != nil {
					b.Fatal(ok, err)
				}
				next = fit.Position + 1
			}
		})
	}
}

func BenchmarkFilterNodes(b *testing.B) {
	fw, cluster, pod := benchCluster(b, 5000)
	state := preFiltered(b, fw, cluster, pod)
	into := libsched.NewNodeSet(cluster)
	b.ReportAllocs()
	for b.Loop() {
		if found := must(fw.FilterNodes(ctx, state, cluster, pod,
			libsched.FilterOptions{Into: into}))(b); found.Count != 2500 {
			b.Fatal(found.Count)
		}
	}
}

// BenchmarkForkAddRevert runs an autoscaler's what-if: 100 new nodes and 1,000 pods on given nodes,
// then a revert.
func BenchmarkForkAddRevert(b *testing.B) {
	_, cluster, pod := benchCluster(b, 5000)
	nodes := make([]*libsched.Node, 100)
	for i := range nodes {
		nodes[i] = newNode(b, fmt.Sprintf("new-%d", i), 64, "zone-1", "")
	}
	pods, names := make([]*libsched.Pod, 1000), make([]string, 1000)
	for i := range pods {
		pods[i] = must(pod.Copy(libsched.WithName(fmt.Sprint("p-", i)),
			libsched.WithUID(fmt.Sprint("u-", i))))(b)
		names[i] = fmt.Sprintf("new-%d", i%100)
	}
	b.ReportAllocs()
	for b.Loop() {
		check(b, cluster.Fork())
		check(b, cluster.AddNodes(nodes))
		check(b, cluster.AddPods(pods, names))
		check(b, cluster.Revert())
	}
}
