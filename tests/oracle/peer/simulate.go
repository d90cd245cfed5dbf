// Questions about a cluster in memory, asked as an autoscaler asks them: the framework's PreFilter
// and Filter over a store of NodeInfos, in forks. There is no cache, queue or API.

package peer

import (
	"context"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// ScaleResult is the CPU time of one question about a cluster of some size, with one thread for all
// of Go.
type ScaleResult struct {
	Nodes int     `json:"nodes"`
	Kind  string  `json:"kind"`
	What  string  `json:"what"`
	NS    int64   `json:"cpu_ns_min"`
	Runs  []int64 `json:"cpu_ns_runs"`
	Found int     `json:"found"`
}

var scaleKinds = []string{"basic", "selector", "spread-hard", "anti-app"}

// simEnv is a framework over a store.
type simEnv struct {
	ctx   context.Context
	fw    framework.Framework
	store *store
}

func newSimEnv(ctx context.Context) (*simEnv, error) {
	metrics.Register()
	log := klog.FromContext(ctx)
	e := &simEnv{ctx: ctx, store: newStore(log)}
	cfg, err := latest.Default()
	if err != nil {
		return nil, err
	}
	client := fake.NewSimpleClientset(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	informers := scheduler.NewInformerFactory(client, 0)
	claims := assumecache.NewAssumeCache(log, informers.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := tracker.StartTracker(ctx, tracker.Options{SliceInformer: informers.Resource().V1().ResourceSlices(), KubeClient: client})
	if err != nil {
		return nil, err
	}
	e.fw, err = frameworkruntime.NewFramework(ctx, frameworkplugins.NewInTreeRegistry(), &cfg.Profiles[0],
		frameworkruntime.WithComponentConfigVersion(cfg.TypeMeta.APIVersion),
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithInformerFactory(informers),
		frameworkruntime.WithSharedDRAManager(dynamicresources.NewDRAManager(ctx, claims, slices, informers)),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(informers.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithSnapshotSharedLister(e.store),
		frameworkruntime.WithPodGroupManager(internalcache.New(ctx, nil, false)))
	if err != nil {
		return nil, err
	}
	informers.Start(ctx.Done())
	for kind, ok := range informers.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, fmt.Errorf("informer %v did not sync", kind)
		}
	}
	return e, nil
}

// fill makes the cluster of the benchmarks.
func (e *simEnv) fill(kind string, nodes, existing int) error {
	// A million pods are some gigabytes already without what is waiting to be collected.
	defer debug.FreeOSMemory()
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	for i := range nodes {
		e.store.addNode(benchNode(kind, i))
	}
	for i := range nodes * existing {
		pod := benchExisting(kind, i)
		pod.Spec.NodeName = fmt.Sprintf("node-%05d", i%nodes)
		if err := e.store.addPod(pod, pod.Spec.NodeName); err != nil {
			return err
		}
	}
	return nil
}

// check asks PreFilter and Filter of one node.
func (e *simEnv) check(pod *v1.Pod, node string) (bool, error) {
	state := framework.NewCycleState()
	result, status, _ := e.fw.RunPreFilterPlugins(e.ctx, state, pod)
	if !status.IsSuccess() {
		return false, status.AsError()
	}
	if !result.AllNodes() && !result.NodeNames.Has(node) {
		return false, nil
	}
	info, err := e.store.Get(node)
	if err != nil {
		return false, err
	}
	return e.fw.RunFilterPlugins(e.ctx, state, pod, info).IsSuccess(), nil
}

// first finds the first node that takes the pod from *next on, wrapping around, and moves *next
// behind it; "" if no node takes it.
func (e *simEnv) first(pod *v1.Pod, next *int, accepts func(string) bool) (string, error) {
	nodes, err := e.store.List()
	if err != nil || len(nodes) == 0 {
		return "", err
	}
	state := framework.NewCycleState()
	result, status, _ := e.fw.RunPreFilterPlugins(e.ctx, state, pod)
	if !status.IsSuccess() {
		return "", status.AsError()
	}
	for i := range nodes {
		at := (*next + i) % len(nodes)
		node := nodes[at].Node()
		if (!result.AllNodes() && !result.NodeNames.Has(node.Name)) || node.Spec.Unschedulable || (accepts != nil && !accepts(node.Name)) {
			continue
		}
		if e.fw.RunFilterPlugins(e.ctx, state, pod, nodes[at]).IsSuccess() {
			*next = at + 1
			return node.Name, nil
		}
	}
	return "", nil
}

// judge runs PreFilter and Filter of all nodes, and with `score` PreScore and Score of those that
// pass.
func (e *simEnv) judge(pod *v1.Pod, score bool) (int, error) {
	nodes, err := e.store.List()
	if err != nil {
		return 0, err
	}
	state := framework.NewCycleState()
	if _, s, _ := e.fw.RunPreFilterPlugins(e.ctx, state, pod); !s.IsSuccess() {
		return 0, s.AsError()
	}
	found := 0
	var feasible []fwk.NodeInfo
	for _, n := range nodes {
		if e.fw.RunFilterPlugins(e.ctx, state, pod, n).IsSuccess() {
			found++
			if score {
				feasible = append(feasible, n)
			}
		}
	}
	if !score {
		return found, nil
	}
	if s := e.fw.RunPreScorePlugins(e.ctx, state, pod, feasible); !s.IsSuccess() {
		return 0, s.AsError()
	}
	_, s := e.fw.RunScorePlugins(e.ctx, state, pod, feasible)
	return found, s.AsError()
}

// The most CPU time for one question; fewer runs are made of slow ones.
const mostForQuestion = 3 * time.Second

// timed measures one question: the CPU time of a call in each of `runs` runs, each as long as
// `least` at least.
func timed(runs int, least time.Duration, call func() (int, error)) (ScaleResult, error) {
	var r ScaleResult
	var err error
	if r.Found, err = call(); err != nil {
		return r, err
	}
	goruntime.GC()
	begin := cpuTime()
	for run := 0; run < runs && (run == 0 || cpuTime()-begin < int64(mostForQuestion)); run++ {
		calls, start := int64(0), cpuTime()
		spent := int64(0)
		for calls == 0 || spent < int64(least) {
			if _, err := call(); err != nil {
				return r, err
			}
			calls++
			spent = cpuTime() - start
		}
		r.Runs = append(r.Runs, spent/calls)
	}
	r.NS = slices.Min(r.Runs)
	return r, nil
}

// big asks for more than any node has.
func big(pod *v1.Pod) *v1.Pod {
	pod.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = resource.MustParse("40")
	return pod
}

// benchScale asks all questions on clusters of one size.
func benchScale(out *BenchResult, nodes, existing, runs int) error {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e, err := newSimEnv(ctx)
	if err != nil {
		return err
	}
	if err := e.fill("basic", nodes, existing); err != nil {
		return err
	}
	if err := e.scale(out, "basic", nodes, runs); err != nil {
		return fmt.Errorf("%d nodes: %w", nodes, err)
	}
	for i := range nodes {
		tainted := benchNode("taints", i)
		e.store.top.infos[tainted.Name].SetNode(tainted)
	}
	if err := e.scale(out, "taints", nodes, runs); err != nil {
		return fmt.Errorf("%d tainted nodes: %w", nodes, err)
	}
	return nil
}

func (e *simEnv) scale(out *BenchResult, cluster string, nodes, runs int) error {
	const least = 30 * time.Millisecond
	measure := func(kind, what string, call func() (int, error)) error {
		r, err := timed(runs, least, call)
		r.Nodes, r.Kind, r.What = nodes, kind, what
		out.Scale = append(out.Scale, r)
		return err
	}
	kinds := scaleKinds
	if cluster == "taints" {
		kinds = []string{"taints"}
	}
	for _, kind := range kinds {
		pod := benchPod(kind, "probe")
		if err := measure(kind, "filter", func() (int, error) { return e.judge(pod, false) }); err != nil {
			return err
		}
		if kind != "basic" && kind != "spread-hard" {
			continue
		}
		if err := measure(kind, "evaluate", func() (int, error) { return e.judge(pod, true) }); err != nil {
			return err
		}
	}
	if cluster == "taints" {
		return nil
	}
	for _, kind := range []string{"basic", "anti-app"} {
		pod := big(benchPod(kind, "big"))
		if err := measure(kind, "nothing fits", func() (int, error) {
			next := 0
			node, err := e.first(pod, &next, nil)
			if err == nil && node != "" {
				err = fmt.Errorf("the big pod fits on %s", node)
			}
			return 0, err
		}); err != nil {
			return err
		}
	}
	pod, node := benchPod("basic", "probe"), 0
	if err := measure("basic", "fork, schedule, revert", func() (int, error) {
		e.store.fork()
		defer e.store.revert()
		node = (node + 7919) % nodes
		name := fmt.Sprintf("node-%05d", node)
		if ok, err := e.check(pod, name); err != nil || !ok {
			return 0, fmt.Errorf("%s does not take the pod: %v", name, err)
		}
		return 1, e.store.addPod(pod, name)
	}); err != nil {
		return err
	}
	extra := benchNode("basic", nodes)
	if err := measure("basic", "fork, add node, check, revert", func() (int, error) {
		e.store.fork()
		defer e.store.revert()
		e.store.addNode(extra)
		if ok, err := e.check(pod, extra.Name); err != nil || !ok {
			return 0, fmt.Errorf("the new node does not take the pod: %v", err)
		}
		return 1, nil
	}); err != nil {
		return err
	}
	return measure("basic", "fork, 100 nodes, 1000 pods, revert", func() (int, error) { return e.whatIf(nodes) })
}

// whatIf adds 100 nodes and 1,000 pods, whose objects exist already, in a fork that is reverted.
func (e *simEnv) whatIf(nodes int) (int, error) {
	if whatIfPods == nil {
		for i := range 1000 {
			whatIfPods = append(whatIfPods, benchPod("basic", fmt.Sprint("what-if-", i)))
		}
		for i := range 100 {
			node := benchNode("basic", i)
			node.Name = fmt.Sprint("what-if-", i)
			whatIfNodes = append(whatIfNodes, node)
		}
	}
	e.store.fork()
	defer e.store.revert()
	for _, node := range whatIfNodes {
		e.store.addNode(node)
	}
	for i, pod := range whatIfPods {
		if err := e.store.addPod(pod, fmt.Sprintf("node-%05d", i*7919%nodes)); err != nil {
			return 0, err
		}
	}
	return len(whatIfPods), nil
}

var (
	whatIfPods  []*v1.Pod
	whatIfNodes []*v1.Node
)
