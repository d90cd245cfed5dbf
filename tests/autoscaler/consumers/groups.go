package consumers

import (
	"fmt"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// decreasing returns the groups by the size of their pods, the largest first: the parts of a node's CPU
// and memory together. Equal groups keep their order.
func decreasing(groups []Group, node *v1.Node) []Group {
	sizes := make([]float64, len(groups))
	order := make([]int, len(groups))
	for i, group := range groups {
		order[i] = i
		if len(group.Pods) > 0 {
			sizes[i] = size(group.Pods[0], node)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case sizes[a] > sizes[b]:
			return -1
		case sizes[a] < sizes[b]:
			return 1
		}
		return 0
	})
	out := make([]Group, len(groups))
	for i, k := range order {
		out[i] = groups[k]
	}
	return out
}

// size counts the requests of containers alone, without init containers and overhead.
func size(pod *v1.Pod, node *v1.Node) float64 {
	var cpu, memory resource.Quantity
	for i := range pod.Spec.Containers {
		requests := pod.Spec.Containers[i].Resources.Requests
		if q, ok := requests[v1.ResourceCPU]; ok {
			cpu.Add(q)
		}
		if q, ok := requests[v1.ResourceMemory]; ok {
			memory.Add(q)
		}
	}
	sum := 0.0
	if all := node.Status.Allocatable.Cpu().MilliValue(); all > 0 {
		sum += float64(cpu.MilliValue()) / float64(all)
	}
	if all := node.Status.Allocatable.Memory().Value(); all > 0 {
		sum += float64(memory.Value()) / float64(all)
	}
	return sum
}

// bestForFastPath returns the index of the group for which most placements are saved; -1: none may use it.
func bestForFastPath(groups []Group, node *v1.Node) int {
	best, most := -1, 0
	for i, group := range groups {
		if len(group.Pods) == 0 || !mayUseFastPath(group.Pods[0]) {
			continue
		}
		saved := 0
		if nodes := nodesNeeded(group, node); nodes > 0 {
			saved = len(group.Pods) - len(group.Pods)/nodes
		}
		if saved >= most {
			best, most = i, saved
		}
	}
	return best
}

// mayUseFastPath says whether a node that is full stays full, and whether all nodes take as many pods.
func mayUseFastPath(pod *v1.Pod) bool {
	if len(pod.Spec.TopologySpreadConstraints) > 0 {
		return false
	}
	return !slices.ContainsFunc(antiAffinity(pod), func(t v1.PodAffinityTerm) bool {
		return t.TopologyKey != v1.LabelHostname
	})
}

func antiAffinity(pod *v1.Pod) []v1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// nodesNeeded guesses how many nodes a group takes, by anti-affinity, CPU and memory of the first container.
func nodesNeeded(group Group, node *v1.Node) int {
	pod, count, nodes := group.Pods[0], len(group.Pods), 0
	for _, term := range antiAffinity(pod) {
		if term.TopologyKey == v1.LabelHostname && selects(term.LabelSelector, pod.Labels) {
			nodes = count
		}
	}
	if len(pod.Spec.Containers) == 0 {
		return nodes
	}
	requests := pod.Spec.Containers[0].Resources.Requests
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
		request, capacity := requests[name], node.Status.Capacity[name]
		share := request.AsApproximateFloat64() / capacity.AsApproximateFloat64()
		if share > 0 && !math.IsInf(share, 0) {
			nodes = max(nodes, int(math.Ceil(float64(count)*share)))
		}
	}
	return nodes
}

func selects(selector *metav1.LabelSelector, set map[string]string) bool {
	if selector == nil {
		return false
	}
	compiled, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && compiled.Matches(labels.Set(set))
}

// calculate fills one more node and supposes that the others take as many pods.
func (e *estimate) calculate(pods []*v1.Pod) (more bool, err error) {
	if len(pods) == 0 {
		return true, nil
	}
	if !e.Limiter.PermissionToAddNode() {
		return false, nil
	}
	if err := e.addNode(); err != nil {
		return false, err
	}
	perNode := 0
	for _, pod := range pods {
		if err := e.Snapshot.SchedulePod(pod, e.last); err != nil {
			if err := unexpected(err); err != nil {
				return false, err
			}
			break
		}
		e.track(pod, e.last)
		perNode++
	}
	if perNode == 0 {
		return true, nil
	}
	for i, n := perNode, 1; i < len(pods); n++ {
		if !e.Limiter.PermissionToAddNode() {
			return false, nil
		}
		for range min(perNode, len(pods)-i) {
			e.track(pods[i], fmt.Sprintf("%s-fake-%d", e.last, n))
			i++
		}
	}
	return true, nil
}
