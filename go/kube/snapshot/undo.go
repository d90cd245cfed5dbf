package snapshot

import (
	"libsched"

	v1 "k8s.io/api/core/v1"
)

// The Sim undoes its own state; this log undoes what Go keeps beside it. Entries are undone in reverse
// order, so each finds exactly the state that it left.

type undoKind uint8

const (
	nodeAdded undoKind = iota
	nodeRemoved
	nodeReplaced
	podAdded
	podRemoved
)

type undoEntry struct {
	kind undoKind
	info *NodeInfo
	node *v1.Node // of nodeReplaced: the one before
	pod  placed   // of podAdded and podRemoved
	at   int      // of podRemoved: where it was
	// before is the node's version before the change
	before uint64
}

type undoLog []undoEntry

// note writes to the log if a fork could read it.
func (s *Snapshot) note(entry undoEntry) {
	s.changes++
	s.versions++
	entry.before, entry.info.version = entry.info.version, s.versions
	if len(s.forks) > 0 {
		s.log = append(s.log, entry)
	}
}

func (s *Snapshot) undo(until int) {
	for i := len(s.log) - 1; i >= until; i-- {
		entry := &s.log[i]
		info := entry.info
		switch entry.kind {
		case nodeAdded:
			s.unlink(info)
			s.countClaims(info.pods, -1)
		case nodeRemoved:
			s.listed = false // it was anywhere in the order
			s.link(info)
			s.countClaims(info.pods, 1)
		case nodeReplaced:
			info.node = entry.node
			info.allocatable = nil
		case podAdded:
			last := len(info.pods) - 1
			info.pods[last] = placed{}
			info.pods = info.pods[:last]
			s.changed(info, entry.pod.pod, -1)
		case podRemoved:
			info.insert(entry.at, entry.pod)
			s.changed(info, entry.pod.pod, 1)
		}
		info.version = entry.before
		*entry = undoEntry{}
	}
	s.log = s.log[:until]
}

// putPod records a pod that the Sim has.
func (s *Snapshot) putPod(info *NodeInfo, pod *v1.Pod, id libsched.PodID) {
	info.pods = append(info.pods, placed{pod, id})
	s.changed(info, pod, 1)
	s.note(undoEntry{kind: podAdded, info: info, pod: placed{pod, id}})
}

// takePod forgets a pod that the Sim no longer has.
func (s *Snapshot) takePod(info *NodeInfo, at int) {
	pod := info.pods[at]
	last := len(info.pods) - 1
	info.pods[at], info.pods[last] = info.pods[last], placed{}
	info.pods = info.pods[:last]
	s.changed(info, pod.pod, -1)
	s.note(undoEntry{kind: podRemoved, info: info, pod: pod, at: at})
}

// insert undoes takePod.
func (n *NodeInfo) insert(at int, pod placed) {
	n.pods = append(n.pods, pod)
	if last := len(n.pods) - 1; at != last {
		n.pods[last], n.pods[at] = n.pods[at], pod
	}
}

// changed drops what was summed up.
func (s *Snapshot) changed(info *NodeInfo, pod *v1.Pod, sign int) {
	info.requested = nil
	if s.claims != nil {
		s.countClaimsOf(pod, sign)
	}
}

func (s *Snapshot) countClaims(pods []placed, sign int) {
	if s.claims != nil {
		for i := range pods {
			s.countClaimsOf(pods[i].pod, sign)
		}
	}
}

func (s *Snapshot) countClaimsOf(pod *v1.Pod, sign int) {
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		switch {
		case volume.PersistentVolumeClaim != nil:
			s.claims[pod.Namespace+"/"+volume.PersistentVolumeClaim.ClaimName] += sign
		case volume.Ephemeral != nil:
			s.claims[pod.Namespace+"/"+pod.Name+"-"+volume.Name] += sign
		}
	}
}

// IsPVCUsedByPods says whether a pod on one of the nodes uses a volume claim, "namespace/name".
func (s *Snapshot) IsPVCUsedByPods(key string) bool {
	if s.claims == nil {
		s.claims = map[string]int{}
		for _, info := range s.byName {
			s.countClaims(info.pods, 1)
		}
	}
	return s.claims[key] > 0
}
