// Load on a real API server.

package peer

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// LiveResult is the output of "oracle live".
type LiveResult struct {
	Kind       string  `json:"kind"`
	Nodes      int     `json:"nodes"`
	Pods       int     `json:"pods"`
	Before     bool    `json:"pods_created_before_scheduler"`
	CreatePerS float64 `json:"created_per_s"`
	FirstBound float64 `json:"first_bound_after_s"`
	LastBound  float64 `json:"last_bound_after_s"`
	BoundPerS  float64 `json:"bound_per_s"`
}

// Live drives a real API server: it creates nodes and pods and watches
// until all pods are bound. With -scheduler it starts that command once the
// pods are there; the clock of the result starts then.
func Live(args []string) error {
	fs := flag.NewFlagSet("live", flag.ExitOnError)
	kubeconfig := fs.String("kubeconfig", "", "kubeconfig file")
	nodes := fs.Int("nodes", 1000, "nodes to make sure of")
	pods := fs.Int("pods", 2000, "pods to create")
	kind := fs.String("kind", "basic", "kind of pod, as in bench")
	sched := fs.String("scheduler", "", "command that starts the scheduler after the pods are created")
	timeout := fs.Duration("timeout", 5*time.Minute, "give up after")
	if err := fs.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	cfg, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	cfg.QPS, cfg.Burst = 1e5, 1e5
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	parallel := func(n int, f func(i int) error) error {
		var next atomic.Int64
		var wg sync.WaitGroup
		errs := make(chan error, 32)
		for range 32 {
			wg.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= n {
						return
					}
					if err := f(i); err != nil {
						errs <- err
						return
					}
				}
			})
		}
		wg.Wait()
		close(errs)
		return <-errs
	}
	have, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	err = parallel(*nodes-len(have.Items), func(i int) error {
		n := benchNode(*kind, len(have.Items)+i)
		n.UID, n.ResourceVersion = "", ""
		_, err := client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	prefix := fmt.Sprintf("live-%d", time.Now().UnixNano())
	type event struct {
		name string
		at   time.Time
	}
	events := make(chan event, 8**pods)
	// The server drops a watcher that falls behind, so watch again; the new watch begins with the
	// existing objects.
	go func() {
		for ctx.Err() == nil {
			w, err := client.CoreV1().Pods("default").Watch(ctx, metav1.ListOptions{LabelSelector: "app=new"})
			if err != nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			for ev := range w.ResultChan() {
				if p, ok := ev.Object.(*v1.Pod); ok && p.Spec.NodeName != "" && strings.HasPrefix(p.Name, prefix) {
					events <- event{p.Name, time.Now()}
				}
			}
		}
	}()
	r := LiveResult{Kind: *kind, Nodes: max(*nodes, len(have.Items)), Pods: *pods, Before: *sched != ""}
	start := time.Now()
	created := make(chan error, 1)
	go func() {
		err := parallel(*pods, func(i int) error {
			p := benchPod(*kind, fmt.Sprintf("%s-%d", prefix, i))
			p.UID, p.ResourceVersion, p.Spec.Priority = "", "", nil
			_, err := client.CoreV1().Pods("default").Create(ctx, p, metav1.CreateOptions{})
			return err
		})
		r.CreatePerS = float64(*pods) / time.Since(start).Seconds()
		created <- err
	}()
	if *sched != "" {
		if err := <-created; err != nil {
			return err
		}
		words := strings.Fields(*sched)
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		defer func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}()
		start = time.Now()
		created <- nil
	}
	bound := map[string]bool{}
	var first, last time.Time
	for len(bound) < *pods {
		var ev event
		select {
		case ev = <-events:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d pods bound: %w", len(bound), *pods, ctx.Err())
		}
		if bound[ev.name] {
			continue
		}
		bound[ev.name] = true
		last = ev.at
		if len(bound) == 1 {
			first = last
		}
	}
	if err := <-created; err != nil {
		return err
	}
	r.FirstBound, r.LastBound = first.Sub(start).Seconds(), last.Sub(start).Seconds()
	r.BoundPerS = float64(*pods-1) / last.Sub(first).Seconds()
	return json.NewEncoder(os.Stdout).Encode(r)
}
