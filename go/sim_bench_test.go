package libsched_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"

	"libsched"
)

const rusageThread = 1 // of getrusage(2)

// timeCPU reports the CPU time of the thread beside the time that passes, for machines that do other work as
// well. The function that it returns ends the measurement.
func timeCPU(b *testing.B) func() {
	used := func() int64 {
		var usage syscall.Rusage
		if err := syscall.Getrusage(rusageThread, &usage); err != nil {
			b.Fatal(err)
		}
		return usage.Utime.Nano() + usage.Stime.Nano()
	}
	runtime.LockOSThread()
	begin := used()
	return func() {
		b.ReportMetric(float64(used()-begin)/float64(b.N), "cpu-ns/op")
		runtime.UnlockOSThread()
	}
}

// benchSim makes a Sim of 5,000 nodes in ten shapes, each with ten pods of one of fifty contents.
func benchSim(b *testing.B) (*libsched.Sim, []libsched.NodeID) {
	c := newCatalog(b)
	s := newSim(b, c)
	const nodes, perNode = 5000, 10
	refs, names := make([]libsched.NodeRef, nodes), make([]string, nodes)
	for i := range refs {
		names[i] = fmt.Sprintf("n%05d", i)
		refs[i] = nodeRef(b, c, nodeText(names[i], 4+4*(i%4), fmt.Sprint("zone-", i%3), ""))
	}
	running := make([]libsched.PodRef, 50)
	for i := range running {
		running[i] = podRefs(b, c, libsched.ContentOptions{}, podText("p", 100+i, ""))[0]
	}
	pods := make([]libsched.SimPod, 0, nodes*perNode)
	for i := range nodes * perNode {
		pods = append(pods, libsched.SimPod{Pod: running[i%50], Node: i / perNode})
	}
	ids := make([]libsched.NodeID, nodes)
	check(b, s.Reset(refs, names, pods, ids, nil))
	return s, ids
}

func BenchmarkSimCheck(b *testing.B) {
	s, ids := benchSim(b)
	refs := podRefs(b, s.Catalog(), libsched.ContentOptions{}, podText("fits", 100, ""), podText("huge", 64000, ""),
		podText("alone", 64000, besideNoOther))
	var why libsched.Verdict
	for i, name := range []string{"fits", "rejected", "anti-affinity"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			defer timeCPU(b)()
			at := 0
			for b.Loop() {
				at = (at + 1) % len(ids)
				if _, err := s.Check(ctx, refs[i], ids[at], &why); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSimFirst(b *testing.B) {
	s, _ := benchSim(b)
	refs := podRefs(b, s.Catalog(), libsched.ContentOptions{}, podText("fits", 100, ""), podText("huge", 64000, ""),
		podText("alone", 100, besideNoOther))
	var why libsched.Verdict
	ring := &libsched.Ring{Offset: 1}
	for i, x := range []struct {
		name string
		fits bool
	}{{"a hit", true}, {"no node", false}, {"no node, anti-affinity", false}} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			defer timeCPU(b)()
			for b.Loop() {
				if _, ok, err := s.First(ctx, refs[i], &libsched.Query{Ring: ring}, &why); ok != x.fits || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
	// As in an estimate: the cluster changes before each search.
	for i, x := range []string{"", "after a change", "after a change, anti-affinity"} {
		if x == "" {
			continue
		}
		b.Run(x, func(b *testing.B) {
			b.ReportAllocs()
			defer timeCPU(b)()
			at := s.Nodes(nil)
			k := 0
			for b.Loop() {
				k = (k + 1) % len(at)
				id, err := s.AddPod(refs[0], at[k])
				if err != nil {
					b.Fatal(err)
				}
				if _, ok, err := s.First(ctx, refs[i], nil, &why); ok || err != nil {
					b.Fatal(ok, err)
				}
				check(b, s.RemovePods(id))
			}
		})
	}
}

// BenchmarkSimForkAddRevert asks whether a pod would fit on a new node.
func BenchmarkSimForkAddRevert(b *testing.B) {
	s, ids := benchSim(b)
	pod := podRefs(b, s.Catalog(), libsched.ContentOptions{}, podText("fits", 100, ""))[0]
	shape := s.NodeRef(ids[3])
	b.ReportAllocs()
	defer timeCPU(b)()
	for b.Loop() {
		check(b, s.Fork())
		node, err := s.AddNode(shape, "template")
		check(b, err)
		if fits, err := s.Check(ctx, pod, node, nil); !fits || err != nil {
			b.Fatal(fits, err)
		}
		check(b, s.Revert())
	}
}

// BenchmarkSimPlaceMany places 12,000 pods of twelve contents.
func BenchmarkSimPlaceMany(b *testing.B) {
	s, _ := benchSim(b)
	pods := make([]libsched.PodRef, 12000)
	for i := range pods {
		if i < 12 {
			pods[i] = podRefs(b, s.Catalog(), libsched.ContentOptions{}, podText("p", 200+10*i, ""))[0]
		} else {
			pods[i] = pods[i%12]
		}
	}
	hits := make([]libsched.Hit, len(pods))
	b.ReportAllocs()
	defer timeCPU(b)()
	for b.Loop() {
		check(b, s.Fork())
		placed, err := s.PlaceMany(ctx, pods, nil, libsched.PlaceOptions{}, hits)
		if placed != len(pods) || err != nil {
			b.Fatal(placed, err)
		}
		check(b, s.Revert())
	}
}

// BenchmarkSimBinPack packs 51,000 pods of 51 contents onto copies of a node, as the autoscaler's benchmark.
func BenchmarkSimBinPack(b *testing.B) {
	s, _ := benchSim(b)
	shape := nodeRef(b, s.Catalog(), nodeText("n", 100, "zone-0", ""))
	groups := make([]libsched.Group, 51)
	for i := range groups {
		groups[i] = libsched.Group{Pod: podRefs(b, s.Catalog(), libsched.ContentOptions{}, podText("p", 500+10*i, ""))[0], Count: 1000}
	}
	b.ReportAllocs()
	defer timeCPU(b)()
	for b.Loop() {
		packing, err := s.BinPack(ctx, groups, shape, libsched.PackOptions{Prefix: "new-"})
		if packing.Placed != 51000 || err != nil {
			b.Fatal(packing.Placed, err)
		}
		check(b, s.Revert())
	}
}
