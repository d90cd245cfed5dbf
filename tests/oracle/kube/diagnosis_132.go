//go:build !k131

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Statuses of nodes, with one for all that have none of their own.
type Statuses = *framework.NodeToStatus

// NewDiagnosis returns one without nodes.
func NewDiagnosis() framework.Diagnosis {
	return framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
}

// StatusesOf returns the statuses of a diagnosis.
func StatusesOf(d *framework.Diagnosis) Statuses { return d.NodeToStatus }

// RejectAll notes that PreFilter has rejected the pod.
func RejectAll(d *framework.Diagnosis, _ []NodeInfo, s *Status) {
	d.NodeToStatus.SetAbsentNodesStatus(s)
}

// RejectExcluded notes the status of the nodes that PreFilter leaves out.
func RejectExcluded(d *framework.Diagnosis, s *Status) { d.NodeToStatus.SetAbsentNodesStatus(s) }

// Reject notes the status of a node.
func Reject(d *framework.Diagnosis, node string, s *Status) { d.NodeToStatus.Set(node, s) }

// EachStatus calls f for each node of a dry run.
func EachStatus(m Statuses, f func(string, *Status)) { m.ForEachExplicitNode(f) }

// Eligible reports whether a pod may preempt others.
func Eligible(ctx context.Context, pl *defaultpreemption.DefaultPreemption, pod *v1.Pod, m Statuses) bool {
	ok, _ := pl.PodEligibleToPreemptOthers(ctx, pod, m.Get(pod.Status.NominatedNodeName))
	return ok
}

// Potential returns the nodes on which preemption may help.
func Potential(s *Snapshot, m Statuses) ([]NodeInfo, error) {
	return m.NodesForStatusCode(s.NodeInfos(), Unschedulable)
}

// DryRun looks for victims on all of the nodes.
func DryRun(ctx context.Context, _ framework.Framework, pl *defaultpreemption.DefaultPreemption, state CycleState, pod *v1.Pod, nodes []NodeInfo, pdbs []*policyv1.PodDisruptionBudget) ([]preemption.Candidate, Statuses, error) {
	return pl.Evaluator.DryRunPreemption(ctx, state, pod, nodes, pdbs, 0, int32(len(nodes)+1))
}

// KeepPods does nothing. See KeepVictims.
func KeepPods(*fake.Clientset) {}
