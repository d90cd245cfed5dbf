//go:build !k131 && !k132 && !k133 && !k134 && !k135

// Preemption at a given offset, which upstream draws at random.

package judge

import (
	"context"
	"fmt"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"libsched.dev/tests/oracle/cases"
)

// Preempted is the result of PostFilter when its search begins at one offset.
type Preempted struct {
	cases.Status
	NominatedNode string `json:"nominatedNode,omitempty"`
}

// givenOffset is DefaultPreemption with a given offset.
type givenOffset struct {
	preemption.Interface
	offset int32
}

func (g givenOffset) GetOffsetAndNumCandidates(nodes int32) (int32, int32) {
	_, wanted := g.Interface.GetOffsetAndNumCandidates(nodes)
	return g.offset, wanted
}

// PreemptAtOffsets runs the dry run of the only pod of a case at every offset, over the nodes in the
// snapshot's order, and picks a candidate. The configuration must say `parallelism: 1`, and no other
// candidate may be as good.
func PreemptAtOffsets(ctx context.Context, c *cases.Case) ([]Preempted, error) {
	e, err := newEngine(ctx, c)
	if err != nil {
		return nil, err
	}
	defer e.cancel()
	pod := e.pods[0]
	env := e.profiles[pod.Spec.SchedulerName]
	state := framework.NewCycleState()
	if _, s, _ := env.fw.RunPreFilterPlugins(e.ctx, state, pod); !s.IsSuccess() {
		return nil, fmt.Errorf("PreFilter: %s", s.Message())
	}
	infos, err := e.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	statuses := framework.NewDefaultNodeToStatus()
	var potential []fwk.NodeInfo
	for _, ni := range infos {
		s := env.fw.RunFilterPluginsWithNominatedPods(e.ctx, state, pod, ni)
		statuses.Set(ni.Node().Name, s)
		if s.Code() == fwk.Unschedulable {
			potential = append(potential, ni)
		}
	}
	pdbs, err := e.pdbs()
	if err != nil {
		return nil, err
	}
	evaluator := env.preempt.Evaluator
	drawn := evaluator.Interface
	out := []Preempted{}
	for i := range potential {
		given := givenOffset{drawn, int32(i)}
		evaluator.Interface = given
		offset, wanted := given.GetOffsetAndNumCandidates(int32(len(potential)))
		found, _, err := evaluator.DryRunPreemption(e.ctx, state, pod, potential, pdbs, offset, wanted)
		if err != nil {
			return nil, err
		}
		victims := map[string]*extenderv1.Victims{}
		for _, f := range found {
			victims[f.Name()] = f.Victims()
		}
		if tied := bestCandidates(victims); len(tied) > 1 {
			return nil, fmt.Errorf("offset %d: %v are equally good", i, tied)
		}
		// PostFilter itself walks over the nodes in the order of a map: only its status counts.
		_, s := env.preempt.PostFilter(e.ctx, state, pod, statuses)
		p := Preempted{Status: toStatus(s)}
		if s.IsSuccess() != (len(found) != 0) {
			return nil, fmt.Errorf("offset %d: %d candidates, but PostFilter says %s", i, len(found), s.Code())
		}
		if best := evaluator.SelectCandidate(e.ctx, found); best != nil {
			p.NominatedNode = best.Name()
		}
		out = append(out, p)
	}
	return out, nil
}
