package consumers

import (
	"context"
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// Status is a pod with the node on which it was placed.
type Status struct {
	Pod      *v1.Pod
	NodeName string
}

// Result is the outcome of TrySchedulePods.
type Result struct {
	Statuses []Status
	// Unprocessed pods were not tried: the context ended before, or a failure broke the call off.
	Unprocessed []*v1.Pod
	// Overflowing counts controllers with so many different pods that their failures were not remembered.
	Overflowing int
}

// HintingSimulator places pods, each on the node where it was last time if it fits there.
type HintingSimulator struct {
	Hints *Hints
}

// NewHintingSimulator returns a HintingSimulator without hints.
func NewHintingSimulator() *HintingSimulator { return &HintingSimulator{Hints: NewHints()} }

// attempt is one call of TrySchedulePods.
type attempt struct {
	*HintingSimulator
	ctx      context.Context
	snapshot clustersnapshot.ClusterSnapshot
	opts     clustersnapshot.SchedulingOptions
	similar  *similarPods
	statuses []Status
	failed   map[*v1.Pod]bool
}

// TrySchedulePods places pods in the snapshot, without a fork of its own. Pods of higher priority come
// first; of each priority those with a hint that works precede the others. breakOnFailure ends each
// priority at its first pod that finds no node. An end of the context ends the call without an error.
func (s *HintingSimulator) TrySchedulePods(ctx context.Context, snapshot clustersnapshot.ClusterSnapshot, pods []*v1.Pod,
	breakOnFailure bool, opts clustersnapshot.SchedulingOptions) (Result, error) {
	a := &attempt{HintingSimulator: s, ctx: ctx, snapshot: snapshot, opts: opts, similar: newSimilarPods(),
		failed: map[*v1.Pod]bool{}}
	for _, group := range ByPriority(pods) {
		if err := a.place(group, breakOnFailure); err != nil {
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				break
			}
			return Result{}, err
		}
	}
	return a.result(pods), nil
}

func (a *attempt) result(pods []*v1.Pod) Result {
	done := map[*v1.Pod]bool{}
	for _, status := range a.statuses {
		done[status.Pod] = true
	}
	r := Result{Statuses: a.statuses, Overflowing: len(a.similar.overflowing)}
	for _, pod := range pods {
		if !done[pod] && !a.failed[pod] {
			r.Unprocessed = append(r.Unprocessed, pod)
		}
	}
	return r
}

// place places pods of one priority.
func (a *attempt) place(pods []*v1.Pod, breakOnFailure bool) error {
	var rest []*v1.Pod
	for _, pod := range pods {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		node, err := a.byHint(pod)
		if err != nil {
			return err
		}
		if node == "" {
			rest = append(rest, pod)
		} else {
			a.placed(pod, node)
		}
	}
	for _, pod := range rest {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		node, err := a.anywhere(pod)
		if err != nil {
			return err
		}
		if node != "" {
			a.placed(pod, node)
			continue
		}
		a.failed[pod] = true
		if breakOnFailure {
			return nil
		}
	}
	return nil
}

func (a *attempt) placed(pod *v1.Pod, node string) {
	a.Hints.Set(pod, node)
	a.statuses = append(a.statuses, Status{Pod: pod, NodeName: node})
}

// byHint returns "" unless the pod fits on the node of its hint.
func (a *attempt) byHint(pod *v1.Pod) (string, error) {
	node, ok := a.Hints.Get(pod)
	if !ok {
		return "", nil
	}
	info, err := a.snapshot.GetNodeInfo(node)
	if err != nil || a.opts.IsNodeAcceptable != nil && !a.opts.IsNodeAcceptable(info) {
		return "", nil
	}
	if err := a.snapshot.SchedulePod(pod, node); err != nil {
		return "", unexpected(err)
	}
	return node, nil
}

// anywhere returns "" if no node takes the pod.
func (a *attempt) anywhere(pod *v1.Pod) (string, error) {
	if a.similar.hasFailed(pod) {
		return "", nil
	}
	node, err := a.snapshot.SchedulePodOnAnyNodeMatching(pod, a.opts)
	if err != nil {
		if err := unexpected(err); err != nil {
			return "", err
		}
		a.similar.fail(pod)
		return "", nil
	}
	return node, nil
}

// unexpected returns internal errors alone.
func unexpected(err clustersnapshot.SchedulingError) error {
	if err != nil && err.Type() == clustersnapshot.SchedulingInternalError {
		return err
	}
	return nil
}

// ByPriority returns the pods of each priority, the highest first.
func ByPriority(pods []*v1.Pod) [][]*v1.Pod {
	groups := map[int32][]*v1.Pod{}
	var priorities []int32
	for _, pod := range pods {
		priority := int32(0)
		if pod.Spec.Priority != nil {
			priority = *pod.Spec.Priority
		}
		if groups[priority] == nil {
			priorities = append(priorities, priority)
		}
		groups[priority] = append(groups[priority], pod)
	}
	slices.Sort(priorities)
	slices.Reverse(priorities)
	var out [][]*v1.Pod
	for _, priority := range priorities {
		out = append(out, groups[priority])
	}
	return out
}
