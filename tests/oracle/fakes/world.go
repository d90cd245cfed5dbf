// Package fakes makes plugins that answer from tables, for the modes queue and cycles.
package fakes

import (
	"context"
	"fmt"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// World is shared by the plugins of one case.
type World struct {
	// Pods finds a pod by key; nil means that no rule activates pods.
	Pods func(key string) *v1.Pod
	// Park makes a call wait for its turn; nil means that calls do not wait.
	Park func(call string, p *v1.Pod)

	mu    sync.Mutex
	specs map[string]*cases.PluginSpec
	used  map[*cases.Rule]int
	calls map[string][]string // by pod
}

var points = []string{"preEnqueue", "preFilter", "filter", "postFilter", "score", "reserve", "permit", "preBindPreFlight", "preBind", "postBind"}

// NewWorld checks the descriptions of plugins. It keeps them, and SetRules changes them.
func NewWorld(specs []cases.PluginSpec) (*World, error) {
	w := &World{specs: map[string]*cases.PluginSpec{}, used: map[*cases.Rule]int{}, calls: map[string][]string{}}
	for i, s := range specs {
		for point, rules := range s.Rules {
			if err := check(s.Name, point, rules); err != nil {
				return nil, err
			}
		}
		w.specs[s.Name] = &specs[i]
	}
	return w, nil
}

func check(plugin, point string, rules []cases.Rule) error {
	if !slices.Contains(points, point) {
		return fmt.Errorf("plugin %q: unknown point %q", plugin, point)
	}
	for _, r := range rules {
		if !judge.KnownCode(r.Code) {
			return fmt.Errorf("plugin %q: unknown code %q", plugin, r.Code)
		}
	}
	return nil
}

// Registry returns the factories of the plugins.
func (w *World) Registry() frameworkruntime.Registry {
	r := frameworkruntime.Registry{}
	for name, spec := range w.specs {
		r[name] = func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			p := &plugin{spec, w, h}
			if spec.Events == nil {
				return p, nil
			}
			return &eventPlugin{p}, nil
		}
	}
	return r
}

// pick returns the first rule that fits, and counts its use.
func (w *World) pick(rules []cases.Rule, pod, node, object string) cases.Rule {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range rules {
		r := &rules[i]
		if (r.Pod == "" || r.Pod == pod) && (r.Node == "" || r.Node == node) && (r.Object == "" || r.Object == object) &&
			(r.Times == 0 || w.used[r] < r.Times) {
			w.used[r]++
			return *r
		}
	}
	return cases.Rule{}
}

// SetRules replaces the rules of a plugin at a point.
func (w *World) SetRules(plugin, point string, rules []cases.Rule) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	spec := w.specs[plugin]
	if spec == nil {
		return fmt.Errorf("no plugin %q", plugin)
	}
	if err := check(plugin, point, rules); err != nil {
		return err
	}
	if spec.Rules == nil {
		spec.Rules = map[string][]cases.Rule{}
	}
	spec.Rules[point] = rules
	return nil
}

// TakeCalls returns the calls since the last time, by pod, and forgets them.
func (w *World) TakeCalls() map[string][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.calls
	w.calls = map[string][]string{}
	return out
}
