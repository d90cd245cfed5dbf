// Command decide lets a scheduler decide about pods, with an API client of its own: it prints what a
// real one would send, and tells the scheduler of the bound pods, as a watch would.
//
//	decide CLUSTER PODS      (files: JSON or YAML, plain or gzip)
//
// Exit code 0: all pods were bound, 1: some were not, 2: an input is wrong.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"libsched"
)

// printer is an API client that prints requests instead of sending them.
type printer struct {
	scheduler *libsched.Scheduler
	bound     int
}

func (p *printer) Bind(_ context.Context, pod *libsched.Pod, node string) error {
	bound, err := pod.Copy(libsched.WithNodeName(node))
	if err != nil {
		return err
	}
	if err := p.scheduler.Deliver(pod, bound); err != nil {
		return err
	}
	fmt.Printf("bind %s/%s: %s\n", pod.Namespace(), pod.Name(), node)
	p.bound++
	return nil
}

func (p *printer) Event(_ context.Context, pod *libsched.Pod, event libsched.Event) {
	if event.Type == "Warning" {
		fmt.Printf("pending %s/%s: %s\n", pod.Namespace(), pod.Name(), event.Note)
	}
}

func (p *printer) DeletePod(context.Context, *libsched.Pod) error              { return nil }
func (p *printer) PatchPodStatus(context.Context, *libsched.Pod, []byte) error { return nil }
func (p *printer) PatchObject(context.Context, string, string, string, []byte) error {
	return nil
}

func decide(clusterPath, podsPath string) (all bool, err error) {
	cluster, err := libsched.LoadCluster(clusterPath)
	if err != nil {
		return false, err
	}
	defer cluster.Close()
	objects, err := libsched.LoadObjects(podsPath)
	if err != nil {
		return false, err
	}
	framework, err := libsched.NewFramework()
	if err != nil {
		return false, err
	}
	defer framework.Close()
	client := &printer{}
	client.scheduler, err = libsched.NewScheduler(cluster, []*libsched.Framework{framework},
		libsched.SchedulerOptions{API: client, Clock: libsched.VirtualClock(time.Unix(0, 0))})
	if err != nil {
		return false, err
	}
	defer client.scheduler.Close()
	pods := objects.Pods()
	for _, pod := range pods {
		if err := client.scheduler.Deliver(nil, pod); err != nil {
			return false, err
		}
	}
	err = client.scheduler.Settle(context.Background(), false, 0)
	return client.bound == len(pods), err
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintf(os.Stderr, "usage: %s CLUSTER PODS\n", os.Args[0])
		os.Exit(2)
	}
	all, err := decide(os.Args[1], os.Args[2])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case !all:
		os.Exit(1)
	}
}
