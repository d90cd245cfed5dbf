// Claims and pods of kind dra2.

package generate

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (d *draGen) claim(name string, owner *v1.Pod) {
	c := &resourcev1.ResourceClaim{TypeMeta: typeMeta("resource.k8s.io/v1", "ResourceClaim"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	if owner != nil {
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: owner.Name, UID: owner.UID, Controller: ptr(true)}}
		c.Annotations = map[string]string{"resource.kubernetes.io/pod-claim-name": "t"}
		if d.chance(d.nasty * 2) {
			c.OwnerReferences = nil
		}
	}
	var names []string
	for k := range 1 + d.r.IntN(3) {
		r := resourcev1.DeviceRequest{Name: fmt.Sprintf("r%d", k)}
		names = append(names, r.Name)
		if d.feature["first"] && d.chance(0.5) {
			for j := range 1 + d.r.IntN(3) {
				e := d.exact()
				r.FirstAvailable = append(r.FirstAvailable, resourcev1.DeviceSubRequest{Name: fmt.Sprintf("s%d", j), DeviceClassName: e.DeviceClassName, Selectors: e.Selectors, AllocationMode: e.AllocationMode, Count: e.Count, Tolerations: e.Tolerations, Capacity: e.Capacity})
				names = append(names, fmt.Sprintf("r%d/s%d", k, j))
			}
		} else if r.Exactly = d.exact(); d.chance(d.nasty / 4) {
			r.Exactly = nil
		}
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, r)
	}
	some := func() (out []string) {
		if d.chance(0.5) {
			return nil
		}
		for _, n := range names {
			if d.chance(0.5) {
				out = append(out, n)
			}
		}
		return
	}
	if d.feature["constraint"] {
		for range d.r.IntN(3) {
			attr := ptr(pick[resourcev1.FullyQualifiedName](d.gen, "gpu.example.com/model", "gpu.example.com/numa", "dra.example.org/root", "dra.example.org/root", "part.example.com/card", "gpu.example.com/version"))
			x := resourcev1.DeviceConstraint{Requests: some(), MatchAttribute: attr}
			if d.chance(0.4) {
				x.MatchAttribute, x.DistinctAttribute = nil, attr
			}
			c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, x)
		}
	}
	if d.feature["config"] {
		for i := range d.r.IntN(3) {
			c.Spec.Devices.Config = append(c.Spec.Devices.Config, resourcev1.DeviceClaimConfiguration{Requests: some(), DeviceConfiguration: opaque(gpuDriver, fmt.Sprint(i))})
		}
	}
	if d.feature["allocated"] && d.chance(0.4) {
		d.allocate(c)
	}
	if d.chance(d.nasty / 2) {
		c.DeletionTimestamp = &metav1.Time{Time: d.start}
		c.Finalizers = []string{resourcev1.Finalizer}
	}
	d.objects = append(d.objects, c)
	if owner == nil {
		d.claims["default"] = append(d.claims["default"], name)
	}
}

// allocate gives the claim a device that no other claim has.
func (d *draGen) allocate(c *resourcev1.ResourceClaim) {
	driver := d.driver() + ".example.com"
	list := d.devices[driver]
	if len(list) == 0 {
		return
	}
	i := d.r.IntN(len(list))
	pool, name := list[i][0], list[i][1]
	res := resourcev1.DeviceRequestAllocationResult{Request: "r0", Driver: driver, Pool: pool, Device: name}
	if c.Spec.Devices.Requests[0].Exactly == nil && len(c.Spec.Devices.Requests[0].FirstAvailable) > 0 {
		res.Request = "r0/s0"
	}
	if driver == nicDriver && d.chance(0.8) {
		d.seq++
		res.ShareID = ptr(types.UID(fmt.Sprintf("given-%d", d.seq)))
		res.ConsumedCapacity = map[resourcev1.QualifiedName]resource.Quantity{"bandwidth": pick(d.gen, resource.MustParse("1G"), resource.MustParse("3G"))}
	} else {
		d.devices[driver] = append(list[:i:i], list[i+1:]...)
	}
	if d.feature["admin"] && d.chance(0.3) {
		res.AdminAccess = ptr(true)
	}
	a := &resourcev1.AllocationResult{}
	if driver != fabricDriver {
		a.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pool}}}}}}
	} else if d.chance(0.5) {
		a.NodeSelector = term("zone", pick(d.gen, "a", "b"))
	}
	if d.feature["binding"] && d.chance(0.6) {
		res.BindingConditions = []string{"Attached"}
		res.BindingFailureConditions = []string{"AttachFailed"}
		a.AllocationTimestamp = pick(d.gen, &metav1.Time{Time: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}, &metav1.Time{Time: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)}, nil)
		if d.chance(0.7) {
			st := resourcev1.AllocatedDeviceStatus{Driver: driver, Pool: pool, Device: name}
			for _, cond := range []string{"Attached", "AttachFailed"} {
				if d.chance(0.5) {
					st.Conditions = append(st.Conditions, metav1.Condition{Type: cond, Status: pick(d.gen, metav1.ConditionTrue, metav1.ConditionTrue, metav1.ConditionFalse), Reason: "Because", Message: "said so"})
				}
			}
			c.Status.Devices = append(c.Status.Devices, st)
		}
	}
	a.Devices.Results = []resourcev1.DeviceRequestAllocationResult{res}
	c.Status.Allocation = a
	c.Finalizers = []string{resourcev1.Finalizer}
	if d.chance(0.4) {
		c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "other", UID: "other"}}
	}
}

