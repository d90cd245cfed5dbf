package plain

import (
	"testing"

	"libsched.dev/tests/autoscaler/cases"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

func TestStates(t *testing.T) {
	cases.RunStates(t, func(*testing.T, cases.Setup) clustersnapshot.ClusterSnapshot { return New() })
}
