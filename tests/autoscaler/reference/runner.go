package reference

import (
	"context"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/autoscaler/contract"
)

// Runner asks PreFilter and Filter plugins about the nodes of a store, by one worker.
type Runner struct {
	handle *Handle
	store  *Store
	ring   *contract.Ring // of searches without an order of their own

	list  []fwk.NodeInfo      // the list of which `infos` are
	infos []contract.NodeInfo // for orders
}

// NewRunner returns a Runner of a store.
func NewRunner(handle *Handle, store *Store) *Runner {
	return &Runner{handle: handle, store: store, ring: contract.NewLastIndexOrderMapping(1)}
}

// quiet is the context of all calls: upstream names the loggers of plugins from verbosity 4 on, which
// costs time, so the verbosity stays below.
func quiet() context.Context {
	return klog.NewContext(context.Background(), klog.Background().V(0))
}

// RunFiltersOnNode asks about a single node.
func (r *Runner) RunFiltersOnNode(pod *v1.Pod, name string) contract.SchedulingError {
	info, err := r.store.NodeInfos().Get(name)
	if err != nil {
		return contract.NewSchedulingInternalError(pod, fmt.Sprintf("error obtaining NodeInfo for name %q: %v", name, err))
	}
	defer r.handle.lend(r.store)()
	ctx, state := quiet(), framework.NewCycleState()
	result, status, narrowing := r.handle.framework.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return preFilterFailed(pod, status)
	}
	if !result.AllNodes() && !result.NodeNames.Has(name) {
		return contract.NewFailingPredicateError(pod, strings.Join(sets.List(narrowing), ", "), nil, contract.PreFilterExcluded, "")
	}
	status = r.handle.framework.RunFilterPlugins(ctx, state, pod, info)
	if status.IsSuccess() {
		return nil
	}
	unexpected := ""
	if !status.IsRejected() {
		unexpected = contract.UnexpectedFilterStatus(status.Code().String())
	}
	return contract.NewFailingPredicateError(pod, status.Plugin(), status.Reasons(), unexpected,
		contract.FilterDebugInfo(status.Plugin(), info.Node()))
}

func preFilterFailed(pod *v1.Pod, status *fwk.Status) contract.SchedulingError {
	return contract.NewFailingPredicateError(pod, status.Plugin(), status.Reasons(), contract.PreFilterFailed, "")
}

// RunFiltersUntilPassingNode returns the first node in the order that passes. PreFilter runs once.
func (r *Runner) RunFiltersUntilPassingNode(pod *v1.Pod, opts contract.SchedulingOptions) (*v1.Node, contract.SchedulingError) {
	nodes, err := r.store.NodeInfos().List()
	if err != nil {
		return nil, contract.NewSchedulingInternalError(pod, fmt.Sprintf("error listing NodeInfos: %v", err))
	}
	defer r.handle.lend(r.store)()
	ctx, state := quiet(), framework.NewCycleState()
	result, status, _ := r.handle.framework.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return nil, preFilterFailed(pod, status)
	}
	var order contract.NodeOrderMapping = r.ring
	if opts.NodeOrdering != nil {
		order = opts.NodeOrdering
	}
	infos := r.asContract(nodes)
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
			return node, nil
		}
	}
	return nil, contract.NewNoNodesPassingPredicatesFoundError(pod)
}

// asContract keeps the conversion of the latest list, which most searches share.
func (r *Runner) asContract(nodes []fwk.NodeInfo) []contract.NodeInfo {
	if len(nodes) == len(r.list) && (len(nodes) == 0 || &nodes[0] == &r.list[0]) {
		return r.infos
	}
	r.list, r.infos = nodes, make([]contract.NodeInfo, len(nodes))
	for i, info := range nodes {
		r.infos[i] = info.(*NodeInfo)
	}
	return r.infos
}
