package snapshot_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"
)

// cpuTime is the CPU time of the process, which other programs on the machine do not change.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkPackSingles packs 50,000 pods without a controller, each a group of its own: those of one content that fit,
// those of two that take turns, and those that fit nowhere.
func BenchmarkPackSingles(b *testing.B) {
	fw, err := libsched.NewFramework()
	if err != nil {
		b.Fatal(err)
	}
	for _, remember := range []bool{false, true} {
		for _, kind := range []string{"one", "joined", "two", "none"} {
			b.Run(fmt.Sprint(kind, "/remember=", remember), func(b *testing.B) {
				catalog, err := kube.NewCatalog(kube.CatalogOptions{Remember: remember})
				if err != nil {
					b.Fatal(err)
				}
				s, err := snapshot.New(fw, catalog, snapshot.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				groups := make([]snapshot.PackGroup, 50_000)
				for i := range groups {
					p := pod(fmt.Sprint("p", i), map[bool]string{true: "5", false: "100m"}[kind == "none"])
					if kind == "two" && i%2 == 1 {
						p.Labels = map[string]string{"app": "other"}
					}
					groups[i] = snapshot.PackGroup{Pod: p, Count: 1}
				}
				pods := len(groups)
				if kind == "joined" {
					groups = []snapshot.PackGroup{{Pod: groups[0].Pod, Count: pods}}
				}
				if err := s.SetClusterState([]*v1.Node{node("old", "1")}, nil); err != nil {
					b.Fatal(err)
				}
				begin := cpuTime(b)
				for b.Loop() {
					packed, err := s.BinPack(groups, node("t", "4"), nil, snapshot.PackOptions{})
					if err != nil || (packed.Placed == 0) != (kind == "none") {
						b.Fatal(packed.Placed, err)
					}
				}
				b.ReportMetric(float64(cpuTime(b)-begin)/float64(b.N)/float64(pods), "cpu-ns/pod")
			})
		}
	}
}
