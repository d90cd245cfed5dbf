// Cases of kind queue: scripts for the scheduling queue.

package generate

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"libsched.dev/tests/oracle/cases"
)

const secondScheduler = "second-scheduler"

// queueGen makes the script of one queue case.
type queueGen struct {
	*gen
	c       *cases.QueueCase
	pods    []*v1.Pod // alive
	created int
}

func (q *queueGen) do(s cases.QueueStep) { q.c.Script = append(q.c.Script, s) }

func genQueue(g *gen, seed uint64) any {
	g.taint, g.affinity, g.ports = true, 0.4, 0.4
	q := &queueGen{gen: g, c: &cases.QueueCase{Name: fmt.Sprintf("queue-%d", seed), Mode: "queue"}}
	for i := range 5 {
		g.nodes = append(g.nodes, g.node(i))
	}
	for _, ns := range namespaces {
		q.c.Objects = append(q.c.Objects, mustJSON(&v1.Namespace{TypeMeta: typeMeta("v1", "Namespace"),
			ObjectMeta: metav1.ObjectMeta{Name: ns, Labels: map[string]string{"kubernetes.io/metadata.name": ns, "env": pick(g, "prod", "dev")}}}))
	}
	q.options()
	q.profiles()
	running := g.chance(0.3)
	if running {
		q.do(cases.QueueStep{Do: "run"})
	}
	for range 2 + g.r.IntN(4) {
		q.addPod()
	}
	for range 25 + g.r.IntN(45) {
		q.randomStep()
	}
	if !running && g.chance(0.3) {
		q.do(cases.QueueStep{Do: "run"})
		q.do(cases.QueueStep{Do: "advance", By: pick(g, "2s", "40s", "400s")})
	}
	q.do(cases.QueueStep{Do: "list"})
	if g.chance(0.3) {
		q.do(cases.QueueStep{Do: "close"})
		q.do(cases.QueueStep{Do: "pop"})
	}
	return q.c
}

func (q *queueGen) options() {
	o := &q.c.Options
	if q.chance(0.4) {
		o.InitialBackoffSeconds = ptr(pick(q.gen, int64(1), 2, 5))
		o.MaxBackoffSeconds = ptr(*o.InitialBackoffSeconds * pick(q.gen, int64(1), 3, 10, 64))
	}
	if q.chance(0.05) {
		o.MaxBackoffSeconds = ptr(int64(0))
	}
	if q.chance(0.5) {
		o.MaxInUnschedulable = pick(q.gen, "5s", "20s", "60s", "1500ms")
	}
	q.c.Gates = map[string]bool{}
	if q.chance(0.25) {
		q.c.Gates["SchedulerPopFromBackoffQ"] = false
	}
	if q.chance(0.1) {
		q.c.Gates["SchedulerAsyncPreemption"] = false
	}
	if len(q.c.Gates) == 0 {
		q.c.Gates = nil
	}
}

// fakeFilters are the names under which fake plugins reject pods.
var fakeFilters = []string{"FilterA", "FilterB", "NilHint", "NoExtensions", "PermitP"}

func (q *queueGen) hintRules() *[]cases.Rule {
	rules := []cases.Rule{}
	for range q.r.IntN(4) {
		r := cases.Rule{Hint: pick(q.gen, "Queue", "Queue", "QueueSkip")}
		if q.chance(0.6) {
			r.Pod = fmt.Sprintf("p%d", q.r.IntN(8))
		}
		if q.chance(0.4) {
			r.Object = pick(q.gen, q.nodes...).Name
		}
		if q.chance(0.1) {
			r.Error = "hint failed"
		}
		rules = append(rules, r)
	}
	return &rules
}

