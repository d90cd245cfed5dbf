// A nominator without a scheduling queue.

package judge

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// nominator is a PodNominator without a queue behind it. (Upstream's lives in
// the scheduling queue and only returns pods that are queued.) Pods nominated
// to a node are kept in the order of their nomination.
type nominator struct {
	byNode map[string][]fwk.PodInfo
}

var _ fwk.PodNominator = &nominator{}

// NewNominator returns an empty nominator.
func NewNominator() fwk.PodNominator { return &nominator{byNode: map[string][]fwk.PodInfo{}} }

func (n *nominator) AddNominatedPod(_ klog.Logger, pi fwk.PodInfo, info *fwk.NominatingInfo) {
	n.DeleteNominatedPodIfExists(pi.GetPod())
	node := pi.GetPod().Status.NominatedNodeName
	if info.Mode() == fwk.ModeOverride {
		node = info.NominatedNodeName
	}
	if node != "" {
		n.byNode[node] = append(n.byNode[node], pi)
	}
}

func (n *nominator) DeleteNominatedPodIfExists(pod *v1.Pod) {
	for node, list := range n.byNode {
		keep := make([]fwk.PodInfo, 0, len(list))
		for _, pi := range list {
			if pi.GetPod().UID != pod.UID {
				keep = append(keep, pi)
			}
		}
		n.byNode[node] = keep
	}
}

func (n *nominator) UpdateNominatedPod(logger klog.Logger, old *v1.Pod, pi fwk.PodInfo) {
	n.DeleteNominatedPodIfExists(old)
	n.AddNominatedPod(logger, pi, nil)
}

func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	return append([]fwk.PodInfo(nil), n.byNode[node]...)
}
