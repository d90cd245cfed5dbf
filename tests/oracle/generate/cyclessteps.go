// The random steps of kind schedule.

package generate

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/oracle/cases"
)

func (q *cyclesGen) randomStep() {
	list := []weighted{
		{26, q.podStep}, {24, q.advanceStep}, {6, q.deleteStep}, {11, q.nodeStep}, {6, q.patchStep}, {7, q.faultStep}, {6, q.rulesStep},
		{4, q.decideStep}, {4, q.gangStep}, {2, q.assignStep}, {4, q.burstStep}, {1, func() { q.do(cases.CyclesStep{Do: "create", Object: mustJSON(q.budget())}) }},
	}
	if q.storage {
		list = append(list, weighted{12, q.storageStep})
	}
	q.anyOf(list)
}

func (q *cyclesGen) anyPod() string { return "default/" + pick(q.gen, q.pods...) }

func (q *cyclesGen) podStep() {
	p := q.newPod()
	q.podRules(p.Name, len(p.Spec.SchedulingGates) == 0)
	q.do(cases.CyclesStep{Do: "create", Object: mustJSON(p)})
}

// podRules may make the fake plugins treat a pod in a special way.
func (q *cyclesGen) podRules(name string, gate bool) {
	if !q.chance(0.25) {
		return
	}
	set := func(plugin, point string, r cases.Rule) {
		r.Pod = name
		for i := range q.c.Plugins {
			if p := &q.c.Plugins[i]; p.Name == plugin {
				p.Rules[point] = append([]cases.Rule{r}, p.Rules[point]...)
			}
		}
	}
	switch q.r.IntN(8) {
	case 0:
		set("Filt", "filter", cases.Rule{Code: pick(q.gen, "Unschedulable", "UnschedulableAndUnresolvable"), Reasons: []string{"no"}}) // no times: preemption filters in random order
	case 1:
		set("Filt", "preFilter", cases.Rule{Code: pick(q.gen, "Error", "UnschedulableAndUnresolvable"), Reasons: []string{"preFilter says no"}, Times: 1 + q.r.IntN(2)})
	case 2:
		set("Rsv", "reserve", cases.Rule{Code: pick(q.gen, "Unschedulable", "Error", "Pending"), Reasons: []string{"reserve says no"}, Times: 1 + q.r.IntN(2)})
	case 3, 4:
		set("Perm", "permit", cases.Rule{Code: "Wait", Timeout: q.later(pick(q.gen, 500, 3000, 15000))})
		q.permits = append(q.permits, name)
	case 5:
		set("Perm", "permit", cases.Rule{Code: pick(q.gen, "Unschedulable", "Error", "UnschedulableAndUnresolvable"), Reasons: []string{"permit says no"}, Times: 1})
	case 6:
		set("Rsv", "preBind", cases.Rule{Code: pick(q.gen, "Error", "Unschedulable"), Reasons: []string{"preBind broke"}, Times: 1 + q.r.IntN(2)})
	case 7:
		set("Rsv", "preBind", cases.Rule{Sleep: q.later(pick(q.gen, 300, 2000, 9000))})
	}
	if gate && q.chance(0.2) && len(q.c.Plugins) > 4 {
		set("Gate", "preEnqueue", cases.Rule{Code: "UnschedulableAndUnresolvable", Reasons: []string{"gated"}})
	}
}

func (q *cyclesGen) advanceStep() {
	q.do(cases.CyclesStep{Do: "advance", By: pick(q.gen, "100ms", "500ms", "1s", "1s", "2s", "3s", "5s", "11s", "31s")})
}

func (q *cyclesGen) deleteStep() {
	if len(q.pods) == 0 {
		return
	}
	name := pick(q.gen, q.pods...)
	q.gone(name)
	q.do(cases.CyclesStep{Do: "delete", Kind: "Pod", Name: "default/" + name})
}

