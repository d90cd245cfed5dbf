// Package engine gives libsched's snapshot the names of the contract, as an adapter in an autoscaler
// does.
package engine

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
	"libsched.dev/tests/autoscaler/contract"
	"libsched/kube"
	"libsched/kube/snapshot"
)

// Engine is a snapshot.Snapshot with the methods of the contract.
type Engine struct {
	Inner *snapshot.Snapshot
}

var _ contract.ClusterSnapshot = (*Engine)(nil)

// release is that of the upstream which package reference compares with.
const release = "1.36"

// New returns an empty Engine with the plugins of a KubeSchedulerConfiguration ("" is the default) and objects
// that are neither pods nor nodes.
func New(configuration string, objects ...runtime.Object) (*Engine, error) {
	options := []libsched.FrameworkOption{libsched.WithSemantics(release)}
	if configuration != "" {
		options = append(options, libsched.WithConfigYAML([]byte(configuration)))
	}
	fw, err := libsched.NewFramework(options...)
	if err != nil {
		return nil, err
	}
	catalog, err := kube.NewCatalog(kube.CatalogOptions{})
	if err != nil {
		return nil, err
	}
	inner, err := snapshot.New(fw, catalog, snapshot.Options{})
	if err != nil {
		return nil, err
	}
	return &Engine{inner}, inner.Sim().Set(objects...)
}

// notFound translates the error that callers compare with.
func notFound(err error) error {
	if errors.Is(err, snapshot.ErrNodeNotFound) {
		return contract.ErrNodeNotFound
	}
	return err
}

// refusal translates a SchedulingError.
func refusal(e *snapshot.SchedulingError) contract.SchedulingError {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case snapshot.FailingPredicate:
		return contract.NewFailingPredicateError(e.Pod, e.FailingPredicateName(), e.FailingPredicateReasons(), e.UnexpectedText(), e.DebugText())
	case snapshot.NoNodesPassing:
		return contract.NewNoNodesPassingPredicatesFoundError(e.Pod)
	}
	return contract.NewSchedulingInternalError(e.Pod, e.Cause.Error())
}

// The methods of the contract.
func (e *Engine) Fork()         { e.Inner.Fork() }
func (e *Engine) Revert()       { e.Inner.Revert() }
func (e *Engine) Commit() error { return e.Inner.Commit() }

func (e *Engine) Clear() {
	if err := e.Inner.Clear(); err != nil {
		panic(err)
	}
}

func (e *Engine) SetClusterState(nodes []*v1.Node, pods []*v1.Pod) error {
	return e.Inner.SetClusterState(nodes, pods)
}

func (e *Engine) AddNodeInfo(info contract.NodeInfo) error {
	return e.Inner.AddNodeInfo(info.Node(), info.Pods()...)
}

func (e *Engine) RemoveNodeInfo(name string) error { return notFound(e.Inner.RemoveNodeInfo(name)) }

func (e *Engine) GetNodeInfo(name string) (contract.NodeInfo, error) {
	info, err := e.Inner.GetNodeInfo(name)
	if err != nil {
		return nil, notFound(err)
	}
	return info, nil
}

func (e *Engine) ListNodeInfos() ([]contract.NodeInfo, error) {
	return asContract(e.Inner.ListNodeInfos()), nil
}

func asContract(infos []*snapshot.NodeInfo) []contract.NodeInfo {
	out := make([]contract.NodeInfo, len(infos))
	for i, info := range infos {
		out[i] = info
	}
	return out
}

func (e *Engine) ForceAddPod(pod *v1.Pod, node string) error {
	return notFound(e.Inner.ForceAddPod(pod, node))
}

func (e *Engine) ForceRemovePod(namespace, pod, node string) error {
	return notFound(e.Inner.ForceRemovePod(namespace, pod, node))
}

func (e *Engine) UnschedulePod(namespace, pod, node string) error {
	return notFound(e.Inner.UnschedulePod(namespace, pod, node))
}

func (e *Engine) SchedulePod(pod *v1.Pod, node string) contract.SchedulingError {
	return refusal(e.Inner.SchedulePod(pod, node))
}

func (e *Engine) CheckPredicates(pod *v1.Pod, node string) contract.SchedulingError {
	return refusal(e.Inner.CheckPredicates(pod, node))
}

// ordering is an order of the contract as one of libsched's snapshot.
type ordering struct{ contract.NodeOrderMapping }

func (o ordering) Reset(infos []*snapshot.NodeInfo) { o.NodeOrderMapping.Reset(asContract(infos)) }

// SchedulePodOnAnyNodeMatching implements the contract.
func (e *Engine) SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts contract.SchedulingOptions) (string, contract.SchedulingError) {
	var search snapshot.Search
	if accept := opts.IsNodeAcceptable; accept != nil {
		search.Accept = func(info *snapshot.NodeInfo) bool { return accept(info) }
	}
	switch order := opts.NodeOrdering.(type) {
	case nil:
	case *contract.Ring:
		ring := snapshot.NewRing(order.Offset)
		ring.Last = order.Last
		defer func() { order.Last = ring.Last }()
		search.Ordering = ring
	default:
		search.Ordering = ordering{order}
	}
	name, err := e.Inner.SchedulePodOnAnyNodeMatching(pod, search)
	return name, refusal(err)
}
