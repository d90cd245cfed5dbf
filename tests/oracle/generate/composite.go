// Cases of kind composite: those of kind schedule, with trees of pod groups, for releases since 1.37.

package generate

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/oracle/cases"
)

// genComposites makes a case with trees of groups, of which each has one priority.
func genComposites(g *gen, seed uint64) any {
	c := genCycles(g, seed).(*cases.CyclesCase)
	c.Name = fmt.Sprintf("composite-%d", seed)
	if c.Gates == nil {
		c.Gates = map[string]bool{}
	}
	c.Gates["TopologyAwareWorkloadScheduling"], c.Gates["CompositePodGroup"], c.Gates["GenericWorkload"] = true, true, true
	if g.chance(0.7) {
		c.Gates["SchedulerPopFromBackoffQ"] = false
	}
	q := &compositeGen{cyclesGen: &cyclesGen{gen: g, c: c, podSeq: 500, alike: true, zoned: g.chance(0.5)}}
	end := c.Script[len(c.Script)-1]
	for i := range 1 + g.r.IntN(2) {
		at := g.r.IntN(len(c.Script))
		tail := slices.Clone(c.Script[at:])
		c.Script = c.Script[:at]
		q.tree(fmt.Sprintf("tree-%d", i), tail)
	}
	q.do(end)
	return c
}

// compositeGen makes the trees of one case.
type compositeGen struct {
	*cyclesGen
	prio  int32
	steps []cases.CyclesStep // of one tree
	kinds map[string]string  // of its groups, by name
}

// tree spreads the creation of a tree over other steps.
func (q *compositeGen) tree(name string, tail []cases.CyclesStep) {
	q.steps, q.kinds = nil, map[string]string{}
	q.prio = pick(q.gen, int32(0), 10, 100, 1000, -5)
	q.composite(name, "", 1)
	q.r.Shuffle(len(q.steps), func(i, j int) {
		if q.chance(0.5) {
			q.steps[i], q.steps[j] = q.steps[j], q.steps[i]
		}
	})
	names := make([]string, 0, len(q.kinds))
	for group := range q.kinds {
		names = append(names, group)
	}
	slices.Sort(names)
	for len(q.steps) > 0 {
		if len(tail) > 0 && q.chance(0.3) {
			q.do(tail[0])
			tail = tail[1:]
			continue
		}
		q.do(q.steps[0])
		q.steps = q.steps[1:]
	}
	for range q.r.IntN(3) {
		group := pick(q.gen, names...)
		switch {
		case q.chance(0.4) && q.kinds[group] == "PodGroup":
			q.do(cases.CyclesStep{Do: "patch", Kind: "PodGroup", Name: "default/" + group, Patch: []byte(`{"spec":{"schedulingPolicy":{"gang":{"minCount":1},"basic":null}}}`)})
		case q.chance(0.3):
			q.do(cases.CyclesStep{Do: "delete", Kind: q.kinds[group], Name: "default/" + group})
		}
		if len(tail) > 0 {
			q.do(tail[0])
			tail = tail[1:]
		}
	}
	q.c.Script = append(q.c.Script, tail...)
}

func (q *compositeGen) create(object any, hold bool) {
	q.steps = append(q.steps, cases.CyclesStep{Do: "create", Object: mustJSON(object), Hold: hold})
}

// group makes the object of a group.
func (q *compositeGen) group(version, kind, name, parent string, policy map[string]any) {
	spec := map[string]any{"schedulingPolicy": policy, "priority": q.prio}
	if parent != "" {
		spec["parentCompositePodGroupName"] = parent
	}
	if q.zoned && q.chance(0.5) {
		key := pick(q.gen, "topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "kubernetes.io/hostname")
		spec["schedulingConstraints"] = map[string]any{"topology": []any{map[string]any{"key": key}}}
	}
	if q.chance(0.3) {
		spec["disruptionMode"] = map[string]any{pick(q.gen, "all", "all", "single"): map[string]any{}}
	}
	meta := map[string]any{"name": name, "namespace": "default"}
	if q.chance(0.3) {
		meta["creationTimestamp"] = fmt.Sprintf("1999-12-31T23:00:%02dZ", q.r.IntN(60))
	}
	q.kinds[name] = kind
	q.create(map[string]any{"apiVersion": "scheduling.k8s.io/" + version, "kind": kind, "metadata": meta, "spec": spec}, q.chance(0.2))
}

// composite makes a CompositePodGroup with children, of which at most one has children itself.
func (q *compositeGen) composite(name, parent string, depth int) {
	n := 1 + q.r.IntN(2)
	if q.chance(0.2) {
		n++
	}
	policy := map[string]any{"gang": map[string]any{"minGroupCount": n - q.r.IntN(2)*min(1, n-1)}}
	if q.chance(0.25) {
		policy = map[string]any{"basic": map[string]any{}}
	}
	q.group("v1alpha3", "CompositePodGroup", name, parent, policy)
	for i := range n {
		child := fmt.Sprintf("%s-%c", name, 'c'-rune(i))
		if i == 0 && depth < 3 && q.chance(0.35) {
			q.composite(child, name, depth+1)
			continue
		}
		q.leaf(child, name)
	}
}

// leaf makes a PodGroup and its pods.
func (q *compositeGen) leaf(name, parent string) {
	n := 1 + q.r.IntN(2)
	policy := map[string]any{"gang": map[string]any{"minCount": n}}
	if q.chance(0.25) {
		policy = map[string]any{"basic": map[string]any{}}
	}
	q.group("v1alpha2", "PodGroup", name, parent, policy)
	pods := n + q.r.IntN(2)
	if q.chance(0.1) {
		pods = q.r.IntN(2)
	}
	for range pods {
		p := q.newPod()
		p.Spec.Priority, p.Spec.SchedulerName, p.Spec.SchedulingGates, p.Status.NominatedNodeName = &q.prio, "", nil, ""
		p.Spec.PreemptionPolicy = nil
		if q.chance(0.03) {
			p.Spec.Priority = ptr(q.prio + 1)
		}
		p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &name}
		q.create(p, q.chance(0.2))
	}
}
