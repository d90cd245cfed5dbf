package consumers

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// copying is a copy of a NodeInfo that is being made.
type copying struct {
	suffix string
	node   *v1.Node
	pools  map[string]bool // of the original's own devices
}

func (c *copying) name(of string) string { return of + "-" + c.suffix }

// Copy returns a copy of a template whose names end in a suffix; the hostname label is the new name. Devices of the
// node are copied with pools of their own, and so are claims that its pods own. It fails for an own claim with devices
// that do not belong to the node.
func Copy(template *framework.NodeInfo, suffix string) (*framework.NodeInfo, error) {
	c := &copying{suffix: suffix, node: template.Node().DeepCopy(), pools: map[string]bool{}}
	c.node.Name = c.name(c.node.Name)
	c.node.UID = types.UID(c.node.Name)
	if c.node.Labels == nil {
		c.node.Labels = map[string]string{}
	}
	c.node.Labels[v1.LabelHostname] = c.node.Name
	var slices []*resourceapi.ResourceSlice
	for _, slice := range template.LocalResourceSlices {
		c.pools[slice.Spec.Pool.Name] = true
		slice = slice.DeepCopy()
		slice.Name = c.name(slice.Name)
		slice.UID = types.UID(slice.Name)
		slice.Spec.Pool.Name = c.name(slice.Spec.Pool.Name)
		slice.Spec.NodeName = &c.node.Name
		slices = append(slices, slice)
	}
	out := framework.NewNodeInfo(c.node, slices)
	if template.CSINode != nil {
		driver := template.CSINode.DeepCopy()
		driver.Name, driver.UID = c.node.Name, c.node.UID
		out.SetCSINode(driver)
	}
	for _, info := range template.Pods() {
		pod, claims, err := c.pod(info)
		if err != nil {
			return nil, err
		}
		out.AddPod(framework.NewPodInfo(pod, claims))
	}
	return out, nil
}

func (c *copying) pod(info *framework.PodInfo) (*v1.Pod, []*resourceapi.ResourceClaim, error) {
	pod := info.Pod.DeepCopy()
	pod.Name = c.name(pod.Name)
	pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
	pod.Spec.NodeName = c.node.Name
	for i := range pod.Status.ResourceClaimStatuses {
		if made := &pod.Status.ResourceClaimStatuses[i]; made.ResourceClaimName != nil {
			name := c.name(*made.ResourceClaimName)
			made.ResourceClaimName = &name
		}
	}
	var claims []*resourceapi.ResourceClaim
	for _, claim := range info.NeededResourceClaims {
		if metav1.IsControlledBy(claim, info.Pod) {
			var err error
			if claim, err = c.claim(claim, pod); err != nil {
				return nil, nil, err
			}
		}
		claims = append(claims, claim)
	}
	return pod, claims, nil
}

// claim returns the copy of a claim that belongs to the copy of a pod.
func (c *copying) claim(claim *resourceapi.ResourceClaim, pod *v1.Pod) (*resourceapi.ResourceClaim, error) {
	claim = claim.DeepCopy()
	claim.Name = c.name(claim.Name)
	claim.UID = types.UID(claim.Namespace + "/" + claim.Name)
	yes := true
	claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &yes}}
	claim.Status.ReservedFor = nil
	if claim.Status.Allocation == nil {
		return claim, nil
	}
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		if result.AdminAccess != nil && *result.AdminAccess {
			continue
		}
		if !c.pools[result.Pool] {
			return nil, fmt.Errorf("claim %s has a device of pool %s, which is not the node's", claim.Name, result.Pool)
		}
		result.Pool = c.name(result.Pool)
	}
	claim.Status.Allocation.NodeSelector = onNode(c.node.Name)
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
	return claim, nil
}

// onNode is the selector of a single node.
func onNode(name string) *v1.NodeSelector {
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{
		Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{name}}}}}}
}
