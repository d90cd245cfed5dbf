package libsched_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"libsched"
)

const exampleCluster = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: small}, status: {allocatable: {cpu: 1, pods: 10}}}
- {apiVersion: v1, kind: Node, metadata: {name: big}, status: {allocatable: {cpu: 8, pods: 10}}}
`

const examplePod = `
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}
`

// Example prints which nodes take a pod, and why the others don't.
func Example() {
	fw, err := libsched.NewFramework()
	if err != nil {
		log.Fatal(err)
	}
	defer fw.Close()
	cluster, err := libsched.NewCluster()
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	if err := cluster.Apply([]byte(exampleCluster)); err != nil {
		log.Fatal(err)
	}
	pod, err := libsched.ParsePod([]byte(examplePod))
	if err != nil {
		log.Fatal(err)
	}
	fit, err := fw.CheckPodFits(context.Background(), cluster, pod, libsched.CheckOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer fit.Close()
	for node, status := range fit.Nodes() {
		fmt.Println(node, status.Code(), status.Plugin(), status.Reasons())
	}
	// Output:
	// big Success  []
	// small UnschedulableAndUnresolvable NodeResourcesFit [Insufficient cpu]
}

// ExampleFramework_RunFilterPlugins runs the framework's steps under upstream's names.
func ExampleFramework_RunFilterPlugins() {
	ctx := context.Background()
	fw, _ := libsched.NewFramework()
	cluster, _ := libsched.NewCluster()
	if err := cluster.Apply([]byte(exampleCluster)); err != nil {
		log.Fatal(err)
	}
	pod, _ := libsched.ParsePod([]byte(examplePod))

	state := libsched.NewCycleState()
	defer state.Close()
	if _, status := fw.RunPreFilterPlugins(ctx, state, cluster, pod); !status.IsSuccess() {
		log.Fatal(status)
	}
	for _, node := range []string{"small", "big"} {
		if status := fw.RunFilterPlugins(ctx, state, cluster, pod, node); !status.IsSuccess() {
			fmt.Println(node, status.Plugin(), status.Reasons())
			continue
		}
		fmt.Println(node, "fits")
	}
	// Output:
	// small NodeResourcesFit [Insufficient cpu]
	// big fits
}

// ExampleCluster_Fork asks, as a what-if, where pods would go if there were another node.
func ExampleCluster_Fork() {
	ctx := context.Background()
	fw, _ := libsched.NewFramework()
	cluster, _ := libsched.NewCluster()
	if err := cluster.Apply([]byte(exampleCluster)); err != nil {
		log.Fatal(err)
	}
	pod, _ := libsched.ParsePod([]byte(examplePod))
	big := cluster.Node("big")

	if err := cluster.Fork(); err != nil {
		log.Fatal(err)
	}
	another, _ := big.Copy(libsched.WithName("another"))
	if err := cluster.AddNode(another); err != nil {
		log.Fatal(err)
	}
	last := -1
	for i := range 3 {
		replica, _ := pod.Copy(libsched.WithName(fmt.Sprint("web-", i)))
		fit, ok, err := fw.FirstFit(ctx, cluster, replica,
			libsched.FirstFitOptions{Start: last + 1})
		if err != nil || !ok {
			log.Fatal(ok, err)
		}
		if err := cluster.AddPod(replica, fit.Node); err != nil {
			log.Fatal(err)
		}
		fmt.Println(replica, "to", fit.Node)
		last = fit.Position
	}
	if err := cluster.Revert(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(cluster.NodeCount(), "nodes,", cluster.PodCount(), "pods")
	// Output:
	// default/web-0 to big
	// default/web-1 to another
	// default/web-2 to big
	// 2 nodes, 0 pods
}

// ExampleFramework_RunCycle schedules pods one after the other and assumes each on its node.
func ExampleFramework_RunCycle() {
	ctx := context.Background()
	fw, _ := libsched.NewFramework()
	cluster, _ := libsched.NewCluster()
	if err := cluster.Apply([]byte(exampleCluster)); err != nil {
		log.Fatal(err)
	}
	pod, _ := libsched.ParsePod([]byte(examplePod))
	for i := range 5 {
		replica, _ := pod.Copy(libsched.WithName(fmt.Sprint("web-", i)))
		state := libsched.NewCycleState()
		defer state.Close()
		chosen, err := fw.RunCycle(ctx, state, cluster, replica, libsched.CycleOptions{})
		if err != nil {
			log.Fatal(err)
		}
		if chosen.Node == "" {
			fmt.Println(replica, chosen.Status.Code())
			continue
		}
		if status := fw.Assume(ctx, state, cluster, replica, chosen.Node); !status.IsSuccess() {
			log.Fatal(status)
		}
		fmt.Println(replica, "to", chosen.Node)
	}
	// Output:
	// default/web-0 to big
	// default/web-1 to big
	// default/web-2 to big
	// default/web-3 to big
	// default/web-4 Unschedulable
}

// ExampleDecision_Scores prints the score of each plugin for the nodes that fit.
func ExampleDecision_Scores() {
	fw, _ := libsched.NewFramework(libsched.WithConfigYAML([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit, weight: 2},
    {name: PrioritySort}, {name: DefaultBinder}]}}`)))
	cluster, _ := libsched.NewCluster()
	if err := cluster.Apply([]byte(exampleCluster)); err != nil {
		log.Fatal(err)
	}
	pod, _ := libsched.ParsePod([]byte(examplePod))
	fit, err := fw.CheckPodFits(context.Background(), cluster, pod, libsched.CheckOptions{Score: true})
	if err != nil {
		log.Fatal(err)
	}
	scores := fit.Scores()
	for i, node := range scores.Nodes {
		for _, plugin := range scores.Plugins {
			fmt.Println(node, plugin.Name, plugin.Normalized[i], "*", plugin.Weight)
		}
	}
	fmt.Println("best:", fit.Best())
	// Output:
	// big NodeResourcesFit 75 * 2
	// best: [big]
}

