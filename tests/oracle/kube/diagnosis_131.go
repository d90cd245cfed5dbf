//go:build k131

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	cgotesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Statuses of nodes, by name.
type Statuses = framework.NodeToStatusMap

// NewDiagnosis returns one without nodes.
func NewDiagnosis() framework.Diagnosis {
	return framework.Diagnosis{NodeToStatusMap: Statuses{}}
}

// StatusesOf returns the statuses of a diagnosis.
func StatusesOf(d *framework.Diagnosis) Statuses { return d.NodeToStatusMap }

// RejectAll notes that PreFilter has rejected the pod.
func RejectAll(d *framework.Diagnosis, nodes []NodeInfo, s *Status) {
	for _, n := range nodes {
		d.NodeToStatusMap[n.Node().Name] = s
	}
}

// RejectExcluded does nothing: 1.31 gives no status to the nodes that PreFilter leaves out.
func RejectExcluded(*framework.Diagnosis, *Status) {}

// Reject notes the status of a node.
func Reject(d *framework.Diagnosis, node string, s *Status) { d.NodeToStatusMap[node] = s }

// EachStatus calls f for each node of a dry run.
func EachStatus(m Statuses, f func(string, *Status)) {
	for node, s := range m {
		f(node, s)
	}
}

// Eligible reports whether a pod may preempt others.
func Eligible(_ context.Context, pl *defaultpreemption.DefaultPreemption, pod *v1.Pod, m Statuses) bool {
	ok, _ := pl.PodEligibleToPreemptOthers(pod, m[pod.Status.NominatedNodeName])
	return ok
}

// Potential returns the nodes on which preemption may help.
func Potential(s *Snapshot, m Statuses) ([]NodeInfo, error) {
	all, err := s.NodeInfos().List()
	var out []NodeInfo
	for _, n := range all {
		if m[n.Node().Name].Code() == Unschedulable {
			out = append(out, n)
		}
	}
	return out, err
}

// DryRun looks for victims on all of the nodes.
func DryRun(ctx context.Context, fw framework.Framework, pl *defaultpreemption.DefaultPreemption, state CycleState, pod *v1.Pod, nodes []NodeInfo, pdbs []*policyv1.PodDisruptionBudget) ([]preemption.Candidate, Statuses, error) {
	e := preemption.Evaluator{PluginName: defaultpreemption.Name, Handler: fw, State: state, Interface: pl}
	return e.DryRunPreemption(ctx, pod, nodes, pdbs, 0, int32(len(nodes)+1))
}

// KeepVictims does nothing: the plugin of 1.31 has no hook. See KeepPods.
func KeepVictims(*defaultpreemption.DefaultPreemption) {}

// KeepPods keeps PostFilter, which writes to the API itself in 1.31, from changing pods.
func KeepPods(c *fake.Clientset) {
	done := func(cgotesting.Action) (bool, runtime.Object, error) { return true, &v1.Pod{}, nil }
	c.PrependReactor("delete", "pods", done)
	c.PrependReactor("patch", "pods", done)
}
