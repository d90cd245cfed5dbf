package engine

import (
	"testing"

	"libsched.dev/tests/autoscaler/cases"
	"libsched.dev/tests/autoscaler/contract"
)

func TestCases(t *testing.T) {
	cases.Run(t, func(t *testing.T, configuration string) contract.ClusterSnapshot {
		e, err := New(configuration)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Inner.Close)
		return e
	})
}
