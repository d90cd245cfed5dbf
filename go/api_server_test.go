package libsched_test

import (
	"errors"
	"testing"
	"time"

	"libsched"
)

// onServer is a scheduler on an API server with one node.
type onServer struct {
	server    *libsched.APIServer
	scheduler *libsched.Scheduler
	clock     *libsched.Clock
}

func newOnServer(t *testing.T, options libsched.APIServerOptions) onServer {
	t.Helper()
	w := onServer{clock: libsched.VirtualClock(time.Unix(1000, 0))}
	options.Clock = w.clock
	var err error
	w.server, err = libsched.NewAPIServer(options)
	succeed(t, err)
	t.Cleanup(w.server.Close)
	cluster, err := libsched.NewCluster()
	succeed(t, err)
	t.Cleanup(cluster.Close)
	framework, err := libsched.NewFramework()
	succeed(t, err)
	t.Cleanup(framework.Close)
	w.scheduler, err = libsched.NewScheduler(cluster, []*libsched.Framework{framework},
		libsched.SchedulerOptions{Server: w.server})
	succeed(t, err)
	t.Cleanup(w.scheduler.Close)
	succeed(t, w.scheduler.Start())
	succeed(t, w.server.Create(serverNode(t, "a")))
	return w
}

func (w onServer) pass(t *testing.T, time time.Duration) {
	t.Helper()
	succeed(t, w.scheduler.RunUntil(t.Context(), w.clock.Now().Add(time)))
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func serverNode(t *testing.T, name string) *libsched.Node {
	t.Helper()
	node, err := libsched.ParseNode([]byte("{apiVersion: v1, kind: Node, metadata: {name: " + name +
		"}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}}"))
	succeed(t, err)
	return node
}

func serverPod(t *testing.T, name string) *libsched.Pod {
	t.Helper()
	pod, err := libsched.ParsePod([]byte("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
		", namespace: d}, spec: {containers: [{name: c}]}}"))
	succeed(t, err)
	return pod
}

func TestAPIServerBindsWhatTheSchedulerDecides(t *testing.T) {
	w := newOnServer(t, libsched.APIServerOptions{KeepCalls: true, KeepEvents: true})
	succeed(t, w.server.AddFault(libsched.APIFault{Verb: "bind", Key: "d/p", Error: "conflict", Times: 1}))
	succeed(t, w.server.Create(serverPod(t, "p")))
	w.pass(t, 30*time.Second)
	bound, err := w.server.Pod("d", "p")
	succeed(t, err)
	if bound.NodeName() != "a" {
		t.Errorf("bound to %q", bound.NodeName())
	}
	calls, err := w.server.TakeCalls()
	succeed(t, err)
	var binds []libsched.APICall
	for _, call := range calls {
		if call.Verb == "bind" {
			binds = append(binds, call)
		}
	}
	if len(binds) != 2 || binds[0].Error == "" || binds[1].Error != "" || binds[1].Node != "a" ||
		binds[1].Key != "d/p" || binds[1].At < binds[0].At {
		t.Errorf("bindings: %+v", binds)
	}
	events, err := w.server.TakeEvents()
	succeed(t, err)
	if last := events[len(events)-1]; last.Reason != "Scheduled" || last.Key != "d/p" {
		t.Errorf("events: %+v", events)
	}
	if again, err := w.server.TakeCalls(); err != nil || len(again) != 0 {
		t.Errorf("again: %v, %v", again, err)
	}
}

func TestAPIServerBindsVolumes(t *testing.T) {
	w := newOnServer(t, libsched.APIServerOptions{KeepEvents: true, BindVolumes: true, ProvisionTime: 10 * time.Second})
	objects, err := libsched.ParseObjects([]byte(`
kind: StorageClass
apiVersion: storage.k8s.io/v1
metadata: {name: wait}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer
---
kind: PersistentVolumeClaim
apiVersion: v1
metadata: {name: data, namespace: d}
spec: {storageClassName: wait, resources: {requests: {storage: 1Gi}}}
---
kind: Pod
apiVersion: v1
metadata: {name: p, namespace: d}
spec: {containers: [{name: c}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}
`))
	succeed(t, err)
	succeed(t, w.server.Create(objects))
	w.pass(t, 9*time.Second)
	if pod, err := w.server.Pod("d", "p"); err != nil || pod.NodeName() != "" {
		t.Errorf("bound too early: %v, %v", pod, err)
	}
	w.pass(t, 5*time.Second)
	if pod, err := w.server.Pod("d", "p"); err != nil || pod.NodeName() != "a" {
		t.Errorf("not bound: %v, %v", pod, err)
	}
	events, err := w.server.TakeEvents()
	succeed(t, err)
	if len(events) != 2 || events[0].Kind != "PersistentVolumeClaim" || events[0].Key != "d/data" ||
		events[0].Reason != "ProvisioningSucceeded" || events[1].Kind != "" {
		t.Errorf("events: %+v", events)
	}
	if _, err := libsched.NewAPIServer(libsched.APIServerOptions{ProvisionTime: 1}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}

func TestAPIServerObjects(t *testing.T) {
	w := newOnServer(t, libsched.APIServerOptions{Grace: time.Minute})
	s := w.server
	document, err := libsched.ParseObjects([]byte("{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: d}}"))
	succeed(t, err)
	succeed(t, s.Create(document))
	succeed(t, s.Update(document))
	succeed(t, s.Create(serverPod(t, "p")))
	succeed(t, s.Update(serverPod(t, "p")))
	succeed(t, s.Update(serverNode(t, "a")))
	if s.Version() != 6 {
		t.Errorf("version %d", s.Version())
	}
	for name, wrong := range map[string]struct {
		err  error
		want libsched.ErrorCode
	}{
		"create again":   {s.Create(serverPod(t, "p")), libsched.ErrExists},
		"update none":    {s.Update(serverPod(t, "x")), libsched.ErrNotFound},
		"no such kind":   {s.Delete("Secret", "d", "s"), libsched.ErrInvalid},
		"no such pod":    {s.Delete("Pod", "d", "x"), libsched.ErrNotFound},
		"wrong verb":     {s.AddFault(libsched.APIFault{Verb: "eat"}), libsched.ErrInvalid},
		"finish nothing": {s.FinishPod("d", "x"), libsched.ErrNotFound},
		"nil":            {s.Create(nil), libsched.ErrMisuse},
	} {
		if !errors.Is(wrong.err, wrong.want) {
			t.Errorf("%s: %v", name, wrong.err)
		}
	}
	succeed(t, s.Bind("d", "p", "a"))
	if err := s.Bind("d", "p", "a"); !errors.Is(err, libsched.ErrExists) {
		t.Errorf("bound twice: %v", err)
	}
	succeed(t, s.Delete("Pod", "d", "p")) // terminating
	if _, err := s.Pod("d", "p"); err != nil {
		t.Error(err)
	}
	w.pass(t, 2*time.Minute)
	if _, err := s.Pod("d", "p"); !errors.Is(err, libsched.ErrNotFound) {
		t.Errorf("after its grace period: %v", err)
	}
	succeed(t, s.FinishPod("d", "q"))
	objects, err := s.Objects()
	succeed(t, err)
	if len(objects.Pods()) != 0 || len(objects.Nodes()) != 1 {
		t.Errorf("%d pods, %d nodes", len(objects.Pods()), len(objects.Nodes()))
	}
	succeed(t, s.ClearFaults())
	s.Close()
	if _, err := s.Node("a"); !errors.Is(err, libsched.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if s.Version() != 0 {
		t.Error("a version after Close")
	}
}

func TestAPIServerWrongOptions(t *testing.T) {
	if _, err := libsched.NewAPIServer(libsched.APIServerOptions{SlowRate: 2}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	server, err := libsched.NewAPIServer(libsched.APIServerOptions{})
	succeed(t, err)
	cluster, err := libsched.NewCluster()
	succeed(t, err)
	framework, err := libsched.NewFramework()
	succeed(t, err)
	_, err = libsched.NewScheduler(cluster, []*libsched.Framework{framework},
		libsched.SchedulerOptions{Server: server, API: &client{}})
	if !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	_, err = libsched.NewScheduler(cluster, []*libsched.Framework{framework},
		libsched.SchedulerOptions{Server: server, Clock: libsched.VirtualClock(time.Unix(0, 0))})
	if !errors.Is(err, libsched.ErrInvalid) {
		t.Errorf("another clock: %v", err)
	}
}
