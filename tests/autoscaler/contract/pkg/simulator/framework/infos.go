// Package framework re-declares the autoscaler's NodeInfo and PodInfo: what plugins see of nodes and pods, with the
// claims, devices and CSINodes that belong to them. Where the autoscaler embeds types of the Go scheduler there are
// interfaces here, so that `reference` can put those types in, and others need none of them.
package framework

import (
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// SharedLister is what plugins read of a snapshot.
type SharedLister interface {
	fwk.SharedLister
	fwk.SharedDRAManager
	fwk.CSIManager
}

// PodInfo is a pod with the claims that it needs. Callers treat all of it as read-only.
type PodInfo struct {
	*v1.Pod
	fwk.PodInfo
	NeededResourceClaims []*resourceapi.ResourceClaim
}

// NewPodInfo returns a PodInfo.
func NewPodInfo(pod *v1.Pod, claims []*resourceapi.ResourceClaim) *PodInfo {
	return &PodInfo{Pod: pod, PodInfo: plainPod{pod: pod}, NeededResourceClaims: claims}
}

// NodeInfo is a node with its pods, its own devices and its CSINode. Callers treat all of it as read-only.
type NodeInfo struct {
	fwk.NodeInfo
	LocalResourceSlices []*resourceapi.ResourceSlice
	CSINode             *storagev1.CSINode
}

// NewNodeInfo returns a NodeInfo.
func NewNodeInfo(node *v1.Node, slices []*resourceapi.ResourceSlice, pods ...*PodInfo) *NodeInfo {
	n := &NodeInfo{NodeInfo: &plainNode{node: node}, LocalResourceSlices: slices}
	for _, pod := range pods {
		n.AddPod(pod)
	}
	return n
}

// Pods returns the pods of the node.
func (n *NodeInfo) Pods() []*PodInfo {
	var pods []*PodInfo
	for _, pod := range n.GetPods() {
		pods = append(pods, pod.(*PodInfo))
	}
	return pods
}

// AddPod adds a pod.
func (n *NodeInfo) AddPod(pod *PodInfo) { n.AddPodInfo(pod) }

// SetCSINode sets the CSINode, and returns the NodeInfo.
func (n *NodeInfo) SetCSINode(csiNode *storagev1.CSINode) *NodeInfo {
	n.CSINode = csiNode
	return n
}

// ResourceClaims returns the claims of all pods, each once.
func (n *NodeInfo) ResourceClaims() []*resourceapi.ResourceClaim {
	seen := map[string]bool{}
	var claims []*resourceapi.ResourceClaim
	for _, pod := range n.Pods() {
		for _, claim := range pod.NeededResourceClaims {
			if !seen[string(claim.UID)] {
				seen[string(claim.UID)] = true
				claims = append(claims, claim)
			}
		}
	}
	return claims
}

// plainPod and plainNode are a pod and a node without what the Go scheduler computes of them.
type plainPod struct {
	fwk.PodInfo
	pod *v1.Pod
}

func (p plainPod) GetPod() *v1.Pod { return p.pod }

type plainNode struct {
	fwk.NodeInfo
	node *v1.Node
	pods []fwk.PodInfo
}

func (n *plainNode) Node() *v1.Node             { return n.node }
func (n *plainNode) SetNode(node *v1.Node)      { n.node = node }
func (n *plainNode) GetPods() []fwk.PodInfo     { return n.pods }
func (n *plainNode) AddPodInfo(pod fwk.PodInfo) { n.pods = append(n.pods, pod) }

func (n *plainNode) GetPodsWithAffinity() []fwk.PodInfo {
	return n.with(func(a *v1.Affinity) bool { return a.PodAffinity != nil || a.PodAntiAffinity != nil })
}

func (n *plainNode) GetPodsWithRequiredAntiAffinity() []fwk.PodInfo {
	return n.with(func(a *v1.Affinity) bool { return len(repelled(a)) > 0 })
}

func (n *plainNode) GetPodsWithRequiredNonHostScopedAntiAffinity() []fwk.PodInfo {
	return n.with(func(a *v1.Affinity) bool {
		for _, term := range repelled(a) {
			if term.TopologyKey != v1.LabelHostname {
				return true
			}
		}
		return false
	})
}

func repelled(a *v1.Affinity) []v1.PodAffinityTerm {
	if a.PodAntiAffinity == nil {
		return nil
	}
	return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

func (n *plainNode) with(affinity func(*v1.Affinity) bool) (found []fwk.PodInfo) {
	for _, pod := range n.pods {
		if a := pod.GetPod().Spec.Affinity; a != nil && affinity(a) {
			found = append(found, pod)
		}
	}
	return found
}
