package clustersnapshot

import (
	"errors"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

func infos(names ...string) []*framework.NodeInfo {
	var out []*framework.NodeInfo
	for _, name := range names {
		out = append(out, framework.NewNodeInfo(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil))
	}
	return out
}

func walk(order NodeOrderMapping, nodes []*framework.NodeInfo) []int {
	order.Reset(nodes)
	var got []int
	for i := range len(nodes) {
		got = append(got, order.At(i))
	}
	return got
}

func TestRing(t *testing.T) {
	ring := NewLastIndexOrderMapping(1)
	nodes := infos("a", "b", "c", "d")
	if got := walk(ring, nodes); !slices.Equal(got, []int{1, 2, 3, 0}) {
		t.Error(got)
	}
	ring.MarkMatch(2)
	if got := walk(ring, nodes); !slices.Equal(got, []int{3, 0, 1, 2}) {
		t.Error(got)
	}
	if got := walk(ring, nodes[:2]); !slices.Equal(got, []int{1, 0}) {
		t.Error("the ring of fewer nodes", got)
	}
	ring.Reset(nil)
	if ring.At(0) != -1 {
		t.Error("a ring of no nodes")
	}
}

func TestPriority(t *testing.T) {
	order := NewPriorityNodeOrderMapping(func(a, b *framework.NodeInfo) bool { return a.Node().Name > b.Node().Name })
	if got := walk(order, infos("a", "c", "b", "c")); !slices.Equal(got, []int{1, 3, 2, 0}) {
		t.Error(got)
	}
	order.MarkMatch(2)
	if order.At(0) != 1 || order.At(4) != -1 || order.At(-1) != -1 {
		t.Error(order.At(0), order.At(4), order.At(-1))
	}
}

func TestErrors(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	for _, c := range []struct {
		err     SchedulingError
		text    string
		reasons []string
	}{
		{NewSchedulingInternalError(pod, "broken"),
			"can't schedule pod shop/web: unexpected error: broken", nil},
		{NewNoNodesPassingPredicatesFoundError(pod),
			"can't schedule pod shop/web: couldn't find a matching Node with passing predicates", nil},
		{NewFailingPredicateError(pod, "P", []string{"a", "b"}, "", ""),
			`can't schedule pod shop/web: predicate "P" didn't pass (predicateReasons=[a, b])`, []string{"a", "b"}},
		{NewFailingPredicateError(pod, "P", nil, PreFilterFailed, "x: 1"),
			`can't schedule pod shop/web: predicate "P" didn't pass (predicateReasons=[]; debugInfo=x: 1; unexpectedError=PreFilter failed)`, nil},
	} {
		want := c.reasons
		if c.err.Type() != FailingPredicateError {
			want = []string{c.text}
		}
		if c.err.Error() != c.text || !slices.Equal(c.err.Reasons(), want) {
			t.Errorf("%v %v\nwant %v %v", c.err, c.err.Reasons(), c.text, want)
		}
	}
	if !errors.Is(NewSchedulingInternalError(pod, "a"), NewSchedulingInternalError(nil, "b")) ||
		errors.Is(NewSchedulingInternalError(pod, "a"), NewNoNodesPassingPredicatesFoundError(pod)) ||
		errors.Is(NewSchedulingInternalError(pod, "a"), ErrNodeNotFound) {
		t.Error("errors.Is compares types")
	}
}
