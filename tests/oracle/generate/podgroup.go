// Cases of kind podgroup: those of kind schedule, with groups of pods.

package generate

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/oracle/cases"
)

// genGroups makes a case with pod groups.
func genGroups(g *gen, seed uint64) any {
	c := genCycles(g, seed).(*cases.CyclesCase)
	c.Name = fmt.Sprintf("podgroup-%d", seed)
	if c.Gates == nil {
		c.Gates = map[string]bool{}
	}
	c.Gates["GenericWorkload"], c.Gates["GangScheduling"] = true, true
	// Otherwise members that do not fit are retried forever without a pause: they go to the backoffQ,
	// and Pop takes them from there at once.
	c.Gates["SchedulerPopFromBackoffQ"] = false
	q := &cyclesGen{gen: g, c: c, podSeq: 500}
	end := c.Script[len(c.Script)-1]
	for i := range 1 + g.r.IntN(3) {
		at := g.r.IntN(len(c.Script))
		tail := slices.Clone(c.Script[at:])
		c.Script = c.Script[:at]
		q.group(fmt.Sprintf("group-%d", i), tail)
	}
	q.do(end)
	return c
}

// group spreads the creation of a group over other steps.
func (q *cyclesGen) group(name string, tail []cases.CyclesStep) {
	n := 2 + q.r.IntN(3)
	policy := map[string]any{"gang": map[string]any{"minCount": n - q.r.IntN(2)}}
	if q.chance(0.15) {
		policy = map[string]any{"basic": map[string]any{}}
	}
	steps := []cases.CyclesStep{{Do: "create", Object: mustJSON(map[string]any{"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
		"metadata": map[string]any{"name": name, "namespace": "default"}, "spec": map[string]any{"schedulingPolicy": policy}})}}
	// Distinct priorities: members that enter at the same time are sorted only by priority.
	prio := q.r.Perm(20)
	for i := range n + q.r.IntN(2) {
		p := q.newPod()
		p.Spec.Priority, p.Spec.SchedulerName, p.Spec.SchedulingGates, p.Status.NominatedNodeName = ptr(int32(prio[i]*10)), "", nil, ""
		p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name}
		steps = append(steps, cases.CyclesStep{Do: "create", Object: mustJSON(p), Hold: q.chance(0.2)})
	}
	if q.chance(0.3) { // the group comes late
		k := 1 + q.r.IntN(len(steps)-1)
		steps[0], steps[k] = steps[k], steps[0]
	}
	for len(steps) > 0 {
		if len(tail) > 0 && q.chance(0.3) {
			q.do(tail[0])
			tail = tail[1:]
			continue
		}
		q.do(steps[0])
		steps = steps[1:]
	}
	q.c.Script = append(q.c.Script, tail...)
}
