//go:build libsched

package libschedsnapshot

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// ForceAddPod implements ClusterSnapshot.
func (s *Snapshot) ForceAddPod(pod *v1.Pod, nodeName string) error {
	if err := s.catchUp(); err != nil {
		return err
	}
	if s.hasClaims(pod) {
		if _, err := s.claimsOf(pod); err != nil {
			return err
		}
	}
	return known(s.inner.ForceAddPod(pod, nodeName))
}

// ForceRemovePod implements ClusterSnapshot.
func (s *Snapshot) ForceRemovePod(namespace string, podName string, nodeName string) error {
	return known(s.inner.ForceRemovePod(namespace, podName, nodeName))
}

// UnschedulePod implements ClusterSnapshot.
func (s *Snapshot) UnschedulePod(namespace string, podName string, nodeName string) error {
	if err := s.catchUp(); err != nil {
		return err
	}
	info, err := s.find(nodeName)
	if err != nil {
		return err
	}
	for _, pod := range info.Pods() {
		if pod.Name == podName && pod.Namespace == namespace && s.hasClaims(pod) {
			if err := s.devices.UnreservePodClaims(pod); err != nil {
				return err
			}
			break
		}
	}
	return known(s.inner.UnschedulePod(namespace, podName, nodeName))
}

// CheckPredicates implements ClusterSnapshot.
func (s *Snapshot) CheckPredicates(pod *v1.Pod, nodeName string) clustersnapshot.SchedulingError {
	if err := s.catchUp(); err != nil {
		return internal(pod, err)
	}
	return refusal(s.inner.CheckPredicates(pod, nodeName))
}

// SchedulePod implements ClusterSnapshot.
func (s *Snapshot) SchedulePod(pod *v1.Pod, nodeName string) clustersnapshot.SchedulingError {
	return s.place(pod, func() clustersnapshot.SchedulingError {
		return refusal(s.inner.SchedulePod(pod, nodeName))
	})
}

// SchedulePodOnAnyNodeMatching implements ClusterSnapshot.
func (s *Snapshot) SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts clustersnapshot.SchedulingOptions) (matchingNode string, err clustersnapshot.SchedulingError) {
	search := snapshot.Search{Accept: s.accept(opts.IsNodeAcceptable)}
	switch order := opts.NodeOrdering.(type) {
	case nil:
	case ring:
		last, offset := order.Ring()
		followed := snapshot.NewRing(offset)
		followed.Last = *last
		defer func() { *last = followed.Last }()
		search.Ordering = followed
	default:
		search.Ordering = ordering{order, s}
	}
	err = s.place(pod, func() clustersnapshot.SchedulingError {
		name, refused := s.inner.SchedulePodOnAnyNodeMatching(pod, search)
		matchingNode = name
		return refusal(refused)
	})
	if err != nil {
		return "", err
	}
	return matchingNode, nil
}

// place calls a function that puts a pod somewhere. If the pod has claims, the autoscaler's snapshot gets them as they are
// then.
func (s *Snapshot) place(pod *v1.Pod, put func() clustersnapshot.SchedulingError) clustersnapshot.SchedulingError {
	if err := s.catchUp(); err != nil {
		return internal(pod, err)
	}
	if !s.hasClaims(pod) {
		return put()
	}
	s.inner.Fork()
	if refused := put(); refused != nil {
		s.inner.Revert()
		return refused
	}
	err := s.took(pod)
	if err == nil {
		err = s.inner.Commit()
	}
	if err != nil {
		s.inner.Revert()
		s.lent = true // some claims may have been copied
		return internal(pod, err)
	}
	return nil
}

// accept returns libsched's form of a condition for nodes.
func (s *Snapshot) accept(condition func(*framework.NodeInfo) bool) func(*snapshot.NodeInfo) bool {
	if condition == nil {
		return nil
	}
	return func(info *snapshot.NodeInfo) bool { return condition(s.nodeInfo(info)) }
}

// ring is a NodeOrderMapping that libsched follows by itself: the autoscaler's order behind the last match, once it has
// this method (README.md, "Hooks").
type ring interface {
	// Ring returns the index of the last match, which libsched changes, and the offset to it.
	Ring() (last *int, offset int)
}

// ordering is any other NodeOrderMapping, which is asked for its order of all nodes in each search.
type ordering struct {
	clustersnapshot.NodeOrderMapping
	s *Snapshot
}

func (o ordering) Reset(infos []*snapshot.NodeInfo) { o.NodeOrderMapping.Reset(o.s.nodeInfos(infos)) }

// known translates the error that callers compare with.
func known(err error) error {
	if errors.Is(err, snapshot.ErrNodeNotFound) {
		return clustersnapshot.ErrNodeNotFound
	}
	return err
}

func internal(pod *v1.Pod, err error) clustersnapshot.SchedulingError {
	if pod == nil {
		pod = &v1.Pod{}
	}
	return clustersnapshot.NewSchedulingInternalError(pod, fmt.Sprint(err))
}

// refusal translates an answer.
func refusal(e *snapshot.SchedulingError) clustersnapshot.SchedulingError {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case snapshot.FailingPredicate:
		return clustersnapshot.NewFailingPredicateError(e.Pod, e.FailingPredicateName(), e.FailingPredicateReasons(), e.UnexpectedText(), e.DebugText())
	case snapshot.NoNodesPassing:
		return clustersnapshot.NewNoNodesPassingPredicatesFoundError(e.Pod)
	}
	return internal(e.Pod, e.Cause)
}
