//go:build !k131 && !k132 && !k133

package kube

import (
	resource "k8s.io/api/resource/v1"
	resourceinformers "k8s.io/client-go/informers/resource/v1"
)

// The version of resource.k8s.io that the scheduler reads.
type (
	ResourceClaim = resource.ResourceClaim
	ResourceSlice = resource.ResourceSlice
	DeviceClass   = resource.DeviceClass
)

// Informers of these.
var (
	NewResourceClaimInformer = resourceinformers.NewResourceClaimInformer
	NewResourceSliceInformer = resourceinformers.NewResourceSliceInformer
	NewDeviceClassInformer   = resourceinformers.NewDeviceClassInformer
)
