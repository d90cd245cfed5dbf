// Pods that preempt, and pods that mix the other shapes.

package generate

import (
	v1 "k8s.io/api/core/v1"
)

func (g *gen) shapePreemptor(p *v1.Pod) {
	p.Spec.Priority = ptr(pick(g, int32(5), 50, 500, 2000, 2000))
	p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: qty(300+g.r.Int64N(3000), "m"), v1.ResourceMemory: qty(100+g.r.Int64N(3000), "Mi")}
	if g.chance(0.1) {
		p.Spec.PreemptionPolicy = ptr(v1.PreemptNever)
	}
	if g.chance(0.2) {
		p.Spec.Affinity = &v1.Affinity{}
		g.podAffinity(p)
	}
	if g.chance(0.2) {
		g.shapeSpread(p)
		p.Spec.Containers = p.Spec.Containers[:1]
	}
	if g.chance(0.2) {
		g.hostPorts(p)
	}
	if g.chance(0.1) {
		p.Status.NominatedNodeName = pick(g, g.nodes...).Name
	}
}

func (g *gen) shapeMixed(p *v1.Pod) {
	g.resources(p)
	shapes := []func(*v1.Pod){g.shapeTolerations, g.shapeNodeAffinity, g.shapeSpread, g.shapePorts, g.shapeImages}
	if g.kind == "mixed" {
		shapes = append(shapes, g.shapeVolumes)
	}
	for _, s := range shapes {
		if g.chance(0.25) {
			// Only some shapes: all of them at once fit nowhere.
			s(p)
		}
	}
	if g.chance(0.25) {
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &v1.Affinity{}
		}
		g.podAffinity(p)
	}
}
