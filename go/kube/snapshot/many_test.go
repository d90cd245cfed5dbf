package snapshot_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"libsched"
	"libsched/kube/snapshot"
)

func TestPlaceMany(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "1"), node("c", "1")})
	pods := []*v1.Pod{pod("p", "1"), pod("q", "5"), pod("r", "900m"), pod("s", "5"), pod("u", "500m")}
	names, err := s.PlaceMany(pods, snapshot.PlaceOptions{Hints: []string{"a", "", "gone", "", "b"}, Search: snapshot.Search{
		Accept: func(info *snapshot.NodeInfo) bool { return info.Node().Name != "b" }}})
	check(t, err)
	if !slices.Equal(names, []string{"a", "", "c", "", "a"}) {
		t.Error(names)
	}
	want(t, s, "a[p u]1500/2000 b[]0/1000 c[r]900/1000")
	names, err = s.PlaceMany(pods, snapshot.PlaceOptions{StopAtFailure: true})
	check(t, err)
	if !slices.Equal(names, []string{"b", "", "", "", ""}) {
		t.Error(names)
	}
	if _, err := s.PlaceMany(pods, snapshot.PlaceOptions{Hints: []string{"a"}}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}

func TestPodsAreTheVeryObjects(t *testing.T) {
	p := on("a", pod("p", "1"))
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "2")}, p)
	s.Fork()
	_, gone, err := s.SimulateRemoval("a", snapshot.Removal{Move: []*v1.Pod{p}, Keep: true})
	if err != nil || !gone || podsOn(t, s, "b")[0] != p {
		t.Error(gone, err)
	}
	s.Revert()
	if podsOn(t, s, "a")[0] != p || len(podsOn(t, s, "b")) != 0 {
		t.Error("not as before")
	}
}

func TestBinPack(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("old", "8")})
	before := state(t, s)
	template := node("t", "2")
	groups := []snapshot.PackGroup{{Pod: pod("small", "300m"), Count: 2}, {Pod: pod("large", "1500m"), Count: 2}}
	packed, err := s.BinPack(groups, template, []*v1.Pod{pod("agent", "200m")}, snapshot.PackOptions{})
	check(t, err)
	if packed.Used != 2 || packed.Placed != 4 || !slices.Equal(packed.OnNode[2:], []int32{0, 1}) || packed.Stop != libsched.PackedAll ||
		!slices.Equal(packed.Nodes, []string{"t-e-0", "t-e-1"}) {
		t.Errorf("%+v", packed)
	}
	permits := 0
	packed, err = s.BinPack(groups, template, nil, snapshot.PackOptions{Permit: func() bool { permits++; return permits <= 1 }})
	check(t, err)
	if packed.Used != 1 || packed.Stop != libsched.StopByPermit || permits != 2 {
		t.Errorf("%+v %d", packed, permits)
	}
	want(t, s, before)
}

func TestSimulateRemoval(t *testing.T) {
	twice := pod("twice", "300m")
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "1"), node("b", "1"), node("c", "1")}, on("a", pod("stays", "100m")))
	check(t, s.ForceAddPod(twice, "a"))
	check(t, s.ForceAddPod(twice, "a"))
	before := state(t, s)
	urgent := pod("urgent", "300m")
	priority := int32(7)
	urgent.Spec.Priority = &priority
	check(t, s.ForceAddPod(urgent, "a"))
	full := state(t, s)
	removal := snapshot.Removal{Move: []*v1.Pod{twice, twice, urgent}, Ghost: node("a", "1")}
	moved, gone, err := s.SimulateRemoval("a", removal)
	check(t, err)
	if text := fmt.Sprintln(len(moved), gone, moved[0].Pod.Name, moved[0].Node); text != "3 true urgent b\n" {
		t.Error(text)
	}
	want(t, s, full)
	removal.Accept = func(*snapshot.NodeInfo) bool { return false }
	if moved, gone, err := s.SimulateRemoval("a", removal); moved != nil || gone || err != nil {
		t.Error(moved, gone, err)
	}
	s.Fork()
	removal.Accept, removal.Keep = nil, true
	_, gone, err = s.SimulateRemoval("a", removal)
	check(t, err)
	if text := state(t, s); !gone || text != "b[twice]300/1000 c[twice urgent]600/1000" {
		t.Error(text)
	}
	s.Revert()
	want(t, s, full)
	check(t, s.UnschedulePod("default", "urgent", "a"))
	want(t, s, before)
	if _, _, err := s.SimulateRemoval("a", snapshot.Removal{Move: []*v1.Pod{twice, twice, twice}}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if _, _, err := s.SimulateRemoval("z", snapshot.Removal{}); !errors.Is(err, snapshot.ErrNodeNotFound) {
		t.Error(err)
	}
}
