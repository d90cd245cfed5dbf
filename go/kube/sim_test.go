package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"libsched"
)

var ctx = context.Background()

func newSim(t testing.TB) *Sim {
	t.Helper()
	fw := must(libsched.NewFramework())(t)
	t.Cleanup(fw.Close)
	s := must(NewSim(fw, newCatalog(t, CatalogOptions{})))(t)
	t.Cleanup(s.Close)
	return s
}

// plain is a pod that requests half a CPU.
func plainPod(name, node string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: "u", Labels: map[string]string{"app": "web"}},
		Spec: v1.PodSpec{NodeName: node, Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{"cpu": resource.MustParse("500m")}}}}},
	}
}

type listed[T any] struct {
	all []T
	err error
}

func (l listed[T]) List(selector labels.Selector) ([]T, error) {
	if !selector.Empty() {
		return nil, errors.New("everything was wanted")
	}
	return l.all, l.err
}

func TestResetTo(t *testing.T) {
	s := newSim(t)
	nodes := []*v1.Node{shape("n0", "1"), shape("n1", "4")}
	ended := plainPod("ended", "n0")
	ended.Status.Phase = v1.PodSucceeded
	pods := []*v1.Pod{plainPod("a", "n1"), plainPod("b", ""), ended, plainPod("c", "elsewhere"), plainPod("d", "n0")}
	_, _, loaded, err := s.ResetFrom(listed[*v1.Node]{nodes, nil}, listed[*v1.Pod]{pods, nil})
	check(t, err)
	if s.NodeCount() != 2 || s.PodCount() != 2 || s.Name(loaded.Nodes[1]) != "n1" {
		t.Error(s.NodeCount(), s.PodCount(), loaded)
	}
	for i, want := range []libsched.NodeID{loaded.Nodes[1], 0, 0, 0, loaded.Nodes[0]} {
		if (loaded.Pods[i] == 0) != (want == 0) || s.NodeOf(loaded.Pods[i]) != want {
			t.Error(i, loaded, want)
		}
	}
	if s.PodRef(loaded.Pods[0]) != must(s.Catalog().Placed(pods[1]))(t) {
		t.Error("replicas have different contents")
	}
	// Another half fits on n0, and one more does not.
	if fits := must(s.Check(ctx, must(s.Catalog().Placed(plainPod("x", "")))(t), loaded.Nodes[0], nil))(t); !fits {
		t.Error("the pod does not fit")
	}
	must(s.Put(plainPod("e", ""), loaded.Nodes[0]))(t)
	if fits := must(s.Check(ctx, must(s.Catalog().Placed(plainPod("x", "")))(t), loaded.Nodes[0], nil))(t); fits {
		t.Error("the pod fits")
	}
	added := must(s.Add(shape("n2", "2")))(t)
	if s.Position(added) != 2 {
		t.Error(s.Position(added))
	}
	if _, err := s.ResetTo([]*v1.Node{shape("x", "1"), shape("x", "1")}, nil); !errors.Is(err, libsched.ErrExists) {
		t.Error(err)
	}
	if _, err := s.ResetTo(nodes, []*v1.Pod{nil}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
	broken := errors.New("broken")
	if _, _, _, err := s.ResetFrom(listed[*v1.Node]{nil, broken}, listed[*v1.Pod]{}); err != broken {
		t.Error(err)
	}
	if _, _, _, err := s.ResetFrom(listed[*v1.Node]{}, listed[*v1.Pod]{nil, broken}); err != broken {
		t.Error(err)
	}
	if s.NodeCount() != 3 {
		t.Error("a refused reset changed the cluster")
	}
}

func claimed(name string) *v1.Pod {
	pod := plainPod(name, "")
	pod.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{
		ClaimName: "data"}}}}
	return pod
}

