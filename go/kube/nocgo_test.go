//go:build !cgo

package kube

import (
	"errors"
	"testing"

	"libsched"
)

// Without cgo nothing can be made, so that a program falls back; what needs no library works.
func TestWithoutCgo(t *testing.T) {
	catalog, ofCatalog := NewCatalog(CatalogOptions{})
	_, ofSim := NewSim(nil, &Catalog{})
	_, _, ofConfig := LenientConfig([]byte("kind: KubeSchedulerConfiguration"))
	for what, err := range map[string]error{"NewCatalog": ofCatalog, "NewSim": ofSim, "LenientConfig": ofConfig} {
		if !errors.Is(err, libsched.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if catalog != nil || len(AppendPod(nil, typical())) < 100 {
		t.Error(catalog)
	}
}
