// Namespaces, nodes, bound and nominated pods, owners and disruption budgets.

package generate

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var (
	zones      = []string{"zone-a", "zone-b", "zone-c", "zone-d"}
	namespaces = []string{"default", "team-a", "team-b", "prod"}
	apps       = []string{"web", "db", "cache", "batch"}
	imageNames = []string{"registry.example.com/web:1.0", "registry.example.com/db:2", "busybox", "registry.example.com/ml@sha256:abc", "registry.example.com/batch", "localhost:5000/tool:v1"}
	topoKeys   = []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "rack", "missing-key"}
)

const (
	mi = int64(1) << 20
	gi = int64(1) << 30
)

// world makes namespaces, nodes and bound pods.
func (g *gen) world(o Options) {
	for _, ns := range namespaces {
		labels := map[string]string{"kubernetes.io/metadata.name": ns}
		if g.chance(0.6) {
			labels["env"] = pick(g, "prod", "dev")
		}
		g.objects = append(g.objects, &v1.Namespace{TypeMeta: typeMeta("v1", "Namespace"), ObjectMeta: metav1.ObjectMeta{Name: ns, Labels: labels}})
	}
	for i := range o.Nodes {
		g.nodes = append(g.nodes, g.node(i))
	}
	for range o.Existing {
		g.objects = append(g.objects, g.boundPod())
	}
}

func (g *gen) node(i int) *v1.Node {
	name := fmt.Sprintf("node-%03d", i)
	labels := map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": pick(g, "amd64", "amd64", "arm64")}
	if g.chance(0.9) {
		labels["topology.kubernetes.io/zone"] = pick(g, zones...)
	}
	if g.chance(0.8) {
		labels["topology.kubernetes.io/region"] = pick(g, "r1", "r2")
	}
	if g.chance(0.6) {
		labels["rack"] = fmt.Sprintf("rack-%d", g.r.IntN(4))
	}
	if g.chance(0.5) {
		labels["disktype"] = pick(g, "ssd", "hdd", "nvme", "")
	}
	if g.chance(0.5) {
		labels["generation"] = pick(g, "1", "2", "3", "10", "007", "-1", "x3", "99999999999999999999")
	}
	if g.chance(g.nasty) {
		delete(labels, "kubernetes.io/hostname")
	}
	alloc := v1.ResourceList{
		v1.ResourceCPU:    pick(g, qty(1, ""), qty(2, ""), qty(4, ""), qty(16, ""), qty(3920, "m"), qty(500, "m"), qty(15400, "m")),
		v1.ResourceMemory: pick(g, qty(2, "Gi"), qty(4, "Gi"), qty(16, "Gi"), qty(15859908608, ""), qty(7, "G"), qty(512, "Mi")),
		v1.ResourcePods:   pick(g, qty(110, ""), qty(110, ""), qty(10, ""), qty(3, "")),
	}
	if g.chance(0.7) {
		alloc[v1.ResourceEphemeralStorage] = pick(g, qty(10, "Gi"), qty(100, "Gi"), qty(500, "Mi"))
	}
	if g.chance(0.3) {
		alloc["example.com/gpu"] = qty(g.r.Int64N(9), "")
	}
	if g.chance(0.2) {
		alloc["hugepages-2Mi"] = qty(g.r.Int64N(5)*64, "Mi")
	}
	n := &v1.Node{
		TypeMeta:   typeMeta("v1", "Node"),
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status:     v1.NodeStatus{Allocatable: alloc, Capacity: alloc.DeepCopy()},
	}
	if g.chance(0.07) {
		n.Spec.Unschedulable = true
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
		if g.chance(g.nasty) {
			n.Spec.Taints = nil
		}
	}
	if g.taint {
		for range g.r.IntN(4) {
			if g.chance(0.6) {
				n.Spec.Taints = append(n.Spec.Taints, v1.Taint{
					Key:    pick(g, "dedicated", "gpu", "spot", v1.TaintNodeNotReady),
					Value:  pick(g, "", "a", "b", "10"),
					Effect: pick(g, v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute),
				})
			}
		}
	}
	if g.images {
		for _, img := range imageNames {
			if g.chance(0.4) {
				n.Status.Images = append(n.Status.Images, v1.ContainerImage{Names: append([]string{img}, map[bool][]string{true: {img + "-alias"}, false: {img + ":latest"}}[strings.Contains(img, "sha256")]...), SizeBytes: g.r.Int64N(1500 * mi)})
			}
		}
	}
	return n
}

