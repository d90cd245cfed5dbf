//go:build !k131 && !k132 && !k133 && !k134 && !k135 && !k137

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/kubernetes/pkg/features"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// Kubernetes is the release that the oracle is built with, and Minor its minor release.
const (
	Kubernetes = "v1.36.3"
	Minor      = "1.36"
)

// NewCache returns an empty cache.
func NewCache(ctx context.Context) Cache {
	return internalcache.New(ctx, nil, utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload))
}

// Managers makes what scheduler.New makes besides the cache: of claims, CSI nodes, pods in PreBind.
func (p Parts) Managers() ([]frameworkruntime.Option, error) {
	opts := []frameworkruntime.Option{
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(p.Informers.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithPodGroupManager(p.Cache),
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation) {
		return opts, nil
	}
	claims := assumecache.NewAssumeCache(p.Logger, p.Informers.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	to := resourceslicetracker.Options{
		EnableDeviceTaintRules:   utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            p.Informers.Resource().V1().ResourceSlices(),
		KubeClient:               p.Client,
	}
	if to.EnableDeviceTaintRules {
		to.TaintInformer = p.Informers.Resource().V1beta2().DeviceTaintRules()
		to.ClassInformer = p.Informers.Resource().V1().DeviceClasses()
	}
	slices, err := resourceslicetracker.StartTracker(p.Ctx, to)
	if err != nil {
		return nil, err
	}
	mgr := dynamicresources.NewDRAManager(p.Ctx, claims, slices, p.Informers)
	return append(opts, frameworkruntime.WithSharedDRAManager(mgr)), p.feedClasses(mgr.DeviceClassResolver())
}

// KeepVictims keeps PostFilter from deleting victims.
func KeepVictims(pl *defaultpreemption.DefaultPreemption) {
	pl.Executor.PreemptPod = func(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *v1.Pod, string) error {
		return nil
	}
}
