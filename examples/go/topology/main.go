// Command topology finds the smallest domain of a topology that takes a whole gang, as kueue's topology-aware
// scheduling wants it: how many copies fit on each node is one question, and sums over labels do the rest.
//
//	topology [-levels LABEL,LABEL,...] [-assume NODE=COUNT,...] CLUSTER POD COUNT
//
// Levels go from the widest to the narrowest; the last one is the node. -assume takes room on nodes for copies
// of the pod that are admitted but do not exist yet. It prints one line of JSON:
//
//	{"level": "topology.kubernetes.io/zone", "domain": "eu-1", "nodes": {"a": 3, "b": 2}}
//
// Exit code 0: there is such a domain, 1: there is none, 2: an input is wrong.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"libsched"
	"libsched/examples/internal/dump"
)

type answer struct {
	Level  string         `json:"level"`
	Domain string         `json:"domain"`
	Nodes  map[string]int `json:"nodes"` // copies by node
}

// copies returns how many copies of the pod fit on each node, besides those that are assumed.
func copies(d *dump.Dump, pod libsched.PodRef, assumed map[string]int) ([]int, error) {
	if err := d.Fork(); err != nil {
		return nil, err
	}
	defer d.Revert()
	for name, count := range assumed {
		node, there := d.Find(name)
		if !there {
			return nil, fmt.Errorf("-assume: no node %q", name)
		}
		for range count {
			if _, err := d.AddPod(pod, node); err != nil {
				return nil, err
			}
		}
	}
	fit := make([]int, len(d.NodeIDs))
	return fit, d.Copies(context.Background(), pod, d.NodeIDs, 0, nil, fit)
}

// smallest returns the domain of the narrowest level that has room for count copies, and the least of it.
func smallest(d *dump.Dump, fit []int, levels []string, count int) *answer {
	for _, level := range slices.Backward(levels) {
		rooms := map[string]int{}
		for i, node := range d.Nodes {
			if domain, labelled := node.Label(level); labelled {
				rooms[domain] += fit[i]
			}
		}
		domains := slices.SortedFunc(maps.Keys(rooms), func(a, b string) int {
			return cmp.Or(cmp.Compare(rooms[a], rooms[b]), cmp.Compare(a, b))
		})
		at := slices.IndexFunc(domains, func(domain string) bool { return rooms[domain] >= count })
		if at < 0 {
			continue
		}
		found := &answer{level, domains[at], map[string]int{}}
		order := make([]int, len(fit))
		for i := range order {
			order[i] = i
		}
		// The fullest use of few nodes.
		slices.SortStableFunc(order, func(a, b int) int { return fit[b] - fit[a] })
		for _, i := range order {
			if domain, _ := d.Nodes[i].Label(level); domain == found.Domain && fit[i] > 0 && count > 0 {
				n := min(fit[i], count)
				found.Nodes[d.Nodes[i].Name()] = n
				count -= n
			}
		}
		return found
	}
	return nil
}

func parse(assume string) (map[string]int, error) {
	assumed := map[string]int{}
	for _, part := range strings.FieldsFunc(assume, func(r rune) bool { return r == ',' }) {
		node, number, _ := strings.Cut(part, "=")
		count, err := strconv.Atoi(number)
		if err != nil || count < 0 {
			return nil, fmt.Errorf("-assume: %q is not NODE=COUNT", part)
		}
		assumed[node] += count
	}
	return assumed, nil
}

func run(levels, assume, clusterPath, podPath, number string) (*answer, error) {
	count, err := strconv.Atoi(number)
	if err != nil || count < 1 {
		return nil, fmt.Errorf("COUNT is a number above 0, not %q", number)
	}
	assumed, err := parse(assume)
	if err != nil {
		return nil, err
	}
	fw, err := libsched.NewFramework()
	if err != nil {
		return nil, err
	}
	catalog, err := libsched.NewCatalog()
	if err != nil {
		return nil, err
	}
	d, err := dump.Load(clusterPath, fw, catalog)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	pod, err := libsched.LoadPod(podPath)
	if err != nil {
		return nil, err
	}
	ref, err := catalog.Pod(pod, false)
	if err != nil {
		return nil, err
	}
	fit, err := copies(d, ref, assumed)
	if err != nil {
		return nil, err
	}
	return smallest(d, fit, strings.Split(levels, ","), count), nil
}

func main() {
	levels := flag.String("levels", "topology.kubernetes.io/region,topology.kubernetes.io/zone,kubernetes.io/hostname",
		"labels of nodes, the widest level first")
	assume := flag.String("assume", "", "copies that are admitted already: NODE=COUNT,...")
	flag.Parse()
	if flag.NArg() != 3 {
		fmt.Fprintf(os.Stderr, "usage: %s [-levels LABELS] [-assume NODE=COUNT,...] CLUSTER POD COUNT\n", os.Args[0])
		os.Exit(2)
	}
	found, err := run(*levels, *assume, flag.Arg(0), flag.Arg(1), flag.Arg(2))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if found == nil {
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
