// Evaluation of a case pod by pod: PreEnqueue, PreFilter, Filter on every node.

package judge

import (
	"context"
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/kube"
)

// Run evaluates every pod of the case.
func Run(ctx context.Context, c *cases.Case) (*cases.Golden, error) {
	switch c.Mode {
	case "", "evaluate", "schedule":
	default:
		return nil, fmt.Errorf("unknown mode %q", c.Mode)
	}
	e, err := newEngine(ctx, c)
	if err != nil {
		return nil, err
	}
	defer e.cancel()
	g := &cases.Golden{Name: c.Name, Mode: "evaluate", Pods: []cases.PodResult{}}
	if c.Mode == "schedule" {
		g.Mode = "schedule"
	}
	for i, p := range e.pods {
		if len(c.Changes) != 0 {
			if err := e.turn(c.Changes, i); err != nil {
				return nil, err
			}
		}
		r, err := e.evaluate(p)
		if err != nil {
			return nil, fmt.Errorf("pod %s: %w", PodKey(p), err)
		}
		if len(c.Changes) != 0 {
			if r.NodeOrder, err = e.order(); err != nil {
				return nil, err
			}
		}
		g.Pods = append(g.Pods, *r)
	}
	return g, nil
}

func toStatus(s *kube.Status) cases.Status {
	if s == nil {
		return cases.Status{Code: kube.Success.String()}
	}
	// Sorted, because upstream walks a map for the scalar resources.
	reasons := append([]string(nil), s.Reasons()...)
	sort.Strings(reasons)
	return cases.Status{Code: s.Code().String(), Plugin: s.Plugin(), Reasons: reasons}
}

func (e *engine) evaluate(pod *v1.Pod) (*cases.PodResult, error) {
	r := &cases.PodResult{Pod: PodKey(pod), Profile: pod.Spec.SchedulerName, Feasible: []string{}}
	env := e.profiles[pod.Spec.SchedulerName]
	if env == nil {
		r.Error = fmt.Sprintf("profile not found for scheduler name %q", pod.Spec.SchedulerName)
		return r, nil
	}
	for _, pl := range env.fw.PreEnqueuePlugins() {
		if s := pl.PreEnqueue(e.ctx, pod); !s.IsSuccess() {
			st := toStatus(s.WithPlugin(pl.Name()))
			r.PreEnqueue = &st
			break
		}
	}
	if r.PreEnqueue != nil && e.mode == "schedule" {
		return r, nil
	}
	infos, err := e.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	nodes := append([]kube.NodeInfo(nil), infos...)
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Node().Name < nodes[j].Node().Name })

	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	if len(nodes) == 0 {
		r.Error = "no nodes available to schedule pods"
		return r, nil
	}
	diagnosis := kube.NewDiagnosis()
	pre, s, restrict := env.fw.RunPreFilterPlugins(e.ctx, state, pod)
	diagnosis.UnschedulablePlugins = restrict
	r.PreFilter = &cases.PreFilterResult{Status: toStatus(s), AllNodes: pre.AllNodes(), RestrictedBy: sets.List(restrict), SkipFilter: sets.List(kube.SkippedFilters(state))}
	if !pre.AllNodes() {
		r.PreFilter.NodeNames = sets.List(pre.NodeNames)
	}
	var feasible []kube.NodeInfo
	switch {
	case !s.IsSuccess() && !s.IsRejected():
		r.Error = s.AsError().Error()
		return r, nil
	case !s.IsSuccess():
		kube.RejectAll(&diagnosis, nodes, s)
		diagnosis.PreFilterMsg = s.Message()
		diagnosis.AddPluginStatus(s)
	default:
		if !pre.AllNodes() {
			kube.RejectExcluded(&diagnosis, kube.NewStatus(kube.UnschedulableAndUnresolvable, fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(restrict))))
		}
		for _, ni := range nodes {
			name := ni.Node().Name
			fs := env.fw.RunFilterPluginsWithNominatedPods(e.ctx, state, pod, ni)
			excluded := !pre.AllNodes() && !pre.NodeNames.Has(name)
			r.Nodes = append(r.Nodes, cases.NodeResult{Node: name, Status: toStatus(fs), ExcludedByPreFilter: excluded})
			switch {
			case excluded:
			case fs.Code() == kube.Error:
				if r.Error == "" {
					r.Error = fs.AsError().Error()
				}
			case fs.IsSuccess():
				feasible = append(feasible, ni)
				r.Feasible = append(r.Feasible, name)
			default:
				kube.Reject(&diagnosis, name, fs)
				diagnosis.AddPluginStatus(fs)
			}
		}
		if r.Error != "" {
			r.Feasible = []string{} // an Error ends upstream's search
			return r, nil
		}
	}
	if len(feasible) == 0 {
		fit := &framework.FitError{Pod: pod, NumAllNodes: len(nodes), Diagnosis: diagnosis}
		r.FitError = fit.Error()
		if env.preempt != nil && preempts(env) {
			if err := e.postFilter(env, state, pod, fit, r); err != nil {
				return nil, err
			}
			r.FinalError = fit.Error()
		}
		return r, nil
	}
	if err := e.score(env, state, pod, feasible, r); err != nil {
		return nil, err
	}
	if e.mode != "schedule" {
		return r, nil
	}
	if r.Chosen = choose(pod, r); r.Chosen == "" {
		return r, nil
	}
	return r, e.commit(env, state, pod, r)
}
