// Command bench measures libsched through its Go packages and prints the figures as JSON: what a call
// and a callback across the boundary cost, what a pod of k8s.io/api costs through each door, and an autoscaler's
// questions to a simulated cluster.
//
//	bench -documents FILE -sim-documents FILE -runs 7    # files as libsched_bench prints them
//
// Figures are CPU time of the process, garbage collection included, with one thread for all of Go.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// figure is one benchmark: nanoseconds of each run.
type figure struct {
	Name     string             `json:"name"`
	Times    []float64          `json:"times"`
	Counters map[string]float64 `json:"counters,omitempty"`
}

// bench collects the figures of a run.
type bench struct {
	runs         int
	least        time.Duration
	documents    string
	simDocuments string
	figures      []figure
}

func main() {
	b := &bench{}
	parts := flag.String("parts", "boundary,ingest,sim", "what to measure")
	flag.IntVar(&b.runs, "runs", 7, "runs of each benchmark")
	flag.DurationVar(&b.least, "least", 20*time.Millisecond, "CPU time of a run, at least")
	flag.StringVar(&b.documents, "documents", "", "JSON List of pods, for ingest")
	flag.StringVar(&b.simDocuments, "sim-documents", "", "documents of a simulated cluster, for sim")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	known := map[string]func() error{"boundary": b.boundary, "ingest": b.ingest, "sim": b.simulate}
	for _, part := range strings.Split(*parts, ",") {
		measure := known[part]
		if measure == nil {
			fail(fmt.Errorf("unknown part %q", part))
		}
		if err := measure(); err != nil {
			fail(fmt.Errorf("%s: %w", part, err))
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(b.figures); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

// cpuTime is the CPU time of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fail(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timed measures a call that is repeated: batches of calls, until a run is long enough. `allocations` of
// the figure counts those of Go in a call.
func (b *bench) timed(name string, batch int, call func() error) error {
	f := figure{Name: name, Counters: map[string]float64{}}
	if err := call(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	calls := 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range b.runs {
		runtime.GC()
		n, start, spent := 0, cpuTime(), time.Duration(0)
		for n == 0 || spent < b.least {
			for range batch {
				if err := call(); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			n += batch
			spent = cpuTime() - start
		}
		calls += n
		f.Times = append(f.Times, float64(spent)/float64(n))
	}
	runtime.ReadMemStats(&after)
	f.Counters["allocations"] = float64(after.Mallocs-before.Mallocs) / float64(calls)
	b.figures = append(b.figures, f)
	return nil
}
