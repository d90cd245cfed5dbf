// The listers' stores, which a script fills in place of informers.

package queue

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func informerFor(f informers.SharedInformerFactory, obj runtime.Object) cache.SharedIndexInformer {
	switch obj.(type) {
	case *v1.Node:
		return f.Core().V1().Nodes().Informer()
	case *v1.Namespace:
		return f.Core().V1().Namespaces().Informer()
	case *v1.PersistentVolumeClaim:
		return f.Core().V1().PersistentVolumeClaims().Informer()
	case *v1.PersistentVolume:
		return f.Core().V1().PersistentVolumes().Informer()
	case *storagev1.StorageClass:
		return f.Storage().V1().StorageClasses().Informer()
	case *storagev1.CSINode:
		return f.Storage().V1().CSINodes().Informer()
	}
	return nil
}

// addToStore puts an object where listers find it. No informer runs.
func addToStore(f informers.SharedInformerFactory, obj runtime.Object) error {
	inf := informerFor(f, obj)
	if inf == nil {
		return fmt.Errorf("objects: no lister for %T", obj)
	}
	return inf.GetIndexer().Add(obj)
}
