package snapshot_test

import (
	"errors"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"libsched"
	"libsched/kube/snapshot"
)

// device is the slice of a node with one device.
func device(node string) *resourcev1.ResourceSlice {
	return &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + node}, Spec: resourcev1.ResourceSliceSpec{
		Driver: "d", NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1},
		Devices: []resourcev1.Device{{Name: "x"}}}}
}

func claim(name string) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: resourcev1.ResourceClaimSpec{
		Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}}}}
}

// own is a pod with a claim that was made for it, which the snapshot gets.
func own(t *testing.T, s *snapshot.Snapshot, name string) *v1.Pod {
	t.Helper()
	p := pod(name, "100m")
	p.Namespace, p.UID = "default", types.UID("u-"+name)
	template, made, yes := "one", name+"-card", true
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "card", ResourceClaimTemplateName: &template}}
	p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "card", ResourceClaimName: &made}}
	c := claim(made)
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: name, UID: p.UID, Controller: &yes}}
	check(t, s.Sim().Set(c))
	return p
}

// shared is a pod that uses a claim of this name.
func shared(name, claim string) *v1.Pod {
	p := pod(name, "100m")
	p.Namespace, p.UID = "default", types.UID("u-"+name)
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "card", ResourceClaimName: &claim}}
	return p
}

func TestClaims(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "2"), node("c", "2")})
	check(t, s.Sim().Set(&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}, device("a"), device("b"), claim("team")))
	p, q, r := own(t, s, "p"), own(t, s, "q"), own(t, s, "r")
	s.Fork()
	fits(t, s.CheckPredicates(p, "a"))
	if failed := s.CheckPredicates(p, "c"); failed == nil || failed.FailingPredicateName() != "DynamicResources" {
		t.Error(failed)
	}
	fits(t, s.SchedulePod(p, "a"))
	var now resourcev1.ResourceClaim
	check(t, s.Sim().Get("default", "p-card", &now))
	if a := now.Status.Allocation; a == nil || a.AllocationTimestamp != nil || len(now.Finalizers) != 1 || len(now.Status.ReservedFor) != 1 {
		t.Error("not as after Reserve:", now) // binding sets the time
	}
	if failed := s.SchedulePod(q, "a"); failed == nil || failed.FailingPredicateName() != "DynamicResources" {
		t.Error(failed)
	}
	if name, failed := s.SchedulePodOnAnyNodeMatching(q, snapshot.Search{}); name != "b" || failed != nil {
		t.Error(name, failed)
	}
	if _, failed := s.SchedulePodOnAnyNodeMatching(r, snapshot.Search{}); failed == nil || failed.Type() != snapshot.NoNodesPassing {
		t.Error(failed)
	}
	// A pod that is unscheduled gives its device back, one that is only removed does not.
	check(t, s.UnschedulePod("default", "p", "a"))
	fits(t, s.SchedulePod(r, "a"))
	check(t, s.ForceRemovePod("default", "r", "a"))
	if s.SchedulePod(p, "a") == nil {
		t.Error("the device is still that of r")
	}
	s.Revert()
	s.Fork()
	names, err := s.PlaceMany([]*v1.Pod{p, q, r}, snapshot.PlaceOptions{})
	if err != nil || names[0] == "" || names[1] == "" || names[2] != "" {
		t.Error(names, err)
	}
	s.Revert()
	// Pods that share a claim are on its node, wherever that is.
	s.Fork()
	fits(t, s.SchedulePod(shared("x", "team"), "b"))
	if name, failed := s.SchedulePodOnAnyNodeMatching(shared("y", "team"), snapshot.Search{}); name != "b" || failed != nil {
		t.Error(name, failed)
	}
	moved, gone, err := s.SimulateRemoval("b", snapshot.Removal{Move: podsOn(t, s, "b")})
	if err != nil || !gone || len(moved) != 2 || moved[0].Node != "a" || moved[1].Node != "a" {
		t.Error(moved, gone, err)
	}
	s.Revert()
	// The devices of a claim that no pod has reserved go with any pod that is unscheduled.
	s.Fork()
	fits(t, s.SchedulePod(shared("x", "team"), "b"))
	check(t, s.ForceRemovePod("default", "x", "b"))
	var left resourcev1.ResourceClaim
	check(t, s.Sim().Get("default", "team", &left))
	left.Status.ReservedFor = nil
	check(t, s.Sim().Set(&left))
	check(t, s.ForceAddPod(shared("y", "team"), "c"))
	check(t, s.UnschedulePod("default", "y", "c"))
	fits(t, s.SchedulePod(shared("y", "team"), "a"))
	s.Revert()
	want(t, s, "a[]0/2000 b[]0/2000 c[]0/2000")
}

func podsOn(t *testing.T, s *snapshot.Snapshot, name string) []*v1.Pod {
	t.Helper()
	info, err := s.GetNodeInfo(name)
	check(t, err)
	return info.Pods()
}

func TestPackClaims(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2")})
	check(t, s.Sim().Set(&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}))
	p := own(t, s, "p")
	var e *libsched.Error
	_, err := s.BinPack([]snapshot.PackGroup{{Pod: p, Count: 2}}, node("t", "4"), nil, snapshot.PackOptions{})
	if !errors.Is(err, libsched.ErrUnsupported) || !errors.As(err, &e) || e.Plugin != "DynamicResources" {
		t.Error(err)
	}
	packed, err := s.BinPack([]snapshot.PackGroup{{Pod: p, Count: 1}}, node("t", "4"), nil, snapshot.PackOptions{MaxNodes: 2})
	if err != nil || packed.Placed != 0 { // the new nodes have no devices
		t.Error(packed, err)
	}
	groups := []snapshot.PackGroup{{Pod: p, Count: 1}, {Pod: own(t, s, "q"), Count: 1}, {Pod: pod("plain", "1"), Count: 2}}
	before := state(t, s)
	packed, err = s.BinPack(groups, node("t", "4"), nil, snapshot.PackOptions{Objects: []runtime.Object{device("t")}})
	if err != nil || packed.Placed != 4 || packed.Used != 2 {
		t.Error(packed, err)
	}
	slices, err := s.Sim().ObjectsJSON("ResourceSlice", "", "")
	check(t, err)
	if after := state(t, s); after != before || strings.Contains(string(slices), "slice-t") {
		t.Error(before, after, string(slices))
	}
	_, err = s.BinPack(groups, node("t", "4"), []*v1.Pod{p}, snapshot.PackOptions{Objects: []runtime.Object{device("t")}})
	if !errors.Is(err, libsched.ErrUnsupported) || !errors.As(err, &e) || e.Plugin != "DynamicResources" {
		t.Error(err)
	}
	if _, err = s.BinPack(groups, node("t", "4"), nil, snapshot.PackOptions{Objects: []runtime.Object{p}}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}
