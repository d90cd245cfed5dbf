//go:build k131

package kube

import (
	"context"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/cache131"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// Kubernetes is the release that the oracle is built with, and Minor its minor release.
const (
	Kubernetes = "v1.31.14"
	Minor      = "1.31"
)

// NewCache returns an empty cache.
func NewCache(ctx context.Context) Cache {
	return cache131.New(ctx, 0)
}

// Managers makes what scheduler.New makes besides the cache: of claims, CSI nodes, pods in PreBind.
func (p Parts) Managers() ([]frameworkruntime.Option, error) {
	var opts []frameworkruntime.Option
	if !utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation) {
		return opts, nil
	}
	claims := assumecache.NewAssumeCache(p.Logger, p.Informers.Resource().V1alpha3().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	return append(opts, frameworkruntime.WithResourceClaimCache(claims)), nil
}
