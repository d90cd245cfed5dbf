// Command remote is a plugin in another process: it keeps pods out of loud zones, and likes zones in the order of a
// list. The same plugin in Python is examples/remote/python/quiet_zones.py.
//
//	go run . unix:/tmp/quiet.sock &
//	libsched fit examples/clusters/shop.yaml --pod examples/clusters/pods/web.yaml --plugin QuietZones=unix:/tmp/quiet.sock
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"slices"

	"libsched/examples/remote/pluginserver"
)

const zoneLabel = "topology.kubernetes.io/zone"

type arguments struct {
	Loud  []string `json:"loud"`
	Liked []string `json:"liked"`
}

// zone returns the zone of a node, which is read once for each version of it.
func zone(node *pluginserver.Node) string {
	if known, ok := node.Data.(string); ok {
		return known
	}
	var document struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(node.Node, &document)
	found := document.Metadata.Labels[zoneLabel]
	node.Data = found
	return found
}

func handler(text json.RawMessage) (pluginserver.Handler, error) {
	args := arguments{Loud: []string{"eu-north-1a"}}
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, err
	}
	return func(_ context.Context, call *pluginserver.Call) (*pluginserver.Answer, error) {
		if call.Point == "filter" {
			codes := make([]int8, len(call.Nodes))
			for i, node := range call.Nodes {
				if slices.Contains(args.Loud, zone(node)) {
					codes[i] = 2 // Unschedulable
				}
			}
			return &pluginserver.Answer{Codes: codes}, nil
		}
		scores := make([]int64, len(call.Nodes))
		for i, node := range call.Nodes {
			if place := slices.Index(args.Liked, zone(node)); place >= 0 {
				scores[i] = int64(100 / (1 + place))
			}
		}
		return &pluginserver.Answer{Scores: scores}, nil
	}, nil
}

func main() {
	log.Fatal(pluginserver.Serve(pluginserver.Plugin{
		Description: pluginserver.Description{
			Points: []string{"filter", "score"}, Wants: []string{"node"}, Reasons: []string{"node(s) were in a loud zone"}},
		New: handler,
	}, os.Args[1]))
}
