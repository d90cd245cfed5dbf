// Cases of kind resize: those of kind schedule, with pods that have a node and grow there. The gate and
// the policy of nodes are those of 1.37.

package generate

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/oracle/cases"
)

// genResizes makes a case with deferred resizes.
func genResizes(g *gen, seed uint64) any {
	c := genCycles(g, seed).(*cases.CyclesCase)
	c.Name = fmt.Sprintf("resize-%d", seed)
	if c.Gates == nil {
		c.Gates = map[string]bool{}
	}
	c.Gates["InPlacePodVerticalScalingSchedulerPreemption"] = !g.chance(0.05)
	q := &cyclesGen{gen: g, c: c, podSeq: 500}
	q.nodeSeq = 20 // other nodes have smaller numbers
	for range 2 {
		n := q.newNode()
		n.Spec.Taints = nil
		n.Status.Allocatable[v1.ResourceCPU] = pick(g, qty(2, ""), qty(3, ""))
		c.Objects = append(c.Objects, mustJSON(n))
	}
	steps := []cases.CyclesStep{}
	for range 3 + g.r.IntN(4) {
		steps = append(steps, q.grower())
	}
	for range 8 + g.r.IntN(12) {
		steps = append(steps, q.resizeStep())
	}
	end := c.Script[len(c.Script)-1]
	others := c.Script[:len(c.Script)-1]
	c.Script = nil
	for len(steps)+len(others) > 0 {
		from := &others
		if len(others) == 0 || len(steps) > 0 && q.chance(0.6) {
			from = &steps
		}
		q.do((*from)[0])
		*from = (*from)[1:]
		if q.chance(0.3) {
			q.advanceStep()
		}
	}
	q.do(end)
	return c
}

// grower creates a pod that runs.
func (q *cyclesGen) grower() cases.CyclesStep {
	p := q.newPod()
	p.Spec.NodeName, p.Spec.SchedulerName, p.Spec.SchedulingGates = pick(q.gen, q.nodes...), "", nil
	p.Spec.Affinity, p.Status.NominatedNodeName = nil, ""
	p.Spec.Priority = ptr(pick(q.gen, int32(0), 5, 10, 100))
	p.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = qty(300+q.r.Int64N(700), "m")
	p.Status.Phase = v1.PodRunning
	if q.chance(0.15) {
		p.Status.Conditions = []v1.PodCondition{{Type: "PodResizePending", Status: v1.ConditionTrue, Reason: "Deferred"}}
	}
	return cases.CyclesStep{Do: "create", Object: mustJSON(p)}
}

// resizeStep changes a pod that runs, or its node.
func (q *cyclesGen) resizeStep() cases.CyclesStep {
	if q.chance(0.2) {
		patch := pick(q.gen, `{"spec":{"podPreemptionPolicy":{"disableResizePreemption":["no"]}}}`, `{"spec":{"podPreemptionPolicy":null}}`,
			`{"spec":{"podPreemptionPolicy":{}}}`, `{"status":{"allocatable":{"cpu":"4"}}}`, `{"status":{"allocatable":{"pods":"2"}}}`,
			`{"spec":{"unschedulable":true}}`)
		return cases.CyclesStep{Do: "patch", Kind: "Node", Name: pick(q.gen, q.nodes...), Patch: json.RawMessage(patch)}
	}
	if q.chance(0.08) {
		return cases.CyclesStep{Do: "delete", Kind: "Pod", Name: q.anyPod()}
	}
	asks := fmt.Sprintf(`{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"%dm"}}}]}`, 200+q.r.IntN(2200))
	reports := fmt.Sprintf(`"containerStatuses":[{"name":"c","allocatedResources":{"cpu":"%[1]dm"},"resources":{"requests":{"cpu":"%[1]dm"}}}]`, 200+q.r.IntN(900))
	pending := func(reason string) string {
		return `"conditions":[{"type":"PodResizePending","status":"True","reason":"` + reason + `"}]`
	}
	patch := pick(q.gen, `{"spec":`+asks+`,"status":{`+pending("Deferred")+`}}`, `{"spec":`+asks+`,"status":{`+pending("Deferred")+`,`+reports+`}}`,
		`{"spec":`+asks+`,"status":{`+pending("Deferred")+`}}`, `{"status":{`+pending("Deferred")+`}}`, `{"spec":`+asks+`}`,
		`{"status":{"conditions":null}}`, `{"status":{`+pending("Infeasible")+`}}`, `{"status":{`+reports+`}}`)
	return cases.CyclesStep{Do: "patch", Kind: "Pod", Name: q.anyPod(), Patch: json.RawMessage(patch)}
}
