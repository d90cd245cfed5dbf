package kube

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
)

// fat is a pod as an API server hands it out, with two containers, affinity, spreading, tolerations and the
// volume of a service account's token.
func fat(i int) *v1.Pod {
	pod := typical()
	pod.Name, pod.UID = fmt.Sprintf("web-5d4f8c7b9-%05d", i), "0f8fad5b-d9cb-469f-a165-70867728950e"
	pod.GenerateName = "web-5d4f8c7b9-"
	pod.Annotations = map[string]string{"kubernetes.io/psp": "restricted", "prometheus.io/scrape": "true"}
	sidecar := *pod.Spec.Containers[0].DeepCopy()
	sidecar.Name, sidecar.Image, sidecar.Ports = "proxy", "registry/proxy:3", nil
	for k := range 20 {
		sidecar.Env = append(sidecar.Env, v1.EnvVar{Name: fmt.Sprint("VARIABLE_", k), Value: "some value"})
	}
	mount := v1.VolumeMount{Name: fmt.Sprintf("kube-api-access-%05d", i), MountPath: "/var/run/secrets", ReadOnly: true}
	sidecar.VolumeMounts = append(sidecar.VolumeMounts, mount)
	pod.Spec.Containers = append(pod.Spec.Containers, sidecar)
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: mount.Name, VolumeSource: v1.VolumeSource{
		Projected: &v1.ProjectedVolumeSource{Sources: []v1.VolumeProjection{{ServiceAccountToken: &v1.ServiceAccountTokenProjection{
			Path: "token"}}, {ConfigMap: &v1.ConfigMapProjection{LocalObjectReference: v1.LocalObjectReference{
			Name: "kube-root-ca.crt"}}}}}}})
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
		{Weight: 100, PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: selector, TopologyKey: v1.LabelHostname}}}}}
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone,
		WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: selector}}
	seconds := int64(300)
	pod.Spec.Tolerations = []v1.Toleration{
		{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds},
		{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds},
	}
	return pod
}

func shape(name string, cpu string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u", Labels: map[string]string{v1.LabelHostname: name, v1.LabelTopologyZone: "a",
			"pool": "general"}},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("64Gi"),
			"pods": resource.MustParse("110")}},
	}
}

func TestReplicasHaveOneContent(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	a, b := fat(1), fat(2)
	ref := must(c.Pod(a))(t)
	if must(c.Pod(b))(t) != ref || must(c.Placed(a))(t) != ref {
		t.Error("replicas have different contents")
	}
	b.Spec.NodeName, b.Status.NominatedNodeName = "n1", "n2"
	if must(c.Pod(b))(t) == ref || must(c.Placed(b))(t) != ref {
		t.Error("a pod with a node")
	}
	b.Spec.NodeName = ""
	if must(c.Pod(b))(t) == ref {
		t.Error("a nominated pod has the content of one that is not")
	}
	b.Status.NominatedNodeName = ""
	b.Labels["app"] = "db"
	if must(c.Pod(b))(t) == ref {
		t.Error("another label, the same content")
	}
	claims := fat(3)
	claims.Spec.Volumes = append(claims.Spec.Volumes, v1.Volume{Name: "scratch", VolumeSource: v1.VolumeSource{
		Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{}}}})
	other := claims.DeepCopy()
	other.Name = "another"
	if must(c.Pod(claims))(t) == must(c.Pod(other))(t) {
		t.Error("pods with claims of their own have one content")
	}
	if must(c.Node(shape("n1", "4")))(t) != must(c.Node(shape("n2", "4")))(t) ||
		must(c.Node(shape("n1", "4")))(t) == must(c.Node(shape("n1", "8")))(t) {
		t.Error("nodes")
	}
	foreign := shape("n1", "4")
	foreign.Labels[v1.LabelHostname] = "elsewhere"
	if must(c.Node(foreign))(t) == must(c.Node(shape("n1", "4")))(t) {
		t.Error("a hostname that is not the name")
	}
}

