//go:build libsched

package libschedsnapshot

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// The autoscaler's loops over many pods, each in one call of the library. They are beside the interface, for loops that
// look for them (README.md).

// PlaceMany places pods as TrySchedulePods does, and returns their nodes, "" for those that found none. hints is nil, or
// has the node of each pod, or "".
func (s *Snapshot) PlaceMany(pods []*v1.Pod, hints []string, stopAtFailure bool, accept func(*framework.NodeInfo) bool) ([]string, error) {
	if err := s.catchUp(); err != nil {
		return nil, err
	}
	names, err := s.inner.PlaceMany(pods, snapshot.PlaceOptions{Hints: hints, StopAtFailure: stopAtFailure,
		Search: snapshot.Search{Accept: s.accept(accept)}})
	for i, name := range names {
		if name != "" && s.hasClaims(pods[i]) {
			if failed := s.took(pods[i]); failed != nil && err == nil {
				err = failed
			}
		}
	}
	return names, err
}

// BinPack finds out how many copies of a template groups of equal pods need, as the estimator does: copies have devices
// and a CSINode of their own. false says that pods of the template or of the groups have claims, which the estimator's
// loop has to copy: use it then, on this Snapshot.
func (s *Snapshot) BinPack(groups [][]*v1.Pod, template *framework.NodeInfo, maxNodes int, permit func() bool) (snapshot.Packing, bool, error) {
	if err := s.catchUp(); err != nil {
		return snapshot.Packing{}, true, err
	}
	var pods []*v1.Pod
	for _, pod := range template.Pods() {
		if s.hasClaims(pod.Pod) {
			return snapshot.Packing{}, false, nil
		}
		pods = append(pods, pod.Pod)
	}
	var packed []snapshot.PackGroup
	for _, group := range groups {
		if len(group) == 0 {
			continue
		}
		if s.hasClaims(group[0]) {
			return snapshot.Packing{}, false, nil
		}
		packed = append(packed, snapshot.PackGroup{Pod: group[0], Count: len(group)})
	}
	var objects []runtime.Object
	if s.factory.options.Devices {
		objects = appendObjects(objects, template.LocalResourceSlices)
	}
	if s.factory.options.CSINodes && template.CSINode != nil {
		objects = append(objects, template.CSINode)
	}
	done, err := s.inner.BinPack(packed, template.Node(), pods, snapshot.PackOptions{MaxNodes: maxNodes, Permit: permit, Objects: objects})
	return done, true, err
}

// SimulateRemoval finds out whether a node can go, and where the pods that move go then, as RemovalSimulator does.
// ok is false if pods that end with the node have claims: use the autoscaler's loop then, on this Snapshot.
func (s *Snapshot) SimulateRemoval(nodeName string, removal snapshot.Removal) (moved []snapshot.Moved, gone, ok bool, err error) {
	if err := s.catchUp(); err != nil {
		return nil, false, true, err
	}
	info, err := s.find(nodeName)
	if err != nil {
		return nil, false, true, err
	}
	moves := map[*v1.Pod]bool{}
	for _, pod := range removal.Move {
		moves[pod] = true
	}
	var rest []*v1.Pod
	for _, pod := range info.Pods() {
		if moves[pod] {
			continue
		}
		if s.hasClaims(pod) {
			return nil, false, false, nil
		}
		rest = append(rest, pod)
	}
	moved, gone, err = s.inner.SimulateRemoval(nodeName, removal)
	if err != nil || !gone || !removal.Keep {
		return moved, gone, true, err
	}
	return moved, gone, true, s.left(nodeName, moved, rest)
}

// left brings the autoscaler's snapshots up to date after a removal.
func (s *Snapshot) left(nodeName string, moved []snapshot.Moved, rest []*v1.Pod) error {
	for _, m := range moved {
		if s.hasClaims(m.Pod) {
			if err := s.devices.UnreservePodClaims(m.Pod); err != nil {
				return err
			}
		}
	}
	if err := s.removeObjects(nodeName, rest); err != nil {
		return err
	}
	for _, m := range moved {
		if s.hasClaims(m.Pod) {
			if err := s.took(m.Pod); err != nil {
				return err
			}
		}
	}
	return nil
}
