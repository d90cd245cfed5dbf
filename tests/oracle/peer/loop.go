// The real scheduling loop against a fake API server.

package peer

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// LoopResult is the rate of the real scheduleOne loop against a fake API, by the clock on the wall, and the
// CPU time of the whole process.
type LoopResult struct {
	Kind     string    `json:"kind"`
	Nodes    int       `json:"nodes"`
	Pods     int       `json:"pods"`
	PodsPerS float64   `json:"pods_per_s"`
	Batched  int64     `json:"batched_pods"`
	Runs     []float64 `json:"pods_per_s_runs"`
	CPUNS    float64   `json:"cpu_ns_per_pod_min"`
}

// benchLoop runs the real scheduler end to end: informers, queue, scheduling
// and binding cycles, adaptive sampling, batching. Only the API server is
// fake: binding costs one channel send.
func benchLoop(out *BenchResult, kind string, nodes, existing, runs, pods int) error {
	r := LoopResult{Kind: kind, Nodes: nodes, Pods: pods}
	if kind == "anti-req" {
		r.Pods = min(pods, nodes)
	}
	for range runs {
		cpu := float64(0)
		rate, batched, err := oneLoop(kind, nodes, existing, r.Pods, &cpu)
		if err != nil {
			return err
		}
		if r.CPUNS == 0 || cpu < r.CPUNS {
			r.CPUNS = cpu
		}
		r.Runs = append(r.Runs, rate)
		r.Batched = batched
	}
	r.PodsPerS = median(r.Runs)
	out.Loop = append(out.Loop, r)
	return nil
}

func oneLoop(kind string, nodes, existing, pods int, cpu *float64) (float64, int64, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	objs := []kruntime.Object{&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}}
	for i := range nodes {
		objs = append(objs, benchNode(kind, i))
	}
	for i := range nodes * existing {
		p := benchExisting(kind, i)
		p.Spec.NodeName = fmt.Sprintf("node-%05d", i%nodes)
		objs = append(objs, p)
	}
	byName := map[string]*v1.Pod{}
	for i := range pods {
		p := benchPod(kind, fmt.Sprintf("new-%d", i))
		byName[p.Name] = p
		objs = append(objs, p)
	}
	client := fake.NewSimpleClientset(objs...)
	watcher := watch.NewFakeWithChanSize(2*pods+100, false)
	client.PrependWatchReactor("pods", func(clienttesting.Action) (bool, watch.Interface, error) { return true, watcher, nil })
	var bound atomic.Int64
	var rv atomic.Int64
	done := make(chan struct{})
	client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, kruntime.Object, error) {
		b, ok := a.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		if !ok {
			return false, nil, nil
		}
		p := byName[b.Name].DeepCopy()
		p.Spec.NodeName = b.Target.Name
		p.ResourceVersion = strconv.FormatInt(100+rv.Add(1), 10)
		watcher.Modify(p)
		if bound.Add(1) == int64(pods) {
			close(done)
		}
		return true, b, nil
	})
	s, start, err := newSched(ctx, client, 0)
	if err != nil {
		return 0, 0, err
	}
	start()
	runtime.GC()
	t, begin := time.Now(), cpuTime()
	go s.Run(ctx)
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		return 0, 0, fmt.Errorf("%s on %d nodes: only %d of %d pods bound", kind, nodes, bound.Load(), pods)
	}
	took := time.Since(t)
	*cpu = float64(cpuTime()-begin) / float64(pods)
	type batcher interface{ TotalBatchedPods() int64 }
	var batched int64
	if b, ok := s.Profiles[v1.DefaultSchedulerName].(batcher); ok {
		batched = b.TotalBatchedPods()
	}
	return float64(pods) / took.Seconds(), batched, nil
}