func (d *draGen) pod(i int) *v1.Pod {
	p := &v1.Pod{TypeMeta: typeMeta("v1", "Pod"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", i), Namespace: "default", UID: types.UID(fmt.Sprintf("pod-%d", i))},
		Spec: v1.PodSpec{Priority: ptr(int32(0)), Containers: []v1.Container{{Name: "c", Image: "x"}}}}
	n := 1
	if d.feature["several"] {
		n = 1 + d.r.IntN(3)
	}
	if d.chance(0.1) {
		n = 0
	}
	for k := range n {
		rc := v1.PodResourceClaim{Name: fmt.Sprintf("c%d", k), ResourceClaimName: ptr(pick(d.gen, d.claims["default"]...))}
		switch {
		case d.chance(d.nasty / 2):
			rc.ResourceClaimName = ptr("gone")
		case d.chance(d.nasty / 4):
			rc.ResourceClaimName = nil
		case d.feature["template"] && d.chance(0.5):
			rc.ResourceClaimName, rc.ResourceClaimTemplateName = nil, ptr("template")
			name := fmt.Sprintf("%s-%s-x", p.Name, rc.Name)
			switch {
			case d.chance(d.nasty * 2): // no status yet
			case d.chance(d.nasty * 2):
				p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, v1.PodResourceClaimStatus{Name: rc.Name})
			default:
				p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, v1.PodResourceClaimStatus{Name: rc.Name, ResourceClaimName: ptr(name)})
				d.claim(name, p)
			}
		}
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, rc)
		p.Spec.Containers[0].Resources.Claims = append(p.Spec.Containers[0].Resources.Claims, v1.ResourceClaim{Name: rc.Name})
	}
	if d.feature["extended"] && d.chance(0.5) {
		name := func() v1.ResourceName {
			return pick[v1.ResourceName](d.gen, "example.com/gpu", "example.com/dra-gpu", "example.com/dra-gpu", "deviceclass.resource.kubernetes.io/gpu", "deviceclass.resource.kubernetes.io/nic", "example.com/none")
		}
		ask := func(c *v1.Container, n v1.ResourceName) {
			if c.Resources.Requests == nil {
				c.Resources.Requests = v1.ResourceList{}
			}
			c.Resources.Requests[n] = qty(pick(d.gen, int64(1), 1, 2, 0), "")
		}
		n := name()
		ask(&p.Spec.Containers[0], n)
		if d.chance(0.4) {
			p.Spec.Containers = append(p.Spec.Containers, v1.Container{Name: "c2", Image: "x"})
			ask(&p.Spec.Containers[1], pick(d.gen, n, name()))
		}
		for k := range d.r.IntN(3) {
			c := v1.Container{Name: fmt.Sprintf("init%d", k), Image: "x"}
			if d.chance(0.4) {
				c.RestartPolicy = ptr(v1.ContainerRestartPolicyAlways)
			}
			ask(&c, n)
			p.Spec.InitContainers = append(p.Spec.InitContainers, c)
		}
	}
	if d.chance(0.1) {
		p.Spec.NodeSelector = map[string]string{"zone": "a"}
	}
	return p
}
