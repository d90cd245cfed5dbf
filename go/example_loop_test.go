package libsched_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"libsched"
)

// ExampleSchedulingQueue tries pods in the order of their priority, and again after an event that helps.
func ExampleSchedulingQueue() {
	ctx := context.Background()
	fw, _ := libsched.NewFramework()
	cluster, _ := libsched.NewCluster()
	queue, err := libsched.NewSchedulingQueue(cluster, []*libsched.Framework{fw}, libsched.QueueOptions{NoBackoff: true})
	if err != nil {
		log.Fatal(err)
	}
	defer queue.Close()
	for _, priority := range []int{0, 10} {
		pod, _ := libsched.ParsePod([]byte(fmt.Sprintf(
			"{metadata: {name: priority-%d}, spec: {priority: %d, containers: [{name: c}]}}", priority, priority)))
		if err := queue.Add(ctx, pod); err != nil {
			log.Fatal(err)
		}
	}
	first, _ := queue.Pop()
	fmt.Println(first.Pod)

	// No node takes it: it waits.
	if err := queue.AddUnschedulableIfNotPresent(ctx, first, nil, []string{"NodeResourcesFit"}, nil); err != nil {
		log.Fatal(err)
	}
	waiting, _ := queue.List(libsched.PartUnschedulable)
	fmt.Println(waiting[0].Pod, "waits because of", waiting[0].UnschedulablePlugins)

	// A new node may help it.
	node, err := libsched.ParseNode([]byte("{kind: Node, metadata: {name: big}, status: {allocatable: {cpu: 8, pods: 10}}}"))
	if err != nil {
		log.Fatal(err)
	}
	err = queue.MoveAllToActiveOrBackoffQueue(ctx, libsched.QueueEvent{
		ClusterEvent: libsched.ClusterEvent{Resource: "Node", ActionType: libsched.Add}, New: node}, libsched.MoveCheck{})
	if err != nil {
		log.Fatal(err)
	}
	first, _ = queue.Pop()
	fmt.Println(first.Pod, "is tried again")
	// Output:
	// default/priority-10
	// default/priority-10 waits because of [NodeResourcesFit]
	// default/priority-10 is tried again
}

// ExampleSimulation simulates jobs that are too many for a cluster.
func ExampleSimulation() {
	fw, _ := libsched.NewFramework()
	cluster, _ := libsched.NewCluster()
	if err := cluster.Apply([]byte(exampleCluster)); err != nil {
		log.Fatal(err)
	}
	job, _ := libsched.ParsePod([]byte(examplePod))
	workload := libsched.NewTimedWorkload()
	if err := workload.AddReplicas(job, 6, &libsched.Timing{Duration: time.Minute}); err != nil {
		log.Fatal(err)
	}
	simulation, err := libsched.NewSimulation([]*libsched.Framework{fw}, cluster, workload, libsched.SimulationOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer simulation.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := simulation.RunUntil(ctx, 30*time.Second, nil); err != nil {
		log.Fatal(err)
	}
	half, _ := simulation.Summary()
	fmt.Println(half.Running, "running,", half.Pending, "pending because of", half.PendingReasons[0].Reason)
	if err := simulation.Run(ctx, nil); err != nil {
		log.Fatal(err)
	}
	all, _ := simulation.Summary()
	fmt.Printf("%d finished; the longest wait was %.0f s\n", all.Finished, all.Wait.Longest.Seconds())

	table, _ := simulation.Table("preemptions")
	if err := table.WriteCSV(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 4 running, 2 pending because of NodeResourcesFit
	// 6 finished; the longest wait was 60 s
	// time,namespace,pod,node,preemptor
}

// recorder is an API client that prints bindings, and delivers them as a watch of the API server would.
type recorder struct{ scheduler *libsched.Scheduler }

func (r *recorder) Bind(_ context.Context, pod *libsched.Pod, node string) error {
	fmt.Println("bind", pod, "to", node)
	bound, err := pod.Copy(libsched.WithNodeName(node))
	if err != nil {
		return err
	}
	return r.scheduler.Deliver(pod, bound)
}
func (r *recorder) DeletePod(context.Context, *libsched.Pod) error              { return nil }
func (r *recorder) PatchPodStatus(context.Context, *libsched.Pod, []byte) error { return nil }
func (r *recorder) PatchObject(context.Context, string, string, string, []byte) error {
	return nil
}
func (r *recorder) Event(_ context.Context, pod *libsched.Pod, event libsched.Event) {
	fmt.Println(event.Reason, pod)
}

// ExampleScheduler schedules by a virtual clock: a pod waits until a node comes.
func ExampleScheduler() {
	ctx := context.Background()
	fw, _ := libsched.NewFramework()
	cluster, _ := libsched.NewCluster()
	client := &recorder{}
	scheduler, err := libsched.NewScheduler(cluster, []*libsched.Framework{fw}, libsched.SchedulerOptions{
		Clock: libsched.VirtualClock(time.Unix(0, 0)), API: client})
	if err != nil {
		log.Fatal(err)
	}
	defer scheduler.Close()
	client.scheduler = scheduler
	if err := scheduler.Start(); err != nil {
		log.Fatal(err)
	}
	pod, _ := libsched.ParsePod([]byte(examplePod))
	if err := scheduler.Deliver(nil, pod); err != nil {
		log.Fatal(err)
	}
	if err := scheduler.Settle(ctx, false, 0); err != nil {
		log.Fatal(err)
	}
	node, _ := libsched.ParseNode([]byte("{kind: Node, metadata: {name: big}, status: {allocatable: {cpu: 8, pods: 10}}}"))
	if err := scheduler.Deliver(nil, node); err != nil {
		log.Fatal(err)
	}
	if err := scheduler.RunUntil(ctx, time.Unix(10, 0)); err != nil { // after the backoff
		log.Fatal(err)
	}
	// Output:
	// FailedScheduling default/web
	// bind default/web to big
	// Scheduled default/web
}