func TestOtherObjects(t *testing.T) {
	s := newSim(t)
	loaded := must(s.ResetTo([]*v1.Node{shape("n0", "4")}, nil))(t)
	pod := must(s.Catalog().Placed(claimed("p")))(t)
	fits := func() bool {
		t.Helper()
		var why libsched.Verdict
		fits := must(s.Check(ctx, pod, loaded.Nodes[0], &why))(t)
		if !fits && why.Stage != libsched.PreFilterRejected {
			t.Error(why)
		}
		return fits
	}
	if fits() {
		t.Error("there is no claim")
	}
	check(t, s.Fork())
	class := "fast"
	waits := storagev1.VolumeBindingWaitForFirstConsumer
	check(t, s.Set(
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "x", VolumeBindingMode: &waits},
		&v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "shop"}, Spec: v1.PersistentVolumeClaimSpec{
			StorageClassName: &class, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{"storage": resource.MustParse("1Gi")}}}}))
	if !fits() {
		t.Error("the claim can be provisioned")
	}
	check(t, s.Fork())
	check(t, s.Unset("PersistentVolumeClaim", "shop", "data"))
	if fits() {
		t.Error("the claim is gone")
	}
	check(t, s.Revert())
	if !fits() {
		t.Error("the claim is back")
	}
	check(t, s.Revert())
	if fits() {
		t.Error("there is no claim outside of the fork")
	}
	check(t, s.Set())
	typed := &v1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	check(t, s.Set(typed, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "m"}}))
	for name, x := range map[string]struct{ err, want error }{
		"a pod":            {s.Set(plainPod("p", "")), libsched.ErrInvalid},
		"a node":           {s.Set(shape("n", "1")), libsched.ErrInvalid},
		"a kind not kept":  {s.Set(&v1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}), libsched.ErrUnsupported},
		"a type not known": {s.Set(&v1.Secret{}), libsched.ErrUnsupported},
		"nothing":          {s.Set(nil), libsched.ErrMisuse},
		"unset: no object": {s.Unset("PersistentVolume", "", "x"), libsched.ErrNotFound},
		"unset: no kind":   {s.Unset("Secret", "", "x"), libsched.ErrInvalid},
	} {
		if !errors.Is(x.err, x.want) {
			t.Errorf("%s: %v", name, x.err)
		}
	}
}

// Claims are read back with the devices that placed pods took, also in forks, and a list can replace all objects.
func TestObjectsAreReadBack(t *testing.T) {
	s := newSim(t)
	must(s.ResetTo([]*v1.Node{shape("n0", "4")}, nil))(t)
	node := "n0"
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "card", Namespace: "shop"},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "r",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount,
				Count: 1}}}}}}
	check(t, s.Set(class, claim, &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s"},
		Spec: resourcev1.ResourceSliceSpec{Driver: "d", NodeName: &node, Pool: resourcev1.ResourcePool{Name: "n0", ResourceSliceCount: 1},
			Devices: []resourcev1.Device{{Name: "x"}}}}))
	pod := plainPod("p", "")
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimName: &claim.Name}}
	before := s.ObjectsVersion("ResourceClaim")
	check(t, s.Fork())
	if _, placed, err := s.First(ctx, must(s.Catalog().Placed(pod))(t), &libsched.Query{Place: true}, nil); !placed || err != nil {
		t.Fatal(placed, err)
	}
	var taken resourcev1.ResourceClaim
	check(t, s.Get("shop", "card", &taken))
	if taken.Status.Allocation == nil || taken.Status.Allocation.Devices.Results[0].Device != "x" || taken.Name != "card" {
		t.Error(taken.Status)
	}
	if s.ObjectsVersion("ResourceClaim") == before || s.ObjectsVersion("Secret") != 0 {
		t.Error("the version of claims")
	}
	if all := must(s.ResourceClaims())(t); len(all) != 1 || len(all[0].Status.ReservedFor) != 1 {
		t.Error(all)
	}
	check(t, s.Revert())
	var free resourcev1.ResourceClaim
	check(t, s.Get("shop", "card", &free))
	if free.Status.Allocation != nil || s.ObjectsVersion("ResourceClaim") != before {
		t.Error(free.Status)
	}
	check(t, s.ResetObjects(class))
	for name, x := range map[string]struct{ err, want error }{
		"removed":  {s.Get("shop", "card", &free), libsched.ErrNotFound},
		"no name":  {s.Get("", "", &resourcev1.DeviceClass{}), libsched.ErrNotFound},
		"no kind":  {s.Get("", "x", &v1.Secret{}), libsched.ErrUnsupported},
		"nothing":  {s.Get("", "x", nil), libsched.ErrMisuse},
		"a pod":    {s.ResetObjects(plainPod("p", "")), libsched.ErrInvalid},
		"the same": {s.Get("", "gpu", &resourcev1.DeviceClass{}), nil},
	} {
		if !errors.Is(x.err, x.want) {
			t.Errorf("%s: %v", name, x.err)
		}
	}
	check(t, s.ResetObjects())
	if err := s.Get("", "gpu", &resourcev1.DeviceClass{}); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
}

// taintRule is an object of a version that not every release of k8s.io/api has.
func taintRule(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule",
		"metadata": map[string]any{"name": name}}}
}

