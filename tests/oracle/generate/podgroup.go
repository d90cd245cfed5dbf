// Cases of kinds podgroup, placement and workload: those of kind schedule, with groups of pods.

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
	c.Gates["GangScheduling"] = true
	withGroups(g, c, &cyclesGen{})
	return c
}

// genPlacements makes a case with pod groups, some of which have to be placed in one zone.
func genPlacements(g *gen, seed uint64) any {
	c := genCycles(g, seed).(*cases.CyclesCase)
	c.Name = fmt.Sprintf("placement-%d", seed)
	if c.Gates == nil {
		c.Gates = map[string]bool{}
	}
	c.Gates["GangScheduling"], c.Gates["TopologyAwareWorkloadScheduling"] = true, true
	withGroups(g, c, &cyclesGen{zoned: true})
	return c
}

// genWorkloads makes a case with pod groups for releases since 1.37, where a group has one priority.
func genWorkloads(g *gen, seed uint64) any {
	c := genCycles(g, seed).(*cases.CyclesCase)
	c.Name = fmt.Sprintf("workload-%d", seed)
	if c.Gates == nil {
		c.Gates = map[string]bool{}
	}
	zoned := g.chance(0.4)
	if zoned {
		c.Gates["TopologyAwareWorkloadScheduling"] = true
	}
	policy := g.chance(0.2)
	if policy {
		c.Gates["PodGroupPreemptionPolicy"] = true
	}
	withGroups(g, c, &cyclesGen{alike: true, zoned: zoned, policy: policy})
	if g.chance(0.5) {
		delete(c.Gates, "SchedulerPopFromBackoffQ")
	}
	return c
}

// genEvictions makes a case with pod groups for 1.36, which evict pods as a whole.
func genEvictions(g *gen, seed uint64) any {
	c := genWorkloads(g, seed).(*cases.CyclesCase)
	c.Name = fmt.Sprintf("evictions-%d", seed)
	delete(c.Gates, "PodGroupPreemptionPolicy")
	c.Gates["GangScheduling"], c.Gates["WorkloadAwarePreemption"] = true, true
	c.Gates["SchedulerPopFromBackoffQ"] = false
	return c
}

func withGroups(g *gen, c *cases.CyclesCase, q *cyclesGen) {
	c.Gates["GenericWorkload"] = true
	// Otherwise members that do not fit are retried forever without a pause: they go to the backoffQ,
	// and Pop takes them from there at once.
	c.Gates["SchedulerPopFromBackoffQ"] = false
	q.gen, q.c, q.podSeq = g, c, 500
	end := c.Script[len(c.Script)-1]
	for i := range 1 + g.r.IntN(3) {
		at := g.r.IntN(len(c.Script))
		tail := slices.Clone(c.Script[at:])
		c.Script = c.Script[:at]
		q.group(fmt.Sprintf("group-%d", i), tail)
	}
	q.do(end)
}

// group spreads the creation of a group over other steps.
func (q *cyclesGen) group(name string, tail []cases.CyclesStep) {
	n := 2 + q.r.IntN(3)
	policy := map[string]any{"gang": map[string]any{"minCount": n - q.r.IntN(2)}}
	if q.chance(0.15) {
		policy = map[string]any{"basic": map[string]any{}}
	}
	spec := map[string]any{"schedulingPolicy": policy}
	// Distinct priorities: members that enter at the same time are sorted only by priority.
	prio := q.r.Perm(20)
	var one int32
	if q.alike {
		one = pick(q.gen, int32(0), 10, 100, 1000, -5)
		spec["priority"] = one
		if q.chance(0.4) {
			spec["disruptionMode"] = pick(q.gen, "PodGroup", "PodGroup", "Pod")
		}
		if q.policy && q.chance(0.5) {
			spec["preemptionPolicy"] = pick(q.gen, "Never", "PreemptLowerPriority")
		}
	}
	if q.zoned && q.chance(0.8) {
		spec["schedulingConstraints"] = map[string]any{"topology": []any{map[string]any{"key": "topology.kubernetes.io/zone"}}}
	}
	steps := []cases.CyclesStep{{Do: "create", Object: mustJSON(map[string]any{"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
		"metadata": map[string]any{"name": name, "namespace": "default"}, "spec": spec})}}
	for i := range n + q.r.IntN(2) {
		p := q.newPod()
		p.Spec.Priority, p.Spec.SchedulerName, p.Spec.SchedulingGates, p.Status.NominatedNodeName = ptr(int32(prio[i]*10)), "", nil, ""
		if q.alike {
			p.Spec.Priority = ptr(one)
			if q.chance(0.9) {
				p.Spec.PreemptionPolicy = nil
			}
		}
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
