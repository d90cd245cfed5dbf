package kube

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"libsched"
)

var contents = flag.Int("contents", 10000, "random objects that go through all doors")

// filler fills all fields of objects, of any depth.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 2).MaxDepth(20).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "1", "1000m", "1500m", "1Gi", "0.5Gi", "3e6", "7n", "1e19"}[c.Intn(9)])
		},
		func(t *metav1.Time, c randfill.Continue) {
			*t = metav1.NewTime(time.Unix(c.Int63n(4000000000), 0).UTC())
		},
		func(t *metav1.MicroTime, c randfill.Continue) { *t = metav1.NewMicroTime(time.Unix(1, 0)) },
		func(s *string, c randfill.Continue) { *s = texts[c.Intn(len(texts))] },
		func(n *int32, c randfill.Continue) { *n = c.Int31n(1000) },
		func(n *int64, c randfill.Continue) { *n = c.Int63n(1000) },
		func(*metav1.FieldsV1, randfill.Continue) {},
		func(*metav1.TypeMeta, randfill.Continue) {},
		func(x *intstr.IntOrString, c randfill.Continue) { *x = intstr.FromInt32(c.Int31n(100)) },
		func(b *[]byte, c randfill.Continue) {},
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			c.FillNoCustom(m)
			m.ManagedFields = nil
		},
	)
}

func randomPod(seed int64) *v1.Pod {
	pod := &v1.Pod{}
	filler(seed).Fill(pod)
	pod.Name = fmt.Sprint("p", seed)
	return pod
}

func randomNode(seed int64) *v1.Node {
	node := &v1.Node{}
	filler(seed).Fill(node)
	node.Name = fmt.Sprint("n", seed)
	return node
}

func newCatalog(t testing.TB, options CatalogOptions) *Catalog {
	t.Helper()
	c, err := NewCatalog(options)
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		check(t, err)
		return value
	}
}

// TestAllDoorsGiveOneReference takes every object through JSON, protobuf and the flat form.
func TestAllDoorsGiveOneReference(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	seen := map[libsched.PodRef]bool{}
	if testing.Short() {
		*contents = min(*contents, 1000)
	}
	for seed := range int64(*contents / 2) {
		pod, node := randomPod(seed), randomNode(seed)
		text, err := json.Marshal(pod)
		check(t, err)
		message, err := pod.Marshal()
		check(t, err)
		flat := must(c.Pod(pod))(t)
		seen[flat] = true
		for door, ref := range map[string]libsched.PodRef{
			"JSON": must(c.PodJSON(text))(t), "protobuf": must(c.PodProto(message))(t), "again": must(c.Pod(pod.DeepCopy()))(t),
		} {
			if ref != flat {
				t.Fatalf("seed %d: another content by %s\n%s", seed, door, text)
			}
		}
		placed := must(c.Placed(pod))(t)
		if ref := must(c.PlacedJSON(text))(t); ref != placed {
			t.Fatalf("seed %d: another placed content by JSON\n%s", seed, text)
		}
		if ref := must(c.PlacedProto(message))(t); ref != placed {
			t.Fatalf("seed %d: another placed content by protobuf\n%s", seed, text)
		}

		text, err = json.Marshal(node)
		check(t, err)
		message, err = node.Marshal()
		check(t, err)
		ofNode := must(c.Node(node))(t)
		for door, ref := range map[string]libsched.NodeRef{
			"JSON": must(c.NodeJSON(text))(t), "protobuf": must(c.NodeProto(message))(t), "again": must(c.Node(node.DeepCopy()))(t),
		} {
			if ref != ofNode {
				t.Fatalf("seed %d: another content of the node by %s\n%s", seed, door, text)
			}
		}
	}
	if len(seen) < *contents/3 {
		t.Errorf("the objects have only %d contents", len(seen))
	}
}

// mutate sets one field of the object, of any depth, to another value. It returns the field's path.
func mutate(r *rand.Rand, v reflect.Value, path string) string {
	for range 20 {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() || r.Intn(10) == 0 {
				next := reflect.New(v.Type())
				filler(r.Int63()).NilChance(0).Fill(next.Interface())
				v.Set(next.Elem())
				return path
			}
			v = v.Elem()
		case reflect.Struct:
			if t := v.Type(); t == reflect.TypeFor[resource.Quantity]() || t == reflect.TypeFor[metav1.Time]() {
				filler(r.Int63()).Fill(v.Addr().Interface())
				return path
			}
			i := r.Intn(v.NumField())
			if !v.Type().Field(i).IsExported() || v.Type().Field(i).Name == "TypeMeta" {
				continue
			}
			path += "." + v.Type().Field(i).Name
			v = v.Field(i)
		case reflect.Slice:
			if v.Len() == 0 || r.Intn(3) == 0 {
				filler(r.Int63()).NilChance(0).Fill(v.Addr().Interface())
				return path
			}
			v = v.Index(r.Intn(v.Len()))
		default:
			filler(r.Int63()).NilChance(0).Fill(v.Addr().Interface())
			return path
		}
	}
	return path
}

// TestEqualKeysAreEqualContents checks that a key leaves out nothing that makes a content: the library, asked
// about the whole objects, finds the same.
func TestEqualKeysAreEqualContents(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	equal, spared := 0, 0
	if testing.Short() {
		*contents = min(*contents, 1000)
	}
	for seed := range int64(*contents / 4) {
		r := rand.New(rand.NewSource(seed))
		a := randomPod(seed % 500)
		b := a.DeepCopy()
		path := mutate(r, reflect.ValueOf(b).Elem(), "Pod")
		if b.Name == "" {
			continue
		}
		placed := seed%2 == 0
		same := bytes.Equal(appendPodKey(nil, a, placed), appendPodKey(nil, b, placed))
		refs := make([]libsched.PodRef, 2)
		check(t, c.Catalog().AddPods([][]byte{AppendPod(nil, a), AppendPod(nil, b)}, refs,
			libsched.ContentOptions{Form: libsched.FormFlat, Placed: placed}))
		if same && refs[0] != refs[1] {
			t.Fatalf("seed %d: the key leaves out %s", seed, path)
		}
		if same {
			equal++
		} else if refs[0] == refs[1] {
			spared++
		}

		n := randomNode(seed % 500)
		m := n.DeepCopy()
		path = mutate(r, reflect.ValueOf(m).Elem(), "Node")
		if m.Name == "" {
			continue
		}
		nodes := make([]libsched.NodeRef, 2)
		check(t, c.Catalog().AddNodes([][]byte{AppendNode(nil, n), AppendNode(nil, m)}, nodes,
			libsched.ContentOptions{Form: libsched.FormFlat}))
		if bytes.Equal(appendNodeKey(nil, n), appendNodeKey(nil, m)) && nodes[0] != nodes[1] {
			t.Fatalf("seed %d: the key leaves out %s", seed, path)
		}
	}
	t.Logf("%d changes left the key as it was; %d that changed it left the content", equal, spared)
	if equal < *contents/80 {
		t.Error("the test has hardly compared anything:", equal)
	}
}
