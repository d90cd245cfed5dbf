package questions

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// mostDeep is the largest number of open forks.
const mostDeep = 5

// ask asks a random question or makes a random change. An answer of "" does not count.
func (a *asker) ask() (string, error) {
	kind := a.r.Intn(100)
	if len(a.now.nodes) < 2 {
		kind = 62 // add a node
	}
	switch {
	case kind < 26:
		node := a.node()
		return "check " + verdict(a.engine.CheckPredicates(a.pod(), node.Name)), nil
	case kind < 50:
		pod := a.pod()
		node, err := a.engine.SchedulePodOnAnyNodeMatching(pod, a.options())
		if err == nil {
			a.put(pod, node)
		}
		return a.placed("first "+node, pod, err)
	case kind < 57:
		pod, node := a.pod(), a.node().Name
		err := a.engine.SchedulePod(pod, node)
		if err == nil {
			a.put(pod, node)
		}
		return a.placed("schedule", pod, err)
	case kind < 62:
		pod, node := a.there()
		if pod == nil {
			return "", nil
		}
		a.take(pod, node)
		return "unschedule", a.engine.UnschedulePod(pod.Namespace, pod.Name, node)
	case kind < 67:
		return a.addNode()
	case kind < 69:
		name := a.node().Name
		a.drop(name)
		return "remove node", a.engine.RemoveNodeInfo(name)
	case kind < 71:
		return a.replaceNode()
	case kind < 73:
		pod, node := a.pod(), a.node().Name
		a.put(pod, node)
		return "force", a.engine.ForceAddPod(pod, node)
	case kind < 84:
		return "", a.fork(kind)
	case kind < 88:
		return a.estimate()
	case kind < 93:
		return a.remove()
	case kind < 97:
		return a.place()
	}
	text, err := listing(a.engine)
	if err != nil {
		return "", err
	}
	devices, err := a.devices(nil)
	return "list " + text + devices, err
}

// placed is the answer to a question that places a pod.
func (a *asker) placed(text string, pod *v1.Pod, refusal clustersnapshot.SchedulingError) (string, error) {
	devices, err := a.devices(pod)
	return text + " " + verdict(refusal) + devices, err
}

func (a *asker) fork(kind int) error {
	last := len(a.outside) - 1
	switch {
	case kind < 78 && last+1 < mostDeep:
		a.engine.Fork()
		a.outside = append(a.outside, a.now)
		a.now = a.now.clone()
	case last < 0: // no effect
		a.engine.Revert()
		return a.engine.Commit()
	case kind < 81:
		a.engine.Revert()
		a.now, a.outside = a.outside[last], a.outside[:last]
	default:
		a.outside = a.outside[:last]
		return a.engine.Commit()
	}
	return nil
}

func (a *asker) addNode() (string, error) {
	info := a.nodeInfo(named(a.r, pick(a.r, a.shapes...), a.name("m")), true)
	node := info.Node()
	a.now.nodes = append(slices.Clone(a.now.nodes), node)
	a.now.pods[node.Name] = consumers.PodsOf(info)
	return "add node", a.engine.AddNodeInfo(info)
}

// nodeInfo returns a new node with pods; `whole`: with devices and a CSINode. Claims that pods own have devices of it.
func (a *asker) nodeInfo(node *v1.Node, whole bool) *framework.NodeInfo {
	info := framework.NewNodeInfo(node, nil)
	if whole {
		info.LocalResourceSlices = cards(a.r, node.Name, pick(a.r, 0, 1, 2, 3))
		info.SetCSINode(driver(a.r, node.Name))
	}
	taken := map[string]bool{}
	for a.r.Intn(2) == 0 {
		pod, claim := a.made(pick(a.r, a.kinds...))
		if len(pod.Spec.ResourceClaims) > 1 || claim == nil && len(pod.Spec.ResourceClaims) > 0 ||
			claim != nil && !give(claim, pod, node.Name, info.LocalResourceSlices, taken) {
			continue
		}
		pod.Spec.NodeName = node.Name
		var claims []*resourceapi.ResourceClaim
		if claim != nil {
			claims = append(claims, claim)
		}
		info.AddPod(framework.NewPodInfo(pod, claims))
	}
	return info
}

