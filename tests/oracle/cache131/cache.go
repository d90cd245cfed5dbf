// Package cache131 gives the oracle of 1.31 the scheduler's cache, which is internal to
// k8s.io/kubernetes/pkg/scheduler there. Go allows that to packages with this prefix alone, so it is
// a module of its own, which mods/131.mod replaces by this folder.
package cache131

import internalcache "k8s.io/kubernetes/pkg/scheduler/internal/cache"

// Types of the cache.
type (
	Cache    = internalcache.Cache
	Snapshot = internalcache.Snapshot
)

// Functions of the cache.
var (
	New              = internalcache.New
	NewEmptySnapshot = internalcache.NewEmptySnapshot
)
