//go:build k131

package kube

import "k8s.io/kubernetes/pkg/scheduler/cache131"

// The scheduler's cache, which is internal in 1.31.
type (
	Cache    = cache131.Cache
	Snapshot = cache131.Snapshot
)

// NewSnapshot returns an empty snapshot.
var NewSnapshot = cache131.NewEmptySnapshot
