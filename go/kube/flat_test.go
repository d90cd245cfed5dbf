package kube

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"libsched"
)

var objects = flag.Int("objects", 100, "random objects of each kind")

var texts = []string{"a", "b", "web", "kubernetes.io/hostname", "x/\"quoted\"\\\n\x01", "zone-ä", "NoSchedule", "In", "Exists"}

// fill sets about two thirds of all fields at random, of any depth.
func fill(r *rand.Rand, v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*p = resource.MustParse([]string{"0", "1", "1000m", "1500m", "1Gi", "0.5Gi", "3e6", "7n", "12345678901234567890"}[r.Intn(9)])
		return
	case *metav1.Time:
		*p = metav1.NewTime(time.Unix(r.Int63n(250000000000)-60000000000, 0).UTC())
		return
	case *metav1.FieldsV1:
		return
	case *intstr.IntOrString: // of probes alone
		return
	case *metav1.ObjectMeta:
		// A claim template keeps its document, so it may hold only fields that are written.
		fillFields(r, v, func(name string) bool {
			return name != "ManagedFields" && name != "Finalizers" && name != "SelfLink" && name != "DeletionGracePeriodSeconds"
		})
		for i := range p.OwnerReferences {
			p.OwnerReferences[i].BlockOwnerDeletion = nil
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
	case reflect.Struct:
		fillFields(r, v, func(string) bool { return true })
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		n := r.Intn(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.Intn(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, key)
			fill(r, value)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(texts[r.Intn(len(texts))])
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(r.Int63n(1000))
	}
}

func fillFields(r *rand.Rand, v reflect.Value, wanted func(string) bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() && wanted(v.Type().Field(i).Name) && r.Intn(3) != 0 {
			fill(r, v.Field(i))
		}
	}
}

// plain leaves out what is as if it were absent: null, empty lists, maps and texts. The documents of volumes
// are kept as they came, and a writer may spell these out.
func plain(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for key, value := range x {
			if v := plain(value); v == nil {
				delete(x, key)
			} else {
				x[key] = v
			}
		}
		if len(x) == 0 {
			return nil
		}
	case []any:
		for i := range x {
			x[i] = plain(x[i])
		}
		if len(x) == 0 {
			return nil
		}
	case string:
		if x == "" {
			return nil
		}
	case bool:
		if !x {
			return nil
		}
	case float64:
		if x == 0 {
			return nil
		}
	}
	return x
}

type object interface {
	JSON() ([]byte, error)
	Close()
}

func document[T object](t *testing.T, o T, err error) any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	text, err := o.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return plain(out)
}

func same(t *testing.T, seed int, byJSON, byFlat any) {
	t.Helper()
	if !reflect.DeepEqual(byJSON, byFlat) {
		a, _ := json.Marshal(byJSON)
		b, _ := json.Marshal(byFlat)
		t.Fatalf("seed %d\nJSON %s\nflat %s", seed, a, b)
	}
}

func TestRandomObjectsAreEqualThroughJSONAndFlat(t *testing.T) {
	keep := libsched.KeepAnnotations()
	for seed := range *objects {
		r := rand.New(rand.NewSource(int64(seed)))
		var pod v1.Pod
		fill(r, reflect.ValueOf(&pod).Elem())
		pod.TypeMeta = metav1.TypeMeta{}
		pod.Name = fmt.Sprint("p", seed)
		text, err := json.Marshal(&pod)
		if err != nil {
			t.Fatal(err)
		}
		a, err := libsched.ParsePod(text, keep)
		want := document(t, a, err)
		b, err := libsched.PodFromFlat(AppendPod(nil, &pod), keep)
		same(t, seed, want, document(t, b, err))

		var node v1.Node
		fill(r, reflect.ValueOf(&node).Elem())
		node.TypeMeta = metav1.TypeMeta{}
		node.Name = fmt.Sprint("n", seed)
		if text, err = json.Marshal(&node); err != nil {
			t.Fatal(err)
		}
		n, err := libsched.ParseNode(text, keep)
		want = document(t, n, err)
		m, err := libsched.NodeFromFlat(AppendNode(nil, &node), keep)
		same(t, seed, want, document(t, m, err))
	}
}

