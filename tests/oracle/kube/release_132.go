//go:build k132

package kube

import (
	"context"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// Kubernetes is the release that the oracle is built with, and Minor its minor release.
const (
	Kubernetes = "v1.32.13"
	Minor      = "1.32"
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
	mgr := dynamicresources.NewDRAManager(p.Ctx, claims, p.Informers)
	return append(opts, frameworkruntime.WithSharedDRAManager(mgr)), nil
}
