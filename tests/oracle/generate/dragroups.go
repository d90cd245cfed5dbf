// Kind dragroups: the cases of dra2 with pods whose PodGroup has claims. The gates GenericWorkload and
// DRAWorkloadResourceClaims are on.

package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func init() {
	kinds["dragroups"] = func(g *gen, o Options) {
		d := newDRAGen(g)
		d.make(o)
		d.groups()
	}
}

func (d *draGen) groups() {
	var groups []*schedulingv1alpha2.PodGroup
	for i := range 1 + d.r.IntN(2) {
		name := fmt.Sprintf("group-%d", i)
		groups = append(groups, &schedulingv1alpha2.PodGroup{TypeMeta: typeMeta("scheduling.k8s.io/v1alpha2", "PodGroup"),
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name)},
			Spec:       schedulingv1alpha2.PodGroupSpec{SchedulingPolicy: schedulingv1alpha2.PodGroupSchedulingPolicy{Basic: &schedulingv1alpha2.BasicSchedulingPolicy{}}}})
	}
	for _, p := range d.pods {
		if d.chance(0.2) {
			continue
		}
		group := pick(d.gen, groups...)
		p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: ptr(group.Name)}
		for k := range p.Spec.ResourceClaims {
			d.shared(group, p, &p.Spec.ResourceClaims[k])
		}
	}
	for _, o := range d.objects {
		c, ok := o.(*resourcev1.ResourceClaim)
		if !ok || c.Status.Allocation == nil || !d.chance(0.5) {
			continue
		}
		group := pick(d.gen, groups...)
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{APIGroup: pick(d.gen, "scheduling.k8s.io", "scheduling.k8s.io", "other"), Resource: pick(d.gen, "podgroups", "podgroups", "pods"), Name: group.Name, UID: group.UID})
	}
	for _, group := range groups {
		if !d.chance(d.nasty / 2) {
			d.objects = append(d.objects, group)
		}
	}
}

// shared makes an entry of a pod one of its group, mostly.
func (d *draGen) shared(group *schedulingv1alpha2.PodGroup, p *v1.Pod, entry *v1.PodResourceClaim) {
	for _, c := range group.Spec.ResourceClaims {
		if c.Name == entry.Name && d.chance(0.6) {
			entry.ResourceClaimName, entry.ResourceClaimTemplateName = c.ResourceClaimName, c.ResourceClaimTemplateName
			if c.ResourceClaimTemplateName != nil {
				d.made(p, entry.Name, group.Name+"-"+entry.Name)
			}
			return
		}
	}
	if d.chance(0.3) {
		return
	}
	for _, c := range group.Spec.ResourceClaims {
		if c.Name == entry.Name {
			return
		}
	}
	of := schedulingv1alpha2.PodGroupResourceClaim{Name: entry.Name, ResourceClaimName: entry.ResourceClaimName, ResourceClaimTemplateName: entry.ResourceClaimTemplateName}
	if d.chance(0.3) {
		of.ResourceClaimName, of.ResourceClaimTemplateName = nil, ptr("of-groups")
		entry.ResourceClaimName, entry.ResourceClaimTemplateName = nil, ptr("of-groups")
		name := group.Name + "-" + entry.Name
		owner := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: group.Name, UID: group.UID}}
		d.claim(name, owner)
		c := d.objects[len(d.objects)-1].(*resourcev1.ResourceClaim)
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: pick(d.gen, "scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1", "other/v1"), Kind: pick(d.gen, "PodGroup", "PodGroup", "PodGroup", "Pod"), Name: group.Name, UID: group.UID, Controller: ptr(true)}}
		if !d.chance(d.nasty) {
			group.Status.ResourceClaimStatuses = append(group.Status.ResourceClaimStatuses, schedulingv1alpha2.PodGroupResourceClaimStatus{Name: entry.Name, ResourceClaimName: ptr(name)})
		}
		d.made(p, entry.Name, name)
	}
	if d.chance(d.nasty / 2) {
		of.ResourceClaimName, of.ResourceClaimTemplateName = nil, nil
	}
	group.Spec.ResourceClaims = append(group.Spec.ResourceClaims, of)
}

// made notes in the status of a pod which claim an entry has.
func (d *draGen) made(p *v1.Pod, entry, claim string) {
	for i := range p.Status.ResourceClaimStatuses {
		if p.Status.ResourceClaimStatuses[i].Name == entry {
			p.Status.ResourceClaimStatuses[i].ResourceClaimName = ptr(claim)
			return
		}
	}
	p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, v1.PodResourceClaimStatus{Name: entry, ResourceClaimName: ptr(claim)})
}
