// Package peer measures the upstream scheduler, as the peer of libsched's benchmarks, on
// clusters that are the same on both sides.
package peer

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"
)

// BenchResult is the output of "oracle bench".
type BenchResult struct {
	Kubernetes string         `json:"kubernetes"`
	Go         string         `json:"go"`
	CPUs       int            `json:"cpus"`
	Existing   int            `json:"existing_pods_per_node"`
	Heap       map[string]int `json:"heap_mib_by_nodes"`
	Filter     []FilterResult `json:"filter,omitempty"`
	Whole      []WholeResult  `json:"whole,omitempty"`
	Cycle      []CycleResult  `json:"cycle,omitempty"`
	Loop       []LoopResult   `json:"loop,omitempty"`

	Scale  []ScaleResult     `json:"scale,omitempty"`
	Pack   *SimulationResult `json:"pack,omitempty"`
	Drain  *SimulationResult `json:"drain,omitempty"`
	Ingest []IngestResult    `json:"ingest,omitempty"`

	Devices *DevicesResult `json:"devices,omitempty"`
}

var benchKinds = []string{"basic", "nodeaffinity", "taints", "spread", "spread-hard", "spread-soft", "affinity-pref", "affinity-req", "anti-pref", "anti-req", "existing-anti"}

// Bench is the command "oracle bench".
func Bench(args []string) error {
	fs := flag.NewFlagSet("bench", flag.ExitOnError)
	nodes := fs.String("nodes", "1000,5000,15000", "cluster sizes")
	kindList := fs.String("kinds", strings.Join(benchKinds, ","), "kinds")
	existing := fs.Int("existing", 10, "bound pods per node")
	runs := fs.Int("runs", 5, "runs per number, at least 5 for filter and whole; median and minimum are reported")
	budget := fs.Duration("budget", time.Second, "time for one run")
	parts := fs.String("parts", "filter,cycle,loop", "what to measure: filter (or only its serial part: serial), whole, cycle, loop, scale, pack, drain, ingest, devices")
	loopPods := fs.Int("loop-pods", 2000, "pods for the loop")
	limit := fs.Duration("limit", 20*time.Second, "CPU time for pack, for drain and for a run of devices; a simulation that takes longer is cut short")
	documents := fs.String("documents", "", "JSON List for ingest (pods) or devices (pods, their claims, nodes, ResourceSlices, classes)")
	if err := fs.Parse(args); err != nil {
		return err
	}
	judge.Quiet()
	want := map[string]bool{}
	for _, p := range strings.Split(*parts, ",") {
		if !slices.Contains([]string{"filter", "serial", "whole", "cycle", "loop", "scale", "pack", "drain", "ingest", "devices"}, p) {
			return fmt.Errorf("unknown part %q", p)
		}
		want[p] = true
	}
	if want["filter"] || want["serial"] || want["whole"] {
		*runs = max(*runs, 5)
	}
	byKind := want["filter"] || want["serial"] || want["whole"] || want["cycle"] || want["loop"]
	out := BenchResult{Kubernetes: kube.Kubernetes, Go: runtime.Version(), CPUs: runtime.NumCPU(), Existing: *existing, Heap: map[string]int{}}
	for _, s := range strings.Split(*nodes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		if want["scale"] {
			fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), n, "scale")
			if err := benchScale(&out, n, *existing, *runs); err != nil {
				return err
			}
		}
		if !byKind {
			continue
		}
		for _, kind := range strings.Split(*kindList, ",") {
			if !slices.Contains(benchKinds, kind) {
				return fmt.Errorf("unknown kind %q", kind)
			}
			fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), n, kind)
			if want["filter"] || want["serial"] || want["whole"] || want["cycle"] {
				if err := benchMemory(&out, kind, n, *existing, *runs, *budget, want); err != nil {
					return err
				}
			}
			if want["loop"] {
				if err := benchLoop(&out, kind, n, *existing, min(*runs, 3), *loopPods); err != nil {
					return err
				}
			}
		}
	}
	if err := benchSimulations(&out, want, *runs, *limit); err != nil {
		return err
	}
	if want["ingest"] {
		if err := benchIngest(&out, *documents, *runs); err != nil {
			return err
		}
	}
	if want["devices"] {
		if err := benchDevices(&out, *documents, *runs, *limit); err != nil {
			return err
		}
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", " ")
	return enc.Encode(out)
}

func median[T int64 | float64](list []T) T {
	s := slices.Clone(list)
	slices.Sort(s)
	return s[len(s)/2]
}
