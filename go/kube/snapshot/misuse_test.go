package snapshot_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"
)

// A nil node or pod is an error of every method that takes one, and changes nothing.
func TestNilArguments(t *testing.T) {
	a, running := node("a", "2"), on("a", pod("r", "1"))
	s := start(t, snapshot.Options{}, []*v1.Node{a}, running)
	failure := func(err *snapshot.SchedulingError) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%v: %w", err, err.Unwrap()) // the text of an error about no pod is made as well
	}
	_, ofSearch := s.SchedulePodOnAnyNodeMatching(nil, snapshot.Search{})
	_, ofMany := s.PlaceMany([]*v1.Pod{nil}, snapshot.PlaceOptions{})
	_, ofGroup := s.BinPack([]snapshot.PackGroup{{Count: 1}}, a, nil, snapshot.PackOptions{})
	_, ofTemplate := s.BinPack(nil, nil, nil, snapshot.PackOptions{})
	_, ofNodePod := s.BinPack(nil, a, []*v1.Pod{nil}, snapshot.PackOptions{})
	_, _, ofRemoval := s.SimulateRemoval("a", snapshot.Removal{Move: []*v1.Pod{running, nil}})
	_, _, _, ofLister := s.Sim().ResetFrom(nil, nil)
	for what, err := range map[string]error{
		"a node of SetClusterState":    s.SetClusterState([]*v1.Node{nil}, nil),
		"a pod of SetClusterState":     s.SetClusterState([]*v1.Node{a}, []*v1.Pod{nil}),
		"AddNodeInfo":                  s.AddNodeInfo(nil),
		"a pod of AddNodeInfo":         s.AddNodeInfo(node("b", "1"), nil),
		"ReplaceNode":                  s.ReplaceNode(nil),
		"ForceAddPod":                  s.ForceAddPod(nil, "a"),
		"CheckPredicates":              failure(s.CheckPredicates(nil, "a")),
		"SchedulePod":                  failure(s.SchedulePod(nil, "a")),
		"SchedulePodOnAnyNodeMatching": failure(ofSearch),
		"PlaceMany":                    ofMany,
		"a group's pod":                ofGroup,
		"the template":                 ofTemplate,
		"a pod of a new node":          ofNodePod,
		"a pod of a removal":           ofRemoval,
		"a lister":                     ofLister,
		"a follower's Sim":             kube.NewFollower(nil).Sync(),
	} {
		if !errors.Is(err, libsched.ErrMisuse) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if infos := s.ListNodeInfos(); len(infos) != 1 || infos[0].PodCount() != 1 || s.Sim().Depth() != 0 {
		t.Error("something has changed")
	}
}

// A fork that a function of the caller has opened and left open is reverted, and the question fails.
func TestForksOpenedInCallbacksAreClosed(t *testing.T) {
	a, running := node("a", "2"), on("a", pod("r", "1"))
	s := start(t, snapshot.Options{}, []*v1.Node{a, node("b", "2")}, running)
	meddle := func(*snapshot.NodeInfo) bool {
		s.Fork()
		check(t, s.ForceAddPod(pod("q", "1"), "b"))
		s.Fork()
		return true
	}
	questions := map[string]func() error{
		"search": func() error {
			_, err := s.SchedulePodOnAnyNodeMatching(pod("p", "1"), snapshot.Search{Accept: meddle})
			return err.Unwrap()
		},
		"many": func() error {
			_, err := s.PlaceMany([]*v1.Pod{pod("p", "1")}, snapshot.PlaceOptions{Search: snapshot.Search{Accept: meddle}})
			return err
		},
		"removal": func() error {
			_, _, err := s.SimulateRemoval("a", snapshot.Removal{Move: []*v1.Pod{running}, Accept: meddle})
			return err
		},
		"ordering": func() error {
			_, err := s.SchedulePodOnAnyNodeMatching(pod("p", "1"), snapshot.Search{Ordering: meddling{meddle}})
			return err.Unwrap()
		},
	}
	questions["mark"] = func() error {
		_, err := s.SchedulePodOnAnyNodeMatching(pod("p", "1"), snapshot.Search{Ordering: marking{meddle}})
		return err.Unwrap()
	}
	questions["mark of many"] = func() error {
		s.Fork()
		defer s.Revert()
		names, err := s.PlaceMany([]*v1.Pod{pod("p", "1")}, snapshot.PlaceOptions{Search: snapshot.Search{Ordering: marking{meddle}}})
		if info, _ := s.GetNodeInfo("a"); len(names) != 1 || names[0] != "a" || info.PodCount() != 2 {
			t.Errorf("placed %q, %d pods on a", names, info.PodCount())
		}
		return err
	}
	for outside := range 2 {
		for name, ask := range questions {
			if err := ask(); !errors.Is(err, libsched.ErrState) {
				t.Errorf("%s: %v", name, err)
			}
			if depth := s.Sim().Depth(); depth != outside {
				t.Errorf("%s: %d forks are open instead of %d", name, depth, outside)
			}
			if info, err := s.GetNodeInfo("b"); err != nil || info.PodCount() != 0 {
				t.Errorf("%s: what was done in the fork stays", name)
			}
			fits(t, s.CheckPredicates(pod("p", "1"), "b"))
		}
		s.Fork()
	}
	s.Revert()
	s.Revert()
	if result, cleanup := s.WithFork(func() (bool, error) { s.Fork(); return true, s.ForceAddPod(pod("q", "1"), "b") }); result != nil || cleanup != nil {
		t.Error(result, cleanup)
	}
	if info, _ := s.GetNodeInfo("b"); info.PodCount() != 0 || s.Sim().Depth() != 0 {
		t.Error("WithFork keeps a fork that was left open")
	}
}

