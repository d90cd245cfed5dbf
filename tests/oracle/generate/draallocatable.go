// Kind draallocatable: the cases of dra2 with devices that take of their nodes' own resources, in the forms of 1.36
// and of 1.37. The gate DRANodeAllocatableResources is on.

package generate

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func init() {
	kinds["draallocatable"] = func(g *gen, o Options) {
		d := newDRAGen(g)
		d.make(o)
		d.allocatable()
	}
}

func (d *draGen) allocatable() {
	for _, n := range d.nodes {
		n.Status.Allocatable[v1.ResourceCPU] = qty(pick(d.gen, int64(4), 8), "")
		n.Status.Allocatable[v1.ResourceMemory] = qty(pick(d.gen, int64(8), 16, 32), "Gi")
		if d.chance(0.5) {
			n.Status.Allocatable["hugepages-2Mi"] = qty(pick(d.gen, int64(64), 512), "Mi")
		}
	}
	var claims []string
	for i, o := range d.objects {
		switch o := o.(type) {
		case *resourcev1.ResourceSlice:
			d.objects[i] = d.withMappings(o)
		case *resourcev1.ResourceClaim:
			claims = append(claims, o.Name)
			if o.Status.Allocation != nil && d.chance(0.3) {
				o.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod-0", UID: "pod-0"}}
			}
		}
	}
	for i := range d.r.IntN(2 * len(d.nodes)) {
		d.objects = append(d.objects, d.user(fmt.Sprintf("user-%d", i), claims))
	}
	for _, p := range d.pods {
		d.shapeAllocatable(p)
	}
}

// amount is text of a quantity that devices take of a resource.
func (d *draGen) amount(resource string) string {
	switch resource {
	case "cpu":
		return pick(d.gen, "1", "2", "500m", "1500m", "0.25", "3")
	case "hugepages-2Mi":
		return pick(d.gen, "2Mi", "64Mi", "128Mi")
	}
	return pick(d.gen, "1Gi", "1024Mi", "512Mi", "4Gi", "1G", "1073741824", "1e9")
}

func object(v any) map[string]any {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

func (d *draGen) withMappings(s *resourcev1.ResourceSlice) any {
	out := object(s)
	list, _ := out["spec"].(map[string]any)["devices"].([]any)
	for i, raw := range list {
		if !d.chance(0.6) {
			continue
		}
		dev := raw.(map[string]any)
		key := ""
		for name := range s.Spec.Devices[i].Capacity {
			if s.Spec.Devices[i].AllowMultipleAllocations != nil && *s.Spec.Devices[i].AllowMultipleAllocations && (key == "" || string(name) < key) {
				key = string(name)
			}
		}
		older, newer := map[string]any{}, map[string]any{}
		for _, resource := range []string{"cpu", "memory", "hugepages-2Mi", "ephemeral-storage", "example.com/none"} {
			if !d.chance(map[string]float64{"cpu": 0.7, "memory": 0.5}[resource] + 0.1) {
				continue
			}
			m, n := map[string]any{}, map[string]any{}
			if key != "" && d.chance(0.6) {
				key := key
				if d.chance(0.1) {
					key = "missing"
				}
				m["capacityKey"], n["capacityKey"] = key, key
				if d.chance(0.6) {
					x := pick(d.gen, "1", "2", "0.5", "1500m", "3", "0.001")
					m["allocationMultiplier"], n["capacityMultiplier"] = x, x
				}
			} else if !d.chance(0.1) {
				x := d.amount(resource)
				m["allocationMultiplier"], n["deviceMultiplier"] = x, x
			}
			if !d.chance(0.1) {
				older[resource] = m
			}
			entry := map[string]any{}
			if d.chance(0.6) {
				entry["mapping"] = n
			}
			if d.chance(0.5) {
				over := map[string]any{}
				if d.chance(0.6) {
					over["perPod"] = d.amount(resource)
				}
				if d.chance(0.6) {
					over["perContainer"] = d.amount(resource)
				}
				entry["overhead"] = over
			}
			newer[resource] = entry
		}
		if len(older) > 0 {
			dev["nodeAllocatableResourceMappings"] = older
		}
		if len(newer) > 0 {
			dev["nodeAllocatableResources"] = newer
		}
	}
	return out
}

// user is a bound pod whose status tells what the devices of a claim take.
func (d *draGen) user(name string, claims []string) any {
	node := pick(d.gen, d.nodes...)
	status := map[string]any{"resourceClaimName": pick(d.gen, claims...), "containers": []string{"a", "b"}[:d.r.IntN(3)],
		"resources": map[string]any{"cpu": d.amount("cpu"), "memory": d.amount("memory")}, "mapping": []any{map[string]any{"name": "memory", "quantity": d.amount("memory")}},
		"overhead": []any{map[string]any{"name": "cpu", "perPod": d.amount("cpu"), "perContainer": d.amount("cpu")}}}
	container := map[string]any{"name": "a", "image": "x"}
	if d.chance(0.5) {
		container["resources"] = map[string]any{"requests": map[string]any{"cpu": d.amount("cpu")}}
	}
	p := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "namespace": "default"},
		"spec": map[string]any{"nodeName": node.Name, "priority": 0, "containers": []any{container}}}
	if d.chance(0.7) {
		p["status"] = map[string]any{"nodeAllocatableResourceClaimStatuses": []any{status}}
	}
	return p
}

// shapeAllocatable gives a pod requests and limits, of itself or its containers, and containers that use its claims.
func (d *draGen) shapeAllocatable(p *v1.Pod) {
	set := func(list *v1.ResourceList, name string) {
		if *list == nil {
			*list = v1.ResourceList{}
		}
		(*list)[v1.ResourceName(name)] = resource.MustParse(d.amount(name))
	}
	uses := p.Spec.Containers[0].Resources.Claims
	if d.chance(0.3) {
		c := v1.Container{Name: "user", Image: "x"}
		c.Resources.Claims = uses
		if d.chance(0.5) {
			p.Spec.InitContainers = append(p.Spec.InitContainers, c)
		} else {
			p.Spec.Containers = append(p.Spec.Containers, c)
		}
	}
	if d.chance(0.1) {
		p.Spec.Containers[0].Resources.Claims = nil
	}
	for i := range p.Spec.Containers {
		r := &p.Spec.Containers[i].Resources
		for _, name := range []string{"cpu", "memory"} {
			if d.chance(0.4) {
				set(&r.Requests, name)
			}
			if d.chance(0.2) {
				set(&r.Limits, name)
			}
		}
	}
	if d.chance(0.3) {
		// One resource: upstream names any of several that are at fault.
		name := pick(d.gen, "cpu", "memory", "hugepages-2Mi")
		p.Spec.Resources = &v1.ResourceRequirements{}
		if d.chance(0.8) {
			set(&p.Spec.Resources.Requests, name)
		}
		if d.chance(0.5) {
			set(&p.Spec.Resources.Limits, name)
		}
	}
	if d.chance(0.1) {
		p.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: qty(1, "")}
	}
}
