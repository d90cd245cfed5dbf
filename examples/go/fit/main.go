// Command fit says whether a pod fits, as one line of JSON.
//
//	fit CLUSTER POD          (files: JSON or YAML, plain or gzip)
//
// {"pod": "ml/train", "fits": true, "nodes": [names], "reasons": {text: number of nodes}}
// Exit code 0: it fits somewhere, 1: nowhere, 2: an input is wrong.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"libsched"
)

type answer struct {
	Pod     string         `json:"pod"`
	Fits    bool           `json:"fits"`
	Nodes   []string       `json:"nodes"`
	Reasons map[string]int `json:"reasons"`
}

func ask(clusterPath, podPath string) (*answer, error) {
	cluster, err := libsched.LoadCluster(clusterPath)
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	pod, err := libsched.LoadPod(podPath)
	if err != nil {
		return nil, err
	}
	fw, err := libsched.NewFramework()
	if err != nil {
		return nil, err
	}
	fit, err := fw.CheckPodFits(context.Background(), cluster, pod, libsched.CheckOptions{})
	if err != nil {
		return nil, err
	}
	reasons := map[string]int{}
	for _, status := range fit.Nodes() {
		for _, reason := range status.Reasons() {
			reasons[reason]++
		}
	}
	return &answer{pod.Namespace() + "/" + pod.Name(), fit.Fits(), fit.Feasible(), reasons}, nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintf(os.Stderr, "usage: %s CLUSTER POD\n", os.Args[0])
		os.Exit(2)
	}
	found, err := ask(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !found.Fits {
		os.Exit(1)
	}
}