func (q *queueGen) pluginEvents() *[]cases.EventSpec {
	events := []cases.EventSpec{}
	seen := map[string]bool{}
	for range 1 + q.r.IntN(4) {
		e := pick(q.gen,
			cases.EventSpec{Resource: "Node", Actions: []string{"Add"}},
			cases.EventSpec{Resource: "Node", Actions: []string{"Add", "UpdateNodeLabel"}},
			cases.EventSpec{Resource: "Node", Actions: []string{"Update"}},
			cases.EventSpec{Resource: "Node", Actions: []string{"UpdateNodeTaint", "UpdateNodeAllocatable"}},
			cases.EventSpec{Resource: "Pod", Actions: []string{"Delete"}},
			cases.EventSpec{Resource: "Pod", Actions: []string{"Add"}},
			cases.EventSpec{Resource: "Pod", Actions: []string{"Update"}},
			cases.EventSpec{Resource: "Pod", Actions: []string{"UpdatePodLabel", "UpdatePodScaleDown"}},
			cases.EventSpec{Resource: "Pod", Actions: []string{"All"}},
			cases.EventSpec{Resource: "PersistentVolumeClaim", Actions: []string{"Add", "Update"}},
			cases.EventSpec{Resource: "foos.v1.example.com", Actions: []string{"All"}},
			cases.EventSpec{Resource: "*", Actions: []string{"All"}},
			cases.EventSpec{Resource: "*", Actions: []string{"Delete"}})
		key := fmt.Sprint(e.Resource, e.Actions)
		if seen[key] {
			continue
		}
		seen[key] = true
		if q.chance(0.8) {
			e.Hint = q.hintRules()
		}
		events = append(events, e)
	}
	return &events
}

func (q *queueGen) profiles() {
	nilHint := []cases.EventSpec{{Resource: "Node", Actions: []string{"Add"}}, {Resource: "Pod", Actions: []string{"Delete"}}}
	q.c.Plugins = []cases.PluginSpec{
		{Name: "FilterA", Events: q.pluginEvents()},
		{Name: "FilterB", Events: q.pluginEvents()},
		{Name: "NilHint", Events: &nilHint},
		{Name: "NoExtensions"},
		{Name: "PermitP", Events: q.pluginEvents()},
		{Name: "Gate", Events: q.pluginEvents(), Rules: map[string][]cases.Rule{"preEnqueue": q.gateRules()}},
	}
	if q.chance(0.1) {
		q.c.Plugins[5].Events = &[]cases.EventSpec{}
	}
	on := func(names ...string) map[string]any {
		var list []any
		for _, n := range names {
			list = append(list, map[string]any{"name": n})
		}
		return map[string]any{"enabled": list}
	}
	plugins := map[string]any{"preEnqueue": on("Gate"), "filter": on("FilterA", "FilterB", "NilHint", "NoExtensions"), "permit": on("PermitP")}
	profiles := []any{map[string]any{"schedulerName": v1.DefaultSchedulerName, "plugins": plugins}}
	if q.chance(0.3) {
		profiles = append(profiles, map[string]any{"schedulerName": secondScheduler, "plugins": map[string]any{"filter": on("FilterB", "NilHint")}})
	}
	raw, err := json.Marshal(map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": profiles})
	if err != nil {
		panic(err)
	}
	q.c.Config = raw
}

// gateRules gate pods whose number is even, so that pods with scheduling gates
// (odd numbers) never have two plugins that gate them: upstream asks them in
// the order of a map.
func (q *queueGen) gateRules() []cases.Rule {
	rules := []cases.Rule{}
	for i := 0; i < 8; i += 2 {
		if q.chance(0.25) {
			rules = append(rules, cases.Rule{Pod: fmt.Sprintf("p%d", i), Code: pick(q.gen, "UnschedulableAndUnresolvable", "Unschedulable", "Pending", "Error")})
		}
	}
	return rules
}

func (q *queueGen) addPod() {
	i := q.created % 8
	for _, p := range q.pods {
		if p.Name == fmt.Sprintf("p%d", i) {
			return
		}
	}
	q.created++
	p := q.newPod("x")
	p.Name, p.Namespace = fmt.Sprintf("p%d", i), pick(q.gen, "default", "default", "team-a")
	if q.created > 8 || q.chance(0.2) {
		p.UID = types.UID(fmt.Sprintf("uid-%d", q.created))
	}
	if q.chance(0.6) {
		p.Spec.Priority = ptr(pick(q.gen, int32(0), 10, 10, 100, -5))
	}
	pick(q.gen, q.shapeResources, q.shapeTolerations, q.shapeNodeAffinity, q.shapePodAffinity, q.shapeSpread, q.shapePorts)(p)
	p.Spec.SchedulingGates = nil
	if i%2 == 1 && q.chance(0.35) {
		p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/gate"}}
		if q.chance(0.4) {
			p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, v1.PodSchedulingGate{Name: "example.com/other"})
		}
	}
	if q.chance(0.15) {
		p.Status.NominatedNodeName = pick(q.gen, q.nodes...).Name
	}
	if q.chance(0.15) {
		p.Spec.SchedulerName = secondScheduler
	}
	q.pods = append(q.pods, p)
	step := cases.QueueStep{Do: "add", Pod: mustJSON(p)}
	if q.chance(0.05) {
		step.Do, step.Old = "update", step.Pod // of a pod that is in no queue
	}
	q.do(step)
}

