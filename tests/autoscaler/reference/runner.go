package reference

import (
	"context"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	impl "k8s.io/kubernetes/pkg/scheduler/framework"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// Runner asks PreFilter and Filter plugins about the nodes of a snapshot, by one worker.
type Runner struct {
	handle *Handle
	store  framework.SharedLister
	ring   clustersnapshot.NodeOrderMapping // of searches without an order of their own

	list  []fwk.NodeInfo        // the list of which `infos` are
	infos []*framework.NodeInfo // for orders
}

// NewRunner returns a Runner of what a snapshot shows.
func NewRunner(handle *Handle, store framework.SharedLister) *Runner {
	return &Runner{handle: handle, store: store, ring: clustersnapshot.NewLastIndexOrderMapping(1)}
}

// quiet is the context of all calls: upstream names the loggers of plugins from verbosity 4 on, which
// costs time, so the verbosity stays below.
func quiet() context.Context {
	return klog.NewContext(context.Background(), klog.Background().V(0))
}

// RunFiltersOnNode asks about a single node. It returns the node and what plugins keep for Reserve.
func (r *Runner) RunFiltersOnNode(pod *v1.Pod, name string) (*v1.Node, *impl.CycleState, clustersnapshot.SchedulingError) {
	info, err := r.store.NodeInfos().Get(name)
	if err != nil {
		return nil, nil, clustersnapshot.NewSchedulingInternalError(pod, fmt.Sprintf("error obtaining NodeInfo for name %q: %v", name, err))
	}
	defer r.handle.lend(r.store)()
	ctx, state := quiet(), impl.NewCycleState()
	result, status, narrowing := r.handle.framework.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return nil, nil, preFilterFailed(pod, status)
	}
	if !result.AllNodes() && !result.NodeNames.Has(name) {
		return nil, nil, clustersnapshot.NewFailingPredicateError(pod, strings.Join(sets.List(narrowing), ", "), nil, clustersnapshot.PreFilterExcluded, "")
	}
	status = r.handle.framework.RunFilterPlugins(ctx, state, pod, info)
	if status.IsSuccess() {
		return info.Node(), state, nil
	}
	unexpected := ""
	if !status.IsRejected() {
		unexpected = clustersnapshot.UnexpectedFilterStatus(status.Code().String())
	}
	return nil, nil, clustersnapshot.NewFailingPredicateError(pod, status.Plugin(), status.Reasons(), unexpected,
		clustersnapshot.FilterDebugInfo(status.Plugin(), info.Node()))
}

func preFilterFailed(pod *v1.Pod, status *fwk.Status) clustersnapshot.SchedulingError {
	return clustersnapshot.NewFailingPredicateError(pod, status.Plugin(), status.Reasons(), clustersnapshot.PreFilterFailed, "")
}

// RunFiltersUntilPassingNode returns the first node in the order that passes. PreFilter runs once.
func (r *Runner) RunFiltersUntilPassingNode(pod *v1.Pod, opts clustersnapshot.SchedulingOptions) (*v1.Node, *impl.CycleState, clustersnapshot.SchedulingError) {
	nodes, err := r.store.NodeInfos().List()
	if err != nil {
		return nil, nil, clustersnapshot.NewSchedulingInternalError(pod, fmt.Sprintf("error listing NodeInfos: %v", err))
	}
	defer r.handle.lend(r.store)()
	ctx, state := quiet(), impl.NewCycleState()
	result, status, _ := r.handle.framework.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return nil, nil, preFilterFailed(pod, status)
	}
	var order clustersnapshot.NodeOrderMapping = r.ring
	if opts.NodeOrdering != nil {
		order = opts.NodeOrdering
	}
	infos := r.asInfos(nodes)
	order.Reset(infos)
	for i := range nodes {
		index := order.At(i)
		if index < 0 {
			break
		}
		node := nodes[index].Node()
		if !result.AllNodes() && !result.NodeNames.Has(node.Name) || node.Spec.Unschedulable ||
			opts.IsNodeAcceptable != nil && !opts.IsNodeAcceptable(infos[index]) {
			continue
		}
		// A status that is no rejection passes over the node as well.
		if r.handle.framework.RunFilterPlugins(ctx, state, pod, nodes[index]).IsSuccess() {
			order.MarkMatch(index)
			return node, state, nil
		}
	}
	return nil, nil, clustersnapshot.NewNoNodesPassingPredicatesFoundError(pod)
}

// RunReserveOnNode runs Reserve plugins for a pod that has passed.
func (r *Runner) RunReserveOnNode(pod *v1.Pod, name string, state *impl.CycleState) error {
	defer r.handle.lend(r.store)()
	if status := r.handle.framework.RunReservePluginsReserve(quiet(), state, pod, name); !status.IsSuccess() {
		return fmt.Errorf("couldn't reserve node %s for pod %s/%s: %v", name, pod.Namespace, pod.Name, status.Message())
	}
	return nil
}

// asInfos keeps the conversion of the latest list, which most searches share.
func (r *Runner) asInfos(nodes []fwk.NodeInfo) []*framework.NodeInfo {
	if len(nodes) == len(r.list) && (len(nodes) == 0 || &nodes[0] == &r.list[0]) {
		return r.infos
	}
	r.list, r.infos = nodes, make([]*framework.NodeInfo, len(nodes))
	for i, info := range nodes {
		r.infos[i] = info.(*framework.NodeInfo)
	}
	return r.infos
}
