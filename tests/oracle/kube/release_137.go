//go:build k137

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	resourceinformers "k8s.io/client-go/informers/resource/v1"
	clientset "k8s.io/client-go/kubernetes"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
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
	Kubernetes = "v1.37.2"
	Minor      = "1.37"
)

// NewCache returns an empty cache.
func NewCache(ctx context.Context) Cache {
	return internalcache.New(ctx, nil, utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload), utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup))
}

// Managers makes what scheduler.New makes besides the cache: of claims, CSI nodes, pods in PreBind.
func (p Parts) Managers() ([]frameworkruntime.Option, error) {
	opts := []frameworkruntime.Option{
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(p.Informers.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithPodGroupManager(p.Cache),
		frameworkruntime.WithMutableSnapshotLister(p.Snapshot),
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation) {
		return opts, nil
	}
	claims := assumecache.NewAssumeCache(p.Logger, p.Informers.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	to := resourceslicetracker.Options{
		EnableDeviceTaintRules:   utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            resourceinformers.ToTypedResourceSliceInformer(p.Informers.Resource().V1().ResourceSlices()),
		KubeClient:               p.Client,
	}
	if to.EnableDeviceTaintRules {
		to.TaintInformer = resourceinformers.ToTypedDeviceTaintRuleInformer(p.Informers.Resource().V1().DeviceTaintRules())
	}
	slices, err := resourceslicetracker.StartTracker(p.Ctx, to)
	if err != nil {
		return nil, err
	}
	mgr := dynamicresources.NewDRAManager(p.Ctx, claims, slices, p.Informers)
	return append(opts, frameworkruntime.WithSharedDRAManager(mgr)), p.feedClasses(mgr.DeviceClassResolver())
}

// NewInformerFactory returns the scheduler's informers.
func NewInformerFactory(c clientset.Interface) informers.SharedInformerFactory {
	return scheduler.NewInformerFactory(c, 0, nil)
}

// KeepVictims keeps PostFilter from deleting victims.
func KeepVictims(pl *defaultpreemption.DefaultPreemption) {
	pl.Executor.PreemptPod = func(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *v1.Pod, string) (bool, error) {
		return false, nil
	}
}
