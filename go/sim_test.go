package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"libsched"
)

func newSim(t testing.TB, c *libsched.Catalog, options ...libsched.FrameworkOption) *libsched.Sim {
	t.Helper()
	s := must(libsched.NewSim(newFramework(t, options...), c))(t)
	t.Cleanup(s.Close)
	return s
}

// simPods are the contents that the tests place.
type simPods struct{ small, large, huge, alone libsched.PodRef }

const besideNoOther = `, "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
	{"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}]}}`

// threeNodes makes a Sim of n0 (2 CPUs), n1 (4) and n2 (8, cordoned).
func threeNodes(t testing.TB) (*libsched.Sim, [3]libsched.NodeID, simPods) {
	t.Helper()
	c := newCatalog(t)
	s := newSim(t, c)
	var ids [3]libsched.NodeID
	names := []string{"n0", "n1", "n2"}
	check(t, s.Reset([]libsched.NodeRef{nodeRef(t, c, nodeText("a", 2, "a", "")), nodeRef(t, c, nodeText("a", 4, "b", "")),
		nodeRef(t, c, nodeText("a", 8, "c", `"unschedulable": true`))}, names, nil, ids[:], nil))
	refs := podRefs(t, c, libsched.ContentOptions{}, podText("small", 1000, ""), podText("large", 3000, ""),
		podText("huge", 30000, ""), podText("alone", 100, besideNoOther))
	return s, ids, simPods{refs[0], refs[1], refs[2], refs[3]}
}

func TestSimReadsWhatReset(t *testing.T) {
	c := newCatalog(t)
	s := newSim(t, c)
	shape := nodeRef(t, c, nodeText("a", 4, "a", ""))
	pod := podRefs(t, c, libsched.ContentOptions{}, podText("p", 1000, ""))[0]
	nodes, pods := make([]libsched.NodeID, 2), make([]libsched.PodID, 3)
	check(t, s.Reset([]libsched.NodeRef{shape, shape}, []string{"x", "y"},
		[]libsched.SimPod{{pod, 1}, {pod, 1}, {pod, 0}}, nodes, pods))
	if s.NodeCount() != 2 || s.PodCount() != 3 || s.Depth() != 0 || s.RowCount() < 2 {
		t.Error(s.NodeCount(), s.PodCount(), s.Depth(), s.RowCount())
	}
	if !slices.Equal(s.Nodes(nil), nodes) || s.Name(nodes[1]) != "y" || s.Position(nodes[1]) != 1 {
		t.Error(s.Nodes(nil), nodes, s.Name(nodes[1]), s.Position(nodes[1]))
	}
	if id, ok := s.Find("x"); !ok || id != nodes[0] {
		t.Error(id, ok)
	}
	if id, ok := s.Find("z"); ok || id != 0 {
		t.Error(id, ok)
	}
	if !slices.Equal(s.PodsOn(nodes[1], nil), pods[:2]) {
		t.Error(s.PodsOn(nodes[1], nil), pods)
	}
	if s.NodeRef(nodes[0]) != shape || s.PodRef(pods[0]) != pod || s.NodeOf(pods[2]) != nodes[0] {
		t.Error("contents")
	}
	resources := s.Resources()
	if !slices.Equal(resources[:4], []string{"cpu", "memory", "ephemeral-storage", "pods"}) {
		t.Error(resources)
	}
	if got := s.Requested(nodes[1], nil); !slices.Equal(got[:4], []int64{2000, 2 << 30, 0, 2}) {
		t.Error(got)
	}
	if got := s.Allocatable(nodes[1], make([]int64, 1)); !slices.Equal(got[:4], []int64{4000, 64 << 30, 0, 110}) {
		t.Error(got)
	}
	if set := s.NodeSet(func(id libsched.NodeID) bool { return id == nodes[1] }); !set.Has(nodes[1].Row()) || set.Len() != 1 {
		t.Error(set)
	}
	if !slices.Contains(s.Plugins(), "NodeResourcesFit") {
		t.Error(s.Plugins())
	}
	stale := nodes[0] + 1<<40
	if s.Name(stale) != "" || s.Position(stale) != -1 || s.NodeRef(stale) != 0 || s.PodRef(0) != 0 || s.NodeOf(0) != 0 ||
		len(s.PodsOn(stale, nil)) != 0 || len(s.Requested(stale, nil)) != 0 || len(s.Allocatable(0, nil)) != 0 {
		t.Error("a stale id says something")
	}
}

