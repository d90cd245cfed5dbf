// Command descheduler lists the pods that do not belong on their nodes any more, and where they would go.
//
//	descheduler [-node NAME] CLUSTER      (JSON or YAML, plain or gzip)
//
// Pods of DaemonSets and static pods are left out. Any other belongs on its node while the plugins of `belongs` accept it there, as if it were not there itself:
// node affinity, taints and pod anti-affinity may have changed since it was bound. Where it would go is a
// question to all plugins, again as if it were gone. With -node the pods of a node are listed as well,
// whether or not they belong there. It prints a line of JSON for each pod:
//
//	{"pod": "shop/web-1", "node": "a", "why": "node(s) had untolerated taint(s)", "to": "b"}
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"libsched"
	"libsched/examples/internal/dump"
)

// The plugins that say whether a pod still belongs where it is.
var belongs = []string{"NodeAffinity", "TaintToleration", "InterPodAffinity"}

type line struct {
	Pod  string `json:"pod"`
	Node string `json:"node"`
	Why  string `json:"why,omitempty"` // empty: it belongs there
	To   string `json:"to,omitempty"`  // empty: no other node takes it
}

func run(path, node string) error {
	ctx := context.Background()
	fw, err := libsched.NewFramework()
	if err != nil {
		return err
	}
	catalog, err := libsched.NewCatalog()
	if err != nil {
		return err
	}
	sim, err := dump.Load(path, fw, catalog)
	if err != nil {
		return err
	}
	defer sim.Close()
	if _, there := sim.Find(node); node != "" && !there {
		return fmt.Errorf("no node %q", node)
	}
	out := json.NewEncoder(os.Stdout)
	for i, pod := range sim.Pods {
		if owner := sim.Owners[sim.PodIDs[i]]; owner == dump.DaemonSet || owner == dump.Static {
			continue
		}
		from, gone := sim.NodeOf(sim.PodIDs[i]), sim.PodIDs[i:i+1]
		var why libsched.Verdict
		stays, err := sim.CheckWith(ctx, sim.Refs[i], from, &libsched.Query{Without: gone, Plugins: belongs}, &why)
		if err != nil {
			return err
		}
		if stays && pod.NodeName() != node {
			continue
		}
		l := line{Pod: pod.String(), Node: pod.NodeName(), Why: strings.Join(why.Reasons, ", ")}
		elsewhere := libsched.Query{Without: gone, SkipUnschedulable: true,
			Accept: sim.NodeSet(func(id libsched.NodeID) bool { return id != from })}
		hit, found, err := sim.First(ctx, sim.Refs[i], &elsewhere, nil)
		if err != nil {
			return err
		}
		if found {
			l.To = sim.Name(hit.Node)
		}
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	node := flag.String("node", "", "list the pods of this node as well")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintf(os.Stderr, "usage: %s [-node NAME] CLUSTER\n", os.Args[0])
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *node); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
