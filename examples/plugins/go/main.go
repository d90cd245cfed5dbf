// Command plugin judges a pod with a custom plugin beside upstream's, which keeps pods out of a zone
// that is being drained.
//
//	plugin CLUSTER POD ZONE          (files: JSON or YAML, plain or gzip)
//
// It prints each node with the plugin that rejected it and the reasons. Exit code 0: the pod fits
// somewhere, 1: nowhere, 2: an input is wrong.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"libsched"
)

// ---- the plugin: ten lines ----

type DrainedZone struct{ Zone string }

func New(args json.RawMessage) (*DrainedZone, error) {
	d := &DrainedZone{}
	return d, json.Unmarshal(args, d)
}
func (*DrainedZone) Name() string { return "DrainedZone" }
func (d *DrainedZone) Filter(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod, node *libsched.NodeInfo) *libsched.Status {
	if zone, _ := node.Label("topology.kubernetes.io/zone"); zone == d.Zone {
		return libsched.NewStatus(libsched.Unschedulable, "node(s) were in a zone that is being drained")
	}
	return nil
}

// ---- a profile that enables it ----

const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: DrainedZone}]}}
  pluginConfig: [{name: DrainedZone, args: {zone: %q}}]
`

func ask(clusterPath, podPath, zone string) (*libsched.Decision, error) {
	cluster, err := libsched.LoadCluster(clusterPath)
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	pod, err := libsched.LoadPod(podPath)
	if err != nil {
		return nil, err
	}
	registry, err := libsched.NewRegistry()
	if err != nil {
		return nil, err
	}
	if err := libsched.AddPlugin(registry, "DrainedZone", New, libsched.Concurrent()); err != nil {
		return nil, err
	}
	fw, err := libsched.NewFramework(libsched.WithRegistry(registry),
		libsched.WithConfigYAML([]byte(fmt.Sprintf(config, zone))))
	if err != nil {
		return nil, err
	}
	return fw.CheckPodFits(context.Background(), cluster, pod, libsched.CheckOptions{})
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintf(os.Stderr, "usage: %s CLUSTER POD ZONE\n", os.Args[0])
		os.Exit(2)
	}
	fit, err := ask(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for node, status := range fit.Nodes() {
		fmt.Printf("%-24s %s %s\n", node, status.Plugin(), status)
	}
	if !fit.Fits() {
		os.Exit(1)
	}
}
