package libsched_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"libsched"
)

func podText(name string, milliCPU int, spec string) []byte {
	return fmt.Appendf(nil, `{"kind": "Pod", "metadata": {"name": %q, "namespace": "default", "uid": "uid-%s",
		"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "resources": {"requests":
		{"cpu": "%dm", "memory": "1Gi"}}}]%s}}`, name, name, milliCPU, spec)
}

func nodeText(name string, cpu int, zone, spec string) []byte {
	return fmt.Appendf(nil, `{"kind": "Node", "metadata": {"name": %q, "labels": {"kubernetes.io/hostname": %q,
		"topology.kubernetes.io/zone": %q}}, "spec": {%s}, "status": {"allocatable": {"cpu": "%d", "memory": "64Gi",
		"pods": "110"}}}`, name, name, zone, spec, cpu)
}

func newCatalog(t testing.TB) *libsched.Catalog {
	t.Helper()
	c := must(libsched.NewCatalog())(t)
	t.Cleanup(c.Close)
	return c
}

func podRefs(t testing.TB, c *libsched.Catalog, options libsched.ContentOptions, documents ...[]byte) []libsched.PodRef {
	t.Helper()
	refs := make([]libsched.PodRef, len(documents))
	check(t, c.AddPods(documents, refs, options))
	return refs
}

func nodeRef(t testing.TB, c *libsched.Catalog, document []byte) libsched.NodeRef {
	t.Helper()
	var refs [1]libsched.NodeRef
	check(t, c.AddNodes([][]byte{document}, refs[:], libsched.ContentOptions{}))
	return refs[0]
}

func TestRequestsOfAContent(t *testing.T) {
	c := newCatalog(t)
	ref := podRefs(t, c, libsched.ContentOptions{}, podText("a", 100, ""))[0]
	if requests := must(c.Requests(ref))(t); len(requests) != 2 || requests["cpu"] != 100 || requests["memory"] != 1<<30 {
		t.Error(requests)
	}
	pod := must(c.PodOf(ref))(t)
	defer pod.Close()
	if label, ok := pod.Label("app"); !ok || label != "web" || pod.Name() != "" {
		t.Error(label, ok, pod.Name())
	}
	for range 2 {
		must(c.Age(0))(t)
	}
	if _, err := c.Requests(ref); !errors.Is(err, libsched.ErrStale) || pod.Request("cpu") != 100 {
		t.Error(err, pod.Request("cpu"))
	}
	c.Close()
	if _, err := c.PodOf(ref); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
}

func TestEqualContentsHaveEqualReferences(t *testing.T) {
	c := newCatalog(t)
	refs := podRefs(t, c, libsched.ContentOptions{}, podText("a", 100, ""), podText("b", 100, ""),
		podText("c", 200, ""), podText("d", 100, `, "nodeName": "n1"`))
	if refs[0] == 0 || refs[0] != refs[1] || refs[0] == refs[2] || refs[0] == refs[3] {
		t.Error(refs)
	}
	placed := podRefs(t, c, libsched.ContentOptions{Placed: true}, podText("d", 100, `, "nodeName": "n1"`))
	if placed[0] != refs[0] {
		t.Error("a placed pod has another content", placed, refs)
	}
	pod := newPod(t, "e", 100, "")
	parsed := must(c.Pod(pod, false))(t)
	if again := must(c.Pod(pod, true))(t); parsed == 0 || again != parsed {
		t.Error("a parsed pod", parsed, again)
	}
	extra := podRefs(t, c, libsched.ContentOptions{Extras: [][]byte{[]byte("x"), []byte("y"), nil}},
		podText("a", 100, ""), podText("a", 100, ""), podText("a", 100, ""))
	if extra[0] == extra[1] || extra[0] == refs[0] || extra[2] != refs[0] {
		t.Error("extras", extra, refs)
	}
	limits := []byte(`{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: {cpu: 1}}}]}}`)
	if literal, defaulted := podRefs(t, c, libsched.ContentOptions{}, limits),
		podRefs(t, c, libsched.ContentOptions{Defaults: true}, limits); literal[0] == defaulted[0] {
		t.Error("requests do not follow limits")
	}
	a, b := nodeRef(t, c, nodeText("n1", 4, "a", "")), nodeRef(t, c, nodeText("n2", 4, "a", ""))
	if a == 0 || a != b || a == nodeRef(t, c, nodeText("n3", 8, "a", "")) {
		t.Error("nodes")
	}
	if other := must(c.Node(newNode(t, "n9", 4, "b", "")))(t); other == a {
		t.Error("a parsed node of another zone has the same content")
	}
	known := make([]bool, 3)
	check(t, c.HasPods([]libsched.PodRef{refs[0], 0, refs[0] + 1<<32}, known))
	if !known[0] || known[1] || known[2] {
		t.Error("known", known)
	}
}

