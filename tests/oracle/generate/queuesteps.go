// The random steps of kind queue.

package generate

import (
	"slices"

	"libsched.dev/tests/oracle/cases"
)

// inTreeFilters are plugins with hints that the events of the generator meet.
var inTreeFilters = []string{"NodeResourcesFit", "NodeAffinity", "TaintToleration", "NodePorts", "InterPodAffinity", "PodTopologySpread",
	"NodeUnschedulable", "NodeName", "VolumeBinding", "VolumeZone", "NodeVolumeLimits"}

func (q *queueGen) rejectors() ([]string, []string) {
	var failed, pending []string
	if q.chance(0.12) {
		return nil, nil // an error
	}
	for range 1 + q.r.IntN(2) {
		name := pick(q.gen, inTreeFilters...)
		if q.chance(0.5) {
			name = pick(q.gen, fakeFilters[:4]...)
		}
		if !slices.Contains(failed, name) {
			failed = append(failed, name)
		}
	}
	if q.chance(0.2) {
		pending = []string{"PermitP"}
		if q.chance(0.6) {
			failed = nil
		}
	}
	return failed, pending
}

func (q *queueGen) anyPod() string {
	if len(q.pods) == 0 {
		return ""
	}
	return key(pick(q.gen, q.pods...))
}

func (q *queueGen) randomStep() {
	list := []weighted{
		{10, q.addPod}, {20, q.popStep}, {18, q.failStep}, {5, q.leaveStep}, {9, q.updateStep}, {3, q.deleteStep}, {14, q.moveStep},
		{4, q.assignedStep}, {3, q.activateStep}, {5, func() { q.do(cases.QueueStep{Do: "flushBackoff"}) }},
		{3, func() { q.do(cases.QueueStep{Do: "flushUnschedulable"}) }}, {14, q.advanceStep}, {4, q.nominateStep},
		{2, func() { q.do(cases.QueueStep{Do: "list"}) }},
		{3, func() { q.do(cases.QueueStep{Do: "rules", Plugin: "Gate", Point: "preEnqueue", Rules: q.gateRules()}) }},
	}
	q.anyOf(list)
}

func (q *queueGen) popStep() {
	if q.chance(0.06) && len(q.pods) > 0 {
		q.do(cases.QueueStep{Do: "popSpecific", Name: q.anyPod()})
		return
	}
	q.do(cases.QueueStep{Do: "pop", Wait: q.chance(0.08)})
}

func (q *queueGen) failStep() {
	s := cases.QueueStep{Do: "fail", Held: q.r.IntN(4)}
	s.Unschedulable, s.Pending = q.rejectors()
	q.do(s)
}

func (q *queueGen) leaveStep() {
	if q.chance(0.3) {
		q.do(cases.QueueStep{Do: "done", Held: q.r.IntN(4)})
		return
	}
	q.do(cases.QueueStep{Do: "bound", Held: q.r.IntN(4), Node: pick(q.gen, q.nodes...).Name})
}

func (q *queueGen) updateStep() {
	if len(q.pods) == 0 {
		return
	}
	i := q.r.IntN(len(q.pods))
	p := q.changePod(q.pods[i])
	q.pods[i] = p
	q.do(cases.QueueStep{Do: "update", Pod: mustJSON(p)})
}

func (q *queueGen) deleteStep() {
	if len(q.pods) == 0 {
		return
	}
	i := q.r.IntN(len(q.pods))
	q.do(cases.QueueStep{Do: "delete", Name: key(q.pods[i])})
	q.pods = slices.Delete(q.pods, i, i+1)
}

func (q *queueGen) moveStep() {
	s := cases.QueueStep{Do: "move"}
	switch q.r.IntN(9) {
	case 0, 1:
		s.Resource, s.Actions, s.New = "Node", []string{"Add"}, mustJSON(pick(q.gen, q.nodes...))
	case 2, 3:
		old, n := q.changeNode(q.r.IntN(len(q.nodes)))
		s.Old, s.New = mustJSON(old), mustJSON(n)
	case 4:
		s.Resource, s.Actions, s.Old = "Node", []string{"Delete"}, mustJSON(pick(q.gen, q.nodes...))
	case 5, 6:
		s.Resource, s.Old = "AssignedPod", mustJSON(q.boundPod())
		s.Actions = []string{"Delete"}
		if q.chance(0.4) {
			s.Actions, s.New, s.Old = []string{"Add"}, s.Old, nil
		}
	case 7:
		res, obj := q.storageObject()
		s.Resource, s.Actions, s.New = res, []string{"Add"}, mustJSON(obj)
	case 8:
		if q.chance(0.6) {
			s.Resource, s.Actions = "foos.v1.example.com", []string{pick(q.gen, "Add", "Delete")}
			s.New = mustJSON(pick(q.gen, q.nodes...)) // any object with a name
		} else {
			s.Resource, s.Actions, s.Label = "*", []string{"All"}, pick(q.gen, "ForceActivate", "UnschedulableTimeout")
		}
	}
	if q.chance(0.12) {
		s.MaxPriority = ptr(pick(q.gen, int32(0), 10))
	} else if q.chance(0.05) {
		s.Except = q.anyPod()
	}
	q.do(s)
}

func (q *queueGen) assignedStep() {
	p := q.boundPod()
	q.do(cases.QueueStep{Do: "assignedAdd", Pod: mustJSON(p)})
	if q.chance(0.5) {
		n := q.changePod(p)
		n.Status.NominatedNodeName, n.Spec.Priority = "", p.Spec.Priority
		q.do(cases.QueueStep{Do: "assignedUpdate", Pod: mustJSON(n)})
	}
}

func (q *queueGen) activateStep() {
	if len(q.pods) > 0 {
		q.do(cases.QueueStep{Do: "activate", Names: []string{q.anyPod()}})
	}
}

func (q *queueGen) advanceStep() {
	q.do(cases.QueueStep{Do: "advance", By: pick(q.gen, "100ms", "400ms", "700ms", "1s", "1s", "1700ms", "2s", "3s", "7s", "10s", "31s", "70s", "301s")})
}

func (q *queueGen) nominateStep() {
	if len(q.pods) == 0 {
		return
	}
	if q.chance(0.3) {
		q.do(cases.QueueStep{Do: "deleteNominated", Name: q.anyPod()})
		return
	}
	s := cases.QueueStep{Do: "nominate", Name: q.anyPod(), Mode: pick(q.gen, "override", "override", "noop")}
	if q.chance(0.9) {
		s.Node = pick(q.gen, q.nodes...).Name
	}
	q.do(s)
}
