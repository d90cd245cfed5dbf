package libsched_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"libsched"
)

func requested(t *testing.T, view libsched.View, node string) int64 {
	t.Helper()
	row, ok := view.FindNode(node)
	if !ok {
		t.Fatalf("no node %s", node)
	}
	return view.Requested(row, "cpu")
}

func TestReading(t *testing.T) {
	c := fiveNodes(t)
	row, ok := c.FindNode("full")
	if !ok || c.NodeAt(row).Name() != "full" || c.Node("full").Name() != "full" {
		t.Error("full")
	}
	if row, ok := c.FindNode("fool"); ok || row != libsched.NoRow || c.Node("fool") != nil ||
		c.NodeAt(row) != nil {
		t.Error("a node that is not there")
	}
	if c.NodeCount() != 5 || c.PodCount() != 1 || c.RowCount() < 5 {
		t.Error(c.NodeCount(), c.PodCount(), c.RowCount())
	}
	if c.Allocatable(row, "cpu") != 4000 || c.Requested(row, "memory") != 1<<30 ||
		c.Requested(row, "pods") != 1 {
		t.Error("resources")
	}
	pods := c.NodePods(row)
	if len(pods) != 1 || pods[0].Name() != "hog" {
		t.Error(pods)
	}
	pod, at := c.FindPod("default", "hog")
	if pod.Name() != "hog" || at != row {
		t.Error(pod, at)
	}
	if pod, at := c.FindPod("default", "nobody"); pod != nil || at != libsched.NoRow {
		t.Error(pod, at)
	}
	check(t, c.Refresh())
	var order []string
	for _, row := range c.Order() {
		order = append(order, c.NodeAt(row).Name())
	}
	if !slices.Equal(order, []string{"small", "big", "full", "tainted", "closed"}) {
		t.Error(order)
	}
}

func TestInsertionOrder(t *testing.T) {
	c := must(libsched.NewCluster(libsched.InsertionOrder()))(t)
	defer c.Close()
	for i, name := range []string{"z", "yy", "x"} {
		check(t, c.AddNode(newNode(t, name, 1, string(rune('a'+i/2)), "")))
	}
	check(t, c.Refresh())
	if order := c.Order(); c.NodeAt(order[1]).Name() != "yy" {
		t.Error(order)
	}
}

func TestChanges(t *testing.T) {
	c := fiveNodes(t)
	half := []*libsched.Node{newNode(t, "fresh", 1, "a", ""), newNode(t, "big", 1, "a", "")}
	for _, failure := range []struct {
		err  error
		kind libsched.ErrorCode
		text string
	}{
		{c.AddNodes(half), libsched.ErrExists, "big"},
		{c.RemoveNode("nowhere"), libsched.ErrNotFound, "nowhere"},
		{c.RemovePod("default", "nobody"), libsched.ErrNotFound, "nobody"},
		{c.RemoveObject("Service", "default", "none"), libsched.ErrNotFound, "default/none"},
		{c.RemoveObject("Secret", "default", "none"), libsched.ErrInvalid, "Secret"},
		{c.AddPod(newPod(t, "hog", 1, ""), "big"), libsched.ErrExists, "hog"},
		{c.AddPod(newPod(t, "p", 1, ""), ""), libsched.ErrInvalid, ""},
		{c.AddPods([]*libsched.Pod{newPod(t, "p", 1, "")}, []string{}), libsched.ErrInvalid,
			"node names"},
		{c.Commit(), libsched.ErrState, "fork"},
		{c.Revert(), libsched.ErrState, "fork"},
	} {
		var as *libsched.Error
		if !errors.Is(failure.err, failure.kind) || !errors.As(failure.err, &as) ||
			as.Code != failure.kind ||
			!strings.Contains(failure.err.Error(), failure.text) || errors.Is(failure.err,
			libsched.ErrIO) {
			t.Errorf("%v is not %v with %q", failure.err, failure.kind, failure.text)
		}
	}
	if c.NodeCount() != 5 || c.PodCount() != 1 {
		t.Error("a failed change left something")
	}

	check(t, c.UpdateNode(half[1]))
	row, _ := c.FindNode("big")
	if c.Allocatable(row, "cpu") != 1000 {
		t.Error("not replaced")
	}
	check(t, c.RemoveNode("full"))
	check(t, c.AddNode(newNode(t, "full", 4, "c", "")))
	if requested(t, c, "full") != 4000 {
		t.Error("the pods did not come back with their node")
	}
	check(t, c.AddPods([]*libsched.Pod{newPod(t, "a", 100, "nodeName: small"), newPod(t, "b",
		200, "")}, []string{"", "small"}))
	if requested(t, c, "small") != 300 {
		t.Error(requested(t, c, "small"))
	}
	check(t, c.UpdatePod(newPod(t, "b", 200, ""), "big"))
	check(t, c.RemovePod("default", "a"))
	if requested(t, c, "small") != 0 || requested(t, c, "big") != 200 {
		t.Error("moved and removed")
	}
	check(t, c.AddNodes(nil))
	check(t, c.AddPods(nil, nil))
}

