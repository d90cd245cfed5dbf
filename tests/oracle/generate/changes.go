// Changes of nodes and bound pods between the pods of a case.

package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/oracle/cases"
)

// changing lets nodes come, go, move to another zone and get other images, and bound pods come and
// go, before each pending pod. It must be called after the pods are made.
func (g *gen) changing() {
	nodes := append([]*v1.Node(nil), g.nodes...)
	var bound []*v1.Pod
	for _, obj := range g.objects {
		if p, ok := obj.(*v1.Pod); ok && p.Spec.NodeName != "" && p.Status.Phase == v1.PodRunning {
			bound = append(bound, p)
		}
	}
	next := len(nodes)
	for i := range g.pods {
		if g.chance(0.2) {
			continue
		}
		c := cases.Change{Before: i}
		touched := map[string]bool{}
		for range 1 + g.r.IntN(4) {
			switch g.r.IntN(8) {
			case 0: // a new node
				n := g.node(next)
				next++
				nodes = append(nodes, n)
				touched[n.Name] = true
				c.Apply = append(c.Apply, g.raw(n))
			case 1: // a node goes, and its pods may stay
				if len(nodes) < 2 {
					continue
				}
				k := g.r.IntN(len(nodes))
				if touched[nodes[k].Name] {
					continue
				}
				touched[nodes[k].Name] = true
				c.Delete = append(c.Delete, "Node/"+nodes[k].Name)
				if g.chance(0.5) {
					c.Apply = append(c.Apply, g.raw(nodes[k])) // and comes back at once
				} else {
					nodes = append(nodes[:k:k], nodes[k+1:]...)
				}
			case 2, 3, 4: // another zone, other images, other taints
				k := g.r.IntN(len(nodes))
				var number int
				if _, err := fmt.Sscanf(nodes[k].Name, "node-%d", &number); err != nil || touched[nodes[k].Name] {
					continue
				}
				other, n := g.node(number), nodes[k].DeepCopy()
				if g.chance(0.6) {
					n.Labels = other.Labels
				}
				if g.chance(0.6) {
					n.Status.Images = other.Status.Images
				}
				if g.chance(0.3) {
					n.Spec.Taints = other.Spec.Taints
				}
				// Every update is a different document, as a heartbeat is: a scheduler does not see an
				// unchanged one.
				g.seq++
				n.Annotations = map[string]string{"heartbeat": fmt.Sprint(g.seq)}
				nodes[k] = n
				touched[n.Name] = true
				c.Apply = append(c.Apply, g.raw(n))
			case 5, 6: // a pod comes, perhaps to a node that has gone
				p := g.boundPod()
				p.Status.Phase = v1.PodRunning
				bound = append(bound, p)
				touched[p.Name] = true
				c.Apply = append(c.Apply, g.raw(p))
			default: // a pod goes, or its labels change
				if len(bound) == 0 {
					continue
				}
				k := g.r.IntN(len(bound))
				p := bound[k]
				if touched[p.Name] {
					continue
				}
				touched[p.Name] = true
				if g.chance(0.5) {
					c.Delete = append(c.Delete, "Pod/"+p.Namespace+"/"+p.Name)
					bound = append(bound[:k:k], bound[k+1:]...)
					continue
				}
				p = p.DeepCopy()
				p.Labels = g.podLabels()
				g.seq++
				p.Annotations = map[string]string{"update": fmt.Sprint(g.seq)}
				bound[k] = p
				c.Apply = append(c.Apply, g.raw(p))
			}
		}
		if len(c.Delete)+len(c.Apply) != 0 {
			g.changes = append(g.changes, c)
		}
	}
}

func (g *gen) raw(obj any) []byte {
	raw, err := clean(obj)
	if err != nil {
		panic(err) // typed objects of this package always marshal
	}
	return raw
}
