// A nominator without a scheduling queue.

package judge

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"libsched.dev/tests/oracle/kube"
)

// nominator is a PodNominator without a queue behind it. (Upstream's lives in
// the scheduling queue and only returns pods that are queued.) Pods nominated
// to a node are kept in the order of their nomination.
type nominator struct {
	byNode map[string][]kube.PodInfo
}

var _ kube.PodNominator = &nominator{}

// NewNominator returns an empty nominator.
func NewNominator() kube.PodNominator { return &nominator{byNode: map[string][]kube.PodInfo{}} }

func (n *nominator) AddNominatedPod(_ klog.Logger, pi kube.PodInfo, info *kube.NominatingInfo) {
	n.DeleteNominatedPodIfExists(kube.PodOf(pi))
	node := kube.PodOf(pi).Status.NominatedNodeName
	if info.Mode() == kube.ModeOverride {
		node = info.NominatedNodeName
	}
	if node != "" {
		n.byNode[node] = append(n.byNode[node], pi)
	}
}

func (n *nominator) DeleteNominatedPodIfExists(pod *v1.Pod) {
	for node, list := range n.byNode {
		keep := make([]kube.PodInfo, 0, len(list))
		for _, pi := range list {
			if kube.PodOf(pi).UID != pod.UID {
				keep = append(keep, pi)
			}
		}
		n.byNode[node] = keep
	}
}

func (n *nominator) UpdateNominatedPod(logger klog.Logger, old *v1.Pod, pi kube.PodInfo) {
	n.DeleteNominatedPodIfExists(old)
	n.AddNominatedPod(logger, pi, nil)
}

func (n *nominator) NominatedPodsForNode(node string) []kube.PodInfo {
	return append([]kube.PodInfo(nil), n.byNode[node]...)
}
