package snapshot_test

import (
	"fmt"
	"math/rand"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"
)

// resident is the memory of the process in KiB, after Go has given back what it does not need.
func resident(t *testing.T) (kib int) {
	t.Helper()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	check(t, err)
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(text, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// A program that runs for long takes no more memory than at first: in each loop pods and kinds of nodes come and go, pods
// are asked about and packed, forks are reverted, and the catalog ages.
func TestMemoryOfManyLoops(t *testing.T) {
	const loops, settled, looks = 1000, 50, 5 // the last few loops of both are looked at
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	fw, err := libsched.NewFramework()
	check(t, err)
	defer fw.Close()
	catalog, err := kube.NewCatalog(kube.CatalogOptions{})
	check(t, err)
	defer catalog.Close()
	s, err := snapshot.New(fw, catalog, snapshot.Options{})
	check(t, err)
	defer s.Close()
	random := rand.New(rand.NewSource(1))
	before, after, contents := 0, 0, 0
	for loop := range loops {
		oneLoop(t, s, random, loop)
		_, err = catalog.Age(2)
		check(t, err)
		switch done := loop + 1; {
		case done > settled-looks && done <= settled:
			before, contents = max(before, resident(t)), catalog.Catalog().PodCount()
		case done == loops-looks+1:
			after = resident(t)
		case done > loops-looks:
			after = min(after, resident(t))
		}
	}
	if now := catalog.Catalog().PodCount(); now > contents*12/10 {
		t.Errorf("%d contents after %d loops, %d after %d", contents, settled, now, loops)
	}
	if after > before*12/10 {
		t.Errorf("%d KiB after %d loops, %d KiB after %d", before, settled, after, loops)
	} else {
		t.Logf("%d KiB after %d loops, %d KiB after %d", before, settled, after, loops)
	}
}

func oneLoop(t *testing.T, s *snapshot.Snapshot, random *rand.Rand, loop int) {
	var nodes []*v1.Node
	for i := range 60 {
		n := node(fmt.Sprint("n", i), fmt.Sprint(4+random.Intn(4)))
		n.Labels["generation"] = fmt.Sprint(loop/7 + i%5)
		nodes = append(nodes, n)
	}
	var pods []*v1.Pod
	for i := range 200 + random.Intn(200) {
		p := pod(fmt.Sprint("p", i), fmt.Sprint(10+random.Intn(90), "m"))
		p.Labels = map[string]string{"app": fmt.Sprint(random.Intn(300)), "generation": fmt.Sprint(loop / 3)}
		pods = append(pods, on(nodes[random.Intn(len(nodes))].Name, p))
	}
	check(t, s.SetClusterState(nodes, pods))
	s.Fork()
	defer s.Revert()
	var groups []snapshot.PackGroup
	for i := range 20 {
		p := pod(fmt.Sprint("g", i), fmt.Sprint(100+random.Intn(900), "m"))
		p.Labels = map[string]string{"app": fmt.Sprint("pending", i), "generation": fmt.Sprint(loop)}
		groups = append(groups, snapshot.PackGroup{Pod: p, Count: 5 + random.Intn(10)})
	}
	_, err := s.BinPack(groups, node("t", "4"), nil, snapshot.PackOptions{})
	check(t, err)
	for i, group := range groups {
		s.Fork()
		check(t, s.AddNodeInfo(node(fmt.Sprint("new", i), "4"), group.Pod))
		s.CheckPredicates(groups[len(groups)-1-i].Pod, "n1")
		s.SchedulePodOnAnyNodeMatching(group.Pod, snapshot.Search{})
		s.Revert()
	}
}
