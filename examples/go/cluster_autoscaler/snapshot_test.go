//go:build libsched

package libschedsnapshot

import (
	"errors"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
	"libsched.dev/tests/autoscaler/cases"
	"libsched.dev/tests/autoscaler/plain"
	"libsched.dev/tests/autoscaler/questions"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

func own() (clustersnapshot.ClusterSnapshot, error) { return plain.New(), nil }

func factory(t *testing.T, setup cases.Setup) clustersnapshot.ClusterSnapshot {
	t.Helper()
	options := Options{Devices: setup.Devices, CSINodes: setup.CSINodes,
		Objects: func() ([]runtime.Object, error) { return setup.Objects, nil }}
	if setup.Configuration != "" {
		options.Config = []byte(setup.Configuration)
	}
	s, err := NewFactory(options).Snapshot(own)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The cases of the autoscaler: all of them with libsched, and without cgo those of which the other snapshot is capable.
func TestCases(t *testing.T) {
	f := NewFactory(Options{})
	if f.Unsupported() != nil {
		if !errors.Is(f.Unsupported(), libsched.ErrUnsupported) {
			t.Error(f.Unsupported())
		}
		if s := factory(t, cases.Setup{}); s != nil {
			if _, is := s.(*plain.Snapshot); !is {
				t.Errorf("%T", s)
			}
		}
		cases.RunStates(t, factory)
		return
	}
	cases.Run(t, factory)
}

// Snapshots of one Factory are used by goroutines of their own, as the autoscaler's actuator does.
func TestGoroutines(t *testing.T) {
	f := NewFactory(Options{Release: "1.37", Devices: true, CSINodes: true,
		Objects: func() ([]runtime.Object, error) { return questions.Objects(), nil }})
	if f.Unsupported() != nil {
		t.Skip(f.Unsupported())
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s, err := f.Snapshot(own)
			if err != nil {
				t.Error(err)
				return
			}
			for seed := range int64(4) {
				if _, err := questions.Run(seed, 40, questions.Consumers{ClusterSnapshot: s}); err != nil {
					t.Error(i, err)
				}
			}
		})
	}
	all.Wait()
}

// What libsched cannot judge is judged by the autoscaler's own snapshot, and said.
func TestUnsupported(t *testing.T) {
	for _, options := range []Options{{Release: "1.2"}, {Config: []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {filter: {enabled: [{name: Ours}]}}}]`)}} {
		f := NewFactory(options)
		s, err := f.Snapshot(own)
		if _, is := s.(*plain.Snapshot); !is || err != nil || f.Unsupported() == nil {
			t.Errorf("%T %v %v", s, err, f.Unsupported())
		}
	}
	failure := errors.New("failure")
	if _, err := NewFactory(Options{Release: "1.2"}).Snapshot(func() (clustersnapshot.ClusterSnapshot, error) { return nil, failure }); err != failure {
		t.Error(err)
	}
}
