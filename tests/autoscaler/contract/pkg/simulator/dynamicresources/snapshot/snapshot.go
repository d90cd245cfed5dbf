// Package snapshot re-declares the autoscaler's snapshot of claims, devices and their classes.
package snapshot

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"sigs.k8s.io/cluster-autoscaler/internal/layers"
)

// ResourceClaimId names a claim.
type ResourceClaimId struct {
	Name      string
	Namespace string
}

// GetClaimId returns the name of a claim.
func GetClaimId(claim *resourceapi.ResourceClaim) ResourceClaimId {
	return ResourceClaimId{Name: claim.Name, Namespace: claim.Namespace}
}

// Snapshot has the claims, the devices by node, and the classes. Objects that it has handed out do not change; it
// replaces them.
type Snapshot struct {
	claims  *layers.Map[ResourceClaimId, *resourceapi.ResourceClaim]
	slices  *layers.Map[string, []*resourceapi.ResourceSlice] // by the name of the node
	classes *layers.Map[string, *resourceapi.DeviceClass]
}

// anywhere is the key of devices that belong to no single node; no node has such a name.
const anywhere = "--anywhere--"

// NewSnapshot returns a Snapshot of some objects.
func NewSnapshot(claims map[ResourceClaimId]*resourceapi.ResourceClaim, nodeLocalSlices map[string][]*resourceapi.ResourceSlice,
	nonNodeLocalSlices []*resourceapi.ResourceSlice, deviceClasses map[string]*resourceapi.DeviceClass) *Snapshot {
	s := &Snapshot{layers.New(claims), layers.New(nodeLocalSlices), layers.New(deviceClasses)}
	s.slices.Set(anywhere, nonNodeLocalSlices)
	return s
}

// NewEmptySnapshot returns a Snapshot without objects.
func NewEmptySnapshot() *Snapshot { return NewSnapshot(nil, nil, nil, nil) }

// AddClaims adds claims. It fails, and adds none, if there is one of the same name.
func (s *Snapshot) AddClaims(newClaims []*resourceapi.ResourceClaim) error {
	for _, claim := range newClaims {
		if _, ok := s.claims.Get(GetClaimId(claim)); ok {
			return fmt.Errorf("claim %s/%s already tracked in the snapshot", claim.Namespace, claim.Name)
		}
	}
	for _, claim := range newClaims {
		s.claims.Set(GetClaimId(claim), claim)
	}
	return nil
}

// PodClaims returns the claims that a pod refers to. It fails if one of them is not there.
func (s *Snapshot) PodClaims(pod *v1.Pod) ([]*resourceapi.ResourceClaim, error) {
	claims, missing := s.find(pod)
	if missing != nil {
		return nil, missing
	}
	return claims, nil
}

// find returns the claims of a pod that are there, and an error if there are others.
func (s *Snapshot) find(pod *v1.Pod) (claims []*resourceapi.ResourceClaim, missing error) {
	for _, ref := range pod.Spec.ResourceClaims {
		name := nameOf(pod, ref)
		what := "couldn't determine ResourceClaim name"
		if name != "" {
			if claim, ok := s.claims.Get(ResourceClaimId{Name: name, Namespace: pod.Namespace}); ok {
				claims = append(claims, claim)
				continue
			}
			what = "couldn't find ResourceClaim in the snapshot"
		}
		if missing == nil {
			missing = fmt.Errorf("error while obtaining ResourceClaim %s for pod %s/%s: %s", ref.Name, pod.Namespace, pod.Name, what)
		}
	}
	return claims, missing
}

// nameOf returns the name of a claim, "" if it was not made yet.
func nameOf(pod *v1.Pod, ref v1.PodResourceClaim) string {
	if ref.ResourceClaimName != nil {
		return *ref.ResourceClaimName
	}
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.Name == ref.Name && status.ResourceClaimName != nil {
			return *status.ResourceClaimName
		}
	}
	return ""
}

// change replaces a claim by a copy that differs.
func (s *Snapshot) change(claim *resourceapi.ResourceClaim, how func(*resourceapi.ResourceClaim)) {
	claim = claim.DeepCopy()
	how(claim)
	s.claims.Set(GetClaimId(claim), claim)
}

// RemovePodOwnedClaims removes the claims that the pod owns, and its reservation from the others. Claims that are not
// there are ignored.
func (s *Snapshot) RemovePodOwnedClaims(pod *v1.Pod) {
	claims, _ := s.find(pod)
	for _, claim := range claims {
		if owns(pod, claim) {
			s.claims.Delete(GetClaimId(claim))
		} else {
			s.change(claim, func(c *resourceapi.ResourceClaim) { clearReservation(c, pod) })
		}
	}
}

// ReservePodClaims reserves all claims of a pod for it. It fails, and reserves none, if one is not there or has as many
// reservations as there may be.
func (s *Snapshot) ReservePodClaims(pod *v1.Pod) error {
	claims, err := s.PodClaims(pod)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if len(claim.Status.ReservedFor) >= resourceapi.ResourceClaimReservedForMaxSize && !isReserved(claim, pod) {
			return fmt.Errorf("claim %s/%s already has max number of reservations set, can't add more", claim.Namespace, claim.Name)
		}
	}
	for _, claim := range claims {
		if !isReserved(claim, pod) {
			s.change(claim, func(c *resourceapi.ResourceClaim) {
				c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
					Resource: "pods", Name: pod.Name, UID: pod.UID})
			})
		}
	}
	return nil
}

// UnreservePodClaims removes the pod's reservations. Claims that it owns, and those without another reservation, lose
// their devices. It fails if a claim is not there.
func (s *Snapshot) UnreservePodClaims(pod *v1.Pod) error {
	claims, err := s.PodClaims(pod)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		s.change(claim, func(c *resourceapi.ResourceClaim) {
			clearReservation(c, pod)
			if owns(pod, c) || len(c.Status.ReservedFor) == 0 {
				c.Status.Allocation = nil
			}
		})
	}
	return nil
}

// NodeResourceSlices returns the devices of a node.
func (s *Snapshot) NodeResourceSlices(nodeName string) ([]*resourceapi.ResourceSlice, bool) {
	return s.slices.Get(nodeName)
}

// AddNodeResourceSlices adds the devices of a node. It fails if the node has some.
func (s *Snapshot) AddNodeResourceSlices(nodeName string, slices []*resourceapi.ResourceSlice) error {
	if _, ok := s.slices.Get(nodeName); ok {
		return fmt.Errorf("node %q ResourceSlices already present", nodeName)
	}
	s.slices.Set(nodeName, slices)
	return nil
}

// RemoveNodeResourceSlices removes the devices of a node, if there are any.
func (s *Snapshot) RemoveNodeResourceSlices(nodeName string) { s.slices.Delete(nodeName) }

// Fork, Revert and Commit are those of the ClusterSnapshot that has this Snapshot.
func (s *Snapshot) Fork() {
	s.claims.Fork()
	s.slices.Fork()
	s.classes.Fork()
}

func (s *Snapshot) Revert() {
	s.claims.Revert()
	s.slices.Revert()
	s.classes.Revert()
}

func (s *Snapshot) Commit() {
	s.claims.Commit()
	s.slices.Commit()
	s.classes.Commit()
}