func (g *gen) podLabels() map[string]string {
	l := map[string]string{}
	if g.chance(0.9) {
		l["app"] = pick(g, apps...)
	}
	if g.chance(0.5) {
		l["tier"] = pick(g, "front", "back")
	}
	if g.chance(0.4) {
		l["pod-template-hash"] = pick(g, "h1", "h2")
	}
	if len(l) == 0 {
		return nil
	}
	return l
}

func (g *gen) newPod(prefix string) *v1.Pod {
	g.seq++
	p := &v1.Pod{
		TypeMeta:   typeMeta("v1", "Pod"),
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", prefix, g.seq), Namespace: pick(g, namespaces...), Labels: g.podLabels()},
		Spec:       v1.PodSpec{Containers: []v1.Container{{Name: "c0", Image: pick(g, imageNames...)}}},
	}
	return p
}

func (g *gen) boundPod() *v1.Pod {
	p := g.newPod("bound")
	p.Spec.NodeName = pick(g, g.nodes...).Name
	p.Spec.Priority = ptr(pick(g, int32(0), 0, 10, 100, 1000, -5))
	// Distinct start times: ties in preemption would be decided by chance.
	p.Status.StartTime = &metav1.Time{Time: g.start.Add(time.Duration(g.seq*7+g.r.IntN(7)) * time.Second)}
	p.Status.Phase = v1.PodRunning
	if g.full {
		p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: qty(200+g.r.Int64N(1500), "m"), v1.ResourceMemory: qty(100+g.r.Int64N(1500), "Mi")}
	} else {
		g.resources(p)
	}
	if g.chance(0.05) {
		p.DeletionTimestamp = &metav1.Time{Time: g.start.Add(time.Hour)}
		p.DeletionGracePeriodSeconds = ptr(int64(30))
		p.Finalizers = []string{"example.com/keep"}
	}
	if g.chance(g.affinity) {
		p.Spec.Affinity = &v1.Affinity{}
		g.podAffinity(p)
	}
	if g.chance(g.ports) {
		g.hostPorts(p)
	}
	if g.chance(g.nasty) {
		p.Status.Phase = pick(g, v1.PodSucceeded, v1.PodFailed)
	}
	return p
}

func (g *gen) pending(o Options, shape func(*v1.Pod)) {
	for range o.Pods {
		p := g.newPod("pod")
		if g.chance(0.3) {
			p.Spec.Priority = ptr(pick(g, int32(0), 50, 500, 2000))
		}
		shape(p)
		g.pods = append(g.pods, p)
	}
}

// owners makes a Service and a ReplicaSet per application, for the default
// spreading constraints.
func (g *gen) owners() {
	for _, app := range apps {
		for _, ns := range namespaces {
			sel := map[string]string{"app": app}
			if g.chance(0.5) {
				g.objects = append(g.objects, &v1.Service{TypeMeta: typeMeta("v1", "Service"), ObjectMeta: metav1.ObjectMeta{Name: app, Namespace: ns}, Spec: v1.ServiceSpec{Selector: sel}})
			}
			if g.chance(0.5) {
				g.objects = append(g.objects, &appsv1.ReplicaSet{TypeMeta: typeMeta("apps/v1", "ReplicaSet"), ObjectMeta: metav1.ObjectMeta{Name: app, Namespace: ns},
					Spec: appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: sel}}})
			}
		}
	}
}

func (g *gen) disruptionBudgets() {
	for i := range g.r.IntN(4) {
		b := &policyv1.PodDisruptionBudget{
			TypeMeta:   typeMeta("policy/v1", "PodDisruptionBudget"),
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pdb-%d", i), Namespace: pick(g, namespaces...)},
			Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr(intstr.FromInt32(1)), Selector: pick(g, &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(g, apps...)}}, &metav1.LabelSelector{})},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: g.r.Int32N(3)},
		}
		g.objects = append(g.objects, b)
	}
}

// nominatedPods adds unbound pods that hold a nomination.
func (g *gen) nominatedPods(o Options) {
	for range 1 + g.r.IntN(o.Nodes) {
		p := g.newPod("nominated")
		p.Spec.Priority = ptr(pick(g, int32(0), 50, 500, 2000))
		p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: qty(300+g.r.Int64N(2000), "m")}
		p.Status.NominatedNodeName = pick(g, g.nodes...).Name
		if g.chance(0.3) {
			p.Spec.Affinity = &v1.Affinity{}
			g.podAffinity(p)
		}
		g.objects = append(g.objects, p)
	}
	g.objects = append(g.objects, &schedulingv1.PriorityClass{TypeMeta: typeMeta("scheduling.k8s.io/v1", "PriorityClass"), ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})
}
