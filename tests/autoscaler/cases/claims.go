package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	drasnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/dynamicresources/snapshot"
)

// cards is the slice of a node with so many devices.
func cards(node string, count int) *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + node, UID: types.UID("slice-" + node)},
		Spec: resourceapi.ResourceSliceSpec{Driver: "d", NodeName: &node, Pool: resourceapi.ResourcePool{Name: node, ResourceSliceCount: 1}}}
	for i := range count {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprint("card", i)})
	}
	return slice
}

func claim(name string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("claim-" + name)},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "r", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "card",
				AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}}}}}}
}

// got gives a claim a device, for a pod.
func got(c *resourceapi.ResourceClaim, node string, device string, p *v1.Pod) *resourceapi.ResourceClaim {
	c.Status.Allocation = &resourceapi.AllocationResult{
		Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
			Request: "r", Driver: "d", Pool: node, Device: device}}},
		NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{node}}}}}}}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: p.Name, UID: p.UID}}
	return c
}

// own makes a claim the pod's own.
func own(p *v1.Pod) (*v1.Pod, *resourceapi.ResourceClaim) {
	template, name, yes := "one-card", p.Name+"-card", true
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimTemplateName: &template}}
	p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "c", ResourceClaimName: &name}}
	c := claim(name)
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: &yes}}
	return p, c
}

// uses makes the pod one of those that use a claim.
func uses(name string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimName: &name}}
	}
}

// devicesOf makes the snapshot of claims and devices.
func devicesOf(claims []*resourceapi.ResourceClaim, devices ...*resourceapi.ResourceSlice) *drasnapshot.Snapshot {
	all, local := map[drasnapshot.ResourceClaimId]*resourceapi.ResourceClaim{}, map[string][]*resourceapi.ResourceSlice{}
	for _, c := range claims {
		all[drasnapshot.GetClaimId(c)] = c
	}
	for _, slice := range devices {
		local[*slice.Spec.NodeName] = append(local[*slice.Spec.NodeName], slice)
	}
	return drasnapshot.NewSnapshot(all, local, nil, map[string]*resourceapi.DeviceClass{
		"card": {ObjectMeta: metav1.ObjectMeta{Name: "card"}}})
}

// claimed is the state of all claims as text: each with its devices and the pods that have reserved it.
func claimed(t *testing.T, s clustersnapshot.ClusterSnapshot) string {
	t.Helper()
	claims, err := s.ResourceClaims().List()
	check(t, err)
	var out []string
	for _, c := range claims {
		text := c.Name
		if c.Status.Allocation != nil {
			for _, result := range c.Status.Allocation.Devices.Results {
				text += ":" + result.Pool + "/" + result.Device
			}
		}
		var pods []string
		for _, ref := range c.Status.ReservedFor {
			pods = append(pods, ref.Name)
		}
		slices.Sort(pods)
		out = append(out, text+fmt.Sprint(pods))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
