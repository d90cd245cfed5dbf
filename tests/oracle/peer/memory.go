// Filter, score and whole cycles in memory: no API, no queue, no binding.

package peer

import (
	"context"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// FilterResult is the time to run all Filter plugins on all nodes for one pod.
type FilterResult struct {
	Kind              string  `json:"kind"`
	Nodes             int     `json:"nodes"`
	Feasible          int     `json:"feasible"`
	PreFilterUS       float64 `json:"prefilter_us"`
	SerialMS          float64 `json:"serial_ms_per_pod"`
	SerialNSNode      float64 `json:"serial_ns_per_node"`
	SerialNSNodeMin   float64 `json:"serial_ns_per_node_min"`
	SerialCPUNSNode   float64 `json:"serial_cpu_ns_per_node_min"`
	ParallelMS        float64 `json:"parallel16_ms_per_pod,omitempty"`
	ParallelNSNode    float64 `json:"parallel16_ns_per_node,omitempty"`
	PreScoreUS        float64 `json:"prescore_us,omitempty"`
	ScoreAllMS        float64 `json:"score_all_feasible_ms,omitempty"`
	SerialNSNodeRuns  []int64 `json:"serial_ns_per_node_runs"`
	ParallelNSNodeRun []int64 `json:"parallel16_ns_per_node_runs,omitempty"`
}

// CycleResult is the rate of whole in-memory scheduling cycles.
type CycleResult struct {
	Kind      string    `json:"kind"`
	Nodes     int       `json:"nodes"`
	Sampling  string    `json:"sampling"`
	Pods      int       `json:"pods_per_run"`
	PodsPerS  float64   `json:"pods_per_s"`
	MSPerPod  float64   `json:"ms_per_pod"`
	Evaluated int       `json:"evaluated_nodes"`
	Feasible  int       `json:"feasible_nodes"`
	Failed    int       `json:"failed"`
	Runs      []float64 `json:"pods_per_s_runs"`
}

type benchEnv struct {
	ctx   context.Context
	sched *scheduler.Scheduler
	fw    framework.Framework
	snap  *internalcache.Snapshot
	log   klog.Logger
}

func newSched(ctx context.Context, client *fake.Clientset, percent int32) (*scheduler.Scheduler, func(), error) {
	inf := scheduler.NewInformerFactory(client, 0)
	bc := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	s, err := scheduler.New(ctx, client, inf, nil, profile.NewRecorderFactory(bc), scheduler.WithPercentageOfNodesToScore(&percent))
	if err != nil {
		return nil, nil, err
	}
	start := func() {
		inf.Start(ctx.Done())
		inf.WaitForCacheSync(ctx.Done())
		_ = s.WaitForHandlersSync(ctx)
	}
	return s, start, nil
}

// benchMemory fills the real scheduler's cache directly and calls its
// SchedulePod; no API, no queue, no binding.
func benchMemory(out *BenchResult, kind string, nodes, existing, runs int, budget time.Duration, parts map[string]bool) error {
	modes := []struct {
		name    string
		percent int32
	}{{"all", 100}, {"adaptive", 0}}
	for i, mode := range modes {
		if i > 0 && !parts["cycle"] {
			break
		}
		err := func() error {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			client := fake.NewSimpleClientset(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
			s, start, err := newSched(ctx, client, mode.percent)
			if err != nil {
				return err
			}
			start()
			e := &benchEnv{ctx: ctx, sched: s, fw: s.Profiles[v1.DefaultSchedulerName], log: klog.FromContext(ctx)}
			e.snap = e.fw.SnapshotSharedLister().(*internalcache.Snapshot)
			for i := range nodes {
				s.Cache.AddNode(e.log, benchNode(kind, i))
			}
			for i := range nodes * existing {
				p := benchExisting(kind, i)
				p.Spec.NodeName = fmt.Sprintf("node-%05d", i%nodes)
				if err := s.Cache.AddPod(e.log, p); err != nil {
					return err
				}
			}
			if err := s.Cache.UpdateSnapshot(e.log, e.snap); err != nil {
				return err
			}
			debug.FreeOSMemory()
			var ms goruntime.MemStats
			goruntime.ReadMemStats(&ms)
			out.Heap[strconv.Itoa(nodes)] = max(out.Heap[strconv.Itoa(nodes)], int(ms.HeapAlloc>>20))
			if mode.percent == 100 && (parts["filter"] || parts["serial"]) {
				r, err := e.filter(kind, runs, !parts["filter"])
				if err != nil {
					return err
				}
				out.Filter = append(out.Filter, *r)
			}
			if mode.percent == 100 && parts["whole"] {
				r, err := e.whole(kind, runs)
				if err != nil {
					return err
				}
				out.Whole = append(out.Whole, *r)
			}
			if !parts["cycle"] {
				return nil
			}
			r, err := e.cycles(kind, nodes, runs, budget)
			if err != nil {
				return err
			}
			r.Sampling = mode.name
			out.Cycle = append(out.Cycle, *r)
			return nil
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// filter times Filter over all nodes, with one thread for all of Go and (unless
// serialOnly) with upstream's 16 workers. Each run repeats until 50 ms are over.
func (e *benchEnv) filter(kind string, runs int, serialOnly bool) (*FilterResult, error) {
	nodes, err := e.snap.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	pod := benchPod(kind, "probe")
	state := framework.NewCycleState()
	pre := func() error {
		state = framework.NewCycleState()
		_, s, _ := e.fw.RunPreFilterPlugins(e.ctx, state, pod)
		return s.AsError()
	}
	ok := make([]bool, len(nodes))
	check := func(i int) { ok[i] = e.fw.RunFilterPlugins(e.ctx, state, pod, nodes[i]).IsSuccess() }
	timeIt := func(f func()) int64 {
		f()
		var n, total int64
		for total < int64(50*time.Millisecond) || n < 3 {
			t := time.Now()
			f()
			total += int64(time.Since(t))
			n++
		}
		return total / n
	}
	var preErr error
	var pres, serial, serialCPU, parallel, prescore, score []int64
	for range runs {
		pres = append(pres, timeIt(func() { preErr = pre() }))
		if preErr != nil {
			return nil, preErr
		}
		procs := goruntime.GOMAXPROCS(1)
		loops, cpu := int64(0), cpuTime()
		serial = append(serial, timeIt(func() {
			for i := range nodes {
				check(i)
			}
			loops++
		}))
		serialCPU = append(serialCPU, (cpuTime()-cpu)/loops)
		goruntime.GOMAXPROCS(procs)
		if serialOnly {
			continue
		}
		parallel = append(parallel, timeIt(func() { e.fw.Parallelizer().Until(e.ctx, len(nodes), check, metrics.Filter) }))
		var feasible []fwk.NodeInfo
		for i, n := range nodes {
			if ok[i] {
				feasible = append(feasible, n)
			}
		}
		prescore = append(prescore, timeIt(func() { e.fw.RunPreScorePlugins(e.ctx, state, pod, feasible) }))
		score = append(score, timeIt(func() { _, _ = e.fw.RunScorePlugins(e.ctx, state, pod, feasible) }))
	}
	n := int64(len(nodes))
	r := &FilterResult{Kind: kind, Nodes: len(nodes), PreFilterUS: float64(median(pres)) / 1e3,
		SerialMS: float64(median(serial)) / 1e6, SerialNSNode: float64(median(serial)) / float64(n), SerialNSNodeMin: float64(slices.Min(serial)) / float64(n),
		SerialCPUNSNode: float64(slices.Min(serialCPU)) / float64(n)}
	for i := range serial {
		r.SerialNSNodeRuns = append(r.SerialNSNodeRuns, serial[i]/n)
	}
	if !serialOnly {
		r.ParallelMS, r.ParallelNSNode = float64(median(parallel))/1e6, float64(median(parallel))/float64(n)
		r.PreScoreUS, r.ScoreAllMS = float64(median(prescore))/1e3, float64(median(score))/1e6
		for _, t := range parallel {
			r.ParallelNSNodeRun = append(r.ParallelNSNodeRun, t/n)
		}
	}
	for _, f := range ok {
		if f {
			r.Feasible++
		}
	}
	return r, nil
}

// cpuTime is the CPU time of this process so far, including garbage collection, in ns: unlike
// elapsed time it does not depend on other load.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// cycles times UpdateSnapshot + SchedulePod + assume + reserve, pod after pod.
// Signatures are left out, so upstream's batching does not apply here.
func (e *benchEnv) cycles(kind string, nodes, runs int, budget time.Duration) (*CycleResult, error) {
	r := &CycleResult{Kind: kind, Nodes: nodes}
	limit := min(nodes/2, 2000)
	for run := range runs + 1 {
		var assumed []*v1.Pod
		infos := make([]*framework.QueuedPodInfo, limit)
		for i := range infos {
			pi, err := framework.NewPodInfo(benchPod(kind, fmt.Sprintf("new-%d-%d", run, i)))
			if err != nil {
				return nil, err
			}
			infos[i] = &framework.QueuedPodInfo{PodInfo: pi}
		}
		goruntime.GC()
		failed, evaluated, feasible := 0, 0, 0
		start := time.Now()
		n := 0
		for n < limit && (n < 5 || time.Since(start) < budget) {
			pod := infos[n].Pod
			if err := e.sched.Cache.UpdateSnapshot(e.log, e.snap); err != nil {
				return nil, err
			}
			state := framework.NewCycleState()
			state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
			res, err := e.sched.SchedulePod(e.ctx, e.fw, state, infos[n])
			n++
			if err != nil {
				failed++
				continue
			}
			evaluated, feasible = res.EvaluatedNodes, res.FeasibleNodes
			ap := pod.DeepCopy()
			ap.Spec.NodeName = res.SuggestedHost
			if err := e.sched.Cache.AssumePod(e.log, ap); err != nil {
				return nil, err
			}
			if s := e.fw.RunReservePluginsReserve(e.ctx, state, ap, res.SuggestedHost); !s.IsSuccess() {
				return nil, s.AsError()
			}
			assumed = append(assumed, ap)
		}
		took := time.Since(start)
		for _, p := range assumed {
			if err := e.sched.Cache.ForgetPod(e.log, p); err != nil {
				return nil, err
			}
		}
		if run == 0 {
			continue // warm-up
		}
		r.Pods, r.Failed, r.Evaluated, r.Feasible = n, failed, evaluated, feasible
		r.Runs = append(r.Runs, float64(n)/took.Seconds())
	}
	r.PodsPerS = median(r.Runs)
	r.MSPerPod = 1e3 / r.PodsPerS
	return r, nil
}
