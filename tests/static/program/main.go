// Command program asks about the pods of a dump that have no node, as one line of JSON. The tests link it without any
// shared object, and run it in a folder that holds nothing but itself and the dump.
//
//	program DUMP WITHOUT
//
// {"pods": {"ml/train": {"nodes": [names], "reasons": {text: number of nodes}}}, "load": text, "remote": text}
// "load" is the error of loading a plugin from a shared object, "remote" that of a plugin in another process. A plugin in Go keeps pods away from the node WITHOUT.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"

	"libsched"
)

// awayFrom is a Filter plugin that rejects a node.
type awayFrom struct{ node string }

func (awayFrom) Name() string { return "AwayFrom" }

func (p awayFrom) Filter(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod, node *libsched.NodeInfo) *libsched.Status {
	if node.Name() == p.node {
		return libsched.NewStatus(libsched.Unschedulable, "node(s) were to be left alone")
	}
	return nil
}

const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: AwayFrom}]}}
`

type pod struct {
	Nodes   []string       `json:"nodes"`
	Reasons map[string]int `json:"reasons"`
}

type answer struct {
	Pods   map[string]pod `json:"pods"`
	Load   string         `json:"load"`
	Remote string         `json:"remote"`
}

func ask(dump, without string) (*answer, error) {
	found := &answer{Pods: map[string]pod{}}
	cluster, err := libsched.LoadCluster(dump)
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	objects, err := libsched.LoadObjects(dump)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	registry, err := libsched.NewRegistry()
	if err != nil {
		return nil, err
	}
	if err := registry.Load("max_pods.so"); errors.Is(err, libsched.ErrUnsupported) {
		found.Load = err.Error()
	}
	if err := registry.RegisterRemote("Other", "unix:/none", libsched.RemoteOptions{}); errors.Is(err, libsched.ErrUnsupported) {
		found.Remote = err.Error()
	}
	err = libsched.AddPlugin(registry, "AwayFrom", func(json.RawMessage) (*awayFrom, error) {
		return &awayFrom{without}, nil
	})
	if err != nil {
		return nil, err
	}
	fw, err := libsched.NewFramework(libsched.WithRegistry(registry), libsched.WithConfigYAML([]byte(config)))
	if err != nil {
		return nil, err
	}
	for _, p := range objects.Pods() {
		if p.NodeName() != "" {
			continue
		}
		fit, err := fw.CheckPodFits(context.Background(), cluster, p, libsched.CheckOptions{})
		if err != nil {
			return nil, err
		}
		reasons := map[string]int{}
		for _, status := range fit.Nodes() {
			for _, reason := range status.Reasons() {
				reasons[reason]++
			}
		}
		found.Pods[p.String()] = pod{fit.Feasible(), reasons}
	}
	return found, nil
}

func main() {
	if len(os.Args) != 3 {
		log.Fatalf("usage: %s DUMP WITHOUT", os.Args[0])
	}
	found, err := ask(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		log.Fatal(err)
	}
}