func TestManyPodsCrossOnce(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	var pods []*v1.Pod
	for i := range 300 {
		pod := fat(i)
		pod.Labels["group"] = fmt.Sprint(i % 3)
		pods = append(pods, pod)
	}
	refs := must(c.Pods(pods, nil))(t)
	for i, pod := range pods {
		if refs[i] != refs[i%3] || must(c.Pod(pod))(t) != refs[i] {
			t.Fatal(i, refs[:6])
		}
	}
	if c.Catalog().PodCount() != 3 || c.pods.size() != 3 {
		t.Error(c.Catalog().PodCount(), c.pods.size())
	}
	again := must(c.PlacedPods(pods, refs))(t)
	if &again[0] != &refs[0] || again[1] != refs[1] {
		t.Error("the memory of the caller is not used")
	}
	nodes := []*v1.Node{shape("a", "1"), shape("b", "2"), shape("c", "1")}
	shapes := must(c.Nodes(nodes, nil))(t)
	if shapes[0] != shapes[2] || shapes[0] == shapes[1] || must(c.Node(nodes[1]))(t) != shapes[1] {
		t.Error(shapes)
	}
}

func TestCatalogErrors(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	wrong := fat(7)
	wrong.Spec.TopologySpreadConstraints[0].LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
		Key: "a", Operator: "Nonsense"}}}
	_, nilPod := c.Pod(nil)
	_, nilNode := c.Node(nil)
	_, nilInPods := c.Pods([]*v1.Pod{fat(1), nil}, nil)
	_, nilInNodes := c.Nodes([]*v1.Node{nil}, nil)
	_, text := c.PodJSON([]byte("{"))
	_, message := c.PodProto([]byte("\x0a\xff"))
	_, node := c.NodeJSON([]byte(`{"kind": "Pod"}`))
	_, age := c.Age(-1)
	var none *Catalog
	_, nonePod := none.Pod(fat(1))
	_, noneNode := none.Node(shape("n", "1"))
	_, nonePods := none.Pods(nil, nil)
	_, noneJSON := none.PodJSON(nil)
	_, noneAge := none.Age(1)
	_, noneSim := NewSim(nil, none)
	closed := must(NewCatalog(CatalogOptions{}))(t)
	closed.Close()
	closed.Close()
	_, closedPod := closed.Pod(fat(1))
	_, closedAge := closed.Age(1)
	for name, x := range map[string]struct{ err, want error }{
		"nil pod": {nilPod, libsched.ErrMisuse}, "nil node": {nilNode, libsched.ErrMisuse},
		"nil in pods": {nilInPods, libsched.ErrMisuse}, "nil in nodes": {nilInNodes, libsched.ErrMisuse},
		"text": {text, libsched.ErrInvalid}, "message": {message, libsched.ErrInvalid}, "a pod as a node": {node, libsched.ErrInvalid},
		"age": {age, libsched.ErrInvalid}, "nil catalog": {nonePod, libsched.ErrMisuse}, "nil catalog 2": {noneNode, libsched.ErrMisuse},
		"nil catalog 3": {nonePods, libsched.ErrMisuse}, "nil catalog 4": {noneJSON, libsched.ErrMisuse},
		"nil catalog 5": {noneAge, libsched.ErrMisuse}, "nil catalog 6": {noneSim, libsched.ErrMisuse},
		"closed": {closedPod, libsched.ErrClosed}, "closed age": {closedAge, libsched.ErrClosed},
	} {
		if !errors.Is(x.err, x.want) {
			t.Errorf("%s: %v", name, x.err)
		}
	}
	if err := atIndex(&libsched.Error{Code: libsched.ErrInvalid, Path: "[1].spec"}, []int{4, 9}); err.(*libsched.Error).Path != "[9].spec" {
		t.Error(err)
	}
	before := c.Catalog().PodCount()
	if _, err := c.Pods([]*v1.Pod{fat(1), fat(2), wrong}, nil); err != nil {
		if c.Catalog().PodCount() != before || c.pods.size() != 0 {
			t.Error("a part of the pods is known")
		}
		if !strings.HasPrefix(err.(*libsched.Error).Path, "[2]") {
			t.Error(err)
		}
	}
}

