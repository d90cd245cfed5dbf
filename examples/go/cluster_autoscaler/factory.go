//go:build libsched

package libschedsnapshot

import (
	"fmt"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// Factory makes snapshots, for any number of goroutines. They share compiled pods and nodes.
type Factory struct {
	options     Options
	framework   *libsched.Framework
	catalog     *kube.Catalog
	unsupported error
}

// NewFactory returns a Factory. If libsched cannot judge as the options say, its snapshots are the autoscaler's own, and
// Unsupported says why.
func NewFactory(options Options) *Factory {
	f := &Factory{options: options}
	f.unsupported = f.build()
	return f
}

func (f *Factory) build() error {
	var with []libsched.FrameworkOption
	if f.options.Release != "" {
		with = append(with, libsched.WithSemantics(f.options.Release))
	}
	if f.options.Config != nil {
		text, left, err := kube.LenientConfig(f.options.Config, with...)
		if err != nil {
			return err
		}
		for _, part := range left {
			if !part.Empty {
				return fmt.Errorf("the configuration's %s: %w", part.Path, libsched.ErrUnsupported)
			}
		}
		with = append(with, libsched.WithConfigYAML(text))
	}
	var err error
	if f.framework, err = libsched.NewFramework(with...); err != nil {
		return err
	}
	f.catalog, err = kube.NewCatalog(kube.CatalogOptions{})
	return err
}

// Unsupported says why there are the autoscaler's own snapshots; nil: there are libsched's. Without cgo it is
// libsched.ErrUnsupported.
func (f *Factory) Unsupported() error { return f.unsupported }

// Snapshot returns a new snapshot of libsched, or the autoscaler's own. It is for one goroutine at a time.
func (f *Factory) Snapshot(own Own) (clustersnapshot.ClusterSnapshot, error) {
	if f.unsupported != nil {
		return own()
	}
	inner, err := snapshot.New(f.framework, f.catalog, snapshot.Options{})
	if err != nil {
		return nil, err
	}
	s := &Snapshot{factory: f, inner: inner}
	s.begin(nil, nil)
	return s, nil
}
