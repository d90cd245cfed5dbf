//go:build !libsched

package libschedsnapshot

import (
	"errors"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// Factory makes snapshots.
type Factory struct{}

// NewFactory returns a Factory of the autoscaler's own snapshots.
func NewFactory(Options) *Factory { return &Factory{} }

// Unsupported says why there are the autoscaler's own snapshots.
func (*Factory) Unsupported() error {
	return errors.New("the program was built without the tag libsched")
}

// Snapshot returns the autoscaler's own snapshot.
func (*Factory) Snapshot(own Own) (clustersnapshot.ClusterSnapshot, error) { return own() }