func TestExtraIsPartOfTheContent(t *testing.T) {
	c := newCatalog(t, CatalogOptions{Extra: func(pod *v1.Pod, key []byte) []byte {
		return append(key, pod.Annotations["tier"]...)
	}})
	a, b := fat(1), fat(2)
	a.Annotations["tier"], b.Annotations["tier"] = "gold", "iron"
	gold := must(c.Pod(a))(t)
	if must(c.Pod(b))(t) == gold {
		t.Error("the annotation is no part of the content")
	}
	b.Annotations["tier"] = "gold"
	if must(c.Pod(b))(t) != gold {
		t.Error("equal annotations, different contents")
	}
	message := must(a.Marshal())(t)
	if must(c.PodProto(message))(t) != gold {
		t.Error("by protobuf")
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Raw: message}
	if must(c.PodProto(append([]byte("k8s\x00"), must(unknown.Marshal())(t)...)))(t) != gold {
		t.Error("by protobuf in its envelope")
	}
	if must(c.PodJSON([]byte(`{"kind": "Pod", "metadata": {"name": "x", "annotations": {"tier": "gold"}}}`)))(t) ==
		must(c.PodJSON([]byte(`{"kind": "Pod", "metadata": {"name": "x", "annotations": {"tier": "iron"}}}`)))(t) {
		t.Error("by JSON")
	}
}

func TestAge(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	used, unused := fat(1), fat(2)
	unused.Labels["app"] = "old"
	ref, old := must(c.Pod(used))(t), must(c.Pod(unused))(t)
	node := must(c.Node(shape("n", "4")))(t)
	forgotten := 0
	for range 4 {
		if must(c.Pod(used))(t) != ref || must(c.Node(shape("m", "4")))(t) != node {
			t.Fatal("a content in use has another reference")
		}
		forgotten += must(c.Age(1))(t)
	}
	if forgotten != 1 || c.Catalog().PodCount() != 1 || c.pods.size() != 1 {
		t.Error(forgotten, c.Catalog().PodCount(), c.pods.size())
	}
	if again := must(c.Pod(unused))(t); again == old {
		t.Error("a reference was given again")
	}
	for range 3 {
		must(c.Age(0))(t)
	}
	if c.pods.size()+c.nodes.size() != 0 {
		t.Error("entries of forgotten contents are left")
	}
}

