//go:build !k131

package kube

import internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

// The scheduler's cache.
type (
	Cache    = internalcache.Cache
	Snapshot = internalcache.Snapshot
)

// NewSnapshot returns an empty snapshot.
var NewSnapshot = internalcache.NewEmptySnapshot
