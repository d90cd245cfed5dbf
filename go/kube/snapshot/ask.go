package snapshot

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"libsched"
)

// CheckPredicates asks PreFilter and Filter of one node; nil is a pass. Nothing changes.
func (s *Snapshot) CheckPredicates(pod *v1.Pod, nodeName string) *SchedulingError {
	defer s.catalog.Hold().Release()
	info, ref, failed := s.subject(pod, nodeName)
	if failed != nil {
		return failed
	}
	return s.check(pod, info, ref)
}

// subject returns the node of a question and the reference of its pod. The caller holds the catalog.
func (s *Snapshot) subject(pod *v1.Pod, nodeName string) (info *NodeInfo, ref libsched.PodRef, failed *SchedulingError) {
	if pod == nil {
		return nil, 0, internal(nil, nilError("the pod"))
	}
	info, err := s.GetNodeInfo(nodeName)
	if err != nil {
		return nil, 0, internal(pod, fmt.Errorf("error obtaining NodeInfo for name %q: %w", nodeName, err))
	}
	if ref, err = s.question(pod); err != nil {
		return nil, 0, internal(pod, err)
	}
	return info, ref, nil
}

func (s *Snapshot) check(pod *v1.Pod, info *NodeInfo, ref libsched.PodRef) *SchedulingError {
	passed, err := s.asked(ref, info.id)
	switch {
	case err != nil:
		return internal(pod, err)
	case passed:
		return nil
	}
	failed := &SchedulingError{Kind: FailingPredicate, Pod: pod, Verdict: s.why}
	if s.why.Stage == libsched.FilterRejected {
		failed.Node = info.node
	}
	return failed
}

// asked is the Sim's Check. A node that is leaving is gone meanwhile, and keeps its place for the next one of its name.
func (s *Snapshot) asked(ref libsched.PodRef, node libsched.NodeID) (bool, error) {
	if s.leaving == nil {
		return s.sim.Check(s.ctx, ref, node, &s.why)
	}
	if err := s.sim.Fork(); err != nil {
		return false, err
	}
	defer func() { must("CheckPredicates", s.sim.Revert()) }()
	if err := s.sim.RemoveNode(s.leaving.id); err != nil {
		return false, err
	}
	return s.sim.Check(s.ctx, ref, node, &s.why)
}

// SchedulePod puts a pod onto a node if the filters pass; nil says that it is there.
func (s *Snapshot) SchedulePod(pod *v1.Pod, nodeName string) *SchedulingError {
	defer s.catalog.Hold().Release()
	info, ref, failed := s.subject(pod, nodeName)
	if failed != nil {
		return failed
	}
	if pod.Spec.NodeName == "" {
		if failed = s.placeOn(info, pod, ref); failed == nil || failed.Kind != NoNodesPassing {
			return failed
		}
		if told := s.check(pod, info, ref); told != nil { // it tells of the node
			return told
		}
		return failed
	}
	if failed = s.check(pod, info, ref); failed != nil {
		return failed
	}
	return s.place(info, pod, ref)
}

// placeOn asks about one node and places the pod, with devices, in one call.
func (s *Snapshot) placeOn(info *NodeInfo, pod *v1.Pod, ref libsched.PodRef) *SchedulingError {
	s.one = libsched.Query{Order: append(s.one.Order[:0], info.id), Place: true}
	hit, found, err := s.live().First(s.ctx, ref, &s.one, &s.why)
	if err != nil {
		return internal(pod, err)
	}
	if !found {
		return &SchedulingError{Kind: NoNodesPassing, Pod: pod, Verdict: s.why}
	}
	s.putPod(info, pod, hit.Pod)
	return nil
}

// question returns the content by which a pod is asked about. If it names a node already, filters read that.
func (s *Snapshot) question(pod *v1.Pod) (libsched.PodRef, error) {
	if pod.Spec.NodeName != "" {
		return s.catalog.Pod(pod)
	}
	return s.catalog.Placed(pod)
}

