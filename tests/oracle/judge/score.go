// Scoring of the feasible nodes, the choice among them, and assuming a pod on its node.

package judge

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/kube"
)

func (e *engine) score(env *profileEnv, state kube.CycleState, pod *v1.Pod, feasible []kube.NodeInfo, r *cases.PodResult) error {
	if !env.fw.HasScorePlugins() {
		for _, ni := range feasible {
			r.Scores = append(r.Scores, cases.NodeScore{Node: ni.Node().Name, Total: 1, Plugins: map[string]cases.PluginScore{}})
		}
		r.Best = append(r.Best, r.Feasible...)
		return nil
	}
	if s := env.fw.RunPreScorePlugins(e.ctx, state, pod, feasible); !s.IsSuccess() {
		r.ScoreError = s.AsError().Error()
		return nil
	}
	r.SkipScore = sets.List(kube.SkippedScores(state))
	totals, s := env.fw.RunScorePlugins(e.ctx, state, pod, feasible)
	if !s.IsSuccess() {
		r.ScoreError = s.AsError().Error()
		return nil
	}
	// The same plugin instances again, one by one, for the raw and the
	// normalised scores; checked against what the framework returned.
	for i, t := range totals {
		ns := cases.NodeScore{Node: t.Name, Total: t.TotalScore, Plugins: map[string]cases.PluginScore{}}
		for _, ps := range t.Scores {
			ns.Plugins[ps.Name] = cases.PluginScore{Weighted: ps.Score}
		}
		if t.Name != feasible[i].Node().Name {
			return fmt.Errorf("score order changed")
		}
		r.Scores = append(r.Scores, ns)
	}
	for _, ps := range totals[0].Scores {
		pl := env.plugins[ps.Name].(kube.ScorePlugin)
		list := make(kube.NodeScoreList, len(feasible))
		for i, ni := range feasible {
			raw, s := kube.Score(e.ctx, pl, state, pod, ni)
			if !s.IsSuccess() {
				return s.AsError()
			}
			list[i] = kube.NodeScore{Name: ni.Node().Name, Score: raw}
			p := r.Scores[i].Plugins[ps.Name]
			p.Raw = raw
			r.Scores[i].Plugins[ps.Name] = p
		}
		if ext := pl.ScoreExtensions(); ext != nil {
			if s := ext.NormalizeScore(e.ctx, state, pod, list); !s.IsSuccess() {
				return s.AsError()
			}
		}
		for i := range list {
			p := r.Scores[i].Plugins[ps.Name]
			p.Normalized = list[i].Score
			if p.Normalized*int64(env.weights[ps.Name]) != p.Weighted {
				return fmt.Errorf("%s on %s: %d * %d != %d", ps.Name, list[i].Name, p.Normalized, env.weights[ps.Name], p.Weighted)
			}
			r.Scores[i].Plugins[ps.Name] = p
		}
	}
	best := int64(math.MinInt64)
	for _, t := range r.Scores {
		if t.Total > best {
			best, r.Best = t.Total, nil
		}
		if t.Total == best {
			r.Best = append(r.Best, t.Node)
		}
	}
	return nil
}

// choose applies the deterministic rule: the nominated node if it is feasible
// (as upstream), else the best total, ties to the smallest name. A score error
// matters only where upstream scores: with more than one node left.
func choose(pod *v1.Pod, r *cases.PodResult) string {
	if len(r.Feasible) == 1 {
		return r.Feasible[0]
	}
	if n := pod.Status.NominatedNodeName; n != "" {
		for _, f := range r.Feasible {
			if f == n {
				return n
			}
		}
	}
	if r.ScoreError != "" {
		return ""
	}
	return r.Best[0]
}

// reserves reports whether the profile has the plugin at Reserve. PreBind uses what Reserve has left.
func reserves(env *profileEnv, name string) bool {
	return slices.ContainsFunc(env.fw.ListPlugins().Reserve.Enabled, func(p schedconfig.Plugin) bool {
		return p.Name == name
	})
}

// devices is the plugin whose PreBind a commit runs. Its type has no name outside of its package in 1.31.
const devices = "DynamicResources"

type preBinder interface {
	PreBind(context.Context, kube.CycleState, *v1.Pod, string) *kube.Status
}

// commit assumes the pod on its node, as the scheduling cycle does.
func (e *engine) commit(env *profileEnv, state kube.CycleState, pod *v1.Pod, r *cases.PodResult) error {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = r.Chosen
	// Without a start time upstream would read the clock when it compares
	// victims; the pods assumed here start far in the future, in order.
	e.assumed++
	assumed.Status.StartTime = &metav1.Time{Time: time.Date(2100, 1, 1, 0, 0, e.assumed, 0, time.UTC)}
	if err := e.cache.AssumePod(e.logger, assumed); err != nil {
		return err
	}
	s := env.fw.RunReservePluginsReserve(e.ctx, state, assumed, r.Chosen)
	if s.IsSuccess() && len(pod.Spec.ResourceClaims) > 0 && reserves(env, devices) {
		// Claims must be allocated before the next pod reads them.
		if dra, ok := env.plugins[devices].(preBinder); ok {
			ctx, cancel := context.WithTimeout(e.ctx, 5*time.Second)
			s = dra.PreBind(ctx, state, assumed, r.Chosen)
			cancel()
		}
	}
	if !s.IsSuccess() {
		st := toStatus(s)
		r.Reserve = &st
		env.fw.RunReservePluginsUnreserve(e.ctx, state, assumed, r.Chosen)
		if err := e.cache.ForgetPod(e.logger, assumed); err != nil {
			return err
		}
		r.Chosen = ""
	} else {
		e.nominator.DeleteNominatedPodIfExists(pod)
	}
	return e.cache.UpdateSnapshot(e.logger, e.snapshot)
}