// TestGoroutines looks pods up while contents age.
func TestGoroutines(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	pods := make([]*v1.Pod, 40)
	for i := range pods {
		pods[i] = fat(i)
		pods[i].Labels["group"] = fmt.Sprint(i)
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range 400 {
				if _, err := c.Pod(pods[(i*7+g)%len(pods)]); err != nil {
					t.Error(err)
				}
				if i%100 == 0 {
					if _, err := c.Age(2); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	group.Wait()
}

func TestALookupAllocatesNothing(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	pod, node := fat(1), shape("n", "4")
	for name, f := range map[string]func(){
		"Pod": func() { c.Pod(pod) }, "Placed": func() { c.Placed(pod) }, "Node": func() { c.Node(node) },
	} {
		f()
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestRequests(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	ref := must(c.Placed(fat(1)))(t)
	amounts := must(c.Requests(ref))(t)
	if amounts[v1.ResourceCPU] == 0 || amounts[v1.ResourceMemory] == 0 {
		t.Error(amounts)
	}
	if n := testing.AllocsPerRun(100, func() { must(c.Requests(ref))(t) }); n > 1 { // the reference as a key
		t.Error(n, "allocations")
	}
	for range 2 {
		must(c.Age(0))(t)
	}
	if _, err := c.Requests(ref); !errors.Is(err, libsched.ErrStale) {
		t.Error(err)
	}
	var none *Catalog
	if _, err := none.Requests(ref); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
}

// With Remember a pod's key is made once in an age, unless its resource version changes.
func TestRemember(t *testing.T) {
	keys := 0
	c := newCatalog(t, CatalogOptions{Remember: true, Extra: func(_ *v1.Pod, key []byte) []byte { keys++; return key }})
	pod := fat(1)
	ref, err := c.Placed(pod) // a new content, of which it is remembered as well
	check(t, err)
	look := func(want int) {
		t.Helper()
		keys = 0
		again, err := c.Placed(pod)
		check(t, err)
		many, err := c.PlacedPods([]*v1.Pod{pod, pod}, nil)
		check(t, err)
		if again != ref || many[0] != ref || many[1] != ref || keys != want {
			t.Errorf("%v %v, %d keys instead of %d", again, many, keys, want)
		}
	}
	look(0)
	pod.ResourceVersion = "2"
	look(1)
	for range 3 {
		_, err = c.Age(1)
		check(t, err)
		look(1)
		look(0)
	}
	if _, err := c.Pod(pod); err != nil || keys == 0 { // another question, which is remembered apart
		t.Error(err, keys)
	}
	pod.ResourceVersion, pod.Labels = "3", map[string]string{"app": "other"}
	if other, err := c.Placed(pod); err != nil || other == ref {
		t.Error("another content", err)
	}
	if n := testing.AllocsPerRun(100, func() { c.Placed(pod) }); n != 0 {
		t.Error(n, "allocations")
	}
	equal := []*v1.Pod{fat(8), fat(9)} // of a content that is new with them
	equal[0].Labels, equal[1].Labels = map[string]string{"app": "third"}, map[string]string{"app": "third"}
	if _, err := c.PlacedPods(equal, nil); err != nil {
		t.Fatal(err)
	}
	keys = 0
	if _, err := c.PlacedPods(equal, nil); err != nil || keys != 0 {
		t.Error(err, keys)
	}
}

// Nodes are remembered alike: one that changes has another resource version.
func TestRememberNodes(t *testing.T) {
	c := newCatalog(t, CatalogOptions{Remember: true})
	n := shape("n", "4")
	ref := must(c.Node(n))(t)
	if many := must(c.Nodes([]*v1.Node{n, shape("m", "4")}, nil))(t); many[0] != ref || many[1] != ref {
		t.Error(many, ref)
	}
	n.Labels["pool"] = "special"
	if must(c.Node(n))(t) != ref {
		t.Error("the node was looked up again")
	}
	n.ResourceVersion = "2"
	changed := must(c.Node(n))(t)
	if changed == ref {
		t.Error("the changed node has its old content")
	}
	must(c.Age(1))(t)
	if n.ResourceVersion = ""; must(c.Node(n))(t) != changed {
		t.Error("the age before is remembered")
	}
	if n := testing.AllocsPerRun(100, func() { c.Node(n) }); n != 0 {
		t.Error(n, "allocations")
	}
}

// Holds of several ages keep what was looked up since the first of them.
func TestHolds(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	ref := must(c.Placed(fat(1)))(t)
	first, second := c.Hold(), c.Hold()
	for range 3 {
		must(c.Age(0))(t)
	}
	third := c.Hold()
	first.Release()
	known := make([]bool, 1)
	aged := func() bool {
		must(c.Age(0))(t)
		check(t, c.Catalog().HasPods([]libsched.PodRef{ref}, known))
		return !known[0]
	}
	if aged() {
		t.Error("forgotten though it is held")
	}
	second.Release()
	third.Release()
	if !aged() {
		t.Error("kept though nobody holds it")
	}
	(*Catalog)(nil).Hold().Release()
}

// timeCPU reports the CPU time of the thread beside the time that passes, for machines that do other work as
// well. The function that it returns ends the measurement.
func timeCPU(b *testing.B) func() {
	const thread = 1 // RUSAGE_THREAD of getrusage(2)
	used := func() int64 {
		var usage syscall.Rusage
		check(b, syscall.Getrusage(thread, &usage))
		return usage.Utime.Nano() + usage.Stime.Nano()
	}
	goruntime.LockOSThread()
	begin := used()
	return func() {
		b.ReportMetric(float64(used()-begin)/float64(b.N), "cpu-ns/op")
		goruntime.UnlockOSThread()
	}
}

func BenchmarkCatalogPod(b *testing.B) {
	for name, pod := range map[string]*v1.Pod{"typical": typical(), "fat": fat(1), "remembered": fat(1)} {
		c := newCatalog(b, CatalogOptions{Remember: name == "remembered"})
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			defer timeCPU(b)()
			for b.Loop() {
				if _, err := c.Placed(pod); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCatalogNode(b *testing.B) {
	c := newCatalog(b, CatalogOptions{})
	node := shape("n", "4")
	b.ReportAllocs()
	defer timeCPU(b)()
	for b.Loop() {
		if _, err := c.Node(node); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkResetTo resets a Sim to 1,000 nodes and 10,000 pods whose contents are known.
func BenchmarkResetTo(b *testing.B) {
	s := newSim(b)
	var nodes []*v1.Node
	var pods []*v1.Pod
	for i := range 1000 {
		nodes = append(nodes, shape(fmt.Sprint("n", i), "16"))
		for k := range 10 {
			pod := fat(10*i + k)
			pod.Labels["group"] = fmt.Sprint(k)
			pod.Spec.NodeName = nodes[i].Name
			pods = append(pods, pod)
		}
	}
	b.ReportAllocs()
	defer timeCPU(b)()
	for b.Loop() {
		must(s.ResetTo(nodes, pods))(b)
	}
}
