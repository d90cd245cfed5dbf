// The extension points that need more than one call, and waiting on Permit.

package trace

import (
	"fmt"
	"maps"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/cases"
)

func (r *podRun) preFilter() (*TraceResult, *fwk.PreFilterResult, *fwk.Status) {
	var pre *fwk.PreFilterResult
	var s *fwk.Status
	res := r.phase("preFilter", func(res *TraceResult) {
		var by sets.Set[string]
		pre, s, by = r.fw.RunPreFilterPlugins(r.ctx, r.state, r.pod)
		r.diag = newDiagnosis()
		r.diag.UnschedulablePlugins = by
		res.Status = traceStatus(s)
		res.RestrictedBy, res.SkipFilter = sets.List(by), sets.List(r.state.GetSkipFilterPlugins())
		if res.AllNodes = pre.AllNodes(); !res.AllNodes {
			res.NodeNames = sets.List(pre.NodeNames)
		}
		if s.IsRejected() {
			r.diag.NodeToStatus.SetAbsentNodesStatus(s)
		}
	})
	return res, pre, s
}

func (r *podRun) postFilter() *TraceResult {
	return r.phase("postFilter", func(res *TraceResult) {
		result, s := r.fw.RunPostFilterPlugins(r.ctx, r.state, r.pod, r.diag.NodeToStatus)
		r.info = nil
		if result != nil {
			r.info = result.NominatingInfo
		}
		r.diag.PostFilterMsg = s.Message()
		res.Status, res.Nominated = traceStatus(s), nomination(r.info)
	})
}

func (r *podRun) preScore(nodes []fwk.NodeInfo) (res *TraceResult, s *fwk.Status) {
	return r.phase("preScore", func(res *TraceResult) {
		s = r.fw.RunPreScorePlugins(r.ctx, r.state, r.pod, nodes)
		res.Status, res.SkipScore = traceStatus(s), sets.List(r.state.GetSkipScorePlugins())
	}), s
}

func (r *podRun) score(nodes []fwk.NodeInfo) (*TraceResult, *fwk.Status, error) {
	var s *fwk.Status
	var err error
	clear(r.t.raw)
	clear(r.t.norm)
	res := r.phase("score", func(res *TraceResult) {
		var totals []fwk.NodePluginScores
		totals, s = r.fw.RunScorePlugins(r.ctx, r.state, r.pod, nodes)
		res.Status = traceStatus(s)
		for i, t := range totals {
			ns := cases.NodeScore{Node: t.Name, Total: t.TotalScore, Plugins: map[string]cases.PluginScore{}}
			if t.Name != nodeName(nodes[i]) {
				err = fmt.Errorf("score order changed")
			}
			for _, ps := range t.Scores {
				ns.Plugins[ps.Name] = cases.PluginScore{Raw: r.t.raw[ps.Name][t.Name], Normalized: r.t.norm[ps.Name][t.Name], Weighted: ps.Score}
			}
			res.Scores = append(res.Scores, ns)
		}
	})
	return res, s, err
}

func best(scores []cases.NodeScore) string {
	b := scores[0]
	for _, s := range scores[1:] {
		if s.Total > b.Total || s.Total == b.Total && s.Node < b.Node {
			b = s
		}
	}
	return b.Node
}

// onNode runs the points that get a pod and the name of a node.
func (r *podRun) onNode(point string, pod *v1.Pod, node string) (*TraceResult, *fwk.Status) {
	var s *fwk.Status
	res := r.phase(point, func(res *TraceResult) {
		res.Node = node
		switch point {
		case "reserve":
			s = r.fw.RunReservePluginsReserve(r.ctx, r.state, pod, node)
		case "unreserve":
			r.fw.RunReservePluginsUnreserve(r.ctx, r.state, pod, node)
			return
		case "permit":
			var times map[string]time.Duration
			times, s = r.fw.RunPermitPlugins(r.ctx, r.state, pod, node)
			if s.IsWait() {
				r.addWaiting(pod, times)
			}
			for name, d := range times {
				if res.WaitTimes == nil {
					res.WaitTimes = map[string]string{}
				}
				res.WaitTimes[name] = d.String()
			}
		case "preBindPreFlight":
			s = r.fw.RunPreBindPreFlights(r.ctx, r.state, pod, node)
			res.SkipPreBind, res.ParallelPreBind = sets.List(r.state.GetSkipPreBindPlugins()), sets.List(r.state.GetParallelPreBindPlugins())
		case "preBind":
			s = r.fw.RunPreBindPlugins(r.ctx, r.state, pod, node)
		case "bind":
			s = r.fw.RunBindPlugins(r.ctx, r.state, pod, node)
		case "postBind":
			r.fw.RunPostBindPlugins(r.ctx, r.state, pod, node)
			return
		}
		res.Status = traceStatus(s)
	})
	return res, s
}

// addWaiting makes the pod wait. Timers that the scripted actions forestall are
// made long, so that nothing depends on the speed of the machine.
func (r *podRun) addWaiting(pod *v1.Pod, times map[string]time.Duration) {
	r.waiting = maps.Clone(times)
	for _, a := range r.wait {
		for name := range r.waiting {
			if a.Decides() || a.Allow == name {
				r.waiting[name] = time.Hour
			}
		}
	}
	r.fw.AddWaitingPod(pod, r.waiting)
}

func (r *podRun) waitOnPermit(pod *v1.Pod) (*TraceResult, *fwk.Status) {
	var s *fwk.Status
	res := r.phase("waitOnPermit", func(res *TraceResult) {
		res.Waiting = r.fw.WillWaitOnPermit(r.ctx, pod)
		if wp := r.fw.GetWaitingPod(pod.UID); wp != nil {
			decided := false
			for _, a := range r.wait {
				switch {
				case a.Allow != "":
					wp.Allow(a.Allow)
				case a.Reject != "":
					res.Returned = append(res.Returned, wp.Reject(a.Reject, a.Message))
				case a.Preempt != "":
					res.Returned = append(res.Returned, wp.Preempt(a.Preempt, a.Message))
				case a.Remove:
					res.Returned = append(res.Returned, r.fw.RejectWaitingPod(pod.UID))
				}
				decided = decided || a.Decides() || len(wp.GetPendingPlugins()) == 0
			}
			res.Pending = wp.GetPendingPlugins()
			sort.Strings(res.Pending)
			for _, p := range res.Pending {
				decided = decided || r.waiting[p] <= shortWait
			}
			if !decided {
				res.Removed = r.fw.RejectWaitingPod(pod.UID)
			}
		}
		s = r.fw.WaitOnPermit(r.ctx, pod)
		res.Status = traceStatus(s)
	})
	return res, s
}
