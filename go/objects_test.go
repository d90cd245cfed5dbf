package libsched_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"libsched"
)

// packed returns the text as gzip data.
func packed(text string) string {
	var out strings.Builder
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

const documents = `
apiVersion: v1
kind: Node
metadata: {name: n1, uid: u1, labels: {pool: x, kubernetes.io/hostname: n1}}
spec:
  unschedulable: true
  taints: [{key: k, value: v, effect: NoExecute}, {key: l, effect: NoSchedule}]
status: {allocatable: {cpu: 3900m, memory: 8Gi, pods: "30", example.com/gpu: "4"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u-1, labels: {app: web}}
spec:
  nodeName: n1
  schedulerName: mine
  priority: 7
  containers:
  - {name: a, resources: {limits: {cpu: 1500m, memory: 1Gi}}}
status: {phase: Running}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d1, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec: {containers: [{name: c}]}
`

func TestObjects(t *testing.T) {
	o := must(libsched.ParseObjects([]byte(documents), libsched.KeepRaw()))(t)
	pods, nodes, workloads := o.Pods(), o.Nodes(), o.Workloads()
	var report struct{ Counts map[string]int }
	check(t, json.Unmarshal(must(o.ReportJSON())(t), &report))
	o.Close() // objects obtained from it stay valid
	if len(pods) != 1 || len(nodes) != 1 || len(workloads) != 1 ||
		report.Counts["Deployment"] != 1 {
		t.Fatal(pods, nodes, workloads, report)
	}

	p := pods[0]
	if p.String() != "shop/web" || p.UID() != "u-1" || p.NodeName() != "n1" ||
		p.SchedulerName() != "mine" ||
		p.Phase() != "Running" || p.Priority() != 7 || p.Request("cpu") != 1500 ||
		p.Request("memory") != 1<<30 {
		t.Errorf("%v", p)
	}
	if app, ok := p.Label("app"); app != "web" || !ok {
		t.Error(app, ok)
	}
	if none, ok := p.Label("none"); none != "" || ok {
		t.Error(none, ok)
	}
	var raw struct{ Metadata struct{ Name string } }
	check(t, json.Unmarshal(must(p.Raw())(t), &raw))
	if raw.Metadata.Name != "web" {
		t.Error(raw)
	}

	n := nodes[0]
	if n.Name() != "n1" || n.UID() != "u1" || !n.Unschedulable() || n.Allocatable("cpu") != 3900 ||
		n.Allocatable("example.com/gpu") != 4 || n.Allocatable("pods") != 30 {
		t.Errorf("%v", n)
	}
	if taints := n.Taints(); !slices.Equal(taints, []libsched.Taint{{"k", "v", "NoExecute"},
		{"l", "", "NoSchedule"}}) {
		t.Error(taints)
	}
	check(t, json.Unmarshal(must(n.Raw())(t), &raw))

	w := workloads[0]
	if w.Kind != "Deployment" || w.Replicas != 3 || w.Pod.Name() != "d1" ||
		w.Pod.SchedulerName() != "default-scheduler" {
		t.Errorf("%+v", w)
	}
}

func TestCopies(t *testing.T) {
	p := newPod(t, "p", 100, "nodeName: here")
	q := must(p.Copy(libsched.WithName("q"), libsched.WithNamespace("other"),
		libsched.WithUID(""), libsched.WithNodeName("")))(t)
	same := must(p.Copy())(t)
	p.Close()
	if q.String() != "other/q" || q.UID() != "" || q.NodeName() != "" || q.Request("cpu") != 100 {
		t.Error(q, q.UID(), q.NodeName())
	}
	if same.String() != "default/p" || same.UID() != "uid-p" || same.NodeName() != "here" {
		t.Error(same)
	}
	n := newNode(t, "n1", 1, "a", "")
	m := must(n.Copy(libsched.WithName("m"), libsched.WithUID("um")))(t)
	if host, _ := m.Label("kubernetes.io/hostname"); m.Name() != "m" || m.UID() != "um" ||
		host != "m" || n.Name() != "n1" {
		t.Error(m, m.UID(), host)
	}
	if _, err := n.Copy(libsched.WithNodeName("x")); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		document string
		path     string
		kind     libsched.ErrorCode
		options  []libsched.ParseOption
	}{
		{`{"kind": "Pod", "spec": {"nodeName": 7}}`, "spec.nodeName", libsched.ErrInvalid, nil},
		{`{"kind": "Pod", "spec": {"containers": [{"resources": {"requests": {"cpu": "1x"}}}]}}`,
			"spec.containers[0].resources.requests.cpu", libsched.ErrInvalid, nil},
		{`{"kind": "Pod"`, "", libsched.ErrInvalid, nil},
		{"", "", libsched.ErrInvalid, nil},
		{`{"kind": "Pod", "metadata": {"name": "p", "colour": "red"}}`, "metadata.colour",
			libsched.ErrInvalid,
			[]libsched.ParseOption{libsched.Strict()}},
		{`{"kind": "Pod", "metadata": {"name": "p"}}`, "", libsched.ErrLimit,
			[]libsched.ParseOption{libsched.MaxBytes(8)}},
		{`{"kind": "Pod", "metadata": {"labels": {}}}`, "", libsched.ErrLimit,
			[]libsched.ParseOption{libsched.MaxDepth(1)}},
		{packed("{}" + strings.Repeat(" ", 5000)), "", libsched.ErrLimit,
			[]libsched.ParseOption{libsched.MaxDecompressedBytes(4000)}},
	} {
		pod, err := libsched.ParsePod([]byte(c.document), c.options...)
		var failed *libsched.Error
		if pod != nil || !errors.Is(err, c.kind) || !errors.As(err, &failed) || c.path != "" &&
			failed.Path != c.path {
			t.Errorf("%s: %v", c.document, err)
		}
	}
	if _, err := newPod(t, "p", 1, "").Raw(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

func TestDefaults(t *testing.T) {
	classes := must(libsched.ParseObjects([]byte(`{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}`)))(t)
	defer classes.Close()
	document := []byte(`
kind: Pod
metadata: {name: p}
spec: {priorityClassName: high, containers: [{name: c, resources: {limits: {cpu: 2}}}]}`)
	with := must(libsched.ParsePod(document, libsched.WithClasses(classes)))(t)
	without := must(libsched.ParsePod(document, libsched.WithoutDefaults()))(t)
	if with.Request("cpu") != 2000 || with.Priority() != 1000 || with.Namespace() != "default" {
		t.Error(with, with.Request("cpu"), with.Priority())
	}
	if without.Request("cpu") != 0 || without.Priority() != 0 {
		t.Error(without, without.Request("cpu"), without.Priority())
	}
	closed := must(libsched.ParseObjects([]byte(`{apiVersion: v1, kind: Pod, metadata: {name: p}}`)))(t)
	closed.Close()
	if _, err := libsched.ParsePod(document, libsched.WithClasses(closed)); !errors.Is(err,
		libsched.ErrClosed) {
		t.Error(err)
	}
}

func TestAnnotations(t *testing.T) {
	document := []byte(`{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "annotations": {"b": "2", "a": ""}}}`)
	for _, option := range []libsched.ParseOption{libsched.KeepAnnotations(), libsched.KeepRaw()} {
		p := must(libsched.ParsePod(document, option))(t)
		if all := must(p.Annotations())(t); len(all) != 2 || all["b"] != "2" {
			t.Error(all)
		}
		if value, ok, err := p.Annotation("b"); value != "2" || !ok || err != nil {
			t.Error(value, ok, err)
		}
		if value, ok, err := p.Annotation("c"); value != "" || ok || err != nil {
			t.Error(value, ok, err)
		}
		n := must(libsched.ParseNode([]byte(`{"metadata": {"name": "n"}}`), option))(t)
		if _, ok, err := n.Annotation("a"); ok || err != nil || len(must(n.Annotations())(t)) != 0 {
			t.Error(ok, err)
		}
		n.Close()
		if _, err := n.Annotations(); !errors.Is(err, libsched.ErrClosed) {
			t.Error(err)
		}
	}
	p, n := must(libsched.ParsePod(document))(t), must(libsched.ParseNode([]byte(`{"metadata": {"name": "n"}}`)))(t)
	_, one := p.Annotations()
	_, _, two := p.Annotation("a")
	_, three := n.Annotations()
	_, _, four := n.Annotation("a")
	for _, err := range []error{one, two, three, four} {
		if !errors.Is(err, libsched.ErrState) || !strings.Contains(err.Error(), "keep_annotations") {
			t.Error(err)
		}
	}
}

func TestProtobuf(t *testing.T) {
	message := []byte("\x0a\x05\x0a\x03web\x12\x04\x52\x02n1") // a Pod with a name and a node
	envelope := append([]byte("k8s\x00\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x0d"), message...)
	for _, document := range [][]byte{message, envelope} {
		pod := must(libsched.PodFromProtobuf(document))(t)
		if pod.Name() != "web" || pod.NodeName() != "n1" {
			t.Errorf("%q on %q", pod.Name(), pod.NodeName())
		}
	}
	if pods := must(libsched.ParseObjects(envelope))(t).Pods(); len(pods) != 1 {
		t.Errorf("%d pods", len(pods))
	}
	if node := must(libsched.NodeFromProtobuf(message[:7]))(t); node.Name() != "web" {
		t.Errorf("node %q", node.Name())
	}
	if _, err := libsched.PodFromProtobuf(message[:12]); !errors.Is(err, libsched.ErrInvalid) {
		t.Errorf("truncated: %v", err)
	}
	var failure *libsched.Error
	wrong := append(message[:7:7], "\x12\x02\x50\x01"...) // a number as the name of the node
	if _, err := libsched.PodFromProtobuf(wrong); !errors.As(err, &failure) || failure.Path != "spec.nodeName" {
		t.Errorf("wrong type: %v", err)
	}
}
