// The extension points of a fake plugin.

package fakes

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

type plugin struct {
	spec *cases.PluginSpec
	w    *World
	h    fwk.Handle
}

func (p *plugin) Name() string { return p.spec.Name }

func (p *plugin) rule(point string, pod *v1.Pod, node string) cases.Rule {
	p.w.mu.Lock()
	rules := p.spec.Rules[point]
	p.w.mu.Unlock()
	return p.w.pick(rules, pod.Name, node, "")
}

func status(r cases.Rule) *fwk.Status { return judge.NewStatus(r.Code, r.Reasons, r.Error) }

// note records a call with its status, which it returns.
func (p *plugin) note(point string, pod *v1.Pod, node string, s *fwk.Status) *fwk.Status {
	line := p.spec.Name + "." + point
	if node != "" {
		line += " " + node
	}
	if !s.IsSuccess() {
		line += ": " + s.Code().String()
	}
	key := judge.PodKey(pod)
	p.w.mu.Lock()
	p.w.calls[key] = append(p.w.calls[key], line)
	p.w.mu.Unlock()
	return s
}

func (p *plugin) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	// This call is not noted, because upstream walks a map of plugins up to the first that gates.
	return status(p.rule("preEnqueue", pod, ""))
}

func (p *plugin) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return nil, p.note("preFilter", pod, "", status(p.rule("preFilter", pod, "")))
}

func (p *plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (p *plugin) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, n fwk.NodeInfo) *fwk.Status {
	return status(p.rule("filter", pod, n.Node().Name))
}

func (p *plugin) PostFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	r := p.rule("postFilter", pod, "")
	s := status(r)
	if r.Code == "" {
		s = fwk.NewStatus(fwk.Unschedulable)
	}
	p.note("postFilter", pod, "", s)
	if r.Nominated == nil {
		return nil, s
	}
	info := &fwk.NominatingInfo{NominatedNodeName: r.Nominated.Node}
	if r.Nominated.Mode == "override" {
		info.NominatingMode = fwk.ModeOverride
	}
	return &fwk.PostFilterResult{NominatingInfo: info}, s
}

func (p *plugin) Score(_ context.Context, _ fwk.CycleState, pod *v1.Pod, n fwk.NodeInfo) (int64, *fwk.Status) {
	r := p.rule("score", pod, n.Node().Name)
	return r.Score, status(r)
}

func (p *plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }

// activate hands the pods of a rule to the cycle.
func (p *plugin) activate(state fwk.CycleState, r cases.Rule) {
	if len(r.Activate) == 0 || p.w.Pods == nil {
		return
	}
	d, err := state.Read(framework.PodsToActivateKey)
	if err != nil {
		return
	}
	a := d.(*framework.PodsToActivate)
	a.Lock()
	defer a.Unlock()
	for _, key := range r.Activate {
		if pod := p.w.Pods(key); pod != nil {
			a.Map[key] = pod
		}
	}
}

func (p *plugin) Reserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	r := p.rule("reserve", pod, node)
	p.activate(state, r)
	return p.note("reserve", pod, node, status(r))
}

func (p *plugin) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) {
	p.turn("unreserve", pod)
	p.note("unreserve", pod, node, nil)
	if g := p.spec.Gang; g != nil && pod.Labels[g.Label] != "" {
		p.h.IterateOverWaitingPods(func(w fwk.WaitingPod) {
			if w.GetPod().Labels[g.Label] == pod.Labels[g.Label] {
				w.Reject(p.spec.Name, "gang "+pod.Labels[g.Label]+" is broken")
			}
		})
	}
}

func (p *plugin) Permit(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	r := p.rule("permit", pod, node)
	p.activate(state, r)
	s, timeout := status(r), r.Timeout
	if g := p.spec.Gang; g != nil && r.Code == "" && pod.Labels[g.Label] != "" {
		var mates []fwk.WaitingPod
		p.h.IterateOverWaitingPods(func(w fwk.WaitingPod) {
			if w.GetPod().Labels[g.Label] == pod.Labels[g.Label] {
				mates = append(mates, w)
			}
		})
		if len(mates)+1 < g.Sizes[pod.Labels[g.Label]] {
			s, timeout = fwk.NewStatus(fwk.Wait), g.Timeout
		} else {
			for _, w := range mates {
				w.Allow(p.spec.Name)
			}
		}
	}
	d, _ := time.ParseDuration(timeout)
	return p.note("permit", pod, node, s), d
}

func (p *plugin) PreBindPreFlight(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	r := p.rule("preBindPreFlight", pod, node)
	s := status(r)
	if r.Skip {
		s = fwk.NewStatus(fwk.Skip)
	}
	return nil, p.note("preBindPreFlight", pod, node, s)
}

func (p *plugin) PreBind(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	p.turn("preBind", pod)
	r := p.rule("preBind", pod, node)
	p.activate(state, r)
	if err := Sleep(ctx, r.Sleep); err != nil {
		return p.note("preBind", pod, node, fwk.AsStatus(err))
	}
	return p.note("preBind", pod, node, status(r))
}

func (p *plugin) PostBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) {
	p.note("postBind", pod, node, nil)
}

// turn waits for the turn of a call.
func (p *plugin) turn(what string, pod *v1.Pod) {
	if p.w.Park != nil {
		p.w.Park(what, pod)
	}
}

// Sleep waits for a duration, given as text, or until the context ends. Anything but a
// positive duration does not wait.
func Sleep(ctx context.Context, s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
