// PreFilter, Filter, PreScore and Score of one pod on every node: the work of a cycle, without
// sampling, cache and choice.

package peer

import (
	"fmt"
	goruntime "runtime"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// WholeResult is the CPU time of the four points for one pod, with one thread for all of Go.
type WholeResult struct {
	Kind     string  `json:"kind"`
	Nodes    int     `json:"nodes"`
	Feasible int     `json:"feasible"`
	CPUUS    float64 `json:"cpu_us_per_pod_min"`
	RunsUS   []int64 `json:"cpu_us_per_pod_runs"`
}

func (e *benchEnv) whole(kind string, runs int) (*WholeResult, error) {
	nodes, err := e.snap.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	pod := benchPod(kind, "probe")
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	feasible := make([]fwk.NodeInfo, 0, len(nodes))
	once := func() error {
		state := framework.NewCycleState()
		if _, s, _ := e.fw.RunPreFilterPlugins(e.ctx, state, pod); !s.IsSuccess() {
			return s.AsError()
		}
		feasible = feasible[:0]
		for _, n := range nodes {
			if e.fw.RunFilterPlugins(e.ctx, state, pod, n).IsSuccess() {
				feasible = append(feasible, n)
			}
		}
		if s := e.fw.RunPreScorePlugins(e.ctx, state, pod, feasible); !s.IsSuccess() {
			return s.AsError()
		}
		scores, s := e.fw.RunScorePlugins(e.ctx, state, pod, feasible)
		if !s.IsSuccess() {
			return s.AsError()
		}
		if len(scores) != len(feasible) {
			return fmt.Errorf("%d scores for %d nodes", len(scores), len(feasible))
		}
		return nil
	}
	if err := once(); err != nil {
		return nil, err
	}
	r := &WholeResult{Kind: kind, Nodes: len(nodes), Feasible: len(feasible)}
	var times []int64
	for range runs {
		goruntime.GC()
		const pods = 3
		start := cpuTime()
		for range pods {
			if err := once(); err != nil {
				return nil, err
			}
		}
		times = append(times, (cpuTime()-start)/pods)
	}
	r.CPUUS = float64(slices.Min(times)) / 1e3
	for _, t := range times {
		r.RunsUS = append(r.RunsUS, t/1e3)
	}
	return r, nil
}
