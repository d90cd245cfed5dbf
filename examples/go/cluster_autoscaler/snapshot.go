//go:build libsched

package libschedsnapshot

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	csisnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/csi/snapshot"
	drasnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/dynamicresources/snapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// Snapshot is a ClusterSnapshot. Nodes and pods are in a snapshot of libsched. Claims, devices and CSINodes are in
// the autoscaler's snapshots, which its other code reads, and libsched has a copy of them.
type Snapshot struct {
	factory *Factory
	inner   *snapshot.Snapshot
	devices *drasnapshot.Snapshot
	drivers *csisnapshot.Snapshot
	// lent says that the caller may have changed devices or drivers since libsched's copy was made.
	lent  bool
	depth int // of forks
	// pods has what was made of pods without claims since SetClusterState.
	pods map[*v1.Pod]*framework.PodInfo
}

var _ clustersnapshot.ClusterSnapshot = (*Snapshot)(nil)

// agesKept is how many calls of SetClusterState the contents of pods and nodes are kept for that nothing uses.
const agesKept = 4

// Inner returns libsched's snapshot, for questions that the autoscaler does not have. It must not be changed.
func (s *Snapshot) Inner() *snapshot.Snapshot { return s.inner }

func (s *Snapshot) begin(devices *drasnapshot.Snapshot, drivers *csisnapshot.Snapshot) {
	if devices == nil {
		devices = drasnapshot.NewEmptySnapshot()
	}
	if drivers == nil {
		drivers = csisnapshot.NewEmptySnapshot()
	}
	s.devices, s.drivers, s.lent, s.depth = devices, drivers, false, 0
	s.pods = map[*v1.Pod]*framework.PodInfo{}
}

// Clear implements ClusterSnapshot.
func (s *Snapshot) Clear() {
	if err := s.SetClusterState(nil, nil, nil, nil); err != nil {
		panic(err) // as an index out of range: only a bug can cause it, and there is no error to return
	}
}

// SetClusterState implements ClusterSnapshot.
func (s *Snapshot) SetClusterState(nodes []*v1.Node, scheduledPods []*v1.Pod, devices *drasnapshot.Snapshot, drivers *csisnapshot.Snapshot) error {
	if err := s.inner.Clear(); err != nil {
		return err
	}
	s.begin(devices, drivers)
	names := make(map[string]bool, len(nodes))
	for _, node := range nodes {
		names[node.Name] = true
		if s.factory.options.CSINodes {
			if _, err := s.drivers.Get(node.Name); err != nil {
				return fmt.Errorf("couldn't obtain csi node: %w", err)
			}
		}
	}
	for _, pod := range scheduledPods {
		if s.hasClaims(pod) && (names[pod.Spec.NodeName] || pod.Spec.NodeName == "" && names[pod.Status.NominatedNodeName]) {
			if _, err := s.claimsOf(pod); err != nil {
				return err
			}
		}
	}
	objects, err := s.tracked()
	if err != nil {
		return err
	}
	if s.factory.options.Objects != nil && len(nodes) > 0 {
		others, err := s.factory.options.Objects()
		if err != nil {
			return err
		}
		objects = append(objects, others...)
	}
	if err := s.inner.Sim().ResetObjects(objects...); err != nil {
		return err
	}
	s.factory.catalog.Age(agesKept)
	return s.inner.SetClusterState(nodes, scheduledPods)
}

// tracked returns all objects of the autoscaler's snapshots that libsched has a copy of.
func (s *Snapshot) tracked() ([]runtime.Object, error) {
	var objects []runtime.Object
	if s.factory.options.Devices {
		claims, err := s.devices.ResourceClaims().List()
		if err != nil {
			return nil, err
		}
		slices, err := s.devices.ResourceSlices().ListWithDeviceTaintRules()
		if err != nil {
			return nil, err
		}
		classes, err := s.devices.DeviceClasses().List()
		if err != nil {
			return nil, err
		}
		objects = appendObjects(appendObjects(appendObjects(objects, claims), slices), classes)
	}
	if s.factory.options.CSINodes {
		nodes, err := s.drivers.CSINodes().List()
		if err != nil {
			return nil, err
		}
		objects = appendObjects(objects, nodes)
	}
	return objects, nil
}

func appendObjects[T runtime.Object](to []runtime.Object, from []T) []runtime.Object {
	for _, object := range from {
		to = append(to, object)
	}
	return to
}

// Fork implements ClusterSnapshot.
func (s *Snapshot) Fork() {
	_ = s.catchUp() // tried again by the next question, which has an error to return
	s.inner.Fork()
	s.devices.Fork()
	s.drivers.Fork()
	s.depth++
}

// Revert implements ClusterSnapshot.
func (s *Snapshot) Revert() {
	if s.depth == 0 {
		return
	}
	s.inner.Revert()
	s.devices.Revert()
	s.drivers.Revert()
	s.depth--
}

// Commit implements ClusterSnapshot.
func (s *Snapshot) Commit() error {
	if s.depth == 0 {
		return nil
	}
	if err := s.inner.Commit(); err != nil {
		return err
	}
	s.devices.Commit()
	s.drivers.Commit()
	s.depth--
	return nil
}

// DraSnapshot implements ClusterSnapshot. What the caller changes counts from the next call of the Snapshot on; after a
// later change DraSnapshot must be called again.
func (s *Snapshot) DraSnapshot() *drasnapshot.Snapshot {
	s.lent = true
	return s.devices
}

// CsiSnapshot implements ClusterSnapshot, as DraSnapshot.
func (s *Snapshot) CsiSnapshot() *csisnapshot.Snapshot {
	s.lent = true
	return s.drivers
}

// hasClaims tells whether a pod has claims that are simulated.
func (s *Snapshot) hasClaims(pod *v1.Pod) bool {
	return pod != nil && s.factory.options.Devices && len(pod.Spec.ResourceClaims) > 0
}

// claimsOf returns the claims of such a pod.
func (s *Snapshot) claimsOf(pod *v1.Pod) ([]*resourceapi.ResourceClaim, error) {
	claims, err := s.devices.PodClaims(pod)
	if err != nil {
		return nil, fmt.Errorf("couldn't obtain pod %s/%s claims: %w", pod.Namespace, pod.Name, err)
	}
	return claims, nil
}