func (q *cyclesGen) nodeStep() {
	if len(q.nodes) == 0 || q.chance(0.25) && q.nodeSeq < 8 {
		q.do(cases.CyclesStep{Do: "create", Object: mustJSON(q.newNode())})
		return
	}
	i := q.r.IntN(len(q.nodes))
	if q.chance(0.1) {
		q.do(cases.CyclesStep{Do: "delete", Kind: "Node", Name: q.nodes[i]})
		q.nodes = slices.Delete(q.nodes, i, i+1)
		return
	}
	patch := pick(q.gen, `{"spec":{"unschedulable":true}}`, `{"spec":{"unschedulable":null}}`, `{"spec":{"taints":null}}`,
		`{"spec":{"taints":[{"key":"dedicated","value":"b","effect":"NoSchedule"}]}}`,
		`{"status":{"allocatable":{"cpu":"1"}}}`, `{"status":{"allocatable":{"cpu":"4"}}}`, `{"status":{"allocatable":{"pods":"30"}}}`,
		`{"metadata":{"labels":{"topology.kubernetes.io/zone":"zone-c"}}}`, `{"metadata":{"annotations":{"a":"b"}}}`,
		`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
	q.do(cases.CyclesStep{Do: "patch", Kind: "Node", Name: q.nodes[i], Patch: json.RawMessage(patch)})
}

func (q *cyclesGen) patchStep() {
	if len(q.pods) == 0 {
		return
	}
	patch := pick(q.gen, `{"metadata":{"labels":{"app":"web"}}}`, `{"metadata":{"annotations":{"x":"y"}}}`, `{"spec":{"schedulingGates":null}}`,
		`{"spec":{"tolerations":[{"key":"dedicated","operator":"Exists"},{"key":"node.kubernetes.io/unschedulable","operator":"Exists"}]}}`,
		`{"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"50m"}}}]}}`,
		`{"status":{"nominatedNodeName":"n0"}}`, `{"status":{"nominatedNodeName":null}}`, `{"status":{"message":"hello"}}`,
		`{"metadata":{"deletionTimestamp":"2000-01-01T01:00:00Z","finalizers":["example.com/keep"]}}`)
	q.do(cases.CyclesStep{Do: "patch", Kind: "Pod", Name: q.anyPod(), Patch: json.RawMessage(patch)})
}

func (q *cyclesGen) faultStep() {
	if q.chance(0.2) {
		q.do(cases.CyclesStep{Do: "clearFaults"})
		return
	}
	f := &cases.APIFault{Verb: pick(q.gen, "bind", "bind", "bind", "patchStatus", "delete"), Times: 1 + q.r.IntN(2)}
	if q.chance(0.3) && len(q.pods) > 0 {
		f.Name = q.anyPod()
	}
	switch {
	case q.chance(0.35):
		f.Slow = q.later(pick(q.gen, 200, 1500, 4000, 12000))
		if q.chance(0.3) {
			f.Error = "late"
		}
	case f.Verb == "bind":
		f.Error = pick(q.gen, "conflict", "notFound", "boom")
	default:
		f.Error = pick(q.gen, "notFound", "boom")
	}
	q.do(cases.CyclesStep{Do: "fault", Fault: f})
}

func (q *cyclesGen) rulesStep() {
	plugin := pick(q.gen, q.c.Plugins[1:]...)
	point := map[string]string{"Filt": "filter", "Rsv": pick(q.gen, "reserve", "preBind"), "Perm": "permit", "Gate": "preEnqueue"}[plugin.Name]
	rules := []cases.Rule{}
	if point == "filter" && q.chance(0.5) && len(q.nodes) > 0 {
		rules = append(rules, cases.Rule{Node: pick(q.gen, q.nodes...), Code: "Unschedulable", Reasons: []string{"closed"}})
	}
	q.do(cases.CyclesStep{Do: "rules", Plugin: plugin.Name, Point: point, Rules: rules})
}

func (q *cyclesGen) decideStep() {
	if len(q.permits) == 0 {
		return
	}
	q.do(cases.CyclesStep{Do: pick(q.gen, "allow", "reject"), Name: "default/" + pick(q.gen, q.permits...), Plugin: "Perm"})
}

// gangStep makes the pods of a gang, maybe not all at once and not enough.
func (q *cyclesGen) gangStep() {
	gang := fmt.Sprintf("g%d", len(q.gangs))
	size := 2 + q.r.IntN(3)
	q.gangs[gang] = size
	hold := q.chance(0.5)
	for range size + pick(q.gen, 0, 0, -1, 1) {
		p := q.newPod()
		p.Labels["gang"], p.Spec.SchedulerName, p.Spec.SchedulingGates = gang, "", nil
		q.do(cases.CyclesStep{Do: "create", Object: mustJSON(p), Hold: hold})
		if q.chance(0.2) {
			q.advanceStep()
		}
	}
}

// burstStep fills the active queue before the scheduler gets to it.
func (q *cyclesGen) burstStep() {
	for range 2 + q.r.IntN(4) {
		q.do(cases.CyclesStep{Do: "create", Object: mustJSON(q.newPod()), Hold: true})
	}
	if q.chance(0.5) {
		q.nodeStep()
	}
}

func (q *cyclesGen) assignStep() {
	if len(q.pods) > 0 && len(q.nodes) > 0 {
		q.do(cases.CyclesStep{Do: "assign", Name: q.anyPod(), Object: mustJSON(map[string]any{"nodeName": pick(q.gen, q.nodes...)})})
	}
}

func (q *cyclesGen) storageStep() {
	if q.chance(0.4) {
		q.do(cases.CyclesStep{Do: "bindClaims"})
		return
	}
	name := fmt.Sprintf("claim-%d", q.podSeq)
	p := q.newPod()
	p.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}}
	steps := []cases.CyclesStep{{Do: "create", Object: mustJSON(claim(name))}, {Do: "create", Object: mustJSON(p)}}
	if q.chance(0.3) {
		slices.Reverse(steps)
	}
	for _, s := range steps {
		q.do(s)
	}
}
