package libsched_test

import (
	"context"
	"fmt"
	"testing"

	"libsched"
)

var ctx = context.Background()

// must unwraps a result: must(f())(t).
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newNode makes a node with 16 GiB; spec is the content of spec.
func newNode(t testing.TB, name string, cpu int, zone, spec string) *libsched.Node {
	t.Helper()
	return must(libsched.ParseNode([]byte(fmt.Sprintf(`
kind: Node
metadata:
  name: %q
  uid: uid-%s
  labels: {kubernetes.io/hostname: %q, topology.kubernetes.io/zone: %q}
spec: {%s}
status: {allocatable: {cpu: "%d", memory: 16Gi, pods: "110"}}`, name, name, name, zone, spec, cpu))))(t)
}

// newPod makes a pod with one container; spec has the other fields of its spec.
func newPod(t testing.TB, name string, milliCPU int, spec string) *libsched.Pod {
	t.Helper()
	return must(libsched.ParsePod([]byte(fmt.Sprintf(`
kind: Pod
metadata: {name: %q, namespace: default, uid: uid-%s, labels: {app: web}}
spec:
  containers: [{name: c, resources: {requests: {cpu: %dm, memory: 1Gi}}}]
  %s`, name, name, milliCPU, spec))))(t)
}

const (
	tainted = `taints: [{key: dedicated, value: batch, effect: NoSchedule}]`
	closed  = `unschedulable: true`
)

// fiveNodes makes a cluster of small (1 CPU), big (8), full (4, all taken), tainted (8) and closed (8,
// cordoned).
func fiveNodes(t testing.TB) *libsched.Cluster {
	t.Helper()
	c := must(libsched.NewCluster())(t)
	t.Cleanup(c.Close)
	check(t, c.AddNodes([]*libsched.Node{
		newNode(t, "small", 1, "a", ""),
		newNode(t, "big", 8, "b", ""),
		newNode(t, "full", 4, "c", ""),
		newNode(t, "tainted", 8, "a", tainted),
		newNode(t, "closed", 8, "b", closed),
	}))
	check(t, c.AddPod(newPod(t, "hog", 4000, ""), "full"))
	return c
}

func newFramework(t testing.TB, options ...libsched.FrameworkOption) *libsched.Framework {
	t.Helper()
	fw := must(libsched.NewFramework(options...))(t)
	t.Cleanup(fw.Close)
	return fw
}

// preFiltered returns a state after PreFilter.
func preFiltered(t testing.TB, fw *libsched.Framework, view libsched.View,
	pod *libsched.Pod) *libsched.CycleState {
	t.Helper()
	state := libsched.NewCycleState()
	t.Cleanup(state.Close)
	if _, status := fw.RunPreFilterPlugins(ctx, state, view, pod); !status.IsSuccess() {
		t.Fatal(status)
	}
	return state
}
