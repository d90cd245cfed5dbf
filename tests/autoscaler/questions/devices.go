package questions

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	drasnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/dynamicresources/snapshot"
)

const (
	cardDriver    = "d.example.com"
	networkDriver = "n.example.com"
)

func classes() map[string]*resourceapi.DeviceClass {
	all := map[string]*resourceapi.DeviceClass{}
	for name, expression := range map[string]string{
		"card":    `device.driver == "d.example.com"`,
		"fast":    `device.driver == "d.example.com" && device.attributes["d.example.com"].speed == "fast"`,
		"network": `device.driver == "n.example.com"`,
	} {
		all[name] = &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: resourceapi.DeviceClassSpec{
			Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}}}}
	}
	return all
}

// cards returns the slices of a node with so many devices.
func cards(r *rand.Rand, node string, count int) []*resourceapi.ResourceSlice {
	if count == 0 {
		return nil
	}
	parts := int64(1 + r.Intn(2))
	var all []*resourceapi.ResourceSlice
	for i := range parts {
		name := fmt.Sprint("cards-", node, "-", i)
		all = append(all, &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
			Spec: resourceapi.ResourceSliceSpec{Driver: cardDriver, NodeName: &node,
				Pool: resourceapi.ResourcePool{Name: "pool-" + node, Generation: 1, ResourceSliceCount: parts}}})
	}
	for i := range count {
		slice := all[r.Intn(len(all))]
		speed, numa := pick(r, "fast", "slow", "slow"), int64(r.Intn(2))
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprint("card-", i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"speed": {StringValue: &speed}, "numa": {IntValue: &numa}},
			Capacity:   map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(pick(r, "8Gi", "16Gi"))}}})
	}
	return all
}

// networks returns slices that belong to no single node.
func networks(r *rand.Rand) []*resourceapi.ResourceSlice {
	var all []*resourceapi.ResourceSlice
	for i := range r.Intn(3) {
		name, everywhere := fmt.Sprint("network-", i), true
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
			Spec: resourceapi.ResourceSliceSpec{Driver: networkDriver, Pool: resourceapi.ResourcePool{Name: name, Generation: 1, ResourceSliceCount: 1}}}
		if r.Intn(2) == 0 {
			slice.Spec.AllNodes = &everywhere
		} else {
			slice.Spec.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{
				Key: zone, Operator: v1.NodeSelectorOpIn, Values: []string{fmt.Sprint("z", r.Intn(3))}}}}}}
		}
		for k := range 1 + r.Intn(4) {
			slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprint("net-", k)})
		}
		all = append(all, slice)
	}
	return all
}

// wanted returns what a claim asks for.
func wanted(r *rand.Rand) resourceapi.ResourceClaimSpec {
	exactly := func(class string, count int64) *resourceapi.ExactDeviceRequest {
		return &resourceapi.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}
	}
	request := resourceapi.DeviceRequest{Name: "r", Exactly: exactly(pick(r, "card", "card", "fast", "network"), 1)}
	var spec resourceapi.ResourceClaimSpec
	numa := resourceapi.FullyQualifiedName(cardDriver + "/numa")
	switch r.Intn(8) {
	case 0:
		request.Exactly.Count = 2
	case 1:
		request.Exactly = &resourceapi.ExactDeviceRequest{DeviceClassName: "card", AllocationMode: resourceapi.DeviceAllocationModeAll}
	case 2:
		sub := func(name, class string, count int64) resourceapi.DeviceSubRequest {
			return resourceapi.DeviceSubRequest{Name: name, DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}
		}
		request = resourceapi.DeviceRequest{Name: "r", FirstAvailable: []resourceapi.DeviceSubRequest{sub("good", "fast", 1), sub("other", "card", 2)}}
	case 3:
		request.Exactly = exactly("card", 2)
		spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &numa}}
	case 4:
		request.Exactly = exactly("card", 1)
		request.Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
			Expression: `device.capacity["d.example.com"].memory.compareTo(quantity("10Gi")) > 0`}}}
	case 5:
		spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "n", Exactly: exactly("network", 1)}}
	}
	spec.Devices.Requests = append(spec.Devices.Requests, request)
	return spec
}

// Names of a pod's references to claims, and the number of claims that pods share.
const (
	ownClaim    = "own"
	sharedClaim = "shared"
	teams       = 3
)

