// The nodes and pods of the benchmarks. They are the benchmark's definition: changing
// them changes every figure.

package peer

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func benchNode(kind string, i int) *v1.Node {
	name := fmt.Sprintf("node-%05d", i)
	list := v1.ResourceList{v1.ResourceCPU: resource.MustParse("32"), v1.ResourceMemory: resource.MustParse("128Gi"), v1.ResourceEphemeralStorage: resource.MustParse("500Gi"), v1.ResourcePods: resource.MustParse("110")}
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{
		"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": fmt.Sprintf("zone-%d", i%10),
		"node.kubernetes.io/instance-type": fmt.Sprintf("type-%d", i%7), "disktype": []string{"ssd", "hdd"}[i%2],
	}}, Status: v1.NodeStatus{Allocatable: list, Capacity: list,
		Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}}}
	for k := range 8 {
		n.Status.Images = append(n.Status.Images, v1.ContainerImage{Names: []string{fmt.Sprintf("registry.example.com/app-%d:v1", (i+k)%40)}, SizeBytes: int64(50+k*20) << 20})
	}
	if kind == "taints" {
		for k := range 6 {
			e := v1.TaintEffectNoSchedule
			if k%2 == 1 {
				e = v1.TaintEffectPreferNoSchedule
			}
			n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: fmt.Sprintf("key-%d", k), Value: strconv.Itoa(i % 3), Effect: e})
		}
	}
	return n
}

func benchExisting(kind string, i int) *v1.Pod {
	p := benchPlain(fmt.Sprintf("existing-%d", i), fmt.Sprintf("app-%d", i%20))
	p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m"), v1.ResourceMemory: resource.MustParse("1Gi")}
	if kind == "existing-anti" && i%10 == 0 {
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{benchTerm(fmt.Sprintf("app-%d", i%20), "kubernetes.io/hostname")}}}
	}
	return p
}

func benchPlain(name, app string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{"app": app}},
		Spec: v1.PodSpec{SchedulerName: v1.DefaultSchedulerName, Priority: new(int32(0)), Containers: []v1.Container{{Name: "c", Image: "registry.example.com/app-1:v1",
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("100m"), v1.ResourceMemory: resource.MustParse("128Mi")}}}}}}
}

func benchTerm(app, key string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}, TopologyKey: key}
}

// benchPod makes the pod that is scheduled; pods of one kind differ by name
// only, so that batching applies where upstream allows it.
func benchPod(kind, name string) *v1.Pod {
	p := benchPlain(name, "new")
	const host, zone = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
	weighted := func(app, key string) []v1.WeightedPodAffinityTerm {
		return []v1.WeightedPodAffinityTerm{{Weight: 50, PodAffinityTerm: benchTerm(app, key)}}
	}
	switch kind {
	case "nodeaffinity":
		p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: zone, Operator: v1.NodeSelectorOpIn, Values: []string{"zone-1", "zone-2", "zone-3", "zone-4", "zone-5"}}, {Key: "disktype", Operator: v1.NodeSelectorOpExists}}}}},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{
				{Weight: 10, Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "disktype", Operator: v1.NodeSelectorOpIn, Values: []string{"ssd"}}}}},
				{Weight: 5, Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "node.kubernetes.io/instance-type", Operator: v1.NodeSelectorOpNotIn, Values: []string{"type-1"}}}}}}}}
	case "selector":
		p.Spec.NodeSelector = map[string]string{zone: "zone-1", "node.kubernetes.io/instance-type": "type-3"}
	case "anti-app": // against the existing pods of another app
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{benchTerm("app-3", host)}}}
	case "taints":
		for k := range 6 {
			p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Key: fmt.Sprintf("key-%d", k), Operator: v1.TolerationOpEqual, Value: strconv.Itoa(k % 2), Effect: v1.TaintEffectNoSchedule},
				v1.Toleration{Key: fmt.Sprintf("key-%d", k), Operator: v1.TolerationOpEqual, Value: "2", Effect: ""})
		}
	case "spread":
		sel := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "new"}}
		p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: sel},
			{MaxSkew: 1, TopologyKey: host, WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: sel}}
	case "spread-hard", "spread-soft": // over the existing pods of its own app
		p.Labels["app"] = "app-3"
		when := v1.DoNotSchedule
		if kind == "spread-soft" {
			when = v1.ScheduleAnyway
		}
		for _, key := range []string{zone, host} {
			p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: when,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "app-3"}}})
		}
	case "affinity-pref":
		p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted("app-3", host)}}
	case "affinity-req":
		p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{benchTerm("app-3", zone)}}}
	case "anti-pref":
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted("new", host)}}
	case "anti-req":
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{benchTerm("new", host)}}}
	}
	return p
}
