//go:build libsched

package libschedsnapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
)

// catchUp brings libsched's copy of claims, devices and CSINodes up to date, if the caller may have changed them.
func (s *Snapshot) catchUp() error {
	if !s.lent {
		return nil
	}
	objects, err := s.tracked()
	if err != nil {
		return err
	}
	type key struct{ kind, namespace, name string }
	there := map[key]bool{}
	for _, object := range objects {
		m, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		there[key{reflect.TypeOf(object).Elem().Name(), m.GetNamespace(), m.GetName()}] = true
	}
	var kinds []string
	if s.factory.options.Devices {
		kinds = append(kinds, "ResourceClaim", "ResourceSlice", "DeviceClass")
	}
	if s.factory.options.CSINodes {
		kinds = append(kinds, "CSINode")
	}
	sim := s.inner.Sim()
	for _, kind := range kinds {
		text, err := sim.ObjectsJSON(kind, "", "")
		if err != nil {
			return err
		}
		var list struct {
			Items []struct{ Metadata metav1.ObjectMeta }
		}
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
		for _, item := range list.Items {
			m := &item.Metadata
			if there[key{kind, m.Namespace, m.Name}] || m.Annotations[resourceapi.ExtendedResourceClaimAnnotation] != "" {
				continue // libsched has made the latter for a pod with extended resources
			}
			if err := sim.Unset(kind, m.Namespace, m.Name); err != nil {
				return err
			}
		}
	}
	if err := sim.Set(objects...); err != nil {
		return err
	}
	s.lent = false
	return nil
}

// unset removes an object of libsched's copy.
func (s *Snapshot) unset(kind, namespace, name string) error {
	if err := s.inner.Sim().Unset(kind, namespace, name); err != nil && !errors.Is(err, libsched.ErrNotFound) {
		return err
	}
	return nil
}

// took copies the devices that a pod got when libsched placed it to the autoscaler's claims, and reserves them. After an
// error some may have been copied, as in the autoscaler.
func (s *Snapshot) took(pod *v1.Pod) error {
	claims, err := s.claimsOf(pod)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if claim.Status.Allocation != nil {
			continue
		}
		var now resourceapi.ResourceClaim
		if err := s.inner.Sim().Get(claim.Namespace, claim.Name, &now); err != nil {
			return err
		}
		claim = claim.DeepCopy()
		claim.Status.Allocation = now.Status.Allocation
		if err := s.devices.ResourceClaims().SignalClaimPendingAllocation(claim.UID, claim); err != nil {
			return err
		}
	}
	return s.devices.ReservePodClaims(pod)
}

// addObjects adds the devices, the CSINode and the claims of a node's pods to the autoscaler's snapshots and to libsched's
// copy.
func (s *Snapshot) addObjects(info *nodeParts) error {
	var objects []runtime.Object
	if len(info.slices) > 0 {
		if err := s.devices.AddNodeResourceSlices(info.node.Name, info.slices); err != nil {
			return err
		}
		objects = appendObjects(objects, info.slices)
	}
	for _, pod := range info.claiming {
		var own []*resourceapi.ResourceClaim
		for _, claim := range pod.NeededResourceClaims {
			if claim.Namespace == pod.Pod.Namespace && metav1.IsControlledBy(claim, pod.Pod) {
				own = append(own, claim)
			}
		}
		if err := s.devices.AddClaims(own); err != nil {
			return err
		}
		if err := s.devices.ReservePodClaims(pod.Pod); err != nil {
			return err
		}
		claims, err := s.claimsOf(pod.Pod)
		if err != nil {
			return err
		}
		for _, claim := range claims {
			if ok, err := available(claim, info.node); err != nil || !ok {
				return fmt.Errorf("claim %s/%s of a pod has no devices on node %s: %v", claim.Namespace, claim.Name, info.node.Name, err)
			}
		}
		objects = appendObjects(objects, claims)
	}
	if info.driver != nil {
		if err := s.drivers.AddCSINode(info.driver); err != nil {
			return err
		}
		objects = append(objects, info.driver)
	}
	return s.inner.Sim().Set(objects...)
}

// removeObjects is the contrary, for a node that is about to go.
func (s *Snapshot) removeObjects(name string, pods []*v1.Pod) error {
	if s.factory.options.Devices {
		slices, _ := s.devices.NodeResourceSlices(name)
		for _, slice := range slices {
			if err := s.unset("ResourceSlice", "", slice.Name); err != nil {
				return err
			}
		}
		s.devices.RemoveNodeResourceSlices(name)
	}
	for _, pod := range pods {
		if !s.hasClaims(pod) {
			continue
		}
		if err := s.removeClaims(pod); err != nil {
			return err
		}
	}
	if _, err := s.drivers.Get(name); s.factory.options.CSINodes && err == nil {
		s.drivers.RemoveCSINode(name)
		return s.unset("CSINode", "", name)
	}
	return nil
}

// removeClaims removes what a pod owns, and its reservations.
func (s *Snapshot) removeClaims(pod *v1.Pod) error {
	s.devices.RemovePodOwnedClaims(pod)
	for _, ref := range pod.Spec.ResourceClaims {
		name := claimName(pod, ref)
		if name == "" {
			continue
		}
		claim, err := s.devices.ResourceClaims().Get(pod.Namespace, name)
		if err != nil { // it is gone
			err = s.unset("ResourceClaim", pod.Namespace, name)
		} else {
			err = s.inner.Sim().Set(claim)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claimName returns the name of a pod's claim, "" if there is none yet.
func claimName(pod *v1.Pod, ref v1.PodResourceClaim) string {
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