// Objects of dynamic resource allocation, of any version of the API, come and go with forks.
func TestObjectsOfDevices(t *testing.T) {
	s := newSim(t)
	named := func(name, namespace string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: namespace}
	}
	kinds := map[string]string{"ResourceClaim": "shop", "ResourceClaimTemplate": "shop", "ResourceSlice": "",
		"DeviceClass": "", "DeviceTaintRule": ""}
	gone := func(name string) {
		t.Helper()
		for kind, namespace := range kinds {
			if err := s.Unset(kind, namespace, name); !errors.Is(err, libsched.ErrNotFound) {
				t.Errorf("%s %s: %v", kind, name, err)
			}
		}
	}
	device := func(name string) resourcev1.ResourceSliceSpec {
		node := "n"
		return resourcev1.ResourceSliceSpec{Driver: "d", NodeName: &node, Pool: resourcev1.ResourcePool{Name: "n", ResourceSliceCount: 1},
			Devices: []resourcev1.Device{{Name: name}}}
	}
	check(t, s.Set(&resourcev1.ResourceSlice{ObjectMeta: named("s", ""), Spec: device("one")}))
	check(t, s.Fork())
	check(t, s.Set(
		&resourcev1.ResourceClaim{ObjectMeta: named("a", "shop")},
		&resourcev1.ResourceClaimTemplate{ObjectMeta: named("a", "shop")},
		&resourcev1.ResourceSlice{ObjectMeta: named("a", ""), Spec: device("one")},
		&resourcev1.ResourceSlice{ObjectMeta: named("s", ""), Spec: device("two")},
		&resourcev1.DeviceClass{ObjectMeta: named("a", "")},
		taintRule("a")))
	check(t, s.Fork())
	for kind, namespace := range kinds {
		check(t, s.Unset(kind, namespace, "a"))
	}
	gone("a")
	check(t, s.Set(&resourcev1beta1.ResourceClaim{ObjectMeta: named("b", "shop")},
		&resourcev1beta1.ResourceClaimTemplate{ObjectMeta: named("b", "shop")},
		&resourcev1beta1.ResourceSlice{ObjectMeta: named("b", "")}, &resourcev1beta1.DeviceClass{ObjectMeta: named("b", "")},
		taintRule("b")))
	check(t, s.Set(&resourcev1beta2.ResourceClaim{ObjectMeta: named("c", "shop")},
		&resourcev1beta2.ResourceClaimTemplate{ObjectMeta: named("c", "shop")},
		&resourcev1beta2.ResourceSlice{ObjectMeta: named("c", "")}, &resourcev1beta2.DeviceClass{ObjectMeta: named("c", "")}))
	check(t, s.Revert())
	gone("b")
	gone("c")
	check(t, s.Fork())
	for kind, namespace := range kinds {
		check(t, s.Unset(kind, namespace, "a")) // they are back
	}
	check(t, s.Revert())
	check(t, s.Revert())
	gone("a")
	check(t, s.Unset("ResourceSlice", "", "s"))
	gone("s")
}

// lost is client-go's DeletedFinalStateUnknown.
type lost struct {
	Key string
	Obj any
}

