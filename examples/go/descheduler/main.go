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

// The plugins that say whether a pod still belongs where it is. A choice of plugins is a profile.
const belongs = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: NodeAffinity}, {name: TaintToleration},
                {name: InterPodAffinity}]
`

type line struct {
	Pod  string `json:"pod"`
	Node string `json:"node"`
	Why  string `json:"why,omitempty"` // empty: it belongs there
	To   string `json:"to,omitempty"`  // empty: no other node takes it
}

// belongsThere checks a pod on its own node, from which it is taken meanwhile: a check tells why, where a search
// tells of no single node.
func belongsThere(ctx context.Context, rules *dump.Dump, i int, why *libsched.Verdict) (bool, error) {
	here := rules.NodeOf(rules.PodIDs[i])
	if err := rules.Fork(); err != nil {
		return false, err
	}
	defer rules.Revert()
	if err := rules.RemovePods(rules.PodIDs[i]); err != nil {
		return false, err
	}
	return rules.Check(ctx, rules.Refs[i], here, why)
}

func run(path, node string) error {
	ctx := context.Background()
	some, err := libsched.NewFramework(libsched.WithConfigYAML([]byte(belongs)))
	if err != nil {
		return err
	}
	all, err := libsched.NewFramework()
	if err != nil {
		return err
	}
	catalog, err := libsched.NewCatalog()
	if err != nil {
		return err
	}
	rules, err := dump.Load(path, some, catalog)
	if err != nil {
		return err
	}
	defer rules.Close()
	places, err := dump.Load(path, all, catalog)
	if err != nil {
		return err
	}
	defer places.Close()
	if _, there := rules.Find(node); node != "" && !there {
		return fmt.Errorf("no node %q", node)
	}
	out := json.NewEncoder(os.Stdout)
	for i, pod := range rules.Pods {
		if owner := rules.Owners[rules.PodIDs[i]]; owner == dump.DaemonSet || owner == dump.Static {
			continue
		}
		var why libsched.Verdict
		stays, err := belongsThere(ctx, rules, i, &why)
		if err != nil {
			return err
		}
		if stays && pod.NodeName() != node {
			continue
		}
		l := line{Pod: pod.String(), Node: pod.NodeName(), Why: strings.Join(why.Reasons, ", ")}
		from := places.NodeOf(places.PodIDs[i])
		elsewhere := libsched.Query{Without: places.PodIDs[i : i+1], SkipUnschedulable: true,
			Accept: places.NodeSet(func(id libsched.NodeID) bool { return id != from })}
		hit, found, err := places.First(ctx, places.Refs[i], &elsewhere, nil)
		if err != nil {
			return err
		}
		if found {
			l.To = places.Name(hit.Node)
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
