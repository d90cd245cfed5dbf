// Package cases is a test of engines: what the autoscaler's own tests ask of a snapshot and of its
// consumers, written for any implementation of the clustersnapshot. Run runs all of them.
package cases

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// Setup is what a snapshot simulates.
type Setup struct {
	// Configuration is a KubeSchedulerConfiguration; "" is the default.
	Configuration string
	// Devices and CSINodes say whether claims, devices and CSINodes are those of SetClusterState.
	Devices, CSINodes bool
	// Objects are those beside nodes, pods and these.
	Objects []runtime.Object
}

// Factory returns an empty snapshot.
type Factory func(t *testing.T, setup Setup) clustersnapshot.ClusterSnapshot

// RunStates runs the cases that need no filter but that of requested amounts.
func RunStates(t *testing.T, factory Factory) {
	t.Run("Forks", func(t *testing.T) { forks(t, factory) })
	t.Run("State", func(t *testing.T) { states(t, factory) })
}

// Run runs all cases with an engine.
func Run(t *testing.T, factory Factory) {
	t.Run("Checks", func(t *testing.T) { checks(t, factory) })
	t.Run("Searches", func(t *testing.T) { searches(t, factory) })
	RunStates(t, factory)
	t.Run("Devices", func(t *testing.T) { devices(t, factory) })
	t.Run("Drivers", func(t *testing.T) { drivers(t, factory) })
	t.Run("Hints", func(t *testing.T) { hints(t, factory) })
	t.Run("Estimates", func(t *testing.T) { estimates(t, factory) })
	t.Run("Removals", func(t *testing.T) { removals(t, factory) })
}

const zoneLabel = "topology.kubernetes.io/zone"

// node has the given CPU (thousandths) and memory (bytes), and room for 110 pods.
func node(name string, cpu, memory int64, change ...func(*v1.Node)) *v1.Node {
	n := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{v1.LabelHostname: name}},
		Status: v1.NodeStatus{Capacity: v1.ResourceList{
			v1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
			v1.ResourceMemory: *resource.NewQuantity(memory, resource.DecimalSI),
			v1.ResourcePods:   *resource.NewQuantity(110, resource.DecimalSI),
		}},
	}
	for _, c := range change {
		c(n)
	}
	n.Status.Allocatable = n.Status.Capacity
	return n
}

func zone(name string) func(*v1.Node) {
	return func(n *v1.Node) { n.Labels[zoneLabel] = name }
}

func podCount(count int64) func(*v1.Node) {
	return func(n *v1.Node) {
		n.Status.Capacity[v1.ResourcePods] = *resource.NewQuantity(count, resource.DecimalSI)
	}
}

func taint(key, value string, effect v1.TaintEffect) func(*v1.Node) {
	return func(n *v1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: effect})
	}
}

func pod(name string, cpu, memory int64, change ...func(*v1.Pod)) *v1.Pod {
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
			v1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
			v1.ResourceMemory: *resource.NewQuantity(memory, resource.DecimalSI),
		}}}}},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func on(node string) func(*v1.Pod) { return func(p *v1.Pod) { p.Spec.NodeName = node } }

func label(key, value string) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Labels = map[string]string{key: value} }
}

func priority(value int32) func(*v1.Pod) { return func(p *v1.Pod) { p.Spec.Priority = &value } }

func hostPort(port int32) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: port, HostPort: port, Protocol: v1.ProtocolTCP}}
	}
}

func ownedBy(kind, name string) func(*v1.Pod) {
	yes := true
	return func(p *v1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID(name), Controller: &yes}}
	}
}

// spread adds a constraint that selects the pod's own labels.
func spread(skew int32, key string, change ...func(*v1.TopologySpreadConstraint)) func(*v1.Pod) {
	return func(p *v1.Pod) {
		c := v1.TopologySpreadConstraint{MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels}}
		for _, change := range change {
			change(&c)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
}

func minDomains(n int32) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.MinDomains = &n }
}

func honorTaints(c *v1.TopologySpreadConstraint) {
	honor := v1.NodeInclusionPolicyHonor
	c.NodeTaintsPolicy = &honor
}

func start(t *testing.T, factory Factory, nodes []*v1.Node, pods ...*v1.Pod) clustersnapshot.ClusterSnapshot {
	t.Helper()
	snapshot := factory(t, Setup{})
	check(t, snapshot.SetClusterState(nodes, pods, nil, nil))
	return snapshot
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// scheduled fails the test for a SchedulingError, whose nil is not a nil error.
func scheduled(t *testing.T, err clustersnapshot.SchedulingError) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func without(plugin string) string {
	return `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig: []
  plugins:
    multiPoint:
      disabled: [{name: ` + plugin + `}]
  schedulerName: default-scheduler
`
}
