// Package questions asks random questions of an autoscaler's kind, with forks several deep, and writes
// down the answers. The same seed asks any two engines the same questions as long as their answers
// are equal, so the texts of two engines are compared, now or with a record.
package questions

import (
	"fmt"
	"math/rand"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

const (
	zone = "topology.kubernetes.io/zone"
	gpu  = "example.com/gpu"
)

// Objects are the objects beside nodes and pods, the same for all seeds.
func Objects() []runtime.Object {
	return append(volumes(),
		&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"team": "a"}}},
		&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{"team": "b"}}})
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.Intn(len(of))] }

func quantities(r *rand.Rand, cpu, memory int64) v1.ResourceList {
	return v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(memory<<20, resource.BinarySI),
	}
}

// shape returns a node without a name, for nodes and templates.
func shape(r *rand.Rand) *v1.Node {
	n := &v1.Node{}
	n.Labels = map[string]string{zone: fmt.Sprint("z", r.Intn(3)), "disk": pick(r, "ssd", "hdd"), "size": strconv.Itoa(1 + r.Intn(4))}
	if r.Intn(12) == 0 {
		delete(n.Labels, zone)
	}
	capacity := quantities(r, pick[int64](r, 500, 1000, 2000, 4000), pick[int64](r, 512, 1024, 4096))
	capacity[v1.ResourcePods] = *resource.NewQuantity(pick[int64](r, 2, 4, 10, 110), resource.DecimalSI)
	if r.Intn(4) == 0 {
		capacity[gpu] = *resource.NewQuantity(int64(1+r.Intn(3)), resource.DecimalSI)
	}
	n.Status.Capacity, n.Status.Allocatable = capacity, capacity
	for r.Intn(5) == 0 {
		n.Spec.Taints = append(n.Spec.Taints, taint(r))
	}
	n.Spec.Unschedulable = r.Intn(20) == 0
	return n
}

func taint(r *rand.Rand) v1.Taint {
	return v1.Taint{Key: pick(r, "dedicated", "spot"), Value: pick(r, "", "x"),
		Effect: pick(r, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule)}
}

// named copies a node under a name; a few nodes have another hostname, or none.
func named(r *rand.Rand, like *v1.Node, name string) *v1.Node {
	n := like.DeepCopy()
	n.Name, n.UID = name, types.UID(name)
	switch r.Intn(15) {
	case 0:
	case 1:
		n.Labels[v1.LabelHostname] = "host-of-" + name
	default:
		n.Labels[v1.LabelHostname] = name
	}
	return n
}

func selector(r *rand.Rand) *metav1.LabelSelector {
	switch r.Intn(6) {
	case 0:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpExists}}}
	case 1:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "app", Operator: metav1.LabelSelectorOpNotIn, Values: []string{pick(r, "a", "b")}}}}
	case 2:
		return &metav1.LabelSelector{}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(r, "a", "b", "c")}}
}

func affinityTerm(r *rand.Rand) v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{LabelSelector: selector(r), TopologyKey: pick(r, zone, v1.LabelHostname, "disk")}
	switch r.Intn(6) {
	case 0:
		term.Namespaces = []string{pick(r, "default", "other")}
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": pick(r, "a", "b")}}
	case 2:
		term.MatchLabelKeys = []string{"version"}
	}
	return term
}

func nodeTerm(r *rand.Rand, names []string) v1.NodeSelectorTerm {
	if r.Intn(4) == 0 && len(names) > 0 {
		return v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pick(r, names...)}}}}
	}
	return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{pick(r,
		v1.NodeSelectorRequirement{Key: "disk", Operator: v1.NodeSelectorOpIn, Values: []string{pick(r, "ssd", "hdd")}},
		v1.NodeSelectorRequirement{Key: zone, Operator: v1.NodeSelectorOpNotIn, Values: []string{"z0"}},
		v1.NodeSelectorRequirement{Key: gpu, Operator: v1.NodeSelectorOpDoesNotExist},
		v1.NodeSelectorRequirement{Key: "size", Operator: v1.NodeSelectorOpGt, Values: []string{"2"}})}}
}

