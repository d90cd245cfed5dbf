package snapshot

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// The listers return objects by their names. (The autoscaler's return them in random order.)

// tracker embeds the interface for methods of the real one that need the Go scheduler; package reference has them.
type tracker struct {
	fwk.ResourceClaimTracker
	s *Snapshot
}

// ResourceClaims returns the claims.
func (s *Snapshot) ResourceClaims() fwk.ResourceClaimTracker { return tracker{s: s} }

func (t tracker) List() ([]*resourceapi.ResourceClaim, error) {
	var all []*resourceapi.ResourceClaim
	for _, claim := range t.s.claims.All() {
		all = append(all, claim)
	}
	slices.SortFunc(all, func(a, b *resourceapi.ResourceClaim) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

func (t tracker) Get(namespace, claimName string) (*resourceapi.ResourceClaim, error) {
	if claim, ok := t.s.claims.Get(ResourceClaimId{Name: claimName, Namespace: namespace}); ok {
		return claim, nil
	}
	return nil, fmt.Errorf("claim %s/%s not found", namespace, claimName)
}

// SignalClaimPendingAllocation replaces a claim by one with devices: a simulation has no more to do for a binding.
func (t tracker) SignalClaimPendingAllocation(claimUID types.UID, allocatedClaim *resourceapi.ResourceClaim) error {
	claim, err := t.Get(allocatedClaim.Namespace, allocatedClaim.Name)
	if err != nil {
		return err
	}
	if claim.UID != claimUID {
		return fmt.Errorf("claim %s/%s has UID %q, the allocation is for UID %q", claim.Namespace, claim.Name, claim.UID, claimUID)
	}
	t.s.claims.Set(GetClaimId(claim), allocatedClaim)
	return nil
}

type sliceLister struct{ s *Snapshot }

// ResourceSlices returns the devices of all nodes and of none.
func (s *Snapshot) ResourceSlices() fwk.ResourceSliceLister { return sliceLister{s} }

func (l sliceLister) ListWithDeviceTaintRules() ([]*resourceapi.ResourceSlice, error) {
	var all []*resourceapi.ResourceSlice
	for _, some := range l.s.slices.All() {
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b *resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

type classLister struct{ s *Snapshot }

// DeviceClasses returns the classes of devices.
func (s *Snapshot) DeviceClasses() fwk.DeviceClassLister { return classLister{s} }

func (l classLister) List() ([]*resourceapi.DeviceClass, error) {
	var all []*resourceapi.DeviceClass
	for _, class := range l.s.classes.All() {
		all = append(all, class)
	}
	slices.SortFunc(all, func(a, b *resourceapi.DeviceClass) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

func (l classLister) Get(className string) (*resourceapi.DeviceClass, error) {
	if class, ok := l.s.classes.Get(className); ok {
		return class, nil
	}
	return nil, fmt.Errorf("device class %s not found", className)
}

type classResolver struct{ s *Snapshot }

// DeviceClassResolver returns the classes by the extended resources that they provide.
func (s *Snapshot) DeviceClassResolver() fwk.DeviceClassResolver { return classResolver{s} }

func (r classResolver) GetDeviceClass(resourceName v1.ResourceName) *resourceapi.DeviceClass {
	for _, class := range r.s.classes.All() {
		if name := class.Spec.ExtendedResourceName; resourceName == v1.ResourceName(resourceapi.ResourceDeviceClassPrefix+class.Name) ||
			name != nil && resourceName == v1.ResourceName(*name) {
			return class
		}
	}
	return nil
}
