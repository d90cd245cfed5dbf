package snapshot

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"libsched"
	"libsched/kube"
)

// AddNodeInfo adds a node with pods, without asking whether they fit: behind all others, or in the place of a
// node of the same name if RemoveNodeInfo was the last call before it. So the autoscaler replaces a node.
// Errors: those of kube.Catalog.Node, and one without a code if there is a node of the name; nothing has
// changed then.
func (s *Snapshot) AddNodeInfo(node *v1.Node, pods ...*v1.Pod) error {
	if node == nil {
		return nilError("the node")
	}
	defer s.catalog.Hold().Release()
	if s.byName[node.Name] != nil {
		return fmt.Errorf("node %s already in snapshot", node.Name)
	}
	like, err := s.catalog.Node(node)
	if err != nil {
		return err
	}
	if len(pods) != 0 {
		if s.refs, err = s.catalog.PlacedPods(pods, s.refs); err != nil {
			return err
		}
	}
	info := &NodeInfo{snapshot: s, node: node}
	if s.leaving != nil && s.leaving.node.Name == node.Name {
		err = s.takePlace(info, like)
	} else {
		info.id, err = s.live().AddNode(like, node.Name)
	}
	if err != nil {
		return err
	}
	for i, pod := range pods {
		place, err := s.sim.AddPod(s.refs[i], info.id)
		if err != nil {
			must("AddNodeInfo", s.sim.RemoveNode(info.id))
			return err
		}
		info.pods = append(info.pods, placed{pod, place})
	}
	s.link(info)
	s.countClaims(info.pods, 1)
	s.note(undoEntry{kind: nodeAdded, info: info})
	return nil
}

// takePlace makes a node of the one that is leaving.
func (s *Snapshot) takePlace(info *NodeInfo, like libsched.NodeRef) error {
	old := s.leaving
	if err := s.sim.ReplaceNode(old.id, like); err != nil {
		return err
	}
	ids := make([]libsched.PodID, len(old.pods))
	for i := range old.pods {
		ids[i] = old.pods[i].id
	}
	must("AddNodeInfo", s.sim.RemovePods(ids...))
	info.id, s.leaving = old.id, nil
	return nil
}

// RemoveNodeInfo removes a node and its pods. Errors: ErrNodeNotFound.
func (s *Snapshot) RemoveNodeInfo(name string) error {
	info, err := s.GetNodeInfo(name)
	if err != nil {
		return err
	}
	s.live()
	s.leaving = info
	s.removed(info)
	return nil
}

// removed forgets a node.
func (s *Snapshot) removed(info *NodeInfo) {
	s.unlink(info)
	info.requested, info.allocatable = nil, nil
	s.countClaims(info.pods, -1)
	s.note(undoEntry{kind: nodeRemoved, info: info})
}

// ReplaceNode gives a node of the same name another content; its pods and its place in the order stay.
// Errors: ErrNodeNotFound, those of kube.Catalog.Node.
func (s *Snapshot) ReplaceNode(node *v1.Node) error {
	if node == nil {
		return nilError("the node")
	}
	defer s.catalog.Hold().Release()
	info, err := s.GetNodeInfo(node.Name)
	if err != nil {
		return err
	}
	ref, err := s.catalog.Node(node)
	if err != nil {
		return err
	}
	if err := s.live().ReplaceNode(info.id, ref); err != nil {
		return err
	}
	s.note(undoEntry{kind: nodeReplaced, info: info, node: info.node})
	info.node, info.allocatable = node, nil
	return nil
}

// ForceAddPod puts a pod onto a node without asking whether it fits. A pod may be there any number of times.
// Errors: ErrNodeNotFound, those of kube.Catalog.Pod.
func (s *Snapshot) ForceAddPod(pod *v1.Pod, nodeName string) error {
	info, err := s.GetNodeInfo(nodeName)
	if err != nil {
		return err
	}
	id, err := s.live().Put(pod, info.id)
	if err != nil {
		return err
	}
	s.putPod(info, pod, id)
	return nil
}

// ForceRemovePod takes a pod off a node; claims of devices stay as they are. Errors: ErrNodeNotFound; an error without a code if the pod is not
// there.
func (s *Snapshot) ForceRemovePod(namespace, podName, nodeName string) error {
	return s.takeOff(namespace, podName, nodeName, (*kube.Sim).RemovePods)
}

func (s *Snapshot) takeOff(namespace, podName, nodeName string, remove func(*kube.Sim, ...libsched.PodID) error) error {
	info, err := s.GetNodeInfo(nodeName)
	if err != nil {
		return err
	}
	at := info.find(namespace, podName)
	if at < 0 {
		return fmt.Errorf("pod %s/%s not in snapshot", namespace, podName)
	}
	if err := remove(s.live(), info.pods[at].id); err != nil {
		return err
	}
	s.takePod(info, at)
	return nil
}

// UnschedulePod is ForceRemovePod that also takes the pod's claims of devices back: they are not reserved for it
// any more, and those of its own, or without another pod, lose their devices.
func (s *Snapshot) UnschedulePod(namespace, podName, nodeName string) error {
	return s.takeOff(namespace, podName, nodeName, (*kube.Sim).UnplacePods)
}

func (n *NodeInfo) find(namespace, name string) int {
	for i := range n.pods {
		if pod := n.pods[i].pod; pod.Name == name && pod.Namespace == namespace {
			return i
		}
	}
	return -1
}
