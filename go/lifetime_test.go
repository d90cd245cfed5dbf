package libsched_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"libsched"
)

// TestUseAfterClose checks that closed and nil values give an error or nothing, never a crash.
func TestUseAfterClose(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	pod, node := newPod(t, "p", 100, ""), newNode(t, "n1", 1, "a", "")
	state := preFiltered(t, fw, cluster, pod)
	snapshot := must(cluster.Snapshot())(t)
	objects := must(libsched.ParseObjects([]byte(documents)))(t)
	config := must(libsched.ParseConfig(nil))(t)
	decision := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t)

	lastErr := func(values ...any) error {
		switch last := values[len(values)-1].(type) {
		case *libsched.Status:
			return last.AsError()
		case error:
			return last
		}
		return nil
	}
	type use func(fw *libsched.Framework, v libsched.View, s *libsched.CycleState,
		p *libsched.Pod) error
	uses := map[string]use{
		"PreFilter": func(fw *libsched.Framework, v libsched.View, s *libsched.CycleState,
			p *libsched.Pod) error {
			return lastErr(fw.RunPreFilterPlugins(ctx, s, v, p))
		},
		"Filter": func(fw *libsched.Framework, v libsched.View, s *libsched.CycleState,
			p *libsched.Pod) error {
			return lastErr(fw.RunFilterPlugins(ctx, s, v, p, "big"))
		},
		"FilterNodes": func(fw *libsched.Framework, v libsched.View, s *libsched.CycleState,
			p *libsched.Pod) error {
			return lastErr(fw.FilterNodes(ctx, s, v, p, libsched.FilterOptions{}))
		},
	}
	all := []func(){state.Close, pod.Close, node.Close, snapshot.Close, objects.Close, config.Close,
		decision.Close, fw.Close, cluster.Close}
	openState, openPod := preFiltered(t, fw, cluster, pod), newPod(t, "p", 100, "")
	openFramework := newFramework(t)
	openCluster := fiveNodes(t)
	for _, closeIt := range all {
		closeIt()
		closeIt() // closing twice is allowed
	}
	for name, use := range uses {
		for what, err := range map[string]error{
			"framework": use(fw, openCluster, openState, openPod),
			"cluster":   use(openFramework, cluster, openState, openPod),
			"snapshot":  use(openFramework, snapshot, openState, openPod),
			"state":     use(openFramework, openCluster, state, openPod),
			"pod":       use(openFramework, openCluster, openState, pod),
		} {
			if !errors.Is(err, libsched.ErrClosed) || !errors.Is(err, libsched.ErrMisuse) {
				t.Errorf("%s with a closed %s: %v", name, what, err)
			}
		}
		var noFramework *libsched.Framework
		var noCluster *libsched.Cluster
		for what, err := range map[string]error{
			"framework": use(noFramework, openCluster, openState, openPod),
			"cluster":   use(openFramework, noCluster, openState, openPod),
			"view":      use(openFramework, nil, openState, openPod),
			"state":     use(openFramework, openCluster, nil, openPod),
			"pod":       use(openFramework, openCluster, openState, nil),
		} {
			if !errors.Is(err, libsched.ErrMisuse) || !strings.Contains(err.Error(), "nil") {
				t.Errorf("%s with a nil %s: %v", name, what, err)
			}
		}
	}

	_, copyErr := pod.Copy()
	_, nodeCopyErr := node.Copy()
	_, rawErr := pod.Raw()
	_, nodeRawErr := node.Raw()
	_, reportErr := objects.ReportJSON()
	_, describeErr := config.DescribeJSON()
	_, pluginsErr := fw.Plugins()
	_, explainErr := decision.ExplainJSON()
	_, cloneErr := cluster.Clone()
	_, snapshotErr := cluster.Snapshot()
	_, readErr := state.Read("k")
	_, stateCloneErr := state.Clone()
	_, frameworkErr := libsched.NewFramework(libsched.WithConfig(config))
	for i, err := range []error{copyErr, nodeCopyErr, rawErr, nodeRawErr, reportErr, describeErr,
		pluginsErr, explainErr,
		cloneErr, snapshotErr, readErr, stateCloneErr, frameworkErr, state.Write("k", 1),
		cluster.Fork(), cluster.Commit(),
		cluster.Revert(), cluster.Refresh(), cluster.AddNode(newNode(t, "n2", 1, "a", "")),
		cluster.RemoveNode("big"),
		cluster.AddPod(openPod, "big"), cluster.RemovePod("a", "b"),
		cluster.Apply([]byte(documents)),
		openCluster.AddNode(node), openCluster.UpdateNode(node), openCluster.AddPod(pod, "big"),
		openCluster.UpdatePod(pod, "big"),
		openCluster.ApplyObjects(objects), openCluster.AddPods([]*libsched.Pod{openPod, pod},
			nil)} {
		if !errors.Is(err, libsched.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	for i, err := range []error{openCluster.AddNode(nil), openCluster.AddPod(nil, "big"),
		openCluster.UpdateNode(nil),
		openCluster.UpdatePod(nil, "big"), openCluster.ApplyObjects(nil),
		(*libsched.Cluster)(nil).Fork()} {
		if !errors.Is(err, libsched.ErrMisuse) {
			t.Errorf("%d: %v", i, err)
		}
	}

	if pod.Name()+pod.NodeName()+node.Name()+fw.Profile() != "" || pod.Request("cpu") != 0 ||
		node.Taints() != nil {
		t.Error("a closed object says something")
	}
	if cluster.NodeCount() != 0 || cluster.Node("big") != nil || snapshot.NodeCount() != 0 ||
		snapshot.Order() != nil ||
		cluster.ForkDepth() != 0 || objects.Pods() != nil || state.SkipsFilter("x") {
		t.Error("a closed view says something")
	}
	clock, statuses := libsched.SystemClock(), libsched.NewNodeStatuses()
	registry := must(libsched.NewRegistry())(t)
	services := must(openCluster.Services())(t)
	check(t, services.AddWaitingPod(openPod, []libsched.PermitWait{{Plugin: "P", Timeout: time.Hour}}))
	waiting := services.WaitingPod(openPod.UID())
	for _, closeIt := range []func(){clock.Close, statuses.Close, registry.Close, waiting.Close} {
		closeIt()
		closeIt()
	}
	_, servicesErr := libsched.NewServices(libsched.ServicesOptions{Clock: clock})
	_, clusterServicesErr := cluster.Services()
	_, signErr := fw.SignPod(ctx, openCluster, openPod)
	_, postFilter := openFramework.RunPostFilterPlugins(ctx, openState, openCluster, openPod, statuses)
	_, activationsErr := state.TakeActivations()
	_, lessErr := openFramework.Less(libsched.QueuedPod{Pod: pod}, libsched.QueuedPod{Pod: openPod})
	for i, err := range []error{servicesErr, clusterServicesErr, signErr, postFilter.AsError(), activationsErr,
		lessErr, clock.AdvanceTo(time.Now()), statuses.Set(0, nil), state.Activate(openPod),
		services.Nominate(pod, nil), services.AddWaitingPod(pod, nil), cluster.SetServices(services),
		openFramework.WaitOnPermit(ctx, openCluster, pod).AsError(),
		openFramework.RunBindPlugins(ctx, state, openCluster, openPod, "big").AsError(),
		openFramework.RunPreFilterExtensionAddPod(ctx, openState, openCluster, openPod, pod, "big").AsError()} {
		if !errors.Is(err, libsched.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if !clock.Now().IsZero() || statuses.Code(0) != libsched.CodeError || waiting.Pod() != nil ||
		waiting.PendingPlugins() != nil || waiting.Reject("P", "") || services.NominatedNode(pod) != "" {
		t.Error("a closed service says something")
	}
	state.Delete("k")
	(*libsched.Pod)(nil).Close()
	(*libsched.Cluster)(nil).Close()
}

// TestAnyOrderOfClose checks that a cluster keeps its objects, and a snapshot the state of its cluster.
func TestAnyOrderOfClose(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	node := newNode(t, "extra", 8, "a", "")
	check(t, cluster.AddNode(node))
	node.Close()
	snapshot := must(cluster.Snapshot())(t)
	cluster.Close()
	pod := newPod(t, "p", 100, "")
	d := must(fw.CheckPodFits(ctx, snapshot, pod, libsched.CheckOptions{}))(t)
	snapshot.Close()
	pod.Close()
	fw.Close()
	if d.FeasibleCount() != 3 {
		t.Error(d.Feasible())
	}
}

// TestCloseDuringUse closes values during calls, which complete or return ErrClosed.
func TestCloseDuringUse(t *testing.T) {
	for range 20 {
		fw, cluster := must(libsched.NewFramework())(t), fiveNodes(t)
		snapshot := must(cluster.Snapshot())(t)
		pod := newPod(t, "p", 100, "")
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				var view libsched.View = snapshot
				if i == 0 {
					view = cluster
				}
				for {
					d, err := fw.CheckPodFits(ctx, view, pod, libsched.CheckOptions{})
					if err != nil {
						if !errors.Is(err, libsched.ErrClosed) {
							t.Error(err)
						}
						return
					}
					if d.FeasibleCount() != 2 {
						t.Error(d.Feasible())
					}
					d.Close()
				}
			}()
		}
		time.Sleep(time.Millisecond)
		for _, closeIt := range []func(){pod.Close, snapshot.Close, cluster.Close, fw.Close} {
			go closeIt()
		}
		wg.Wait()
	}
}

// TestCleanup checks that the garbage collector releases unclosed values, by a value in a cycle state.
func TestCleanup(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	gone := make(chan string, 2)
	func() {
		state := libsched.NewCycleState()
		value := new(big)
		runtime.AddCleanup(value, func(string) { gone <- "state" }, "")
		check(t, state.Write("value", value))
	}()
	func() {
		fw, cluster := must(libsched.NewFramework())(t), must(libsched.NewCluster())(t)
		check(t, cluster.AddNode(newNode(t, "n1", 8, "a", "")))
		snapshot := must(cluster.Snapshot())(t)
		for _, view := range []libsched.View{cluster, snapshot} {
			must(fw.CheckPodFits(ctx, view, newPod(t, "p", 100, ""), libsched.CheckOptions{}))(t)
		}
		runtime.AddCleanup(cluster, func(string) { gone <- "cluster" }, "")
	}()
	seen := map[string]bool{}
	for deadline := time.Now().Add(10 * time.Second); len(seen) < 2 &&
		time.Now().Before(deadline); {
		runtime.GC()
		select {
		case what := <-gone:
			seen[what] = true
		case <-time.After(5 * time.Millisecond):
		}
	}
	if len(seen) != 2 {
		t.Errorf("only %v was released", seen)
	}
}

// TestConcurrentQueries queries a snapshot from several goroutines while the cluster changes.
func TestConcurrentQueries(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	nodes := make([]*libsched.Node, 200)
	for i := range nodes {
		nodes[i] = newNode(t, fmt.Sprintf("n%03d", i), 1+7*(i%2), "a", "")
	}
	check(t, cluster.AddNodes(nodes))
	snapshot := must(cluster.Snapshot())(t)
	defer snapshot.Close()
	pod := newPod(t, "p", 2000, "")
	shared := preFiltered(t, fw, snapshot, pod)

	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			state := libsched.NewCycleState()
			defer state.Close()
			for i := range 50 {
				if _, status := fw.RunPreFilterPlugins(ctx, state, snapshot,
					pod); !status.IsSuccess() {
					t.Error(status)
				}
				found, err := fw.FilterNodes(ctx, state, snapshot, pod, libsched.FilterOptions{})
				if err != nil || found.Count != 101 {
					t.Error(found, err)
				}
				if status := fw.RunFilterPlugins(ctx, shared, snapshot, pod,
					"n001"); !status.IsSuccess() {
					t.Error(status)
				}
				if status := fw.RunFilterPlugins(ctx, shared, snapshot, pod,
					"n002"); status.IsSuccess() {
					t.Error(status)
				}
				key := fmt.Sprint(i % 3)
				if err := shared.Write(key, i); err != nil {
					t.Error(err)
				}
				if _, err := shared.Read(key); err != nil {
					t.Error(err)
				}
				if clone, err := shared.Clone(); err != nil {
					t.Error(err)
				} else {
					clone.Close()
				}
			}
		}()
	}
	wg.Add(1)
	go func() { // changes the cluster and queries it
		defer wg.Done()
		for i := range 50 {
			check(t, cluster.Fork())
			check(t, cluster.AddPod(newPod(t, fmt.Sprint("extra-", i), 7000, ""), "n001"))
			if _, _, err := fw.FirstFit(ctx, cluster, pod, libsched.FirstFitOptions{}); err != nil {
				t.Error(err)
			}
			check(t, cluster.Revert())
		}
	}()
	wg.Wait()
}
