package consumers

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func group(count int, cpu, memory int64, spread bool) Group {
	pod := &v1.Pod{}
	if cpu >= 0 {
		pod.Spec.Containers = []v1.Container{{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
			v1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
			v1.ResourceMemory: *resource.NewQuantity(memory<<20, resource.DecimalSI)}}}}
	}
	if spread {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{TopologyKey: v1.LabelHostname}}
	}
	var g Group
	for range count {
		g.Pods = append(g.Pods, pod)
	}
	return g
}

func TestBestForFastPath(t *testing.T) {
	node := &v1.Node{Status: v1.NodeStatus{Capacity: v1.ResourceList{v1.ResourceCPU: resource.MustParse("100m"), v1.ResourceMemory: resource.MustParse("100Mi")}}}
	for _, c := range []struct {
		name   string
		groups []Group
		want   int
	}{
		{"a node each: the later one", []Group{group(4, 5, 5, false), group(3, 5, 6, false)}, 1},
		{"more nodes save more", []Group{group(4, 5, 5, false), group(3, 80, 80, false)}, 1},
		{"more nodes save more, though they have less pods", []Group{group(3, 80, 80, false), group(10, 5, 5, false)}, 0},
		{"spread pods may not", []Group{group(10, 5, 5, true), group(3, 8, 8, true)}, -1},
		{"no requests: the last one", []Group{group(2, -1, 0, false), group(4, -1, 0, false)}, 1},
		{"an empty group", []Group{{}}, -1},
	} {
		if got := bestForFastPath(c.groups, node); got != c.want {
			t.Errorf("%s: %d", c.name, got)
		}
	}
}
