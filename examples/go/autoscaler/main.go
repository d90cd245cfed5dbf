// Command autoscaler does a single loop of a small cluster autoscaler on the dump of a cluster.
//
//	autoscaler [-below PERCENT] [-add N] CLUSTER   (JSON or YAML, plain or gzip)
//
// Pods that wait are placed where they fit. For the others it finds the kind of node that takes most of
// them, and how many. Then it removes nodes that are used less than -below percent, if their pods find
// places on the rest. -add makes N copies of each pod that waits. It prints one line of JSON:
//
//	{"placed": 3, "grow": {"kind": "m6g.large", "nodes": 2, "pods": 12}, "waiting": 1, "removed": [...]}
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"
)

type growth struct {
	Kind  string `json:"kind"`
	Nodes int    `json:"nodes"`
	Pods  int    `json:"pods"`
}

type report struct {
	Placed  int      `json:"placed"`
	Grow    *growth  `json:"grow,omitempty"`
	Waiting int      `json:"waiting"` // pods that no kind of node takes
	Removed []string `json:"removed"`
}

// loop is one loop of the autoscaler.
func loop(c *cluster, below, add int) (*report, error) {
	fw, err := libsched.NewFramework()
	if err != nil {
		return nil, err
	}
	defer fw.Close()
	catalog, err := kube.NewCatalog(kube.CatalogOptions{})
	if err != nil {
		return nil, err
	}
	defer catalog.Close()
	s, err := snapshot.New(fw, catalog, snapshot.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Sim().Set(c.others...); err != nil {
		return nil, err
	}
	if err := s.SetClusterState(c.nodes, c.running); err != nil {
		return nil, err
	}
	r := &report{Removed: []string{}}
	waiting, err := place(s, repeat(c.waiting, add), r)
	if err != nil {
		return nil, err
	}
	if err := grow(s, c.nodes, waiting, r); err != nil {
		return nil, err
	}
	return r, shrink(s, c.nodes, below, r)
}

func repeat(pods []*v1.Pod, add int) []*v1.Pod {
	var all []*v1.Pod
	for _, pod := range pods {
		all = append(all, pod)
		for range add {
			all = append(all, pod) // a pod may be placed any number of times
		}
	}
	return all
}

// place puts pods onto nodes that are there, and returns those that fit nowhere.
func place(s *snapshot.Snapshot, pods []*v1.Pod, r *report) ([]*v1.Pod, error) {
	places, err := s.PlaceMany(pods, snapshot.PlaceOptions{})
	if err != nil {
		return nil, err
	}
	var left []*v1.Pod
	for i, name := range places {
		if name == "" {
			left = append(left, pods[i])
		} else {
			r.Placed++
		}
	}
	return left, nil
}

// grow finds the kind of node that takes most of the pods, on the fewest nodes.
func grow(s *snapshot.Snapshot, nodes []*v1.Node, pods []*v1.Pod, r *report) error {
	r.Waiting = len(pods)
	var groups []snapshot.PackGroup
	for _, pod := range pods {
		at := slices.IndexFunc(groups, func(g snapshot.PackGroup) bool { return g.Pod == pod })
		if at < 0 {
			at = len(groups)
			groups = append(groups, snapshot.PackGroup{Pod: pod})
		}
		groups[at].Count++
	}
	tried := map[string]bool{}
	for _, node := range nodes {
		kind := node.Labels[v1.LabelInstanceTypeStable]
		if kind == "" || tried[kind] || node.Spec.Unschedulable || len(groups) == 0 {
			continue
		}
		tried[kind] = true
		packed, err := s.BinPack(groups, template(node, kind), nil, snapshot.PackOptions{MaxNodes: 100})
		if err != nil {
			return err
		}
		if best := r.Grow; packed.Placed > 0 && (best == nil || packed.Placed > best.Pods || packed.Placed == best.Pods && packed.Used < best.Nodes) {
			r.Grow = &growth{kind, packed.Used, packed.Placed}
		}
	}
	if r.Grow != nil {
		r.Waiting -= r.Grow.Pods
	}
	return nil
}

// template is an empty node like another one.
func template(node *v1.Node, name string) *v1.Node {
	copied := node.DeepCopy()
	copied.Name = name
	copied.Labels[v1.LabelHostname] = name
	return copied
}

// shrink removes nodes that are little used, as long as all their pods find other places.
func shrink(s *snapshot.Snapshot, nodes []*v1.Node, below int, r *report) error {
	for _, node := range nodes {
		if _, control := node.Labels["node-role.kubernetes.io/control-plane"]; control {
			continue
		}
		info, err := s.GetNodeInfo(node.Name)
		if err != nil {
			return err
		}
		if used, all := info.Requested(), info.Allocatable(); used.MilliCPU*100 >= int64(below)*all.MilliCPU || used.Memory*100 >= int64(below)*all.Memory {
			continue
		}
		move, ok := movable(info.Pods())
		if !ok {
			continue
		}
		ghost := node.DeepCopy()
		ghost.Spec.Taints = append(ghost.Spec.Taints, v1.Taint{Key: "being-removed", Effect: v1.TaintEffectNoSchedule})
		_, gone, err := s.SimulateRemoval(node.Name, snapshot.Removal{Move: move, Ghost: ghost, Keep: true})
		if err != nil {
			return err
		}
		if gone {
			r.Removed = append(r.Removed, node.Name)
		}
	}
	return nil
}

// movable leaves out pods that end with the node. It is false if nobody would make a pod again.
func movable(pods []*v1.Pod) (move []*v1.Pod, ok bool) {
	for _, pod := range pods {
		owner := metav1.GetControllerOf(pod)
		switch {
		case owner == nil:
			return nil, false
		case owner.Kind != "DaemonSet" && owner.Kind != "Node":
			move = append(move, pod)
		}
	}
	return move, true
}

func main() {
	below := flag.Int("below", 30, "remove nodes that are used less, in percent")
	add := flag.Int("add", 0, "copies of each pod that waits")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	c, err := load(flag.Arg(0))
	if err == nil {
		var r *report
		if r, err = loop(c, *below, *add); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(r)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
