// Single steps on the framework; calls that run in parallel upstream are recorded as unordered.

package trace

import (
	"fmt"
	"slices"
	"sort"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/cases"
)

// phase runs a function and collects the calls that it causes.
func (r *podRun) phase(name string, do func(*TraceResult)) *TraceResult {
	res := &TraceResult{Step: name}
	groups := r.preBindGroups()
	func() {
		defer func() {
			if p := recover(); p != nil {
				res.Panic = true
			}
		}()
		do(res)
	}()
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	calls := r.t.calls
	r.t.calls = nil
	for i := 0; i < len(calls); {
		j := i + 1
		same := func(a, b TraceCall) bool {
			if a.Point != b.Point {
				return false
			}
			return a.Point == "normalizeScore" || a.Point == "preBind" && groups[a.Plugin] != 0 && groups[a.Plugin] == groups[b.Plugin]
		}
		if !same(calls[i], calls[i]) {
			res.Calls = append(res.Calls, calls[i])
			i = j
			continue
		}
		for j < len(calls) && same(calls[i], calls[j]) {
			j++
		}
		set := slices.Clone(calls[i:j])
		sort.SliceStable(set, func(a, b int) bool { return set[a].Plugin < set[b].Plugin })
		res.Calls = append(res.Calls, map[string]any{"unordered": set})
		i = j
	}
	return res
}

// preBindGroups numbers the groups of two or more PreBind plugins that may run
// in parallel, as getPreBindPluginGroups.
func (r *podRun) preBindGroups() map[string]int {
	groups, size, n := map[string]int{}, map[int]int{}, 1
	for _, pl := range r.plugins.PreBind.Enabled {
		if !r.state.GetParallelPreBindPlugins().Has(pl.Name) {
			n++
			continue
		}
		if !r.state.GetSkipPreBindPlugins().Has(pl.Name) {
			groups[pl.Name] = n
			size[n]++
		}
	}
	for name, g := range groups {
		if size[g] < 2 {
			delete(groups, name)
		}
	}
	return groups
}

func (r *podRun) step(st cases.TraceStep) (*TraceResult, error) {
	nodes, err := r.sortedNodes()
	if err != nil {
		return nil, err
	}
	// The node of a step: the named one, else the chosen one, else the first.
	name := st.Node
	if name == "" {
		name = r.chosen
	}
	if name == "" && len(nodes) > 0 {
		name = nodeName(nodes[0])
	}
	var info fwk.NodeInfo
	for _, n := range nodes {
		if nodeName(n) == name {
			info = n
		}
	}
	scored := r.feasible
	if scored == nil {
		scored = nodes
	}
	switch st.Do {
	case "preEnqueue":
		return r.phase(st.Do, func(res *TraceResult) {
			var s *fwk.Status
			for _, pl := range r.fw.PreEnqueuePlugins() {
				if s = pl.PreEnqueue(r.ctx, r.pod); !s.IsSuccess() {
					s.SetPlugin(pl.Name())
					break
				}
			}
			res.Status = traceStatus(s)
		}), nil
	case "sign":
		return r.phase(st.Do, func(res *TraceResult) { res.Signature = string(r.fw.SignPod(r.ctx, r.pod)) }), nil
	case "preFilter":
		res, _, _ := r.preFilter()
		return res, nil
	case "filter":
		return r.phase(st.Do, func(res *TraceResult) {
			if res.Node = name; info == nil {
				res.Skipped = "no such node"
				return
			}
			res.Status = traceStatus(r.fw.RunFilterPlugins(r.ctx, r.state, r.pod, info))
		}), nil
	case "filterAll":
		return r.phase(st.Do, func(res *TraceResult) {
			r.feasible = []fwk.NodeInfo{}
			r.diag = newDiagnosis()
			for _, n := range nodes {
				s := r.fw.RunFilterPluginsWithNominatedPods(r.ctx, r.state, r.pod, n)
				res.Nodes = append(res.Nodes, TraceNode{nodeName(n), *traceStatus(s)})
				if s.IsSuccess() {
					r.feasible = append(r.feasible, n)
				} else {
					r.diag.NodeToStatus.Set(nodeName(n), s)
				}
			}
			res.Feasible = nodeNames(r.feasible)
		}), nil
	case "addPod", "removePod":
		other := r.byKey[st.Other]
		if other == nil {
			return nil, fmt.Errorf("no pod %q", st.Other)
		}
		pi, err := framework.NewPodInfo(other)
		if err != nil {
			return nil, err
		}
		return r.phase(st.Do, func(res *TraceResult) {
			res.Node, res.Other = name, st.Other
			if info == nil {
				res.Skipped = "no such node"
				return
			}
			n := info.Snapshot()
			if st.Do == "addPod" {
				n.AddPodInfo(pi)
				res.Status = traceStatus(r.fw.RunPreFilterExtensionAddPod(r.ctx, r.state, r.pod, pi, n))
				return
			}
			if err := n.RemovePod(r.logger, other); err != nil {
				res.Skipped = "pod not on node"
				return
			}
			res.Status = traceStatus(r.fw.RunPreFilterExtensionRemovePod(r.ctx, r.state, r.pod, pi, n))
		}), nil
	case "postFilter":
		return r.postFilter(), nil
	case "preScore":
		res, _ := r.preScore(scored)
		return res, nil
	case "score":
		res, _, err := r.score(scored)
		if len(res.Scores) > 0 {
			r.chosen = best(res.Scores)
		}
		return res, err
	case "reserve":
		res, _ := r.onNode(st.Do, r.pod, name)
		return res, nil
	case "unreserve", "postBind", "preBindPreFlight", "preBind", "bind", "permit":
		res, _ := r.onNode(st.Do, r.pod, name)
		return res, nil
	case "waitOnPermit":
		res, _ := r.waitOnPermit(r.pod)
		return res, nil
	case "cycle":
		return r.cycle()
	}
	return nil, fmt.Errorf("unknown step %q", st.Do)
}