func TestSimVerdicts(t *testing.T) {
	s, n, pods := threeNodes(t)
	var why libsched.Verdict
	if fits := must(s.Check(ctx, pods.small, n[0], &why))(t); !fits || !reflect.DeepEqual(why, libsched.Verdict{}) {
		t.Error(fits, why)
	}
	if fits := must(s.Check(ctx, pods.large, n[0], &why))(t); fits || !reflect.DeepEqual(why, libsched.Verdict{
		Stage: libsched.FilterRejected, Code: libsched.UnschedulableAndUnresolvable, Plugin: "NodeResourcesFit",
		Reasons: []string{"Insufficient cpu"}}) {
		t.Errorf("%v %+v", fits, why)
	}
	if fits := must(s.Check(ctx, pods.small, n[2], &why))(t); fits || why.Plugin != "NodeUnschedulable" {
		t.Errorf("%v %+v", fits, why)
	}
	hit, ok, err := s.First(ctx, pods.huge, nil, &why)
	if err != nil || ok || hit != (libsched.Hit{}) || why.Stage != libsched.NoNode || why.Plugin != "" {
		t.Error(hit, ok, err, why)
	}
	claims := podRefs(t, catalogOf(t, s), libsched.ContentOptions{}, podText("claims", 1,
		`, "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]`),
		podText("pinned", 1, `, "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
		{"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}}`))
	for range 2 {
		if _, ok, err = s.First(ctx, claims[0], nil, &why); ok || err != nil || why.Stage != libsched.PreFilterRejected ||
			why.Plugin == "" || len(why.Reasons) != 1 || !strings.Contains(why.Reasons[0], "missing") {
			t.Errorf("%v %v %+v", ok, err, why)
		}
	}
	if fits := must(s.Check(ctx, claims[1], n[0], &why))(t); fits || why.Stage != libsched.PreFilterExcluded ||
		!slices.Equal(why.Plugins, []string{"NodeAffinity"}) || why.Plugin != "" || why.Reasons != nil {
		t.Errorf("%v %+v", fits, why)
	}
	if fits := must(s.Check(ctx, claims[1], n[1], nil))(t); !fits {
		t.Error("the pod does not fit on the node that it names")
	}
	for stage, text := range []string{"passed", "rejected by PreFilter", "excluded by PreFilter", "rejected by Filter",
		"no node", "unknown"} {
		if libsched.SimStage(stage).String() != text {
			t.Error(stage, libsched.SimStage(stage))
		}
	}
}

// catalogs holds the catalog of each Sim of threeNodes.
func catalogOf(t testing.TB, s *libsched.Sim) *libsched.Catalog {
	t.Helper()
	return s.Catalog()
}