type meddling struct{ meddle func(*snapshot.NodeInfo) bool }

func (m meddling) Reset([]*snapshot.NodeInfo) { m.meddle(nil) }
func (m meddling) At(i int) int               { return i }
func (m meddling) MarkMatch(int)              {}

type marking struct{ meddle func(*snapshot.NodeInfo) bool }

func (m marking) Reset([]*snapshot.NodeInfo) {}
func (m marking) At(i int) int               { return i }
func (m marking) MarkMatch(int)              { m.meddle(nil) }

// What a function of the caller does to the Snapshot without a fork of its own makes the question fail as well.
func TestChangesInCallbacksAreTold(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "9")})
	outside := func() error { s.Fork(); return nil }
	for what, change := range map[string]struct{ before, meddle func() error }{
		"Clear":       {func() error { return nil }, s.Clear},
		"Revert":      {outside, func() error { s.Revert(); return nil }},
		"Commit":      {outside, s.Commit},
		"AddNodeInfo": {func() error { return nil }, func() error { return s.AddNodeInfo(node("c", "1")) }},
	} {
		for depth, search := range []snapshot.Search{
			{Ordering: marking{func(*snapshot.NodeInfo) bool { return change.meddle() == nil }}},
			{Ordering: meddling{func(*snapshot.NodeInfo) bool { return change.meddle() == nil }}}} {
			check(t, s.SetClusterState([]*v1.Node{node("a", "9")}, nil))
			check(t, change.before())
			if _, err := s.SchedulePodOnAnyNodeMatching(pod("p", "1"), search); !errors.Is(err.Unwrap(), libsched.ErrState) {
				t.Errorf("%s, ordering %d: %v", what, depth, err)
			}
		}
	}
}

// Age in one goroutine fails no question of another, however often it is called: 8 goroutines ask snapshots of their own
// about pods that they share. It is run with the race detector as well.
func TestAgeBesideQuestions(t *testing.T) {
	fw, err := libsched.NewFramework()
	check(t, err)
	defer fw.Close()
	for _, remember := range []bool{false, true} {
		catalog, err := kube.NewCatalog(kube.CatalogOptions{Remember: remember})
		check(t, err)
		shared := make([]*v1.Pod, 40)
		for i := range shared {
			shared[i] = pod(fmt.Sprint("shared", i), fmt.Sprint(i, "m"))
		}
		done := make(chan struct{})
		var aging, asking sync.WaitGroup
		for range 2 {
			aging.Add(1)
			go func() {
				defer aging.Done()
				for keep := 0; ; keep = 1 - keep {
					select {
					case <-done:
						return
					default:
					}
					if _, err := catalog.Age(keep); err != nil {
						t.Error(err)
						return
					}
				}
			}()
		}
		for worker := range 8 {
			asking.Add(1)
			go func() {
				defer asking.Done()
				s, err := snapshot.New(fw, catalog, snapshot.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				for round := range 40 {
					if err := askAll(s, worker, round, shared); err != nil {
						t.Error(err)
						return
					}
				}
			}()
		}
		asking.Wait()
		close(done)
		aging.Wait()
		catalog.Close()
	}
}

// askAll calls the methods that look contents up.
func askAll(s *snapshot.Snapshot, worker, round int, shared []*v1.Pod) error {
	nodes := []*v1.Node{node("a", fmt.Sprint(2+round%5)), node("b", "4")}
	failed := errors.Join(s.SetClusterState(nodes, []*v1.Pod{on("a", pod("r", "1"))}))
	s.Fork()
	failed = errors.Join(failed, s.AddNodeInfo(node("c", fmt.Sprint(3+worker)), pod("x", "500m")),
		s.ForceAddPod(pod("y", "250m"), "b"), s.ReplaceNode(node("b", "5")), s.Sim().Set(claim(fmt.Sprint("c", worker))))
	if err := s.CheckPredicates(pod("p", fmt.Sprint(round, "m")), "b"); err != nil {
		failed = errors.Join(failed, err)
	}
	if _, err := s.SchedulePodOnAnyNodeMatching(shared[(worker+round)%len(shared)], snapshot.Search{}); err != nil {
		failed = errors.Join(failed, err)
	}
	_, ofMany := s.PlaceMany(append([]*v1.Pod{pod("q", fmt.Sprint(round+1, "m"))}, shared[:8]...), snapshot.PlaceOptions{})
	_, ofPack := s.BinPack([]snapshot.PackGroup{{Pod: pod("g", "1"), Count: 3}, {Pod: shared[round%len(shared)], Count: 1}}, node("t", "4"),
		nil, snapshot.PackOptions{MaxNodes: 2})
	info, ofNode := s.GetNodeInfo("a")
	if ofNode != nil {
		return errors.Join(failed, ofNode)
	}
	_, _, ofRemoval := s.SimulateRemoval("a", snapshot.Removal{Move: info.Pods(), Ghost: node("a", "1")})
	s.Revert()
	return errors.Join(failed, ofMany, ofPack, ofRemoval, s.UnschedulePod("default", "r", "a"))
}