func (a *asker) replaceNode() (string, error) {
	at := a.r.Intn(len(a.now.nodes))
	node := a.now.nodes[at].DeepCopy()
	if slices.ContainsFunc(a.now.pods[node.Name], func(p *v1.Pod) bool { return len(p.Spec.ResourceClaims) > 0 }) {
		return "", nil // their claims would go with the old node, some without devices
	}
	node.Spec.Taints = append(node.Spec.Taints, taint(a.r))
	node.Labels["disk"] = pick(a.r, "ssd", "hdd")
	a.now.nodes = slices.Clone(a.now.nodes)
	a.now.nodes[at] = node
	return "replace node", a.engine.ReplaceNode(node)
}

// cut ends a search after so many steps.
type cut struct {
	clustersnapshot.NodeOrderMapping
	steps int
}

func (c *cut) At(i int) int {
	if i >= c.steps {
		return -1
	}
	return c.NodeOrderMapping.At(i)
}

// options returns how to search: by a ring or by an order, any node or some.
func (a *asker) options() clustersnapshot.SchedulingOptions {
	var opts clustersnapshot.SchedulingOptions
	sign := pick(a.r, 1, -1)
	by := clustersnapshot.NewPriorityNodeOrderMapping(func(x, y *framework.NodeInfo) bool {
		return strings.Compare(x.Node().Labels["size"]+x.Node().Labels["disk"], y.Node().Labels["size"]+y.Node().Labels["disk"])*sign < 0
	})
	switch a.r.Intn(8) {
	case 0, 1:
		opts.NodeOrdering = pick(a.r, a.rings...)
	case 2, 3:
		opts.NodeOrdering = by
	case 4:
		opts.NodeOrdering = &cut{by, 1 + a.r.Intn(4)}
	}
	opts.IsNodeAcceptable = a.accept()
	return opts
}

// accept returns a condition for nodes, or nil.
func (a *asker) accept() func(*framework.NodeInfo) bool {
	parts := 2 + a.r.Intn(3)
	part := a.r.Intn(parts)
	switch a.r.Intn(6) {
	case 0, 1:
		return func(info *framework.NodeInfo) bool {
			return int(info.Node().Name[len(info.Node().Name)-1])%parts == part
		}
	case 2:
		return func(info *framework.NodeInfo) bool { return len(info.Pods()) > 0 }
	}
	return nil
}

func (a *asker) place() (string, error) {
	var pods []*v1.Pod
	for range 1 + a.r.Intn(3) {
		kind := pick(a.r, a.kinds...)
		for range 1 + a.r.Intn(4) {
			pods = append(pods, a.podOf(kind))
		}
	}
	opts := clustersnapshot.SchedulingOptions{IsNodeAcceptable: a.accept()}
	places, err := a.engine.Place(pods, a.r.Intn(3) == 0, opts)
	for i, node := range places {
		if node != "" {
			a.put(pods[i], node)
		}
	}
	if err != nil {
		return "", err
	}
	devices, err := a.devices(nil)
	return fmt.Sprintf("place %q%s", places, devices), err
}

func (a *asker) estimate() (string, error) {
	var groups []consumers.Group
	for range 1 + a.r.Intn(3) {
		kind := pick(a.r, a.kinds...)
		var group consumers.Group
		for range 1 + a.r.Intn(15) {
			group.Pods = append(group.Pods, a.podOf(kind))
		}
		groups = append(groups, group)
	}
	node := pick(a.r, a.shapes...).DeepCopy()
	node.Name = a.name("t")
	node.Labels[v1.LabelHostname] = node.Name
	limit := pick(a.r, 0, 2, 5)
	places, nodes, err := a.engine.Estimate(groups, a.nodeInfo(node, a.r.Intn(2) == 0), limit)
	return fmt.Sprintf("estimate %d %q", nodes, places), err
}

func (a *asker) remove() (string, error) {
	name := a.node().Name
	destinations := map[string]bool{}
	some := a.r.Intn(3) == 0
	for _, node := range a.now.nodes {
		destinations[node.Name] = !some || a.r.Intn(2) == 0
	}
	keep := a.r.Intn(2) == 0
	statuses, gone, err := a.engine.Remove(name, destinations, keep)
	if err != nil {
		return "", err
	}
	var text []string
	for _, status := range statuses {
		text = append(text, status.Pod.Name+":"+status.NodeName)
	}
	if gone && keep {
		a.drop(name)
		for _, status := range statuses {
			a.put(status.Pod, status.NodeName)
		}
	}
	devices, err := a.devices(nil)
	return fmt.Sprintf("removal %v %v%s", gone, text, devices), err
}
