// Informers that can be waited for until the handlers of the plugins have seen everything.

package judge

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"libsched.dev/tests/oracle/kube"
)

// recordingInformer remembers the handlers added to it. Plugins keep caches
// that they fill from handlers (volumes, claims, slices); an informer that has
// synced does not mean that those have.
type recordingInformer struct {
	cache.SharedIndexInformer
	handlers *[]cache.ResourceEventHandlerRegistration
}

func (r recordingInformer) record(h cache.ResourceEventHandlerRegistration, err error) (cache.ResourceEventHandlerRegistration, error) {
	if err == nil {
		*r.handlers = append(*r.handlers, h)
	}
	return h, err
}

func (r recordingInformer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return r.record(r.SharedIndexInformer.AddEventHandler(h))
}

func (r recordingInformer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, d time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return r.record(r.SharedIndexInformer.AddEventHandlerWithResyncPeriod(h, d))
}

// recordHandlers replaces the informers whose handlers matter.
func recordHandlers(f informers.SharedInformerFactory) *[]cache.ResourceEventHandlerRegistration {
	handlers := &[]cache.ResourceEventHandlerRegistration{}
	// A new map each time: informers add their own indexes to it.
	index := func() cache.Indexers { return cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc} }
	with := func(obj runtime.Object, make func(clientset.Interface, time.Duration) cache.SharedIndexInformer) {
		f.InformerFor(obj, func(c clientset.Interface, d time.Duration) cache.SharedIndexInformer {
			return recordingInformer{make(c, d), handlers}
		})
	}
	with(&v1.PersistentVolume{}, func(c clientset.Interface, d time.Duration) cache.SharedIndexInformer {
		return coreinformers.NewPersistentVolumeInformer(c, d, index())
	})
	with(&v1.PersistentVolumeClaim{}, func(c clientset.Interface, d time.Duration) cache.SharedIndexInformer {
		return coreinformers.NewPersistentVolumeClaimInformer(c, v1.NamespaceAll, d, index())
	})
	with(&kube.ResourceClaim{}, func(c clientset.Interface, d time.Duration) cache.SharedIndexInformer {
		return kube.NewResourceClaimInformer(c, v1.NamespaceAll, d, index())
	})
	with(&kube.ResourceSlice{}, func(c clientset.Interface, d time.Duration) cache.SharedIndexInformer {
		return kube.NewResourceSliceInformer(c, d, index())
	})
	with(&kube.DeviceClass{}, func(c clientset.Interface, d time.Duration) cache.SharedIndexInformer {
		return kube.NewDeviceClassInformer(c, d, index())
	})
	return handlers
}

// classEvents counts the events that upstream's map of extended resources has followed.
type classEvents struct{ n atomic.Int64 }

func (e *classEvents) OnAdd(any, bool)   { e.n.Add(1) }
func (e *classEvents) OnUpdate(any, any) { e.n.Add(1) }
func (e *classEvents) OnDelete(any)      { e.n.Add(1) }

var _ cache.ResourceEventHandler = &classEvents{}

func waitForHandlers(ctx context.Context, handlers []cache.ResourceEventHandlerRegistration) error {
	for i, h := range handlers {
		for !h.HasSynced() {
			select {
			case <-ctx.Done():
				return fmt.Errorf("informer handler %d did not sync", i)
			case <-time.After(time.Millisecond):
			}
		}
	}
	return nil
}
