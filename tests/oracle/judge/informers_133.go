//go:build !k131 && !k132

package judge

import "k8s.io/client-go/tools/cache"

func (r recordingInformer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, o cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return r.record(r.SharedIndexInformer.AddEventHandlerWithOptions(h, o))
}