// NotBeside keeps pods off nodes on which a pod waits to be bound.
type NotBeside struct {
	Reason string
	handle libsched.Handle
}

// NewNotBeside is a factory as upstream's: it gets a handle, and returns the interface.
func NewNotBeside(_ context.Context, args json.RawMessage, h libsched.Handle) (libsched.Plugin, error) {
	p := &NotBeside{handle: h}
	return p, json.Unmarshal(args, p)
}

func (*NotBeside) Name() string { return "NotBeside" }

func (p *NotBeside) Filter(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	for _, waiting := range p.handle.Services().WaitingPods() {
		if waiting.Pod().NodeName() == node.Name() {
			return libsched.NewStatus(libsched.Unschedulable, p.Reason)
		}
	}
	return nil
}

// ExampleRegistry_Register adds a plugin with a factory of upstream's form. The extension points follow
// from its type.
func ExampleRegistry_Register() {
	registry, _ := libsched.NewRegistry()
	if err := registry.Register("NotBeside", NewNotBeside, (*NotBeside)(nil)); err != nil {
		log.Fatal(err)
	}
	fw, err := libsched.NewFramework(libsched.WithRegistry(registry), libsched.WithConfigYAML([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: NotBeside}]}}
  pluginConfig: [{name: NotBeside, args: {reason: node(s) had a pod that waits}}]`)))
	if err != nil {
		log.Fatal(err)
	}
	cluster, _ := libsched.NewCluster()
	if err := cluster.Apply([]byte(exampleCluster)); err != nil {
		log.Fatal(err)
	}
	pod, _ := libsched.ParsePod([]byte(examplePod))
	waiting, _ := pod.Copy(libsched.WithName("waiting"), libsched.WithNodeName("big"))
	services, _ := cluster.Services()
	if err := services.AddWaitingPod(waiting, []libsched.PermitWait{{Plugin: "Gang", Timeout: time.Minute}}); err != nil {
		log.Fatal(err)
	}
	fit, err := fw.CheckPodFits(context.Background(), cluster, pod, libsched.CheckOptions{})
	if err != nil {
		log.Fatal(err)
	}
	status, _ := fit.Status("big")
	fmt.Println(status)
	// Output:
	// Unschedulable: node(s) had a pod that waits
}
