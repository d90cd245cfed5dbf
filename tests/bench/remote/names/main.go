// Command names is a plugin that rejects a third of all nodes by their names, so that it needs no data of nodes.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"libsched/examples/remote/pluginserver"
)

func handler(json.RawMessage) (pluginserver.Handler, error) {
	return func(_ context.Context, call *pluginserver.Call) (*pluginserver.Answer, error) {
		codes := make([]int8, len(call.Nodes))
		for i, node := range call.Nodes {
			if node.Name[len(node.Name)-1]%3 == 1 {
				codes[i] = 2 // Unschedulable
			}
		}
		return &pluginserver.Answer{Codes: codes}, nil
	}, nil
}

func main() {
	log.Fatal(pluginserver.Serve(pluginserver.Plugin{
		Description: pluginserver.Description{Points: []string{"filter"}, Reasons: []string{"node(s) had a wrong name"}},
		New:         handler,
	}, os.Args[1]))
}
