// Cases of kind schedule: scripts for the whole scheduler.

package generate

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"libsched.dev/tests/oracle/cases"
)

// cyclesGen makes the script of one case of mode "cycles".
type cyclesGen struct {
	*gen
	c        *cases.CyclesCase
	nodes    []string
	pods     []string // names; some may be gone by themselves
	nodeSeq  int
	podSeq   int
	budgets  int
	moment   int
	second   bool
	alike    bool // the pods of a group have one priority
	zoned    bool // groups may have a topology constraint
	policy   bool // groups may say whether they preempt
	gangs    map[string]int
	storage  bool
	permits  []string // pods that may wait on permit
	preBinds []cases.Rule
}

func genCycles(g *gen, seed uint64) any {
	q := &cyclesGen{gen: g, c: &cases.CyclesCase{Name: fmt.Sprintf("schedule-%d", seed), Mode: "cycles"}, gangs: map[string]int{}}
	q.second, q.storage = g.chance(0.3), g.chance(0.2)
	if g.chance(0.3) {
		q.c.Options.Grace = pick(g, "1s", "5s", "30s")
	}
	if g.chance(0.4) {
		q.c.Options.MaxInUnschedulable = pick(g, "10s", "30s", "60s")
	}
	q.gates()
	q.world()
	q.profiles()
	for range 10 + g.r.IntN(25) {
		q.randomStep()
	}
	q.do(cases.CyclesStep{Do: "advance", By: pick(g, "3s", "12s", "45s")})
	q.c.Metrics = true
	return q.c
}

func (q *cyclesGen) do(s cases.CyclesStep) { q.c.Script = append(q.c.Script, s) }

func (q *cyclesGen) gates() {
	q.c.Gates = map[string]bool{}
	if q.chance(0.2) {
		q.c.Gates["SchedulerAsyncPreemption"] = false
	}
	if q.chance(0.2) {
		q.c.Gates["SchedulerPopFromBackoffQ"] = false
	}
	if q.chance(0.15) {
		q.c.Gates["NominatedNodeNameForExpectation"] = false
	}
	if q.chance(0.1) {
		q.c.Gates["SchedulerAsyncAPICalls"] = true
	}
	if len(q.c.Gates) == 0 {
		q.c.Gates = nil
	}
}

// later returns a duration that no other one of the case is equal to.
func (q *cyclesGen) later(ms int) string {
	q.moment++
	return fmt.Sprintf("%dms", ms+q.moment*14+7)
}

func (q *cyclesGen) newNode() *v1.Node {
	name := fmt.Sprintf("n%d", q.nodeSeq)
	q.nodeSeq++
	alloc := v1.ResourceList{v1.ResourceCPU: pick(q.gen, qty(1, ""), qty(2, ""), qty(2, ""), qty(4, "")), v1.ResourceMemory: qty(8, "Gi"),
		v1.ResourcePods: pick(q.gen, qty(20, ""), qty(20, ""), qty(3, ""))}
	n := &v1.Node{TypeMeta: typeMeta("v1", "Node"), ObjectMeta: metav1.ObjectMeta{Name: name,
		Labels: map[string]string{"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": pick(q.gen, zones[:2]...)}},
		Status: v1.NodeStatus{Allocatable: alloc, Capacity: alloc.DeepCopy()}}
	if q.chance(0.2) {
		n.Spec.Taints = []v1.Taint{{Key: "dedicated", Value: "a", Effect: v1.TaintEffectNoSchedule}}
	}
	q.nodes = append(q.nodes, name)
	return n
}

