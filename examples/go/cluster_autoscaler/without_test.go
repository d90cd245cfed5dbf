//go:build !libsched

package libschedsnapshot

import (
	"testing"

	"libsched.dev/tests/autoscaler/cases"
	"libsched.dev/tests/autoscaler/plain"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// Without the tag there are the autoscaler's own snapshots.
func TestCases(t *testing.T) {
	f := NewFactory(Options{Devices: true})
	if f.Unsupported() == nil {
		t.Error("libsched is supported")
	}
	cases.RunStates(t, func(t *testing.T, _ cases.Setup) clustersnapshot.ClusterSnapshot {
		s, err := f.Snapshot(func() (clustersnapshot.ClusterSnapshot, error) { return plain.New(), nil })
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
