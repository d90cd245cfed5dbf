// A whole scheduling and binding cycle, as the step cycle, following upstream's order.

package trace

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

var clearNomination = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}

// cycle does for one pod what scheduleOnePod does in schedule_one.go.
func (r *podRun) cycle() (*TraceResult, error) {
	res := &TraceResult{Step: "cycle"}
	if r.pod.DeletionTimestamp != nil {
		res.Skipped = "deleting"
		return res, nil
	}
	if is, err := r.cache.IsAssumedPod(r.pod); err == nil && is {
		res.Skipped = "assumed"
		return res, nil
	}
	if err := r.cache.UpdateSnapshot(r.logger, r.snapshot); err != nil {
		return nil, err
	}
	r.state, r.feasible, r.chosen, r.info = framework.NewCycleState(), nil, "", clearNomination
	r.diag = newDiagnosis()
	s, err := r.schedulingCycle(res)
	if err != nil {
		return nil, err
	}
	for _, p := range res.Phases {
		if p.Panic {
			res.Panic = true
			return res, nil
		}
	}
	res.Status = traceStatus(s)
	if s.IsSuccess() {
		res.Chosen = r.chosen
		return res, nil
	}
	// As handleSchedulingFailure.
	if fit, ok := s.AsError().(*framework.FitError); ok {
		res.UnschedulablePlugins = sets.List(fit.Diagnosis.UnschedulablePlugins)
		res.PendingPlugins = sets.List(fit.Diagnosis.PendingPlugins)
	}
	res.Nominated = nomination(r.info)
	return res, r.nominate(r.pod, r.info)
}

func (r *podRun) schedulingCycle(res *TraceResult) (*fwk.Status, error) {
	add := func(p *TraceResult) *TraceResult {
		res.Phases = append(res.Phases, p)
		return p
	}
	nodes, err := r.sortedNodes()
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithError(scheduler.ErrNoNodesAvailable), nil
	}
	if s := r.fit(add, nodes); !s.IsSuccess() {
		return s, nil
	}
	if len(r.feasible) == 0 {
		fit := &framework.FitError{Pod: r.pod, NumAllNodes: len(nodes), Diagnosis: r.diag}
		if r.fw.HasPostFilterPlugins() {
			add(r.postFilter())
			fit.Diagnosis.PostFilterMsg = r.diag.PostFilterMsg
		}
		return fwk.NewStatus(fwk.Unschedulable).WithError(fit), nil
	}
	r.chosen = nodeName(r.feasible[0])
	if len(r.feasible) > 1 && r.fw.HasScorePlugins() {
		p, s := r.preScore(r.feasible)
		if add(p); !s.IsSuccess() {
			return fwk.AsStatus(s.AsError()), nil
		}
		p, s, err := r.score(r.feasible)
		if add(p); err != nil || !s.IsSuccess() {
			return fwk.AsStatus(s.AsError()), err
		}
		r.chosen = best(p.Scores)
	}
	res.Chosen = r.chosen

	assumed := r.pod.DeepCopy()
	assumed.Spec.NodeName = r.chosen
	if err := r.cache.AssumePod(r.logger, assumed); err != nil {
		return nil, err
	}
	r.nominator.DeleteNominatedPodIfExists(assumed)
	s := r.commit(add, assumed)
	if !s.IsSuccess() {
		p, _ := r.onNode("unreserve", assumed, r.chosen)
		add(p)
		r.info = clearNomination
		return s, r.cache.ForgetPod(r.logger, assumed)
	}
	return nil, nil
}