func (q *cyclesGen) world() {
	objects := []any{&v1.Namespace{TypeMeta: typeMeta("v1", "Namespace"), ObjectMeta: metav1.ObjectMeta{Name: "default"}}}
	for range 1 + q.r.IntN(4) {
		objects = append(objects, q.newNode())
	}
	if q.chance(0.05) {
		objects, q.nodes = objects[:1], nil
	}
	if len(q.nodes) > 0 {
		for range q.r.IntN(6) {
			p := q.newPod()
			p.Spec.NodeName, p.Spec.SchedulerName = pick(q.gen, q.nodes...), ""
			p.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = qty(200+q.r.Int64N(600), "m")
			p.Status.Phase = v1.PodRunning
			p.Spec.SchedulingGates, p.Status.NominatedNodeName = nil, ""
			objects = append(objects, p)
		}
	}
	if q.chance(0.25) {
		objects = append(objects, q.budget())
	}
	if q.storage {
		objects = append(objects, q.storageWorld()...)
	}
	for _, o := range objects {
		q.c.Objects = append(q.c.Objects, mustJSON(o))
	}
}

func (q *cyclesGen) budget() any {
	q.budgets++
	n := intstr.FromInt32(int32(q.r.IntN(2)))
	return &policyv1.PodDisruptionBudget{TypeMeta: typeMeta("policy/v1", "PodDisruptionBudget"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("budget-%d", q.budgets), Namespace: "default"},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &n, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(q.gen, apps...)}}}, Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(q.r.IntN(2))}}
}

func (q *cyclesGen) newPod() *v1.Pod {
	q.podSeq++
	name := fmt.Sprintf("%c%d", 'a'+rune(q.r.IntN(26)), q.podSeq)
	q.pods = append(q.pods, name)
	p := &v1.Pod{TypeMeta: typeMeta("v1", "Pod"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"app": pick(q.gen, apps...)}},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: "i", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
			v1.ResourceCPU: pick(q.gen, qty(100, "m"), qty(500, "m"), qty(900, "m"), qty(1500, "m"), qty(3, ""))}}}}}}
	if q.chance(0.5) {
		p.Spec.Priority = ptr(pick(q.gen, int32(0), 10, 100, 1000, -5))
		if q.chance(0.1) {
			p.Spec.PreemptionPolicy = ptr(v1.PreemptNever)
		}
	}
	switch q.r.IntN(10) {
	case 0:
		p.Spec.NodeSelector = map[string]string{"topology.kubernetes.io/zone": pick(q.gen, zones[:3]...)}
	case 1:
		p.Spec.Tolerations = []v1.Toleration{{Key: "dedicated", Operator: v1.TolerationOpExists}}
	case 2:
		p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: int32(8000 + q.r.IntN(2))}}
	case 3:
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{TopologyKey: "kubernetes.io/hostname", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(q.gen, apps...)}}}}}}
	case 4:
		p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels}}}
	}
	if q.chance(0.06) {
		p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/gate"}}
	}
	if q.second && q.chance(0.3) {
		p.Spec.SchedulerName = secondScheduler
	}
	if q.chance(0.05) && len(q.nodes) > 0 {
		p.Status.NominatedNodeName = pick(q.gen, q.nodes...)
	}
	return p
}

func enabledPlugins(disableAll bool, names ...string) map[string]any {
	list := []any{}
	for _, n := range names {
		list = append(list, map[string]any{"name": n})
	}
	out := map[string]any{"enabled": list}
	if disableAll {
		out["disabled"] = []any{map[string]any{"name": "*"}}
	}
	return out
}

