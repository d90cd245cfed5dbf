package snapshot_test

import (
	"errors"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched"
	"libsched/kube/snapshot"
)

// fallback accepts the last node, and refuses pods that are called "no".
type fallback struct {
	calls  []string
	refuse error
}

func (f *fallback) CheckPredicates(s *snapshot.Snapshot, pod *v1.Pod, node *snapshot.NodeInfo) *snapshot.SchedulingError {
	f.calls = append(f.calls, "check "+node.Node().Name)
	if pod.Name == "no" {
		return &snapshot.SchedulingError{Kind: snapshot.FailingPredicate, Pod: pod, Verdict: libsched.Verdict{Plugin: "DynamicResources"}}
	}
	return nil
}

func (f *fallback) Find(s *snapshot.Snapshot, pod *v1.Pod, search snapshot.Search) (*snapshot.NodeInfo, *snapshot.SchedulingError) {
	f.calls = append(f.calls, "find")
	if pod.Name == "no" {
		return nil, &snapshot.SchedulingError{Kind: snapshot.NoNodesPassing, Pod: pod}
	}
	infos := s.ListNodeInfos()
	return infos[len(infos)-1], nil
}

func (f *fallback) Placed(s *snapshot.Snapshot, pod *v1.Pod, node *snapshot.NodeInfo) error {
	f.calls = append(f.calls, "placed "+node.Node().Name)
	return f.refuse
}

// unsupported lets a pod ask for a resource that a DeviceClass of the snapshot provides.
func unsupported(p *v1.Pod) *v1.Pod {
	p.Spec.Containers[0].Resources.Requests["x.io/gpu"] = resource.MustParse("1")
	return p
}

func provide(t *testing.T, s *snapshot.Snapshot) {
	t.Helper()
	name := "x.io/gpu"
	check(t, s.Sim().Set(&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"},
		Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: &name}}))
}

func TestFallback(t *testing.T) {
	f := &fallback{}
	s := start(t, snapshot.Options{Fallback: f}, []*v1.Node{node("a", "2"), node("b", "1")})
	provide(t, s)
	fits(t, s.SchedulePod(pod("plain", "1"), "a"))
	if f.calls != nil {
		t.Error(f.calls)
	}
	fits(t, s.CheckPredicates(unsupported(pod("p", "1")), "a"))
	fits(t, s.SchedulePod(unsupported(pod("p", "1")), "a"))
	if name, err := s.SchedulePodOnAnyNodeMatching(unsupported(pod("q", "500m")), snapshot.Search{}); name != "b" || err != nil {
		t.Error(name, err)
	}
	if err := s.SchedulePod(unsupported(pod("no", "1")), "a"); err == nil || err.FailingPredicateName() != "DynamicResources" {
		t.Error(err)
	}
	if _, err := s.SchedulePodOnAnyNodeMatching(unsupported(pod("no", "1")), snapshot.Search{}); err == nil || err.Type() != snapshot.NoNodesPassing {
		t.Error(err)
	}
	want(t, s, "a[p plain]2000/2000 b[q]500/1000")
	f.refuse = errors.New("no device")
	if err := s.SchedulePod(unsupported(pod("r", "0")), "a"); err == nil || err.Type() != snapshot.InternalError || !errors.Is(err, f.refuse) {
		t.Error(err)
	}
	want(t, s, "a[p plain]2000/2000 b[q]500/1000")
	if got := strings.Join(f.calls, ", "); got != "check a, check a, placed a, find, placed b, check a, find, check a, placed a" {
		t.Error(got)
	}
}

// Without a Fallback, such pods are errors that name the plugin.
func TestNoFallback(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2")})
	provide(t, s)
	claiming := unsupported(pod("p", "1"))
	refused := func(err error) {
		t.Helper()
		var e *libsched.Error
		if !errors.Is(err, libsched.ErrUnsupported) || !errors.As(err, &e) || e.Plugin != "DynamicResources" {
			t.Error(err)
		}
	}
	refused(s.CheckPredicates(claiming, "a"))
	refused(s.SchedulePod(claiming, "a"))
	_, failed := s.SchedulePodOnAnyNodeMatching(claiming, snapshot.Search{})
	refused(failed)
	_, err := s.PlaceMany([]*v1.Pod{pod("q", "1"), claiming}, snapshot.PlaceOptions{})
	refused(err)
	_, err = s.BinPack([]snapshot.PackGroup{{Pod: claiming, Count: 2}}, node("t", "4"), nil, snapshot.PackOptions{})
	refused(err)
	check(t, s.ForceAddPod(claiming, "a")) // asks nobody
	_, _, err = s.SimulateRemoval("a", snapshot.Removal{Move: []*v1.Pod{claiming}})
	refused(err)
	want(t, s, "a[p]1000/2000")
}