// changePod makes a new version of a pod.
func (q *queueGen) changePod(p *v1.Pod) *v1.Pod {
	p = p.DeepCopy()
	for range 1 + q.r.IntN(2) {
		switch q.r.IntN(8) {
		case 0:
			p.Labels = q.podLabels()
		case 1:
			p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Key: pick(q.gen, "dedicated", "gpu", "spot"), Operator: v1.TolerationOpExists})
		case 2:
			if n := len(p.Spec.SchedulingGates); n > 0 {
				p.Spec.SchedulingGates = p.Spec.SchedulingGates[:pick(q.gen, 0, n-1)]
			}
		case 3:
			for name, have := range p.Spec.Containers[0].Resources.Requests {
				if name == v1.ResourceCPU && have.MilliValue() > 20 {
					p.Spec.Containers[0].Resources.Requests[name] = qty(have.MilliValue()/2, "m")
				}
			}
		case 4:
			metav1.SetMetaDataAnnotation(&p.ObjectMeta, "note", fmt.Sprint(q.r.IntN(100)))
		case 5:
			p.Status.NominatedNodeName = pick(q.gen, "", pick(q.gen, q.nodes...).Name)
		case 6:
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable}}
		case 7:
			p.Spec.Priority = ptr(pick(q.gen, int32(0), 10, 100))
		}
	}
	return p
}

// changeNode makes a new version of a node.
func (q *queueGen) changeNode(i int) (*v1.Node, *v1.Node) {
	old := q.nodes[i]
	n := old.DeepCopy()
	for range 1 + q.r.IntN(2) {
		switch q.r.IntN(5) {
		case 0:
			n.Labels["topology.kubernetes.io/zone"] = pick(q.gen, zones...)
		case 1:
			n.Spec.Taints = nil
		case 2:
			n.Spec.Taints = append(slices.Clone(n.Spec.Taints), v1.Taint{Key: pick(q.gen, "dedicated", "gpu"), Effect: v1.TaintEffectNoSchedule})
		case 3:
			n.Status.Allocatable[v1.ResourceCPU] = pick(q.gen, qty(1, ""), qty(8, ""), qty(32, ""))
		case 4:
			n.Spec.Unschedulable = !n.Spec.Unschedulable
		}
	}
	q.nodes[i] = n
	return old, n
}

func (q *queueGen) storageObject() (string, any) {
	if q.chance(0.5) {
		return "PersistentVolumeClaim", &v1.PersistentVolumeClaim{TypeMeta: typeMeta("v1", "PersistentVolumeClaim"), ObjectMeta: metav1.ObjectMeta{Name: "claim"}}
	}
	return "storage.k8s.io/StorageClass", &storagev1.StorageClass{TypeMeta: typeMeta("storage.k8s.io/v1", "StorageClass"), ObjectMeta: metav1.ObjectMeta{Name: "class"}, Provisioner: "x"}
}