// profiles: "Pick" is the only Score plugin and never gives two nodes the same
// score, so that the choice is not left to chance.
func (q *cyclesGen) profiles() {
	scores := []cases.Rule{}
	order := q.r.Perm(30)
	for i, s := range order {
		scores = append(scores, cases.Rule{Node: fmt.Sprintf("n%d", i), Score: int64(3*s + 5)})
	}
	none := []cases.EventSpec{}
	nodeEvents := []cases.EventSpec{{Resource: "Node", Actions: []string{"Add", "UpdateNodeLabel"}, Hint: &[]cases.Rule{{Hint: "Queue"}}}}
	podEvents := []cases.EventSpec{{Resource: "Pod", Actions: []string{"Delete"}}}
	q.c.Plugins = []cases.PluginSpec{
		{Name: "Pick", Events: &none, Rules: map[string][]cases.Rule{"score": scores}},
		{Name: "Filt", Events: &nodeEvents, Rules: map[string][]cases.Rule{}},
		{Name: "Rsv", Events: &podEvents, Rules: map[string][]cases.Rule{"preBindPreFlight": {{Skip: q.chance(0.3)}}}},
		{Name: "Perm", Events: pick(q.gen, &none, &podEvents), Rules: map[string][]cases.Rule{}, Gang: &cases.GangSpec{Label: "gang", Sizes: q.gangs, Timeout: pick(q.gen, "2337ms", "6113ms", "20219ms")}},
	}
	plugins := map[string]any{"score": enabledPlugins(true, "Pick"), "preScore": enabledPlugins(true), "preFilter": enabledPlugins(false, "Filt"), "filter": enabledPlugins(false, "Filt"), "reserve": enabledPlugins(false, "Perm", "Rsv"),
		"permit": enabledPlugins(false, "Perm"), "preBind": enabledPlugins(false, "Rsv"), "postBind": enabledPlugins(false, "Rsv")}
	if q.chance(0.3) {
		q.c.Plugins = append(q.c.Plugins, cases.PluginSpec{Name: "Gate", Events: &nodeEvents, Rules: map[string][]cases.Rule{}})
		plugins["preEnqueue"] = enabledPlugins(false, "Gate")
	}
	profiles := []any{map[string]any{"schedulerName": v1.DefaultSchedulerName, "plugins": plugins}}
	if q.second {
		profiles = append(profiles, map[string]any{"schedulerName": secondScheduler, "plugins": map[string]any{
			"score": enabledPlugins(true, "Pick"), "preScore": enabledPlugins(true), "reserve": enabledPlugins(false, "Rsv"), "postFilter": enabledPlugins(q.chance(0.5))}})
	}
	cfg := map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": profiles}
	if q.chance(0.4) {
		cfg["podInitialBackoffSeconds"] = pick(q.gen, 1, 2, 3)
		cfg["podMaxBackoffSeconds"] = pick(q.gen, 3, 6, 20)
	}
	raw, err := json.Marshal(cfg)
	if err != nil {
		panic(err)
	}
	q.c.Config = raw
}

func (q *cyclesGen) storageWorld() []any {
	wait := pick(q.gen, "WaitForFirstConsumer", "WaitForFirstConsumer", "Immediate")
	out := []any{map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": map[string]any{"name": "class"},
		"provisioner": pick(q.gen, "kubernetes.io/no-provisioner", "example.com/disk"), "volumeBindingMode": wait}}
	for i := range 2 {
		// Distinct sizes: among equal ones upstream takes any.
		pv := &v1.PersistentVolume{TypeMeta: typeMeta("v1", "PersistentVolume"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pv-%d", i)},
			Spec: v1.PersistentVolumeSpec{Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse(fmt.Sprintf("%dGi", 5+i))}, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: "class",
				PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "example.com", VolumeHandle: fmt.Sprint(i)}}}, Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable}}
		if len(q.nodes) > 0 && q.chance(0.5) {
			pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: "kubernetes.io/hostname", Operator: v1.NodeSelectorOpIn, Values: []string{pick(q.gen, q.nodes...)}}}}}}}
		}
		out = append(out, pv)
	}
	return out
}

func claim(name string) any {
	return &v1.PersistentVolumeClaim{TypeMeta: typeMeta("v1", "PersistentVolumeClaim"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: ptr("class"),
			Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("4Gi")}}}, Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending}}
}

func (q *cyclesGen) gone(name string) {
	q.pods = slices.DeleteFunc(q.pods, func(p string) bool { return p == name })
}
