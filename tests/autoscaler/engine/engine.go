//go:build libsched

package engine

import (
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched.dev/tests/autoscaler/consumers"
	"libsched.dev/tests/autoscaler/questions"
	libschedsnapshot "libsched/examples/cluster_autoscaler"
	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// Release is that of the upstream which package reference compares with.
const Release = "1.37"

// Engine is a Snapshot of the adapter that answers questions about many pods by the library's calls.
type Engine struct {
	*libschedsnapshot.Snapshot
}

var _ questions.Engine = (*Engine)(nil)

// New returns an empty Engine. devices says whether claims, devices and CSINodes are simulated; the objects are those
// beside nodes, pods and these.
func New(devices bool, objects ...runtime.Object) (*Engine, error) {
	f := libschedsnapshot.NewFactory(libschedsnapshot.Options{Release: Release, Devices: devices, CSINodes: devices,
		Objects: func() ([]runtime.Object, error) { return objects, nil }})
	s, err := f.Snapshot(func() (clustersnapshot.ClusterSnapshot, error) { return nil, f.Unsupported() })
	if err != nil {
		return nil, err
	}
	return &Engine{s.(*libschedsnapshot.Snapshot)}, nil
}

// Claims implements questions.Engine.
func (e *Engine) Claims() ([]*resourceapi.ResourceClaim, error) { return e.ResourceClaims().List() }

// ReplaceNode implements questions.Engine.
func (e *Engine) ReplaceNode(node *v1.Node) error { return e.Inner().ReplaceNode(node) }

// loops asks by the autoscaler's own loops.
func (e *Engine) loops() questions.Consumers {
	return questions.Consumers{ClusterSnapshot: e.Snapshot}
}

// Place implements questions.Engine.
func (e *Engine) Place(pods []*v1.Pod, stop bool, opts clustersnapshot.SchedulingOptions) ([]string, error) {
	return e.PlaceMany(pods, nil, stop, opts.IsNodeAcceptable)
}

// Estimate implements questions.Engine.
func (e *Engine) Estimate(groups []consumers.Group, template *framework.NodeInfo, limit int) ([]string, int, error) {
	packed := make([][]*v1.Pod, len(groups))
	for i, group := range groups {
		packed[i] = group.Pods
	}
	done, ok, err := e.BinPack(packed, template, limit, nil)
	if !ok {
		return e.loops().Estimate(groups, template, limit)
	}
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

// Remove implements questions.Engine.
func (e *Engine) Remove(name string, destinations map[string]bool, keep bool) ([]consumers.Status, bool, error) {
	info, err := e.GetNodeInfo(name)
	if err != nil {
		return nil, false, err
	}
	moved, gone, ok, err := e.SimulateRemoval(name, snapshot.Removal{Move: consumers.PodsOf(info), Keep: keep,
		Ghost:  consumers.Ghost(info.Node(), questions.Now),
		Accept: func(info *snapshot.NodeInfo) bool { return destinations[info.Node().Name] }})
	if !ok {
		return e.loops().Remove(name, destinations, keep)
	}
	var statuses []consumers.Status
	for _, m := range moved {
		statuses = append(statuses, consumers.Status{Pod: m.Pod, NodeName: m.Node})
	}
	return statuses, gone, err
}
