//go:build !k137

package kube

import (
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler"
)

// NewInformerFactory returns the scheduler's informers.
func NewInformerFactory(c clientset.Interface) informers.SharedInformerFactory {
	return scheduler.NewInformerFactory(c, 0)
}
