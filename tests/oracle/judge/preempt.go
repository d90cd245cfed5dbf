// DefaultPreemption: a dry run over all potential nodes beside the real PostFilter.

package judge

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/kube"
)

// postFilter runs DefaultPreemption twice: once as a full dry run over every
// potential node (no random offset, no early stop), to list the candidates,
// and once for real, to get its status and check its choice.
func (e *engine) postFilter(env *profileEnv, state kube.CycleState, pod *v1.Pod, fit *framework.FitError, r *cases.PodResult) error {
	pf := &cases.PostFilter{}
	r.PostFilter = pf
	m := kube.StatusesOf(&fit.Diagnosis)
	pl := env.preempt
	victims := map[string]*extenderv1.Victims{}
	if kube.Eligible(e.ctx, pl, pod, m) {
		potential, err := kube.Potential(e.snapshot, m)
		if err != nil {
			return err
		}
		potential = append([]kube.NodeInfo(nil), potential...)
		sort.Slice(potential, func(i, j int) bool { return potential[i].Node().Name < potential[j].Node().Name })
		if len(potential) > 100 {
			r.Warnings = append(r.Warnings, "more than 100 potential nodes: upstream looks at a random part of them")
		}
		if len(potential) > 0 {
			pdbs, err := e.pdbs()
			if err != nil {
				return err
			}
			cands, statuses, err := kube.DryRun(e.ctx, env.fw, pl, state, pod, potential, pdbs)
			if err != nil {
				r.Warnings = append(r.Warnings, "dry run: "+err.Error())
			}
			sort.Slice(cands, func(i, j int) bool { return cands[i].Name() < cands[j].Name() })
			for _, c := range cands {
				victims[c.Name()] = c.Victims()
				v := cases.Victims{Node: c.Name(), NumPDBViolations: c.Victims().NumPDBViolations}
				for _, p := range c.Victims().Pods {
					v.Pods = append(v.Pods, PodKey(p))
					if p.Status.StartTime == nil {
						r.Warnings = append(r.Warnings, "victim "+PodKey(p)+" has no startTime: upstream uses the present time")
					}
				}
				pf.Candidates = append(pf.Candidates, v)
			}
			kube.EachStatus(statuses, func(name string, s *kube.Status) {
				pf.DryRun = append(pf.DryRun, cases.NodeState{Node: name, Status: toStatus(s)})
			})
			sort.Slice(pf.DryRun, func(i, j int) bool { return pf.DryRun[i].Node < pf.DryRun[j].Node })
		}
	}
	pf.Tied = bestCandidates(victims)

	res, s := pl.PostFilter(e.ctx, state, pod, m)
	pf.Status = toStatus(s)
	fit.Diagnosis.PostFilterMsg = s.Message()
	if res != nil && res.NominatingInfo != nil {
		got := res.NominatingInfo.NominatedNodeName
		pf.Clear = got == ""
		if got != "" {
			in := false
			for _, t := range pf.Tied {
				in = in || t == got
			}
			if !in && len(r.Warnings) == 0 {
				return fmt.Errorf("preemption chose %s, not one of %v", got, pf.Tied)
			}
		}
	}
	if !s.IsSuccess() || len(pf.Tied) == 0 {
		return nil
	}
	pf.NominatedNode = pf.Tied[0]
	for _, p := range victims[pf.NominatedNode].Pods {
		pf.Victims = append(pf.Victims, PodKey(p))
	}
	if e.mode != "schedule" {
		return nil
	}
	// The victims leave at once; the preemptor stays pending and nominated.
	for _, p := range victims[pf.NominatedNode].Pods {
		if err := e.cache.RemovePod(e.logger, p); err != nil {
			return err
		}
		if e.world != nil { // applied again, it is a new pod
			delete(e.world.pods, "Pod/"+PodKey(p))
		}
	}
	for _, pi := range e.nominator.NominatedPodsForNode(pf.NominatedNode) {
		if corev1helpers.PodPriority(kube.PodOf(pi)) < corev1helpers.PodPriority(pod) {
			e.nominator.DeleteNominatedPodIfExists(kube.PodOf(pi))
		}
	}
	if err := e.nominate(pod, pf.NominatedNode); err != nil {
		return err
	}
	return e.cache.UpdateSnapshot(e.logger, e.snapshot)
}

// preempts reports whether the profile runs DefaultPreemption at postFilter. A
// profile that disables it there may make the plugin for another extension point.
func preempts(env *profileEnv) bool {
	return slices.ContainsFunc(env.fw.ListPlugins().PostFilter.Enabled, func(p schedconfig.Plugin) bool {
		return p.Name == defaultpreemption.Name
	})
}

func (e *engine) pdbs() ([]*policyv1.PodDisruptionBudget, error) {
	list, err := e.informers.Policy().V1().PodDisruptionBudgets().Lister().List(labels.Everything())
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name) < 0
	})
	return list, err
}

// bestCandidates is pickOneNodeForPreemption, keeping every node of the tie.
func bestCandidates(m map[string]*extenderv1.Victims) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	if len(names) == 0 {
		return nil
	}
	funcs := []func(string) int64{
		func(n string) int64 { return -m[n].NumPDBViolations },
		func(n string) int64 { return -int64(corev1helpers.PodPriority(m[n].Pods[0])) },
		func(n string) int64 {
			var sum int64
			for _, p := range m[n].Pods {
				sum += int64(corev1helpers.PodPriority(p)) + int64(math.MaxInt32+1)
			}
			return -sum
		},
		func(n string) int64 { return -int64(len(m[n].Pods)) },
		func(n string) int64 {
			t := util.GetEarliestPodStartTime(m[n])
			if t == nil {
				return math.MinInt64
			}
			return t.UnixNano()
		},
	}
	for _, f := range funcs {
		best := int64(math.MinInt64)
		var keep []string
		for _, n := range names {
			v := f(n)
			if v > best {
				best, keep = v, nil
			}
			if v == best {
				keep = append(keep, n)
			}
		}
		names = keep
	}
	return names
}
