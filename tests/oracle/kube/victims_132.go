//go:build k132 || k133 || k134 || k135

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// KeepVictims keeps PostFilter from deleting victims.
func KeepVictims(pl *defaultpreemption.DefaultPreemption) {
	pl.Evaluator.PreemptPod = func(context.Context, preemption.Candidate, *v1.Pod, *v1.Pod, string) error {
		return nil
	}
}