func teamClaim(number int) string { return fmt.Sprint("team-", number) }

// needs gives a kind of pods claims.
func (a *asker) needs(kind *v1.Pod) {
	kind.Namespace = "default"
	which := a.r.Intn(5)
	if which < 4 {
		template := "template"
		kind.Spec.ResourceClaims = append(kind.Spec.ResourceClaims, v1.PodResourceClaim{Name: ownClaim, ResourceClaimTemplateName: &template})
		a.specs[kind] = wanted(a.r)
	}
	if which > 2 {
		name := teamClaim(a.r.Intn(teams))
		kind.Spec.ResourceClaims = append(kind.Spec.ResourceClaims, v1.PodResourceClaim{Name: sharedClaim, ResourceClaimName: &name})
	}
}

func newClaim(name string, spec resourceapi.ResourceClaimSpec) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("claim-" + name)}, Spec: spec}
}

// made returns a new pod of a kind with the claim that is made for it, if any.
func (a *asker) made(kind *v1.Pod) (*v1.Pod, *resourceapi.ResourceClaim) {
	p := kind.DeepCopy()
	p.Name = a.name("p")
	p.UID = types.UID(p.Name)
	spec, has := a.specs[kind]
	if !has {
		return p, nil
	}
	name, yes := p.Name+"-"+ownClaim, true
	p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: ownClaim, ResourceClaimName: &name}}
	c := newClaim(name, spec)
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: &yes}}
	return p, c
}

// prepare makes pods of kinds with claims whose claims are there from the start, as those of pending pods are.
func (a *asker) prepare() (claims []*resourceapi.ResourceClaim) {
	for i := range teams {
		claims = append(claims, newClaim(teamClaim(i), wanted(a.r)))
	}
	for _, kind := range a.kinds {
		for range a.r.Intn(9) {
			if p, c := a.made(kind); c != nil {
				claims = append(claims, c)
				a.waiting[kind] = append(a.waiting[kind], p)
			}
		}
	}
	return claims
}

// give gives a claim for one card a free one of the node, and reserves it. false says that it cannot.
func give(claim *resourceapi.ResourceClaim, pod *v1.Pod, node string, slices []*resourceapi.ResourceSlice, taken map[string]bool) bool {
	requests := claim.Spec.Devices.Requests
	if len(requests) != 1 || requests[0].Exactly == nil || requests[0].Exactly.DeviceClassName != "card" || requests[0].Exactly.Count != 1 {
		return false
	}
	for _, slice := range slices {
		for _, device := range slice.Spec.Devices {
			if taken[device.Name] {
				continue
			}
			taken[device.Name] = true
			claim.Status.Allocation = &resourceapi.AllocationResult{
				Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
					Request: requests[0].Name, Driver: cardDriver, Pool: slice.Spec.Pool.Name, Device: device.Name}}},
				NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{
					Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{node}}}}}}}
			claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
			return true
		}
	}
	return false
}

func claimsByName(claims []*resourceapi.ResourceClaim) map[drasnapshot.ResourceClaimId]*resourceapi.ResourceClaim {
	all := map[drasnapshot.ResourceClaimId]*resourceapi.ResourceClaim{}
	for _, c := range claims {
		all[drasnapshot.GetClaimId(c)] = c
	}
	return all
}

// devices is the text of the claims that have devices or reservations; of those of a pod alone, unless it is nil.
func (a *asker) devices(pod *v1.Pod) (string, error) {
	if pod != nil && len(pod.Spec.ResourceClaims) == 0 {
		return "", nil
	}
	claims, err := a.engine.Claims()
	if err != nil {
		return "", err
	}
	var out []string
	for _, c := range claims {
		if pod != nil && !slices.ContainsFunc(c.Status.ReservedFor, func(ref resourceapi.ResourceClaimConsumerReference) bool { return ref.UID == pod.UID }) ||
			c.Status.Allocation == nil && len(c.Status.ReservedFor) == 0 {
			continue
		}
		text := " " + c.Name
		if c.Status.Allocation != nil {
			for _, result := range c.Status.Allocation.Devices.Results {
				text += ":" + result.Request + "=" + result.Pool + "/" + result.Device
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
	return strings.Join(out, ""), nil
}
