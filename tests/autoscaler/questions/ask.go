package questions

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/autoscaler/consumers"
	"libsched.dev/tests/autoscaler/contract"
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
		return "first " + node + " " + verdict(err), nil
	case kind < 57:
		pod, node := a.pod(), a.node().Name
		err := a.engine.SchedulePod(pod, node)
		if err == nil {
			a.put(pod, node)
		}
		return "schedule " + verdict(err), nil
	case kind < 62:
		pod, node := a.placed()
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
	return "list " + text, err
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
	node := named(a.r, pick(a.r, a.shapes...), a.name("m"))
	var pods []*v1.Pod
	for a.r.Intn(2) == 0 {
		pod := a.pod()
		pod.Spec.NodeName = node.Name
		pods = append(pods, pod)
	}
	a.now.nodes = append(slices.Clone(a.now.nodes), node)
	a.now.pods[node.Name] = pods
	return "add node", a.engine.AddNodeInfo(contract.NewNodeInfo(node, pods...))
}

func (a *asker) replaceNode() (string, error) {
	at := a.r.Intn(len(a.now.nodes))
	node := a.now.nodes[at].DeepCopy()
	node.Spec.Taints = append(node.Spec.Taints, taint(a.r))
	node.Labels["disk"] = pick(a.r, "ssd", "hdd")
	a.now.nodes = slices.Clone(a.now.nodes)
	a.now.nodes[at] = node
	return "replace node", a.engine.ReplaceNode(node)
}

// cut ends a search after so many steps.
type cut struct {
	contract.NodeOrderMapping
	steps int
}

func (c *cut) At(i int) int {
	if i >= c.steps {
		return -1
	}
	return c.NodeOrderMapping.At(i)
}

// options returns how to search: by a ring or by an order, any node or some.
func (a *asker) options() contract.SchedulingOptions {
	var opts contract.SchedulingOptions
	sign := pick(a.r, 1, -1)
	by := contract.NewPriorityNodeOrderMapping(func(x, y contract.NodeInfo) bool {
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
func (a *asker) accept() func(contract.NodeInfo) bool {
	parts := 2 + a.r.Intn(3)
	part := a.r.Intn(parts)
	switch a.r.Intn(6) {
	case 0, 1:
		return func(info contract.NodeInfo) bool { return int(info.Node().Name[len(info.Node().Name)-1])%parts == part }
	case 2:
		return func(info contract.NodeInfo) bool { return len(info.Pods()) > 0 }
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
	opts := contract.SchedulingOptions{IsNodeAcceptable: a.accept()}
	places, err := a.engine.Place(pods, a.r.Intn(3) == 0, opts)
	for i, node := range places {
		if node != "" {
			a.put(pods[i], node)
		}
	}
	return fmt.Sprintf("place %q", places), err
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
	var pods []*v1.Pod
	if a.r.Intn(3) == 0 {
		pods = append(pods, a.pod())
	}
	limit := pick(a.r, 0, 2, 5)
	places, nodes, err := a.engine.Estimate(groups, contract.NewNodeInfo(node, pods...), limit)
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
	var text []string
	for _, status := range statuses {
		text = append(text, status.Pod.Name+":"+status.NodeName)
	}
	if gone && keep && err == nil {
		a.drop(name)
		for _, status := range statuses {
			a.put(status.Pod, status.NodeName)
		}
	}
	return fmt.Sprintf("removal %v %v", gone, text), err
}
