package snapshot_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched/kube/snapshot"
)

// card is a pod that asks for an extended resource, which a DeviceClass provides.
func card(name string) *v1.Pod {
	p := pod(name, "100m")
	p.Spec.Containers[0].Resources.Requests["x.io/gpu"] = resource.MustParse("1")
	return p
}

func TestExtendedResources(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "2"), node("c", "2")})
	name := "x.io/gpu"
	check(t, s.Sim().Set(&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"},
		Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: &name}}, device("a"), device("b")))
	s.Fork()
	fits(t, s.CheckPredicates(card("p"), "a"))
	fits(t, s.SchedulePod(card("p"), "a"))
	if failed := s.SchedulePod(card("q"), "a"); failed == nil || failed.FailingPredicateName() != "DynamicResources" {
		t.Error(failed)
	}
	if name, failed := s.SchedulePodOnAnyNodeMatching(card("q"), snapshot.Search{}); name != "b" || failed != nil {
		t.Error(name, failed)
	}
	if _, failed := s.SchedulePodOnAnyNodeMatching(card("r"), snapshot.Search{}); failed == nil || failed.Type() != snapshot.NoNodesPassing {
		t.Error(failed)
	}
	check(t, s.UnschedulePod("default", "p", "a"))
	fits(t, s.SchedulePod(card("r"), "a"))
	check(t, s.ForceRemovePod("default", "r", "a"))
	names, err := s.PlaceMany([]*v1.Pod{card("s"), card("t")}, snapshot.PlaceOptions{})
	if err != nil || !slices.Equal(names, []string{"a", ""}) {
		t.Error(names, err)
	}
	s.Revert()
	names, err = s.PlaceMany([]*v1.Pod{card("s"), card("t"), card("u")}, snapshot.PlaceOptions{})
	slices.Sort(names)
	if err != nil || !slices.Equal(names, []string{"", "a", "b"}) {
		t.Error(names, err)
	}
	check(t, s.Sim().Set(device("t-e-0"), device("t-e-1")))
	packed, err := s.BinPack([]snapshot.PackGroup{{Pod: card("v"), Count: 2}}, node("t", "4"), nil, snapshot.PackOptions{MaxNodes: 2})
	if err != nil || packed.Placed != 2 || packed.Used != 2 {
		t.Error(packed, err)
	}
}
