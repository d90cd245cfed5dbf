package reference

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
)

// noClaims is the manager of devices of an autoscaler that does not simulate them: there are none.
type noClaims struct{}

var errNoClaims = errors.New("claims of devices are not simulated")

func (noClaims) ResourceClaims() fwk.ResourceClaimTracker     { return noTracker{} }
func (noClaims) ResourceSlices() fwk.ResourceSliceLister      { return noTracker{} }
func (noClaims) DeviceClasses() fwk.DeviceClassLister         { return noClasses{} }
func (noClaims) DeviceClassResolver() fwk.DeviceClassResolver { return noClasses{} }
func (noClaims) PodGroups() fwk.PodGroupLister                { return noPodGroups{} }

type (
	noTracker   struct{}
	noClasses   struct{}
	noPodGroups struct{}
)

func (noTracker) List() ([]*resourceapi.ResourceClaim, error) { return nil, nil }
func (noTracker) Get(string, string) (*resourceapi.ResourceClaim, error) {
	return nil, errNoClaims
}
func (noTracker) ListAllAllocatedDevices() (sets.Set[structured.DeviceID], error) { return nil, nil }
func (noTracker) GatherAllocatedState() (*structured.AllocatedState, error) {
	return nil, errNoClaims
}
func (noTracker) SignalClaimPendingAllocation(types.UID, *resourceapi.ResourceClaim) error {
	return errNoClaims
}
func (noTracker) GetPendingAllocation(types.UID) *resourceapi.AllocationResult    { return nil }
func (noTracker) MaybeRemoveClaimPendingAllocation(types.UID, bool) bool          { return false }
func (noTracker) AssumeClaimAfterAPICall(*resourceapi.ResourceClaim) error        { return errNoClaims }
func (noTracker) AssumedClaimRestore(string, string)                              {}
func (noTracker) ListWithDeviceTaintRules() ([]*resourceapi.ResourceSlice, error) { return nil, nil }

func (noClasses) List() ([]*resourceapi.DeviceClass, error)               { return nil, nil }
func (noClasses) Get(string) (*resourceapi.DeviceClass, error)            { return nil, errNoClaims }
func (noClasses) GetDeviceClass(v1.ResourceName) *resourceapi.DeviceClass { return nil }

func (noPodGroups) Get(string, string) (*schedulingapi.PodGroup, error) { return nil, errNoClaims }
