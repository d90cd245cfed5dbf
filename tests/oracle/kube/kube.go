// Package kube gives one name to what differs between the minor releases of Kubernetes that the
// oracle is built with. The build tags k131 to k137 choose the release; without a tag it is 1.36,
// which is what go.mod requires.
//
// A file whose name ends in a number holds what is new in that minor, and the tags at its top say
// for which minors it is. The modes trace, cel, dra, queue and cycles begin with 1.36, and their
// packages have such files of their own.
package kube

import (
	"context"

	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Parts are what the managers of a scheduler are made of.
type Parts struct {
	Ctx       context.Context
	Logger    klog.Logger
	Client    clientset.Interface
	Informers informers.SharedInformerFactory
	Cache     Cache
	Snapshot  *Snapshot
	// Classes is told of each DeviceClass after upstream's map of extended resources, if there is one.
	Classes cache.ResourceEventHandler
}
