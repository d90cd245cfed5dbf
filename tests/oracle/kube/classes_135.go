//go:build !k131 && !k132 && !k133 && !k134

package kube

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
)

// feedClasses lets an event handler feed upstream's map of extended resources, as its
// eventhandlers.go does.
func (p Parts) feedClasses(r fwk.DeviceClassResolver) error {
	c, ok := r.(*extendedresourcecache.ExtendedResourceCache)
	if !ok || !utilfeature.DefaultFeatureGate.Enabled(features.DRAExtendedResource) {
		return nil
	}
	c.AddEventHandler(p.Classes)
	_, err := p.Informers.Resource().V1().DeviceClasses().Informer().AddEventHandler(c)
	return err
}
