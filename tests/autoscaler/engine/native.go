package engine

import (
	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/autoscaler/consumers"
	"libsched.dev/tests/autoscaler/contract"
	"libsched.dev/tests/autoscaler/questions"
	"libsched/kube/snapshot"
)

var _ questions.Engine = (*Engine)(nil)

// ReplaceNode implements questions.Engine.
func (e *Engine) ReplaceNode(node *v1.Node) error { return notFound(e.Inner.ReplaceNode(node)) }

// Place implements questions.Engine: one call.
func (e *Engine) Place(pods []*v1.Pod, stop bool, opts contract.SchedulingOptions) ([]string, error) {
	options := snapshot.PlaceOptions{StopAtFailure: stop}
	if accept := opts.IsNodeAcceptable; accept != nil {
		options.Accept = func(info *snapshot.NodeInfo) bool { return accept(info) }
	}
	return e.Inner.PlaceMany(pods, options)
}

// Estimate implements questions.Engine: one call of the library.
func (e *Engine) Estimate(groups []consumers.Group, template contract.NodeInfo, limit int) ([]string, int, error) {
	var packed []snapshot.PackGroup
	for _, group := range groups {
		packed = append(packed, snapshot.PackGroup{Pod: group.Pods[0], Count: len(group.Pods)})
	}
	done, err := e.Inner.BinPack(packed, template.Node(), template.Pods(), snapshot.PackOptions{MaxNodes: limit})
	if err != nil {
		return nil, 0, err
	}
	places := make([]string, len(done.OnNode))
	for i, at := range done.OnNode {
		if at >= 0 {
			places[i] = done.Nodes[at]
		}
	}
	return places, done.Used, nil
}

// Remove implements questions.Engine: one call of the library.
func (e *Engine) Remove(name string, destinations map[string]bool, keep bool) ([]consumers.Status, bool, error) {
	info, err := e.Inner.GetNodeInfo(name)
	if err != nil {
		return nil, false, notFound(err)
	}
	moved, gone, err := e.Inner.SimulateRemoval(name, snapshot.Removal{Move: info.Pods(), Keep: keep,
		Ghost:  consumers.Ghost(info.Node(), questions.Now),
		Accept: func(info *snapshot.NodeInfo) bool { return destinations[info.Node().Name] }})
	var statuses []consumers.Status
	for _, m := range moved {
		statuses = append(statuses, consumers.Status{Pod: m.Pod, NodeName: m.Node})
	}
	return statuses, gone, err
}
