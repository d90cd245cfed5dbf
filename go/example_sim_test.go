package libsched_test

import (
	"context"
	"fmt"
	"log"

	"libsched"
)

// ExampleSim asks an autoscaler's questions: does the pod fit anywhere, and if not, how many nodes more would
// it take.
func ExampleSim() {
	ctx := context.Background()
	fw, _ := libsched.NewFramework()
	catalog, _ := libsched.NewCatalog()
	sim, err := libsched.NewSim(fw, catalog)
	if err != nil {
		log.Fatal(err)
	}
	defer sim.Close()

	// Contents are added once. Replicas of a workload have one reference.
	var node [1]libsched.NodeRef
	var pods [2]libsched.PodRef
	if err := catalog.AddNodes([][]byte{[]byte(`{kind: Node, metadata: {name: m},
		status: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}}`)}, node[:], libsched.ContentOptions{}); err != nil {
		log.Fatal(err)
	}
	if err := catalog.AddPods([][]byte{
		[]byte(`{kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, resources: {requests: {cpu: 3}}}]}}`),
		[]byte(`{kind: Pod, metadata: {name: job}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}`),
	}, pods[:], libsched.ContentOptions{Placed: true}); err != nil {
		log.Fatal(err)
	}
	web, job := pods[0], pods[1]
	if err := sim.Reset(node[:], []string{"n0"}, []libsched.SimPod{{Pod: web, Node: 0}}, nil, nil); err != nil {
		log.Fatal(err)
	}

	var why libsched.Verdict
	n0, _ := sim.Find("n0")
	fits, err := sim.Check(ctx, web, n0, &why)
	fmt.Println(fits, err, why.Stage, why.Plugin, why.Reasons)
	hit, found, err := sim.First(ctx, job, &libsched.Query{Place: true}, &why)
	fmt.Println(found, err, sim.Name(hit.Node))

	packing, err := sim.BinPack(ctx, []libsched.Group{{Pod: web, Count: 2}, {Pod: job, Count: 3}}, node[0],
		libsched.PackOptions{Prefix: "new-", MaxNodes: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(packing.Placed, "pods on", len(packing.Nodes), "nodes")
	if err := sim.Revert(); err != nil { // the packing was a fork
		log.Fatal(err)
	}
	fmt.Println(sim.NodeCount(), "node,", sim.PodCount(), "pods")
	// Output:
	// false <nil> rejected by Filter NodeResourcesFit [Insufficient cpu]
	// true <nil> n0
	// 5 pods on 3 nodes
	// 1 node, 2 pods
}
