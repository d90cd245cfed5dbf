//go:build !k137

package kube

import (
	"context"

	"k8s.io/client-go/kubernetes"
)

// KnowGroups does nothing: plugins find PodGroups by a lister.
func KnowGroups(context.Context, Cache, kubernetes.Interface) error { return nil }
