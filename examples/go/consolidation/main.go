// Command consolidation finds nodes that can go, as Karpenter's consolidation does: the pods of a node find
// places on the other nodes, or all of them fit on one new node that is cheaper.
//
//	consolidation CLUSTER      (JSON or YAML, plain or gzip)
//
// The kinds of machines are those that the cluster has (node.kubernetes.io/instance-type), and a machine's price
// is its CPU. Which pod could run on which kind is one question, a matrix of pods and new nodes. It prints a
// line of JSON for each node that can go, each as if it were the only one:
//
//	{"node": "a", "delete": true}
//	{"node": "b", "replace": "m7.xlarge", "saves": 2000}
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"libsched"
	"libsched/examples/internal/dump"
)

type line struct {
	Node    string `json:"node"`
	Delete  bool   `json:"delete,omitempty"`
	Replace string `json:"replace,omitempty"` // the kind of the new node
	Saves   int64  `json:"saves,omitempty"`   // thousandths of a CPU
}

type machine struct {
	name  string
	like  libsched.NodeRef
	price int64
}

// kinds returns the kinds of machines, the cheapest first.
func kinds(d *dump.Dump) []machine {
	var all []machine
	for i, node := range d.Nodes {
		name, labelled := node.Label("node.kubernetes.io/instance-type")
		known := slices.ContainsFunc(all, func(m machine) bool { return m.name == name })
		if labelled && !known && !node.Unschedulable() {
			all = append(all, machine{name, d.NodeRef(d.NodeIDs[i]), node.Allocatable("cpu")})
		}
	}
	slices.SortStableFunc(all, func(a, b machine) int { return int(a.price - b.price) })
	return all
}

// moves returns the pods of a node that run elsewhere when it goes: all but those of DaemonSets, which every
// node has. A node with static pods does not go.
func moves(d *dump.Dump, node libsched.NodeID) ([]libsched.PodID, bool) {
	pods := d.PodsOn(node, nil)
	if slices.ContainsFunc(pods, func(id libsched.PodID) bool { return d.Owners[id] == dump.Static }) {
		return nil, false
	}
	return slices.DeleteFunc(pods, func(id libsched.PodID) bool { return d.Owners[id] == dump.DaemonSet }), true
}

// replacement finds the cheapest kind of machine, cheaper than the node, that takes all pods at once.
func replacement(d *dump.Dump, pods []libsched.PodRef, node *libsched.Node, all []machine) (*line, error) {
	ctx := context.Background()
	if err := d.Fork(); err != nil {
		return nil, err
	}
	defer d.Revert()
	var fresh []libsched.NodeID
	for _, m := range all {
		id, err := d.AddNode(m.like, "new-"+m.name)
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, id)
	}
	takes := make([]libsched.Verdict8, len(pods)*len(fresh))
	if err := d.CheckMany(ctx, pods, fresh, nil, takes); err != nil {
		return nil, err
	}
	for k, m := range all {
		one := true
		for i := range pods {
			one = one && takes[i*len(fresh)+k] == 0
		}
		if !one || m.price >= node.Allocatable("cpu") {
			continue
		}
		// Each fits alone: do they fit together?
		if err := d.Fork(); err != nil {
			return nil, err
		}
		hits := make([]libsched.Hit, len(pods))
		placed, err := d.PlaceMany(ctx, pods, &libsched.Query{Order: fresh[k : k+1]},
			libsched.PlaceOptions{StopAtFailure: true}, hits)
		if err := d.Revert(); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, err
		}
		if placed == len(pods) {
			return &line{Node: node.Name(), Replace: m.name, Saves: node.Allocatable("cpu") - m.price}, nil
		}
	}
	return nil, nil
}

func consolidate(d *dump.Dump, out *json.Encoder) error {
	all := kinds(d)
	for i, node := range d.Nodes {
		move, goes := moves(d, d.NodeIDs[i])
		if !goes {
			continue
		}
		refs := make([]libsched.PodRef, len(move))
		for k, id := range move {
			refs[k] = d.PodRef(id)
		}
		// On trial: Keep is false.
		gone, err := d.Remove(context.Background(), d.NodeIDs[i], move, &libsched.Query{SkipUnschedulable: true},
			libsched.RemoveOptions{}, make([]libsched.Hit, len(move)))
		if err != nil {
			return err
		}
		found := &line{Node: node.Name(), Delete: true}
		if !gone {
			if found, err = replacement(d, refs, node, all); err != nil {
				return err
			}
		}
		if found != nil {
			if err := out.Encode(found); err != nil {
				return err
			}
		}
	}
	return nil
}

func run(path string) error {
	fw, err := libsched.NewFramework()
	if err != nil {
		return err
	}
	catalog, err := libsched.NewCatalog()
	if err != nil {
		return err
	}
	d, err := dump.Load(path, fw, catalog)
	if err != nil {
		return err
	}
	defer d.Close()
	return consolidate(d, json.NewEncoder(os.Stdout))
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintf(os.Stderr, "usage: %s CLUSTER\n", os.Args[0])
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