// place puts a pod that passed onto a node. `ref` is the content by which it was asked about. Pods are placed by
// a content without the name of a node, so that they can move. Devices are allocated by asking once more, which
// places the pod.
func (s *Snapshot) place(info *NodeInfo, pod *v1.Pod, ref libsched.PodRef) *SchedulingError {
	if pod.Spec.NodeName != "" {
		var err error
		if ref, err = s.catalog.Placed(pod); err != nil {
			return internal(pod, err)
		}
	}
	if mayGetDevices(pod) {
		return s.placeOn(info, pod, ref)
	}
	id, err := s.live().AddPod(ref, info.id)
	if err != nil {
		return internal(pod, err)
	}
	s.putPod(info, pod, id)
	return nil
}

// SchedulePodOnAnyNodeMatching puts a pod onto the first node of a search that passes, and returns its name.
// Nodes with spec.unschedulable are passed over even if the pod tolerates them, as by the autoscaler.
func (s *Snapshot) SchedulePodOnAnyNodeMatching(pod *v1.Pod, search Search) (string, *SchedulingError) {
	if pod == nil {
		return "", internal(nil, nilError("the pod"))
	}
	defer s.catalog.Hold().Release()
	ref, err := s.question(pod)
	if err != nil {
		return "", internal(pod, err)
	}
	q, err := s.query(&search)
	if err != nil {
		return "", internal(pod, err)
	}
	q.Place = search.Accept == nil && q.ordering == nil && pod.Spec.NodeName == ""
	hit, found, err := s.first(ref, q, search.Accept)
	if misuse := s.misused(); misuse != nil {
		err = misuse
	}
	switch {
	case err != nil:
		return "", internal(pod, err)
	case !found && s.why.Stage == libsched.PreFilterRejected:
		return "", &SchedulingError{Kind: FailingPredicate, Pod: pod, Verdict: s.why}
	case !found:
		return "", &SchedulingError{Kind: NoNodesPassing, Pod: pod, Verdict: s.why}
	}
	if err := s.found(q, hit); err != nil {
		return "", internal(pod, err)
	}
	info := s.byRow[hit.Node.Row()]
	if hit.Pod != 0 {
		s.putPod(info, pod, hit.Pod)
		return info.node.Name, nil
	}
	if failed := s.place(info, pod, ref); failed != nil {
		return "", failed
	}
	return info.node.Name, nil
}

// mayGetDevices tells whether the pod has claims, or asks for a resource that a DeviceClass may provide.
func mayGetDevices(pod *v1.Pod) bool {
	asks := func(c v1.Container) bool {
		for name := range c.Resources.Requests {
			if strings.Contains(string(name), "/") {
				return true
			}
		}
		return false
	}
	return len(pod.Spec.ResourceClaims) > 0 || slices.ContainsFunc(pod.Spec.Containers, asks) ||
		slices.ContainsFunc(pod.Spec.InitContainers, asks)
}

// A refusal costs a call of the library, and asking about all nodes costs about as much as a few of them.
const mostRefusals = 4

// first finds a node.
func (s *Snapshot) first(ref libsched.PodRef, q *query, accept func(*NodeInfo) bool) (libsched.Hit, bool, error) {
	if accept == nil {
		return s.live().First(s.ctx, ref, &q.Query, &s.why)
	}
	var before libsched.Ring
	if q.ring != nil {
		before = *q.ring
	}
	refusals := 0
	q.Accepts = func(id libsched.NodeID) bool {
		if refusals < mostRefusals && !s.accepts(accept, s.byRow[id.Row()]) {
			refusals++
			return false
		}
		return true
	}
	hit, found, err := s.live().First(s.ctx, ref, &q.Query, &s.why)
	if err != nil || !found || refusals < mostRefusals {
		return hit, found, err
	}
	// The hit was not asked about.
	if q.ring != nil {
		*q.ring = before
	}
	q.Accepts = nil
	given := q.Accept
	q.Accept = s.NodeSet(func(info *NodeInfo) bool {
		return (given == nil || given.Has(info.id.Row())) && accept(info)
	})
	return s.live().First(s.ctx, ref, &q.Query, &s.why)
}
