package reference

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
)

// tracker adds what the allocator of the Go scheduler reads to the claims of the autoscaler's snapshot. What only binding
// calls is missing.
type tracker struct {
	fwk.ResourceClaimTracker
}

// GetPendingAllocation implements fwk.ResourceClaimTracker: allocations are in the snapshot at once.
func (tracker) GetPendingAllocation(types.UID) *resourceapi.AllocationResult { return nil }

// ListAllAllocatedDevices implements fwk.ResourceClaimTracker.
func (t tracker) ListAllAllocatedDevices() (sets.Set[structured.DeviceID], error) {
	state, err := t.gather(false)
	if err != nil {
		return nil, err
	}
	return state.AllocatedDevices, nil
}

// GatherAllocatedState implements fwk.ResourceClaimTracker.
func (t tracker) GatherAllocatedState() (*structured.AllocatedState, error) {
	return t.gather(utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity))
}

func (t tracker) gather(shared bool) (*structured.AllocatedState, error) {
	claims, err := t.List()
	if err != nil {
		return nil, err
	}
	state := &structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection()}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if !shared || result.ShareID == nil {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
			if result.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
			}
		}
	}
	return state, nil
}