// TestFollowerIsAResetAtTheEnd delivers events in a bad order and compares with a reset.
func TestFollower(t *testing.T) {
	s := newSim(t)
	f := NewFollower(s)
	f.OnAdd(plainPod("early", "n1"), true) // before its node
	f.OnAdd(plainPod("waiting", ""), true)
	f.OnAdd(shape("n0", "4"), true)
	f.OnAdd(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, true)
	check(t, f.Sync())
	if s.NodeCount() != 1 || s.PodCount() != 0 {
		t.Error(s.NodeCount(), s.PodCount())
	}
	f.OnAdd(shape("n1", "4"), false)
	f.OnUpdate(plainPod("waiting", ""), plainPod("waiting", "n0"))
	check(t, f.Sync())
	n1, ok := f.Node("n1")
	early, placed := f.Pod("shop", "early")
	if !ok || !placed || s.NodeOf(early) != n1 || s.PodCount() != 2 {
		t.Error(n1, ok, early, placed, s.PodCount())
	}
	// A heartbeat changes nothing, nor does a pod's condition.
	beat := shape("n1", "4")
	beat.ResourceVersion, beat.Status.Conditions = "9", []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
	f.OnUpdate(nil, beat)
	ready := plainPod("early", "n1")
	ready.Status.Phase = v1.PodRunning
	f.OnUpdate(nil, ready)
	check(t, f.Sync())
	if again, _ := f.Node("n1"); again != n1 || s.NodeRef(n1) != must(s.Catalog().Node(shape("x", "4")))(t) {
		t.Error("a heartbeat made another node")
	}
	if again, _ := f.Pod("shop", "early"); again != early {
		t.Error("a condition made another pod")
	}
	// A node that grows keeps its pods; one that goes loses them, until it comes again.
	f.OnUpdate(nil, shape("n1", "8"))
	check(t, f.Sync())
	if s.NodeRef(n1) != must(s.Catalog().Node(shape("x", "8")))(t) || len(s.PodsOn(n1, nil)) != 1 {
		t.Error("a node that grew")
	}
	f.OnDelete(lost{"n1", shape("n1", "8")})
	check(t, f.Sync())
	if _, ok := f.Node("n1"); ok || s.PodCount() != 1 {
		t.Error("a node that has gone", s.PodCount())
	}
	if _, ok := f.Pod("shop", "early"); ok {
		t.Error("its pod is on a node")
	}
	f.OnAdd(shape("n1", "8"), false)
	check(t, s.Fork())
	if err := f.Sync(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	check(t, s.Revert())
	check(t, f.Sync())
	if s.PodCount() != 2 {
		t.Error("the pods of a node that came again", s.PodCount())
	}
	// The end of a pod, a deletion, and events that cancel each other.
	over := plainPod("early", "n1")
	over.Status.Phase = v1.PodFailed
	f.OnUpdate(nil, over)
	f.OnDelete(plainPod("waiting", "n0"))
	f.OnAdd(plainPod("short", "n0"), false)
	f.OnDelete(plainPod("short", "n0"))
	f.OnAdd(&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}, false)
	f.OnDelete(&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n0"}})
	f.OnDelete(shape("never", "1"))
	check(t, f.Sync())
	if s.PodCount() != 0 || s.NodeCount() != 2 {
		t.Error(s.PodCount(), s.NodeCount())
	}
	// What is refused is named, and the rest is applied.
	f.OnAdd("text", false)
	f.OnAdd(&v1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, false)
	f.OnAdd(plainPod("last", "n0"), false)
	err := f.Sync()
	if !errors.Is(err, libsched.ErrUnsupported) || !strings.Contains(err.Error(), "string") ||
		!strings.Contains(err.Error(), "v1.Secret") || s.PodCount() != 1 {
		t.Error(err, s.PodCount())
	}
	check(t, f.Sync())
}

const newer = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
nextGeneration: {}
profiles:
- schedulerName: default-scheduler
  plugins:
    later: {enabled: [], disabled: null}
    filter: {enabled: [{name: Tomorrow}, {name: NodeName}]}
  pluginConfig:
  - {name: NodeResourcesFit, args: {anotherWay: true, scoringStrategy: {type: MostAllocated}}}
  - {name: Tomorrow, args: {x: 1}}
`

func TestLenientConfig(t *testing.T) {
	config, left, err := LenientConfig([]byte(newer))
	check(t, err)
	var told []string
	for _, l := range left {
		told = append(told, fmt.Sprint(l, " ", l.Empty))
	}
	want := []string{
		"nextGeneration: unknown field, with {} true",
		"profiles[0].plugins.later: unknown field, with {\"disabled\":null,\"enabled\":[]} true",
		"profiles[0].pluginConfig[0].args.anotherWay: unknown field, with true false",
		"profiles[0].plugins.filter.enabled[0]: plugin \"Tomorrow\" does not exist false",
		"profiles[0].pluginConfig[1]: plugin \"Tomorrow\" does not exist false",
	}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("left out:\n%s", strings.Join(told, "\n"))
	}
	fw := must(libsched.NewFramework(libsched.WithConfigYAML(config)))(t)
	fw.Close()
	if !strings.Contains(string(config), "MostAllocated") {
		t.Errorf("%s", config)
	}
	known, left, err := LenientConfig([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"))
	if err != nil || left != nil || len(known) == 0 {
		t.Error(string(known), left, err)
	}
	if _, left, err := LenientConfig(nil); err != nil || left != nil {
		t.Error(left, err)
	}
	for _, wrong := range []string{"{", "apiVersion: v2\nkind: KubeSchedulerConfiguration\n",
		strings.ReplaceAll(newer, "MostAllocated", "Nonsense"), "apiVersion: kubescheduler.config.k8s.io/v1\nkind: " +
			"KubeSchedulerConfiguration\nprofiles: 3\n"} {
		if _, _, err := LenientConfig([]byte(wrong)); !errors.Is(err, libsched.ErrInvalid) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