func TestApplyChanges(t *testing.T) {
	c := fiveNodes(t)
	objects := must(libsched.ParseObjects([]byte(`{"apiVersion": "v1", "kind": "List", "items": [
		{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "default"}},
		{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "left-out"}}]}`)))(t)
	defer objects.Close()
	node, pod := newNode(t, "new", 1, "a", ""), newPod(t, "p", 100, "")
	parts := []libsched.Change{
		libsched.PutObjects(objects, libsched.PutApply|libsched.PutNoNodes),
		libsched.PutNode(node, libsched.PutNew),
		libsched.PutPod(pod, "new", libsched.PutUpdate),
		libsched.Remove("Pod", "default", "hog"),
		libsched.Remove("Node", "", "big"),
	}
	for _, failing := range []struct {
		last libsched.Change
		kind libsched.ErrorCode
	}{
		{libsched.PutNode(node, libsched.PutNew), libsched.ErrExists},
		{libsched.PutPod(newPod(t, "q", 1, ""), "", libsched.PutUpdate), libsched.ErrInvalid},
		{libsched.Remove("Node", "", "big"), libsched.ErrNotFound},
		{libsched.Remove("Secret", "default", "s"), libsched.ErrInvalid},
		{libsched.PutNode(node, 17), libsched.ErrUnsupported},
		{libsched.PutObjects(nil, libsched.PutApply), libsched.ErrMisuse},
		{libsched.PutNode(nil, libsched.PutApply), libsched.ErrMisuse},
		{libsched.PutPod(nil, "", libsched.PutApply), libsched.ErrMisuse},
		{libsched.Change{}, libsched.ErrMisuse},
	} {
		n, err := c.ApplyChanges(slices.Concat(parts, []libsched.Change{failing.last})...)
		if n != 0 || !errors.Is(err, failing.kind) {
			t.Errorf("%d, %v instead of %v", n, err, failing.kind)
		}
		if c.NodeCount() != 5 || c.PodCount() != 1 {
			t.Error("a failed change left something")
		}
	}
	check(t, c.Fork())
	if n, err := c.ApplyChanges(parts...); n != 5 || err != nil {
		t.Error(n, err)
	}
	if c.NodeCount() != 5 || c.PodCount() != 1 || requested(t, c, "new") != 100 {
		t.Error(c.NodeCount(), c.PodCount())
	}
	if n, err := c.ApplyChanges(libsched.PutObjects(objects, libsched.PutMissing),
		libsched.PutNode(node, libsched.PutApply)); n != 1 || err != nil {
		t.Error(n, err)
	}
	check(t, c.Revert())
	if c.NodeCount() != 5 || requested(t, c, "full") != 4000 {
		t.Error("not reverted")
	}
}

func TestForks(t *testing.T) {
	fw, c := newFramework(t), fiveNodes(t)
	pod := newPod(t, "p", 7000, "")
	fitsOn := func(view libsched.View) []string {
		d := must(fw.CheckPodFits(ctx, view, pod, libsched.CheckOptions{}))(t)
		defer d.Close()
		return d.Feasible()
	}
	check(t, c.Fork())
	check(t, c.AddPod(newPod(t, "q", 2000, ""), "big"))
	check(t, c.Fork())
	check(t, c.AddNode(newNode(t, "new", 8, "c", "")))
	if got := fitsOn(c); !slices.Equal(got, []string{"new"}) || c.ForkDepth() != 2 {
		t.Error(got, c.ForkDepth())
	}
	inside := must(c.Snapshot())(t)
	defer inside.Close()
	clone := must(c.Clone())(t)
	defer clone.Close()
	check(t, c.Apply([]byte(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}`)))
	check(t, c.RemoveObject("Service", "default", "s"))
	check(t, c.Commit())
	check(t, c.Revert())
	if got := fitsOn(c); !slices.Equal(got, []string{"big"}) || c.ForkDepth() != 0 {
		t.Error(got, c.ForkDepth())
	}
	for _, view := range []libsched.View{inside, clone} {
		if got := fitsOn(view); !slices.Equal(got, []string{"new"}) {
			t.Errorf("%T: %v", view, got)
		}
	}
	check(t, clone.RemoveNode("new"))
	if inside.NodeCount() != 6 || clone.NodeCount() != 5 {
		t.Error("a clone is its own")
	}
}

// TestExampleCluster applies the example cluster, a dump by kubectl.
func TestExampleCluster(t *testing.T) {
	shop := filepath.Join("..", "examples", "clusters", "shop.yaml")
	c := must(libsched.LoadCluster(shop))(t)
	defer c.Close()
	if c.NodeCount() != 41 {
		t.Error(c.NodeCount())
	}
	pods := c.PodCount()
	check(t, c.Apply(must(os.ReadFile(shop))(t))) // the same again changes nothing
	if c.NodeCount() != 41 || c.PodCount() != pods {
		t.Error(c.NodeCount(), c.PodCount(), pods)
	}
	train := must(libsched.ParsePod(must(os.ReadFile(filepath.Join("..", "examples", "clusters",
		"pods", "train.yaml")))(t)))(t)
	d := must(newFramework(t).CheckPodFits(ctx, c, train, libsched.CheckOptions{}))(t)
	if !d.Fits() || d.NodeCount() != 41 {
		t.Error(d.Feasible(), d.FitError())
	}
	if _, err := libsched.LoadCluster("no-such-file.yaml"); !errors.Is(err, libsched.ErrIO) {
		t.Error(err)
	}
	if err := c.ApplyFile("no-such-file.yaml"); !errors.Is(err, libsched.ErrIO) {
		t.Error(err)
	}
}

func TestNodeSet(t *testing.T) {
	c := fiveNodes(t)
	s := libsched.NewNodeSet(c)
	for _, name := range []string{"tainted", "small", "big"} {
		row, _ := c.FindNode(name)
		s.Add(row)
	}
	row, _ := c.FindNode("big")
	s.Remove(row)
	if s.Len() != 2 || s.Has(row) || s.Has(1<<20) {
		t.Error(s)
	}
	names := c.Names(s)
	slices.Sort(names)
	var rows []libsched.Row
	for row := range s.All() {
		rows = append(rows, row)
	}
	if !slices.Equal(names, []string{"small", "tainted"}) || len(rows) != 2 ||
		!slices.IsSorted(rows) {
		t.Error(names, rows)
	}
	if c.Names(nil) != nil {
		t.Error("names of nothing")
	}
}