// fit is findNodesThatFitPod with all nodes in the order of their names.
func (r *podRun) fit(add func(*TraceResult) *TraceResult, nodes []fwk.NodeInfo) *fwk.Status {
	p, pre, s := r.preFilter()
	add(p)
	if !s.IsSuccess() {
		if !s.IsRejected() {
			return fwk.AsStatus(s.AsError())
		}
		r.diag.PreFilterMsg = s.Message()
		r.diag.AddPluginStatus(s)
		return nil
	}
	if nnn := r.pod.Status.NominatedNodeName; nnn != "" {
		for _, n := range nodes {
			if nodeName(n) == nnn {
				diag := r.diag // a copy, as upstream: the map is shared, new sets are not
				if err := r.filter(add, "filterNominated", []fwk.NodeInfo{n}, &diag); err == nil && len(r.feasible) > 0 {
					return nil
				}
			}
		}
	}
	if !pre.AllNodes() {
		var some []fwk.NodeInfo
		for _, n := range nodes {
			if pre.NodeNames.Has(nodeName(n)) {
				some = append(some, n)
			}
		}
		nodes = some
		r.diag.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(r.diag.UnschedulablePlugins))))
	}
	if err := r.filter(add, "filterAll", nodes, &r.diag); err != nil {
		return fwk.AsStatus(err)
	}
	return nil
}

func (r *podRun) filter(add func(*TraceResult) *TraceResult, name string, nodes []fwk.NodeInfo, diag *framework.Diagnosis) error {
	var err error
	r.feasible = nil
	add(r.phase(name, func(res *TraceResult) {
		if !r.fw.HasFilterPlugins() {
			r.feasible = nodes
		}
		for _, n := range nodes {
			if !r.fw.HasFilterPlugins() {
				break
			}
			s := r.fw.RunFilterPluginsWithNominatedPods(r.ctx, r.state, r.pod, n)
			res.Nodes = append(res.Nodes, TraceNode{nodeName(n), *traceStatus(s)})
			if s.Code() == fwk.Error {
				err = s.AsError()
				break
			}
			if s.IsSuccess() {
				r.feasible = append(r.feasible, n)
				continue
			}
			diag.NodeToStatus.Set(nodeName(n), s)
			diag.AddPluginStatus(s)
		}
		res.Feasible = nodeNames(r.feasible)
	}))
	return err
}

// commit is the rest of the cycle, from Reserve on.
func (r *podRun) commit(add func(*TraceResult) *TraceResult, assumed *v1.Pod) *fwk.Status {
	run := func(point string) *fwk.Status {
		p, s := r.onNode(point, assumed, r.chosen)
		add(p)
		return s
	}
	rejected := func(s *fwk.Status, pod *v1.Pod, diag framework.Diagnosis) *fwk.Status {
		diag.NodeToStatus = framework.NewDefaultNodeToStatus()
		diag.NodeToStatus.Set(r.chosen, s)
		return fwk.NewStatus(s.Code()).WithError(&framework.FitError{NumAllNodes: 1, Pod: pod, Diagnosis: diag})
	}
	for _, point := range []string{"reserve", "permit"} {
		s := run(point)
		if s.IsRejected() {
			var diag framework.Diagnosis
			diag.AddPluginStatus(s)
			return rejected(s, r.pod, diag)
		}
		if !s.IsSuccess() && !(point == "permit" && s.IsWait()) {
			return s
		}
	}
	// The binding cycle.
	preFlight := run("preBindPreFlight")
	if preFlight.Code() == fwk.Error || preFlight.IsRejected() {
		return preFlight // a waiting pod stays in the map, as upstream
	}
	p, s := r.waitOnPermit(assumed)
	if add(p); !s.IsSuccess() {
		if s.IsRejected() {
			return rejected(s, assumed, framework.Diagnosis{UnschedulablePlugins: sets.New(s.Plugin())})
		}
		return s
	}
	outer := r.ctx
	defer func() { r.ctx = outer }()
	if preFlight.IsSuccess() {
		ctx, cancel := context.WithCancelCause(r.ctx)
		defer cancel(nil)
		defer r.fw.RemovePodInPreBind(assumed.UID)
		r.ctx = ctx
		r.fw.AddPodInPreBind(assumed.UID, cancel)
	}
	if s := run("preBind"); !s.IsSuccess() {
		return s
	}
	if bp := r.fw.GetPodInPreBind(assumed.UID); bp != nil && !bp.MarkPrebound() {
		return fwk.AsStatus(context.Cause(r.ctx))
	}
	if s := run("bind"); !s.IsSuccess() {
		return s
	}
	run("postBind")
	return nil
}
