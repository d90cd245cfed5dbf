package consumers

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// ConstraintsNotMatch is upstream's reason of PodTopologySpread.
const ConstraintsNotMatch = "node(s) didn't match pod topology spread constraints"

// Group is an equivalence group: pods that only their names tell apart.
type Group struct {
	Pods []*v1.Pod
}

// Estimator says how many copies of a node pods need, by first-fit decreasing.
type Estimator struct {
	Snapshot clustersnapshot.ClusterSnapshot
	Limiter  Limiter
	// FastPath fills a single node with the group that gains most by it, and calculates the rest.
	FastPath bool
	// Look is called before the estimate's fork is undone; it may be nil.
	Look func(clustersnapshot.ClusterSnapshot)
}

// Estimate is an estimator's answer.
type Estimate struct {
	Nodes     int // those that got pods
	Scheduled []*v1.Pod
	// Places are the nodes of Scheduled.
	Places []string
}

// estimate is a running estimate.
type estimate struct {
	*Estimator
	template *framework.NodeInfo
	isNew    map[string]bool
	used     map[string]bool // new nodes with pods
	added    int
	last     string // the node that was added last
	out      Estimate
}

func (e *estimate) track(pod *v1.Pod, node string) {
	e.used[node] = true
	e.out.Scheduled = append(e.out.Scheduled, pod)
	e.out.Places = append(e.out.Places, node)
}

// Estimate packs groups onto copies of a template. The snapshot is as before when it returns.
func (e *Estimator) Estimate(groups []Group, template *framework.NodeInfo) (Estimate, error) {
	e.Limiter.Start()
	groups = decreasing(groups, template.Node())
	fast := -1
	if e.FastPath {
		if best := bestForFastPath(groups, template.Node()); best >= 0 {
			chosen := groups[best]
			groups = append(slices.Delete(groups, best, best+1), chosen)
			fast = len(groups) - 1
		}
	}
	e.Snapshot.Fork()
	defer e.Snapshot.Revert()
	run := &estimate{Estimator: e, template: template, isNew: map[string]bool{}, used: map[string]bool{}}
	more := true
	for i, group := range groups {
		rest, err := run.ontoExisting(group.Pods)
		if err == nil && more {
			if i == fast {
				more, err = run.calculate(rest)
			} else {
				more, err = run.ontoNew(rest)
			}
		}
		if err != nil {
			return Estimate{}, err
		}
	}
	run.out.Nodes = len(run.used)
	if e.Look != nil {
		e.Look(e.Snapshot)
	}
	return run.out, nil
}

// ontoExisting places pods on the nodes that were added until one finds no place, and returns the rest.
func (e *estimate) ontoExisting(pods []*v1.Pod) ([]*v1.Pod, error) {
	opts := clustersnapshot.SchedulingOptions{IsNodeAcceptable: func(info *framework.NodeInfo) bool {
		return e.isNew[info.Node().Name]
	}}
	for i, pod := range pods {
		node, err := e.Snapshot.SchedulePodOnAnyNodeMatching(pod, opts)
		if err != nil {
			return pods[i:], unexpected(err)
		}
		e.track(pod, node)
	}
	return nil, nil
}

// ontoNew places pods on the latest node or another new one. It returns whether nodes may be added after it.
func (e *estimate) ontoNew(pods []*v1.Pod) (more bool, err error) {
	for _, pod := range pods {
		found, err := e.ontoLast(pod)
		if err != nil {
			return false, err
		}
		if found {
			continue
		}
		// An empty node that does not take the pod is as good as another one.
		if e.last != "" && !e.used[e.last] {
			return true, nil
		}
		if !e.Limiter.PermissionToAddNode() {
			return false, nil
		}
		if err := e.addNode(); err != nil {
			return false, err
		}
		if err := e.Snapshot.SchedulePod(pod, e.last); err != nil {
			return true, unexpected(err) // the node stays, empty
		}
		e.track(pod, e.last)
	}
	return true, nil
}

// ontoLast tries the latest node. If spreading over hostnames forbids it, the others are tried as well.
func (e *estimate) ontoLast(pod *v1.Pod) (bool, error) {
	if e.last == "" {
		return false, nil
	}
	refusal := e.Snapshot.SchedulePod(pod, e.last)
	if refusal == nil {
		e.track(pod, e.last)
		return true, nil
	}
	if err := unexpected(refusal); err != nil {
		return false, err
	}
	if !spreadsOverHostnames(pod) || !slices.Contains(refusal.FailingPredicateReasons(), ConstraintsNotMatch) {
		return false, nil
	}
	node, err := e.Snapshot.SchedulePodOnAnyNodeMatching(pod, clustersnapshot.SchedulingOptions{
		IsNodeAcceptable: func(info *framework.NodeInfo) bool { return info.Node().Name != e.last }})
	if err != nil {
		return false, unexpected(err)
	}
	e.track(pod, node)
	return true, nil
}

func spreadsOverHostnames(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, func(c v1.TopologySpreadConstraint) bool {
		return c.TopologyKey == v1.LabelHostname
	})
}

func (e *estimate) addNode() error {
	info, err := Copy(e.template, fmt.Sprintf("e-%d", e.added))
	if err != nil {
		return err
	}
	if err := e.Snapshot.AddNodeInfo(info); err != nil {
		return fmt.Errorf("adding a node: %w", err)
	}
	e.added++
	e.last = info.Node().Name
	e.isNew[e.last] = true
	return nil
}
