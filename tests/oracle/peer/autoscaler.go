// The two large simulations of an autoscaler: packing pending pods onto new nodes of a template,
// and emptying nodes one after the other.

package peer

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// SimulationResult is the CPU time of one simulation. Steps were done of Asked before the time was
// over: pods, or nodes to empty.
type SimulationResult struct {
	Nodes int     `json:"nodes"`
	Pods  int     `json:"pods"`
	Asked int     `json:"asked"`
	Steps int     `json:"steps"`
	Found int     `json:"found"`
	NS    int64   `json:"cpu_ns_per_step_min"`
	Runs  []int64 `json:"cpu_ns_per_step_runs"`
}

// repeat runs a simulation until `limit` of CPU time is over, at most `runs` times; it stops by itself
// at the limit as well, so the first run may have fewer steps than asked.
func repeat(runs int, limit time.Duration, simulate func(over func() bool) (SimulationResult, error)) (SimulationResult, error) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	var out SimulationResult
	begin := cpuTime()
	over := func() bool { return cpuTime()-begin > int64(limit) }
	for run := 0; run < runs && (run == 0 || !over()); run++ {
		goruntime.GC()
		r, err := simulate(over)
		if err != nil {
			return out, err
		}
		if run > 0 && r.Steps < r.Asked {
			break // a run that was cut short has other steps than a whole one
		}
		r.Runs = append(out.Runs, r.NS)
		if run > 0 {
			r.NS = min(r.NS, out.NS)
		}
		out = r
	}
	return out, nil
}

func requests(cpu, memory string) v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse(memory)}
}

func sized(node *v1.Node, name, cpu, memory, pods string) *v1.Node {
	node.Name, node.UID = name, types.UID(name)
	node.Labels["kubernetes.io/hostname"] = name
	list := requests(cpu, memory)
	list[v1.ResourcePods] = resource.MustParse(pods)
	node.Status.Allocatable, node.Status.Capacity = list, list
	return node
}

// pack is first-fit decreasing of two groups of equal pods onto copies of one node: on any of the
// new nodes until that fails once, from then on the last new node or another one.
func pack(ctx context.Context, over func() bool) (SimulationResult, error) {
	e, err := newSimEnv(ctx)
	if err != nil {
		return SimulationResult{}, err
	}
	e.store.addNode(sized(benchNode("basic", 0), "old", "100m", "100", "10"))
	template := sized(benchNode("basic", 1), "template", "1", "5000", "100")
	groups := []struct {
		cpu, memory string
		count       int
	}{{"95m", "190", 1000}, {"50m", "100", 50000}}
	r := SimulationResult{}
	start := cpuTime()
	e.store.fork()
	added := map[string]bool{}
	last, next := "", 0
	for _, group := range groups {
		r.Asked += group.count
	}
	for g, group := range groups {
		pod := benchPlain("", "estimatee")
		pod.Spec.Containers[0].Resources.Requests = requests(group.cpu, group.memory)
		anywhere := true
		for i := range group.count {
			if i%64 == 0 && over() {
				break
			}
			one := pod.DeepCopy()
			one.Name = fmt.Sprintf("estimatee-%d-%d", g, i)
			one.UID = types.UID(one.Name)
			node := ""
			if anywhere {
				if node, err = e.first(one, &next, func(name string) bool { return added[name] }); err != nil {
					return r, err
				}
				anywhere = node != ""
			}
			if node == "" && last != "" {
				ok, err := e.check(one, last)
				if err != nil {
					return r, err
				}
				if ok {
					node = last
				}
			}
			if node == "" {
				last = fmt.Sprintf("template-%d", r.Nodes)
				fresh := template.DeepCopy()
				fresh.Name, fresh.UID, fresh.Labels["kubernetes.io/hostname"] = last, types.UID(last), last
				e.store.addNode(fresh)
				added[last] = true
				r.Nodes++
				ok, err := e.check(one, last)
				if err != nil || !ok {
					return r, fmt.Errorf("the template does not take the pod: %v", err)
				}
				node = last
			}
			if err := e.store.addPod(one, node); err != nil {
				return r, err
			}
			r.Steps++
		}
	}
	r.NS = (cpuTime() - start) / int64(max(1, r.Steps))
	r.Pods, r.Found = r.Steps, r.Nodes
	return r, nil
}

// The cluster that is emptied: every node is used to 40 %, so three in five can go.
const (
	drainedNodes = 2000
	drainedPods  = 40
)

// drain empties one node after the other, as a scale-down does: in a fork its pods leave, a tainted
// ghost without pods takes its place, so that topology domains stay, and the pods are placed
// elsewhere; the ghost goes and the fork is committed if all were.
func drain(ctx context.Context, over func() bool) (SimulationResult, error) {
	r := SimulationResult{Nodes: drainedNodes, Pods: drainedNodes * drainedPods, Asked: drainedNodes}
	e, err := newSimEnv(ctx)
	if err != nil {
		return r, err
	}
	pods := make([][]*v1.Pod, drainedNodes)
	for i := range drainedNodes {
		node := sized(benchNode("basic", i), fmt.Sprintf("node-%05d", i), "10", "64Gi", "110")
		e.store.addNode(node)
		for k := range drainedPods {
			pod := benchPlain(fmt.Sprintf("pod-%d-%d", i, k), fmt.Sprintf("app-%d", k%20))
			if err := e.store.addPod(pod, node.Name); err != nil {
				return r, err
			}
			pods[i] = append(pods[i], pod)
		}
	}
	on := map[string][]*v1.Pod{}
	for i := range pods {
		on[fmt.Sprintf("node-%05d", i)] = pods[i]
	}
	goruntime.GC()
	start := cpuTime()
	next := 0
	for i := range drainedNodes {
		if over() {
			break
		}
		r.Steps++
		name := fmt.Sprintf("node-%05d", i)
		info, err := e.store.Get(name)
		if err != nil {
			return r, err
		}
		node := info.Node()
		e.store.fork()
		for _, pod := range on[name] {
			if err := e.store.removePod(pod, name); err != nil {
				return r, err
			}
		}
		e.store.drop(name)
		ghost := node.DeepCopy()
		ghost.Spec.Taints = append(ghost.Spec.Taints, v1.Taint{Key: "ToBeDeleted", Effect: v1.TaintEffectNoSchedule})
		e.store.addNode(ghost)
		moved := make([]string, 0, len(on[name]))
		for _, pod := range on[name] {
			to, err := e.first(pod, &next, nil)
			if err != nil {
				return r, err
			}
			if to == "" {
				break
			}
			if err := e.store.addPod(pod, to); err != nil {
				return r, err
			}
			moved = append(moved, to)
		}
		if len(moved) < len(on[name]) {
			e.store.revert()
			continue
		}
		e.store.drop(name)
		e.store.commit()
		for k, pod := range on[name] {
			on[moved[k]] = append(on[moved[k]], pod)
		}
		delete(on, name)
		r.Found++
	}
	r.NS = (cpuTime() - start) / int64(max(1, r.Steps))
	return r, nil
}

func benchSimulations(out *BenchResult, want map[string]bool, runs int, limit time.Duration) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, part := range []struct {
		name string
		run  func(context.Context, func() bool) (SimulationResult, error)
		into **SimulationResult
	}{{"pack", pack, &out.Pack}, {"drain", drain, &out.Drain}} {
		if !want[part.name] {
			continue
		}
		r, err := repeat(runs, limit, func(over func() bool) (SimulationResult, error) { return part.run(ctx, over) })
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		*part.into = &r
	}
	return nil
}
