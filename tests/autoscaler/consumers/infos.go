package consumers

import (
	v1 "k8s.io/api/core/v1"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// NewNodeInfo returns a NodeInfo without devices, whose pods have no claims.
func NewNodeInfo(node *v1.Node, pods ...*v1.Pod) *framework.NodeInfo {
	info := framework.NewNodeInfo(node, nil)
	for _, pod := range pods {
		info.AddPod(framework.NewPodInfo(pod, nil))
	}
	return info
}

// PodsOf returns the pods of a NodeInfo.
func PodsOf(info *framework.NodeInfo) []*v1.Pod {
	infos := info.Pods()
	pods := make([]*v1.Pod, len(infos))
	for i, pod := range infos {
		pods[i] = pod.Pod
	}
	return pods
}
