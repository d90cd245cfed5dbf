// Package libschedsnapshot is a ClusterSnapshot of the Cluster Autoscaler whose filters are libsched's. It implements the
// autoscaler's interface by the types of the autoscaler, so the folder is copied into its repository as it is.
// README.md says how.
//
// Programs that are built without the tag `libsched`, or without cgo, have a Factory that returns the autoscaler's own
// snapshot.
package libschedsnapshot

import (
	"k8s.io/apimachinery/pkg/runtime"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// Options says what the snapshots of a Factory simulate. The zero value is the default scheduler without devices.
type Options struct {
	// Config is a KubeSchedulerConfiguration with one profile, YAML or JSON. Fields and plugins that libsched does
	// not know are left out if they are empty. nil is the default.
	Config []byte
	// Release is the minor of Kubernetes whose filters judge, "1.37"; "" is libsched's default.
	Release string
	// Devices and CSINodes are the autoscaler's draEnabled and enableCSINodeAwareScheduling: claims, slices, classes
	// and CSINodes come from the snapshots of SetClusterState. Otherwise CSINodes come from Objects.
	Devices, CSINodes bool
	// Objects returns what filters read beside nodes, pods and these: volumes, their claims and classes, CSIDrivers,
	// namespaces, services, controllers. It is called in each SetClusterState; nil: there are none.
	Objects func() ([]runtime.Object, error)
}

// Own makes the autoscaler's own snapshot.
type Own func() (clustersnapshot.ClusterSnapshot, error)