func spread(r *rand.Rand) v1.TopologySpreadConstraint {
	c := v1.TopologySpreadConstraint{MaxSkew: int32(1 + r.Intn(2)), TopologyKey: pick(r, zone, v1.LabelHostname, v1.LabelHostname),
		WhenUnsatisfiable: pick(r, v1.DoNotSchedule, v1.DoNotSchedule, v1.DoNotSchedule, v1.ScheduleAnyway), LabelSelector: selector(r)}
	if r.Intn(3) == 0 && c.WhenUnsatisfiable == v1.DoNotSchedule {
		n := int32(1 + r.Intn(4))
		c.MinDomains = &n
	}
	if r.Intn(4) == 0 {
		p := pick(r, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore)
		c.NodeTaintsPolicy = &p
	}
	if r.Intn(4) == 0 {
		p := pick(r, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore)
		c.NodeAffinityPolicy = &p
	}
	return c
}

// kind returns a pod without a name; equal pods are made of it.
func kind(r *rand.Rand, index int, nodes []string) *v1.Pod {
	yes := true
	p := &v1.Pod{}
	p.Namespace = pick(r, "default", "default", "other")
	p.Labels = map[string]string{"app": pick(r, "a", "b", "c"), "version": pick(r, "1", "2")}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: fmt.Sprint("rs-", index), UID: types.UID(fmt.Sprint("rs-", index)), Controller: &yes}}
	requests := quantities(r, pick[int64](r, 0, 50, 100, 250, 600, 900), pick[int64](r, 0, 64, 200, 500))
	if r.Intn(8) == 0 {
		requests[gpu] = resource.MustParse("1")
	}
	p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: requests}}}
	if r.Intn(8) == 0 {
		p.Spec.InitContainers = []v1.Container{{Name: "i", Resources: v1.ResourceRequirements{Requests: quantities(r, 700, 100)}}}
	}
	if r.Intn(10) == 0 {
		p.Spec.Overhead = quantities(r, 100, 50)
	}
	if r.Intn(6) == 0 {
		p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: pick[int32](r, 80, 81), Protocol: pick(r, v1.ProtocolTCP, v1.ProtocolUDP), HostIP: pick(r, "", "10.0.0.1")}}
	}
	if r.Intn(5) == 0 {
		p.Spec.NodeSelector = map[string]string{"disk": pick(r, "ssd", "hdd")}
	}
	for r.Intn(4) == 0 {
		p.Spec.Tolerations = append(p.Spec.Tolerations, pick(r, v1.Toleration{Operator: v1.TolerationOpExists},
			v1.Toleration{Key: "dedicated", Operator: v1.TolerationOpEqual, Value: "x"},
			v1.Toleration{Key: "spot", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}))
	}
	p.Spec.Affinity = affinity(r, nodes)
	for r.Intn(3) == 0 && len(p.Spec.TopologySpreadConstraints) < 2 {
		c := spread(r)
		if len(p.Spec.TopologySpreadConstraints) == 0 || p.Spec.TopologySpreadConstraints[0].TopologyKey != c.TopologyKey {
			p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
		}
	}
	if r.Intn(4) == 0 {
		priority := pick[int32](r, -5, 10, 1000)
		p.Spec.Priority = &priority
	}
	return p
}

func affinity(r *rand.Rand, nodes []string) *v1.Affinity {
	a := &v1.Affinity{}
	if r.Intn(6) == 0 {
		required := &v1.NodeSelector{}
		for range 1 + r.Intn(2) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, nodeTerm(r, nodes))
		}
		a.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}
	}
	if r.Intn(7) == 0 {
		a.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{affinityTerm(r)}}
	}
	if r.Intn(5) == 0 {
		a.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{affinityTerm(r)}}
	}
	if *a == (v1.Affinity{}) {
		return nil
	}
	return a
}
