//go:build k133

package kube

import (
	"context"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/kubernetes/pkg/features"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// Kubernetes is the release that the oracle is built with, and Minor its minor release.
const (
	Kubernetes = "v1.33.13"
	Minor      = "1.33"
)

// NewCache returns an empty cache.
func NewCache(ctx context.Context) Cache {
	return internalcache.New(ctx, 0)
}

// Managers makes what scheduler.New makes besides the cache: of claims, CSI nodes, pods in PreBind.
func (p Parts) Managers() ([]frameworkruntime.Option, error) {
	var opts []frameworkruntime.Option
	if !utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation) {
		return opts, nil
	}
	claims := assumecache.NewAssumeCache(p.Logger, p.Informers.Resource().V1beta1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	to := resourceslicetracker.Options{
		EnableDeviceTaints: utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaints),
		SliceInformer:      p.Informers.Resource().V1beta1().ResourceSlices(),
		KubeClient:         p.Client,
	}
	if to.EnableDeviceTaints {
		to.TaintInformer = p.Informers.Resource().V1alpha3().DeviceTaintRules()
		to.ClassInformer = p.Informers.Resource().V1beta1().DeviceClasses()
	}
	slices, err := resourceslicetracker.StartTracker(p.Ctx, to)
	if err != nil {
		return nil, err
	}
	mgr := dynamicresources.NewDRAManager(p.Ctx, claims, slices, p.Informers)
	return append(opts, frameworkruntime.WithSharedDRAManager(mgr)), nil
}