func TestEqualContentIsEqualBytes(t *testing.T) {
	a := typical()
	b := a.DeepCopy()
	b.Name, b.UID, b.Annotations = "other", "u-2", map[string]string{"k": "v"}
	b.Status.Phase = v1.PodRunning
	if !bytes.Equal(AppendPodContent(nil, a), AppendPodContent(nil, b)) {
		t.Error("pods that differ in identity have different contents")
	}
	if bytes.Equal(AppendPod(nil, a), AppendPod(nil, b)) {
		t.Error("pods that differ in identity have equal bytes")
	}
	b.Labels["app"] = "db"
	if bytes.Equal(AppendPodContent(nil, a), AppendPodContent(nil, b)) {
		t.Error("another label, equal contents")
	}
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{v1.LabelHostname: "n1", "zone": "a"}}}
	m := n.DeepCopy()
	m.Name, m.Labels[v1.LabelHostname] = "n2", "n2"
	if !bytes.Equal(AppendNodeContent(nil, n), AppendNodeContent(nil, m)) {
		t.Error("nodes that differ in name and hostname have different contents")
	}
}

// libsched/ingest/flat/flat_test.cpp reads the same bytes.
func TestNumbersAreLittleEndian(t *testing.T) {
	scheduler, priority := strings.Repeat("s", 259), int32(0x01020304)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: v1.PodSpec{SchedulerName: scheduler, Priority: &priority}}
	want := "LSF\x01\x01\x00\x00\x00\x19\x01\x00\x00\x0d\x00\x00\x00" + // contents of 281 bytes, an identity of 13
		"\x02\x02\x13\x01\x00\x00\x13\x02\x03\x01\x00\x00" + scheduler + "\x19\x01\x04\x03\x02\x01\x00\x00\x00\x00" +
		"\x01\x02\x07\x00\x00\x00\x01\x02\x01\x00\x00\x00p"
	if got := string(AppendPod(nil, pod)); got != want {
		t.Errorf("the flat form is %q, not %q", got, want)
	}
}

func TestTruncatedAndOversizedAreErrors(t *testing.T) {
	flat := AppendPod(nil, typical())
	for n := range flat {
		if _, err := libsched.PodFromFlat(flat[:n]); err == nil {
			t.Fatalf("%d of %d bytes were read", n, len(flat))
		}
	}
	if _, err := libsched.PodFromFlat(append(flat, 0)); err == nil {
		t.Error("a byte behind the end was read")
	}
	if _, err := libsched.NodeFromFlat(flat); err == nil {
		t.Error("a pod was read as a node")
	}
}

func typical() *v1.Pod {
	resources := v1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("1Gi")}
	controller := true
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web-5d4f8c7b9-abcde", Namespace: "shop", UID: "0f8fad5b-d9cb-469f-a165-70867728950e",
			Labels:          map[string]string{"app": "web", "pod-template-hash": "5d4f8c7b9", "tier": "front"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d4f8c7b9", UID: "u", Controller: &controller}},
		},
		Spec: v1.PodSpec{
			Containers: []v1.Container{{
				Name: "web", Image: "registry/web:1", Ports: []v1.ContainerPort{{ContainerPort: 80, Protocol: "TCP"}},
				Resources: v1.ResourceRequirements{Requests: resources, Limits: resources},
			}},
			NodeSelector: map[string]string{"pool": "general"}, SchedulerName: "default-scheduler",
			Tolerations: []v1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"}},
			Volumes:     []v1.Volume{{Name: "tmp", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}}},
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
}

func TestAppendPodAllocatesNothing(t *testing.T) {
	pod, buffer := typical(), make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { buffer = AppendPod(buffer[:0], pod) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppendPod(b *testing.B) {
	pod, buffer := typical(), make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buffer = AppendPod(buffer[:0], pod)
	}
	b.ReportMetric(float64(len(buffer)), "bytes")
}

func BenchmarkPodFromFlat(b *testing.B) {
	flat := AppendPod(nil, typical())
	for b.Loop() {
		pod, err := libsched.PodFromFlat(flat)
		if err != nil {
			b.Fatal(err)
		}
		pod.Close()
	}
}

func BenchmarkParsePodJSON(b *testing.B) {
	text, _ := json.Marshal(typical())
	for b.Loop() {
		pod, err := libsched.ParsePod(text)
		if err != nil {
			b.Fatal(err)
		}
		pod.Close()
	}
}