func TestSimForksNest(t *testing.T) {
	s, n, pods := threeNodes(t)
	before := state(s)
	check(t, s.Fork())
	added := must(s.AddNode(s.NodeRef(n[1]), "new"))(t)
	must(s.AddPod(pods.small, added))(t)
	middle := state(s)
	check(t, s.Fork())
	check(t, s.RemoveNode(added))
	check(t, s.ReplaceNode(n[0], s.NodeRef(n[2])))
	if s.Depth() != 2 || s.NodeCount() != 3 {
		t.Error(s.Depth(), s.NodeCount())
	}
	check(t, s.Revert())
	if after := state(s); !reflect.DeepEqual(after, middle) {
		t.Error("the inner fork:", after, middle)
	}
	check(t, s.Fork())
	must(s.AddPod(pods.large, added))(t)
	check(t, s.Commit())
	if got := len(s.PodsOn(added, nil)); got != 2 || s.Depth() != 1 {
		t.Error(got, s.Depth())
	}
	check(t, s.Revert())
	if after := state(s); !reflect.DeepEqual(after, before) {
		t.Error("the outer fork:", after, before)
	}
	if err := s.Revert(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	if err := s.Commit(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

// state returns all that can be read of a Sim.
func state(s *libsched.Sim) map[string]any {
	out := map[string]any{"order": s.Nodes(nil), "depth": s.Depth()}
	for _, node := range s.Nodes(nil) {
		out[s.Name(node)] = []any{node, s.NodeRef(node), s.PodsOn(node, nil), s.Requested(node, nil), s.Allocatable(node, nil)}
	}
	return out
}

func TestSimChangesAreChecked(t *testing.T) {
	s, n, pods := threeNodes(t)
	shape := s.NodeRef(n[0])
	first := must(s.AddPod(pods.small, n[1]))(t)
	before := state(s)
	stale, none := n[0]+1<<40, libsched.NodeRef(0)
	three := make([]libsched.NodeID, 3)
	_, emptyName := s.AddNode(shape, "")
	_, twice := s.AddNode(shape, "n1")
	_, noShape := s.AddNode(none, "x")
	_, staleNode := s.AddPod(pods.small, stale)
	_, stalePod := s.AddPod(pods.small+1<<40, n[0])
	for name, x := range map[string]struct{ err, want error }{
		"an empty name":          {emptyName, libsched.ErrInvalid},
		"a name that exists":     {twice, libsched.ErrExists},
		"no content":             {noShape, libsched.ErrStale},
		"names twice":            {s.AddNodes(shape, []string{"x", "x"}, nil), libsched.ErrExists},
		"unequal ids":            {s.AddNodes(shape, []string{"x"}, three), libsched.ErrInvalid},
		"a stale node":           {staleNode, libsched.ErrStale},
		"a stale pod":            {stalePod, libsched.ErrStale},
		"one of two is stale":    {s.AddPods([]libsched.PodRef{pods.small, pods.small}, []libsched.NodeID{n[0], stale}, nil), libsched.ErrStale},
		"unequal pods":           {s.AddPods([]libsched.PodRef{pods.small}, three, nil), libsched.ErrInvalid},
		"unequal pod ids":        {s.AddPods([]libsched.PodRef{pods.small}, n[:1], make([]libsched.PodID, 2)), libsched.ErrInvalid},
		"remove a stale node":    {s.RemoveNode(stale), libsched.ErrStale},
		"replace a stale node":   {s.ReplaceNode(stale, shape), libsched.ErrStale},
		"replace by nothing":     {s.ReplaceNode(n[0], none), libsched.ErrStale},
		"remove a pod twice":     {s.RemovePods(first, first), libsched.ErrStale},
		"remove a stale pod":     {s.RemovePods(first + 1<<40), libsched.ErrStale},
		"reset: unequal names":   {s.Reset([]libsched.NodeRef{shape}, nil, nil, nil, nil), libsched.ErrInvalid},
		"reset: a name twice":    {s.Reset([]libsched.NodeRef{shape, shape}, []string{"a", "a"}, nil, nil, nil), libsched.ErrExists},
		"reset: an index":        {s.Reset([]libsched.NodeRef{shape}, []string{"a"}, []libsched.SimPod{{pods.small, 1}}, nil, nil), libsched.ErrInvalid},
		"reset: a negative one":  {s.Reset([]libsched.NodeRef{shape}, []string{"a"}, []libsched.SimPod{{pods.small, -1}}, nil, nil), libsched.ErrInvalid},
		"reset: node ids":        {s.Reset([]libsched.NodeRef{shape}, []string{"a"}, nil, three, nil), libsched.ErrInvalid},
		"reset: pod ids":         {s.Reset([]libsched.NodeRef{shape}, []string{"a"}, nil, nil, make([]libsched.PodID, 1)), libsched.ErrInvalid},
		"reset: a stale content": {s.Reset([]libsched.NodeRef{none}, []string{"a"}, nil, nil, nil), libsched.ErrStale},
		"an object":              {s.RemoveObject("PersistentVolume", "", "none"), libsched.ErrNotFound},
		"a kind":                 {s.RemoveObject("Secret", "", "none"), libsched.ErrInvalid},
		"no document":            {s.Load(nil), libsched.ErrMisuse},
		"no objects":             {s.PutObjects(nil), libsched.ErrMisuse},
	} {
		var e *libsched.Error
		if !errors.Is(x.err, x.want) || !errors.As(x.err, &e) {
			t.Errorf("%s: %v", name, x.err)
		}
	}
	if after := state(s); !reflect.DeepEqual(after, before) {
		t.Errorf("a refused change changed something:\n%v\n%v", after, before)
	}
	ids := make([]libsched.NodeID, 2)
	check(t, s.AddNodes(shape, []string{"x", "y"}, ids))
	placed := make([]libsched.PodID, 2)
	check(t, s.AddPods([]libsched.PodRef{pods.small, pods.large}, ids, placed))
	check(t, s.RemovePods(placed...))
	check(t, s.RemoveNode(ids[0]))
	if _, err := s.Check(ctx, pods.small, ids[0], nil); !errors.Is(err, libsched.ErrStale) {
		t.Error(err)
	}
	if s.NodeCount() != 4 || s.PodCount() != 1 {
		t.Error(s.NodeCount(), s.PodCount())
	}
}

func TestSimSearches(t *testing.T) {
	s, n, pods := threeNodes(t)
	first := func(pod libsched.PodRef, q *libsched.Query) (libsched.Hit, bool) {
		t.Helper()
		hit, ok, err := s.First(ctx, pod, q, nil)
		check(t, err)
		return hit, ok
	}
	if hit, ok := first(pods.small, nil); !ok || hit != (libsched.Hit{Node: n[0]}) {
		t.Error(hit, ok)
	}
	if hit, ok := first(pods.small, &libsched.Query{Start: 1}); !ok || hit.Node != n[1] || hit.Position != 1 {
		t.Error(hit, ok)
	}
	if hit, ok := first(pods.large, &libsched.Query{Count: 1}); ok {
		t.Error(hit, ok)
	}
	ring := &libsched.Ring{Offset: 1}
	for _, want := range []libsched.NodeID{n[1], n[0], n[1]} {
		if hit, ok := first(pods.small, &libsched.Query{Ring: ring}); !ok || hit.Node != want || ring.Last != hit.Position {
			t.Error(hit, ok, want, ring)
		}
	}
	if hit, ok := first(pods.small, &libsched.Query{Order: []libsched.NodeID{n[2], n[1], n[0]}}); !ok || hit.Node != n[1] ||
		hit.Position != 1 {
		t.Error(hit, ok)
	}
	if hit, ok := first(pods.small, &libsched.Query{Order: []libsched.NodeID{}}); ok {
		t.Error(hit, ok)
	}
	if hit, ok := first(pods.small, &libsched.Query{Accept: libsched.NodeSet{}}); ok {
		t.Error(hit, ok)
	}
	only := s.NodeSet(func(id libsched.NodeID) bool { return id == n[1] })
	if hit, ok := first(pods.small, &libsched.Query{Accept: only}); !ok || hit.Node != n[1] {
		t.Error(hit, ok)
	}
	tolerant := podRefs(t, s.Catalog(), libsched.ContentOptions{}, podText("t", 5000,
		`, "tolerations": [{"operator": "Exists"}]`))[0]
	if hit, ok := first(tolerant, nil); !ok || hit.Node != n[2] {
		t.Error(hit, ok)
	}
	if hit, ok := first(tolerant, &libsched.Query{SkipUnschedulable: true}); ok {
		t.Error(hit, ok)
	}
	set, count, err := s.Feasible(ctx, pods.small, nil, nil)
	if err != nil || count != 2 || !set.Has(n[0].Row()) || !set.Has(n[1].Row()) || set.Has(n[2].Row()) {
		t.Error(set, count, err)
	}
	hit, ok := first(pods.large, &libsched.Query{Place: true})
	if !ok || s.NodeOf(hit.Pod) != n[1] || s.PodRef(hit.Pod) != pods.large {
		t.Error(hit, ok)
	}
	out := make([]libsched.Verdict8, 4)
	check(t, s.CheckMany(ctx, []libsched.PodRef{pods.small, pods.large}, n[:2], nil, out))
	plugin := func(v libsched.Verdict8) string { return s.Plugins()[v-1] }
	if out[0] != 0 || out[1] != 0 || plugin(out[2]) != "NodeResourcesFit" || plugin(out[3]) != "NodeResourcesFit" {
		t.Error(out)
	}
	var explained map[string]any
	check(t, json.Unmarshal(must(s.ExplainJSON(pods.large, n[0]))(t), &explained))
	if explained["fits"] != false {
		t.Error(explained)
	}
}

func TestQuestionsToSomePlugins(t *testing.T) {
	s, n, pods := threeNodes(t)
	closed := &libsched.Query{Ignore: []string{"NodeUnschedulable"}}
	var why libsched.Verdict
	if ok, err := s.CheckWith(ctx, pods.small, n[2], closed, &why); err != nil || !ok || why.Stage != libsched.Passed {
		t.Error(ok, err, why)
	}
	if ok, err := s.Check(ctx, pods.small, n[2], &why); err != nil || ok || why.Plugin != "NodeUnschedulable" {
		t.Error(ok, err, why.Plugin)
	}
	if hit, ok, err := s.First(ctx, pods.huge, &libsched.Query{Plugins: []string{"NodeUnschedulable"}}, nil); err != nil || !ok || hit.Node != n[0] {
		t.Error(hit, ok, err)
	}
	if _, count, err := s.Feasible(ctx, pods.huge, &libsched.Query{Plugins: []string{}}, nil); err != nil || count != 3 {
		t.Error(count, err)
	}
	if _, ok, err := s.First(ctx, pods.huge, nil, nil); err != nil || ok {
		t.Error(ok, err)
	}
	verdicts, fit := make([]libsched.Verdict8, 3), make([]int, 3)
	check(t, s.CheckMany(ctx, []libsched.PodRef{pods.small}, n[:], closed, verdicts))
	check(t, s.Copies(ctx, pods.small, n[:], 2, closed, fit))
	if !slices.Equal(verdicts, []libsched.Verdict8{0, 0, 0}) || !slices.Equal(fit, []int{2, 2, 2}) {
		t.Error(verdicts, fit)
	}
	refused := func(id libsched.NodeID) bool { return id != n[1] }
	accepting := &libsched.Query{Ignore: []string{"NodeResourcesFit"}, Accepts: refused, Start: 1}
	if hit, ok, err := s.First(ctx, pods.huge, accepting, nil); err != nil || !ok || hit.Node != n[0] {
		t.Error(hit, ok, err)
	}
	hit, _, err := s.First(ctx, pods.large, &libsched.Query{Place: true}, nil)
	check(t, err)
	gone := &libsched.Query{Without: []libsched.PodID{hit.Pod}}
	if ok, err := s.CheckWith(ctx, pods.large, hit.Node, gone, nil); err != nil || !ok {
		t.Error(ok, err)
	}
	if ok, err := s.Check(ctx, pods.large, hit.Node, nil); err != nil || ok {
		t.Error(ok, err)
	}
	one := []libsched.NodeID{hit.Node}
	check(t, s.CheckMany(ctx, []libsched.PodRef{pods.large}, one, gone, verdicts[:1]))
	check(t, s.Copies(ctx, pods.large, one, 0, gone, fit[:1]))
	if verdicts[0] != 0 || fit[0] != 1 {
		t.Error(verdicts[0], fit[0])
	}
	placing := *closed
	placing.Place = true
	for i, q := range []*libsched.Query{{Plugins: []string{"Nothing"}}, {Ignore: []string{""}}, {Plugins: []string{}, Ignore: []string{}}, &placing} {
		if _, _, err := s.First(ctx, pods.small, q, nil); !errors.Is(err, libsched.ErrInvalid) {
			t.Error(i, err)
		}
	}
	for i, err := range []error{
		s.CheckMany(ctx, nil, nil, &libsched.Query{Plugins: []string{"Nothing"}}, nil),
		s.Copies(ctx, pods.small, nil, 0, &libsched.Query{Ignore: []string{"Nothing"}}, nil),
	} {
		if !errors.Is(err, libsched.ErrInvalid) {
			t.Error(i, err)
		}
	}
	hits := make([]libsched.Hit, 1)
	if _, err := s.PlaceMany(ctx, []libsched.PodRef{pods.small}, closed, libsched.PlaceOptions{}, hits); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if _, err := s.Remove(ctx, n[1], nil, closed, libsched.RemoveOptions{}, nil); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}

func TestQuestionsWithoutPodsAndCopies(t *testing.T) {
	s, n, pods := threeNodes(t)
	alone := make([]int, len(n))
	check(t, s.Copies(ctx, pods.small, n[:], 0, nil, alone))
	if alone[0] == 0 || alone[1] == 0 || alone[2] != 0 {
		t.Fatal(alone)
	}
	hit, ok, err := s.First(ctx, pods.large, &libsched.Query{Place: true}, nil)
	if err != nil || !ok || hit.Node != n[1] {
		t.Fatal(hit, ok, err)
	}
	gone := []libsched.PodID{hit.Pod}
	now := make([]int, len(n))
	check(t, s.Copies(ctx, pods.small, n[:], 0, nil, now))
	if now[0] != alone[0] || now[1] >= alone[1] {
		t.Error(alone, now)
	}
	check(t, s.Copies(ctx, pods.small, n[:], 0, &libsched.Query{Without: gone}, now))
	if !slices.Equal(now, alone) {
		t.Error(alone, now)
	}
	check(t, s.Copies(ctx, pods.small, n[:2], 1, nil, now[:2]))
	if now[0] != 1 {
		t.Error(now)
	}
	if _, ok, err := s.First(ctx, pods.large, nil, nil); ok || err != nil {
		t.Error(ok, err)
	}
	without := &libsched.Query{Without: gone}
	if again, ok, err := s.First(ctx, pods.large, without, nil); err != nil || !ok || again.Node != n[1] || again.Pod != 0 {
		t.Error(again, ok, err)
	}
	if set, count, err := s.Feasible(ctx, pods.large, without, nil); err != nil || count != 1 || !set.Has(n[1].Row()) {
		t.Error(set, count, err)
	}
	if s.NodeOf(hit.Pod) != n[1] {
		t.Error("the pod is gone")
	}
	hits := make([]libsched.Hit, 1)
	wrong := []error{
		s.Copies(ctx, pods.small, n[:], -1, nil, now),
		s.Copies(ctx, pods.small, n[:], 0, nil, nil),
		func() error {
			_, _, err := s.First(ctx, pods.large, &libsched.Query{Without: gone, Place: true}, nil)
			return err
		}(),
		func() error {
			_, err := s.PlaceMany(ctx, []libsched.PodRef{pods.small}, without, libsched.PlaceOptions{}, hits)
			return err
		}(),
		func() error {
			_, err := s.Remove(ctx, n[1], gone, without, libsched.RemoveOptions{}, hits)
			return err
		}(),
	}
	for i, err := range wrong {
		if !errors.Is(err, libsched.ErrInvalid) {
			t.Error(i, err)
		}
	}
	if err := s.Copies(ctx, pods.small, n[:], 0, &libsched.Query{Without: []libsched.PodID{12345}}, now); !errors.Is(err, libsched.ErrStale) {
		t.Error(err)
	}
}

// TestAcceptsGoesOn compares a search with a function with searches of one node each.
func TestAcceptsGoesOn(t *testing.T) {
	s, n, pods := threeNodes(t)
	more := make([]libsched.NodeID, 20)
	names := make([]string, len(more))
	for i := range names {
		names[i] = fmt.Sprint("more-", i)
	}
	check(t, s.AddNodes(s.NodeRef(n[1]), names, more))
	all := s.Nodes(nil)
	for start := range len(all) {
		for count := range len(all) + 2 {
			for wanted := range 7 {
				q := &libsched.Query{Start: start, Count: count}
				if wanted%2 == 1 {
					q = &libsched.Query{Ring: &libsched.Ring{Last: start}, Count: count}
				}
				asked := 0
				q.Accepts = func(id libsched.NodeID) bool {
					asked++
					return s.Position(id)%7 == wanted // reads the Sim
				}
				var why libsched.Verdict
				hit, ok, err := s.First(ctx, pods.small, q, &why)
				check(t, err)
				want, tried := libsched.Hit{}, 0
				for i := range len(all) {
					at := (start + i) % len(all)
					if count > 0 && i >= count || at == 2 { // n2 is cordoned
						continue
					}
					if tried++; at%7 == wanted {
						want = libsched.Hit{Node: all[at], Position: at}
						break
					}
				}
				if hit != want || ok != (want.Node != 0) || asked != tried || ok != (why.Stage == libsched.Passed) {
					t.Fatal(start, count, wanted, hit, want, ok, asked, tried, why)
				}
				if q.Ring != nil && ok && q.Ring.Last != hit.Position {
					t.Fatal(q.Ring, hit)
				}
			}
		}
	}
	order := []libsched.NodeID{n[1], n[2], n[0]}
	hit, ok, err := s.First(ctx, pods.small, &libsched.Query{Order: order, Place: true, Accepts: func(id libsched.NodeID) bool {
		return id != n[1]
	}}, nil)
	if err != nil || !ok || hit.Node != n[0] || hit.Position != 2 || s.NodeOf(hit.Pod) != n[0] {
		t.Error(hit, ok, err)
	}
	refuse := &libsched.Query{Accepts: func(libsched.NodeID) bool { return false }}
	var why libsched.Verdict
	if _, ok, err := s.First(ctx, pods.small, refuse, &why); ok || err != nil || why.Stage != libsched.NoNode {
		t.Error(ok, err, why)
	}
}

func TestWhatACallbackMayDo(t *testing.T) {
	s, n, pods := threeNodes(t)
	with := func(accepts func(libsched.NodeID) bool) error {
		_, _, err := s.First(ctx, pods.small, &libsched.Query{Accepts: accepts}, nil)
		return err
	}
	if err := with(func(libsched.NodeID) bool { check(t, s.RemoveNode(n[2])); return false }); !errors.Is(err, libsched.ErrState) {
		t.Error("a change:", err)
	}
	// A question in a question.
	check(t, with(func(id libsched.NodeID) bool {
		_, ok, err := s.First(ctx, pods.large, &libsched.Query{Ring: &libsched.Ring{}}, nil)
		return ok && err == nil && id == n[1]
	}))
	func() {
		defer func() {
			if recover() != "no" {
				t.Error("the panic is gone")
			}
		}()
		with(func(libsched.NodeID) bool { panic("no") })
	}()
	check(t, s.Fork()) // the Sim is usable
	check(t, s.Revert())
	check(t, with(func(libsched.NodeID) bool { s.Close(); return false })) // the call ends first
	if err := s.Fork(); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}

	s, _, pods = threeNodes(t)
	shape := s.NodeRef(s.Nodes(nil)[1])
	var inner error
	packing := must(s.BinPack(ctx, []libsched.Group{{pods.small, 9}}, shape, libsched.PackOptions{Prefix: "new-",
		PermitNode: func() bool { inner = s.Fork(); return true }}))(t)
	if !errors.Is(inner, libsched.ErrState) || len(packing.Nodes) != 3 || s.Depth() != 1 {
		t.Error(inner, packing, s.Depth())
	}
	check(t, s.Revert())
	func() {
		defer func() {
			if recover() != "never" {
				t.Error("the panic is gone")
			}
		}()
		s.BinPack(ctx, []libsched.Group{{pods.small, 9}}, shape, libsched.PackOptions{PermitNode: func() bool { panic("never") }})
	}()
	if s.Depth() != 0 || s.NodeCount() != 3 {
		t.Error("a panic left a fork open:", s.Depth(), s.NodeCount())
	}
}

func TestPlaceMany(t *testing.T) {
	s, n, pods := threeNodes(t)
	list := []libsched.PodRef{pods.small, pods.huge, pods.small, pods.huge, pods.large, pods.small}
	hits := make([]libsched.Hit, len(list))
	check(t, s.Fork())
	hints := []libsched.NodeID{n[1], 0, 0, 0, n[0] + 1<<40, 0}
	placed, err := s.PlaceMany(ctx, list, nil, libsched.PlaceOptions{Hints: hints}, hits)
	// 1 CPU on n1 by its hint, 1 on n0, 3 on n1, 1 on n0.
	if err != nil || placed != 4 || hits[0].Node != n[1] || hits[1].Node != 0 || hits[2].Node != n[0] || hits[3].Node != 0 ||
		hits[4].Node != n[1] || hits[5].Node != n[0] || s.NodeOf(hits[5].Pod) != n[0] || s.PodCount() != 4 {
		t.Error(placed, err, hits, n)
	}
	check(t, s.Revert())
	clear(hits)
	placed, err = s.PlaceMany(ctx, list, nil, libsched.PlaceOptions{StopAtFailure: true}, hits)
	if err != nil || placed != 1 || s.PodCount() != 1 {
		t.Error(placed, err, hits)
	}
	_, err = s.PlaceMany(ctx, list, nil, libsched.PlaceOptions{Deadline: time.Unix(1, 0)}, hits)
	if !errors.Is(err, libsched.ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	before := state(s)
	for name, x := range map[string]struct {
		q       *libsched.Query
		options libsched.PlaceOptions
		pods    []libsched.PodRef
		want    error
	}{
		"hits":    {nil, libsched.PlaceOptions{}, list[:2], libsched.ErrInvalid},
		"hints":   {nil, libsched.PlaceOptions{Hints: hints[:1]}, list, libsched.ErrInvalid},
		"stale":   {nil, libsched.PlaceOptions{}, append([]libsched.PodRef{1 << 40}, list[1:]...), libsched.ErrStale},
		"accepts": {&libsched.Query{Accepts: func(libsched.NodeID) bool { return true }}, libsched.PlaceOptions{}, list, libsched.ErrUnsupported},
		"start":   {&libsched.Query{Start: -1}, libsched.PlaceOptions{}, list, libsched.ErrInvalid},
		"ring":    {&libsched.Query{Ring: &libsched.Ring{Last: -1}}, libsched.PlaceOptions{}, list, libsched.ErrInvalid},
	} {
		if _, err := s.PlaceMany(ctx, x.pods, x.q, x.options, hits); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := state(s); !reflect.DeepEqual(after, before) {
		t.Error("a refused call placed pods")
	}
}

func TestBinPack(t *testing.T) {
	s, n, pods := threeNodes(t)
	shape := s.NodeRef(n[1])
	daemon := podRefs(t, s.Catalog(), libsched.ContentOptions{}, podText("daemon", 500, ""))[0]
	before := state(s)
	groups := []libsched.Group{{pods.small, 4}, {pods.large, 2}, {pods.huge, 1}}
	p := must(s.BinPack(ctx, groups, shape, libsched.PackOptions{Prefix: "n", NodePods: []libsched.PodRef{daemon}}))(t)
	// Each large pod has a node of its own; with the daemon there is no room for a small one. Three small
	// ones fit on a node.
	if len(p.Nodes) != 4 || p.Placed != 6 || p.Stop != libsched.PackedAll || len(p.OnNode) != 7 || p.OnNode[6] != -1 ||
		p.Pods[6] != 0 || s.Name(p.Nodes[0]) != "n3" {
		t.Errorf("%+v %s", p, s.Name(p.Nodes[0]))
	}
	for i, at := range p.OnNode[:6] {
		if at < 0 || s.NodeOf(p.Pods[i]) != p.Nodes[at] {
			t.Error(i, at)
		}
	}
	if s.Depth() != 1 || len(s.PodsOn(p.Nodes[0], nil)) == 0 {
		t.Error("the fork is not open")
	}
	check(t, s.Revert())
	if after := state(s); !reflect.DeepEqual(after, before) {
		t.Error("packing changed the cluster")
	}
	permits := 0
	for name, x := range map[string]struct {
		options libsched.PackOptions
		stop    libsched.PackStop
	}{
		"nodes":    {libsched.PackOptions{MaxNodes: 1}, libsched.StopAtMaxNodes},
		"deadline": {libsched.PackOptions{Deadline: time.Unix(1, 0)}, libsched.StopAtDeadline},
		"permit":   {libsched.PackOptions{PermitNode: func() bool { permits++; return permits < 2 }}, libsched.StopByPermit},
	} {
		p := must(s.BinPack(ctx, groups, shape, x.options))(t)
		if p.Stop != x.stop || len(p.Nodes) > 1 || p.Stop.String() != name {
			t.Errorf("%s: %+v", name, p)
		}
		check(t, s.Revert())
	}
	if permits != 2 {
		t.Error(permits)
	}
	_, stale := s.BinPack(ctx, groups, 0, libsched.PackOptions{})
	_, stalePod := s.BinPack(ctx, []libsched.Group{{1 << 40, 1}}, shape, libsched.PackOptions{})
	_, negative := s.BinPack(ctx, []libsched.Group{{pods.small, -1}}, shape, libsched.PackOptions{})
	_, negativeNodes := s.BinPack(ctx, groups, shape, libsched.PackOptions{MaxNodes: -1})
	for i, x := range []struct{ err, want error }{{stale, libsched.ErrStale}, {stalePod, libsched.ErrStale},
		{negative, libsched.ErrInvalid}, {negativeNodes, libsched.ErrInvalid}} {
		if !errors.Is(x.err, x.want) || s.Depth() != 0 {
			t.Error(i, x.err, s.Depth())
		}
	}
}

func TestRemoveOnTrial(t *testing.T) {
	s, n, pods := threeNodes(t)
	list := []libsched.PodID{must(s.AddPod(pods.small, n[0]))(t), must(s.AddPod(pods.alone, n[0]))(t)}
	before := state(s)
	hits := make([]libsched.Hit, 2)
	ok, err := s.Remove(ctx, n[0], list, nil, libsched.RemoveOptions{Ghost: s.NodeRef(n[2])}, hits)
	if err != nil || ok || hits[0].Node != n[1] || hits[1].Node != 0 {
		t.Error(ok, err, hits) // the second one may not be beside the first one
	}
	if after := state(s); !reflect.DeepEqual(after, before) {
		t.Error("a trial changed the cluster")
	}
	_, foreign := s.Remove(ctx, n[1], list, nil, libsched.RemoveOptions{}, hits)
	_, twice := s.Remove(ctx, n[0], []libsched.PodID{list[0], list[0]}, nil, libsched.RemoveOptions{}, hits)
	_, stale := s.Remove(ctx, n[0]+1<<40, list, nil, libsched.RemoveOptions{}, hits)
	_, unequal := s.Remove(ctx, n[0], list, nil, libsched.RemoveOptions{}, nil)
	_, hints := s.Remove(ctx, n[0], list, nil, libsched.RemoveOptions{Hints: n[:]}, hits)
	_, accepts := s.Remove(ctx, n[0], list, &libsched.Query{Accepts: func(libsched.NodeID) bool { return true }},
		libsched.RemoveOptions{}, hits)
	for i, x := range []struct{ err, want error }{{foreign, libsched.ErrInvalid}, {twice, libsched.ErrInvalid},
		{stale, libsched.ErrStale}, {unequal, libsched.ErrInvalid}, {hints, libsched.ErrInvalid},
		{accepts, libsched.ErrUnsupported}} {
		if !errors.Is(x.err, x.want) {
			t.Error(i, x.err)
		}
	}
	if after := state(s); !reflect.DeepEqual(after, before) {
		t.Error("a refused trial changed the cluster")
	}
	check(t, s.RemovePods(list[1]))
	ok, err = s.Remove(ctx, n[0], list[:1], nil, libsched.RemoveOptions{Keep: true}, hits[:1])
	if err != nil || !ok || s.NodeCount() != 2 || s.NodeOf(hits[0].Pod) != n[1] || s.Name(n[0]) != "" {
		t.Error(ok, err, hits)
	}
}
