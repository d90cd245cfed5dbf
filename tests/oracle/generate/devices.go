// Resource slices, device classes and claims.

package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type draState struct{ claims map[string][]string }

const draDriver = "gpu.example.com"

// draWorld makes a device class, one slice per node and claims.
func (g *gen) draWorld(o Options) {
	g.dra.claims = map[string][]string{}
	cel := func(expr string) resourcev1.DeviceSelector {
		return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expr}}
	}
	g.objects = append(g.objects,
		&resourcev1.DeviceClass{TypeMeta: typeMeta("resource.k8s.io/v1", "DeviceClass"), ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{cel(`device.driver == "gpu.example.com"`)}}},
		&resourcev1.DeviceClass{TypeMeta: typeMeta("resource.k8s.io/v1", "DeviceClass"), ObjectMeta: metav1.ObjectMeta{Name: "big-gpu"}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{cel(`device.driver == "gpu.example.com" && device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0`)}}},
	)
	free := map[string][]string{}
	for _, n := range g.nodes {
		if g.chance(0.15) {
			continue
		}
		s := &resourcev1.ResourceSlice{TypeMeta: typeMeta("resource.k8s.io/v1", "ResourceSlice"), ObjectMeta: metav1.ObjectMeta{Name: "slice-" + n.Name},
			Spec: resourcev1.ResourceSliceSpec{Driver: draDriver, Pool: resourcev1.ResourcePool{Name: n.Name, Generation: 1, ResourceSliceCount: 1}, NodeName: ptr(n.Name)}}
		for i := range 1 + g.r.IntN(4) {
			d := resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"model": {StringValue: ptr(pick(g, "a100", "h100", "l4"))}, "numa": {IntValue: ptr(g.r.Int64N(2))}, "ecc": {BoolValue: ptr(g.chance(0.5))}, "driverVersion": {VersionValue: ptr(pick(g, "1.2.3", "2.0.0"))}},
				Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: pick(g, qty(24, "Gi"), qty(40, "Gi"), qty(80, "Gi"))}}}
			s.Spec.Devices = append(s.Spec.Devices, d)
			free[n.Name] = append(free[n.Name], d.Name)
		}
		g.objects = append(g.objects, s)
	}
	exprs := []string{
		`device.attributes["gpu.example.com"].model == "h100"`, `device.attributes["gpu.example.com"].model in ["a100", "h100"]`, `device.attributes["gpu.example.com"].ecc`,
		`device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("30Gi"))`, `device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("1.9.0"))`,
		`device.attributes["gpu.example.com"].numa == 0 || device.attributes["gpu.example.com"].model.startsWith("l")`,
	}
	if g.chance(g.nasty) {
		exprs = append(exprs, `device.attributes["gpu.example.com"].missing == 1`)
	}
	for i := range 3 + g.r.IntN(8) {
		ns := pick(g, namespaces...)
		c := &resourcev1.ResourceClaim{TypeMeta: typeMeta("resource.k8s.io/v1", "ResourceClaim"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("gpus-%d", i), Namespace: ns}}
		exact := func() *resourcev1.ExactDeviceRequest {
			e := &resourcev1.ExactDeviceRequest{DeviceClassName: pick(g, "gpu", "gpu", "big-gpu"), AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1 + g.r.Int64N(2)}
			if g.chance(0.1) {
				e.AllocationMode, e.Count = resourcev1.DeviceAllocationModeAll, 0
			}
			if g.chance(g.nasty) {
				e.DeviceClassName = "no-such-class"
			}
			if g.chance(0.5) {
				e.Selectors = []resourcev1.DeviceSelector{cel(pick(g, exprs...))}
			}
			return e
		}
		for k := range 1 + g.r.IntN(2) {
			r := resourcev1.DeviceRequest{Name: fmt.Sprintf("r%d", k)}
			if g.chance(0.2) {
				for j := range 2 {
					e := exact()
					r.FirstAvailable = append(r.FirstAvailable, resourcev1.DeviceSubRequest{Name: fmt.Sprintf("s%d", j), DeviceClassName: e.DeviceClassName, Selectors: e.Selectors, AllocationMode: e.AllocationMode, Count: e.Count})
				}
			} else {
				r.Exactly = exact()
			}
			c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, r)
		}
		if g.chance(0.3) {
			c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: ptr(resourcev1.FullyQualifiedName("gpu.example.com/" + pick(g, "model", "numa")))}}
		}
		if g.chance(0.25) && c.Spec.Devices.Requests[0].Exactly != nil {
			n := pick(g, g.nodes...).Name
			if len(free[n]) > 0 {
				c.Status.Allocation = &resourcev1.AllocationResult{
					Devices:      resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{Request: "r0", Driver: draDriver, Pool: n, Device: free[n][0]}}},
					NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{n}}}}}},
				}
				free[n] = free[n][1:]
				if g.chance(0.5) {
					c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "other", UID: "other"}}
				}
			}
		}
		g.objects = append(g.objects, c)
		g.dra.claims[ns] = append(g.dra.claims[ns], c.Name)
	}
	_ = o
}

func (g *gen) shapeDRA(p *v1.Pod) {
	var with []string
	for _, ns := range namespaces {
		if len(g.dra.claims[ns]) > 0 {
			with = append(with, ns)
		}
	}
	if g.chance(0.9) {
		p.Namespace = pick(g, with...)
	}
	if g.chance(0.2) {
		g.resources(p)
	}
	names := g.dra.claims[p.Namespace]
	for i := range 1 + g.r.IntN(2) {
		if len(names) == 0 || g.chance(0.1) {
			continue
		}
		rc := v1.PodResourceClaim{Name: fmt.Sprintf("d%d", i), ResourceClaimName: ptr(pick(g, names...))}
		if g.chance(g.nasty) {
			rc.ResourceClaimName = ptr("gone")
		}
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, rc)
		p.Spec.Containers[0].Resources.Claims = append(p.Spec.Containers[0].Resources.Claims, v1.ResourceClaim{Name: rc.Name})
	}
}