func TestCatalogErrors(t *testing.T) {
	c := newCatalog(t)
	before := c.PodCount()
	err := c.AddPods([][]byte{podText("a", 1, ""), []byte(`{"kind": "Pod", "spec": {"containers": 3}}`)},
		make([]libsched.PodRef, 2), libsched.ContentOptions{})
	var e *libsched.Error
	if !errors.Is(err, libsched.ErrInvalid) || !errors.As(err, &e) || !strings.HasPrefix(e.Path, "[1]") {
		t.Errorf("a wrong document: %v", err)
	}
	if c.PodCount() != before {
		t.Error("a part of the documents was added")
	}
	closed := must(libsched.NewCatalog())(t)
	closed.Close()
	closed.Close()
	pod, node := newPod(t, "p", 1, ""), newNode(t, "n", 1, "a", "")
	gone, gonePod := newNode(t, "n", 1, "a", ""), newPod(t, "p", 1, "")
	gone.Close()
	gonePod.Close()
	two, documents := make([]libsched.PodRef, 2), [][]byte{podText("a", 1, "")}
	_, podClosed := closed.Pod(pod, false)
	_, nodeClosed := closed.Node(node)
	_, ageClosed := closed.Age(1)
	_, negative := c.Age(-1)
	_, nilPod := c.Pod(nil, false)
	_, closedPod := c.Pod(gonePod, false)
	_, closedNode := c.Node(gone)
	for name, x := range map[string]struct {
		err  error
		want error
	}{
		"unequal":          {c.AddPods(documents, two, libsched.ContentOptions{}), libsched.ErrInvalid},
		"unequal extras":   {c.AddPods(documents, two[:1], libsched.ContentOptions{Extras: [][]byte{}}), libsched.ErrInvalid},
		"placed nodes":     {c.AddNodes(nil, nil, libsched.ContentOptions{Placed: true}), libsched.ErrInvalid},
		"form":             {c.AddPods(documents, two[:1], libsched.ContentOptions{Form: 9}), libsched.ErrUnsupported},
		"unequal has":      {c.HasPods(two, nil), libsched.ErrInvalid},
		"closed add":       {closed.AddPods(documents, two[:1], libsched.ContentOptions{}), libsched.ErrClosed},
		"closed has":       {closed.HasPods(nil, nil), libsched.ErrClosed},
		"closed touch":     {closed.TouchPods(two), libsched.ErrClosed},
		"closed touch 2":   {closed.TouchNodes(nil), libsched.ErrClosed},
		"closed pod":       {podClosed, libsched.ErrClosed},
		"closed node":      {nodeClosed, libsched.ErrClosed},
		"closed age":       {ageClosed, libsched.ErrClosed},
		"negative":         {negative, libsched.ErrInvalid},
		"nil pod":          {nilPod, libsched.ErrMisuse},
		"a closed pod":     {closedPod, libsched.ErrClosed},
		"a closed node":    {closedNode, libsched.ErrClosed},
		"nil catalog":      {(*libsched.Catalog)(nil).AddPods(nil, nil, libsched.ContentOptions{}), libsched.ErrMisuse},
		"none is no error": {c.AddPods(nil, nil, libsched.ContentOptions{}), nil},
	} {
		if !errors.Is(x.err, x.want) {
			t.Errorf("%s: %v", name, x.err)
		}
	}
	if closed.PodCount() != 0 || closed.NodeCount() != 0 {
		t.Error("a closed catalog says something")
	}
}

func TestAgeForgetsWhatIsNotUsed(t *testing.T) {
	c := newCatalog(t)
	s := newSim(t, c)
	refs := podRefs(t, c, libsched.ContentOptions{}, podText("a", 100, ""), podText("b", 200, ""), podText("c", 300, ""))
	shape := nodeRef(t, c, nodeText("n", 8, "a", ""))
	node := must(s.AddNode(shape, "n1"))(t)
	must(s.AddPod(refs[2], node))(t)
	for range 3 {
		check(t, c.TouchPods([]libsched.PodRef{refs[0], 12345}))
		must(c.Age(1))(t)
	}
	known := make([]bool, 3)
	check(t, c.HasPods(refs, known))
	if !known[0] || known[1] || !known[2] {
		t.Error("touched, unused, placed:", known)
	}
	if _, err := s.AddPod(refs[1], node); !errors.Is(err, libsched.ErrStale) {
		t.Errorf("a forgotten content: %v", err)
	}
	if again := podRefs(t, c, libsched.ContentOptions{}, podText("b", 200, "")); again[0] == refs[1] {
		t.Error("a reference was given again")
	}
}

// TestCatalogOnManyGoroutines adds contents and asks Sims on many goroutines.
func TestCatalogOnManyGoroutines(t *testing.T) {
	c := newCatalog(t)
	fw := newFramework(t)
	shape := nodeRef(t, c, nodeText("n", 8, "a", ""))
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			s, err := libsched.NewSim(fw, c)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			node, err := s.AddNode(shape, "n1")
			if err != nil {
				t.Error(err)
			}
			for i := range 200 {
				var refs [1]libsched.PodRef
				if err := c.AddPods([][]byte{podText("p", 1+(i+g)%50, "")}, refs[:], libsched.ContentOptions{}); err != nil {
					t.Error(err)
				}
				if fits, err := s.Check(ctx, refs[0], node, nil); !fits || err != nil {
					t.Error(fits, err)
				}
				if i%50 == 0 {
					if _, err := c.Age(1000); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	group.Wait()
	if c.PodCount() != 50 {
		t.Error(c.PodCount(), "contents")
	}
}
