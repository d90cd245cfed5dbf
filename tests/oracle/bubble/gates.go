// The feature gates, which belong to the process and are lent to cases.

package bubble

import (
	"maps"
	"sync"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// gates counts the cases that run with the current setting.
var gates = struct {
	sync.Mutex
	free    *sync.Cond
	setting map[string]bool
	users   int
	alone   bool // one of them, and no other may begin
}{}

func init() { gates.free = sync.NewCond(&gates.Mutex) }

// WithGates runs f with feature gates that differ from their defaults as wanted. Cases with
// the same setting run side by side; others wait.
func WithGates(want map[string]bool, f func() error) error { return withGates(want, false, f) }

// Alone runs f like WithGates, while no other case runs.
func Alone(want map[string]bool, f func() error) error { return withGates(want, true, f) }

func withGates(want map[string]bool, alone bool, f func() error) error {
	gates.Lock()
	for gates.users > 0 && (alone || gates.alone || !maps.Equal(gates.setting, want)) {
		gates.free.Wait()
	}
	if !maps.Equal(gates.setting, want) {
		if err := setGates(gates.setting, want); err != nil {
			gates.Unlock()
			return err
		}
		gates.setting = maps.Clone(want)
	}
	gates.users++
	gates.alone = alone
	gates.Unlock()
	defer func() {
		gates.Lock()
		gates.users--
		gates.alone = false
		gates.free.Broadcast()
		gates.Unlock()
	}()
	return f()
}

// setGates goes from one setting to another.
func setGates(old, want map[string]bool) error {
	all := utilfeature.DefaultMutableFeatureGate.GetAll()
	next := map[string]bool{}
	for name := range old {
		next[name] = all[featuregate.Feature(name)].Default
	}
	maps.Copy(next, want)
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(next)
}

// Gate reports whether a feature is on.
func Gate(name featuregate.Feature) bool { return utilfeature.DefaultFeatureGate.Enabled(name) }
