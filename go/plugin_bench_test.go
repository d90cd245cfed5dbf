package libsched_test

// These benchmarks measure calls of plugins in Go and of equal plugins in C (testdata/plugins.c).

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"libsched"
)

// Plugins in Go that do next to nothing, each at one extension point.
type (
	idle       struct{ named }
	acceptEach struct{ idle }
	acceptAll  struct{ idle }
	rejectHalf struct{ idle }
	scoreEach  struct{ idle }
	scoreNone  struct{ idle }
)

func (idle) PreFilter(context.Context, *libsched.CycleState, *libsched.Pod) (*libsched.PreFilterResult,
	*libsched.Status) {
	return nil, nil
}
func (acceptEach) Filter(context.Context, *libsched.CycleState, *libsched.Pod,
	*libsched.NodeInfo) *libsched.Status {
	return nil
}
func (acceptAll) FilterBatch(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.Nodes,
	*libsched.Verdicts) *libsched.Status {
	return nil
}
func (rejectHalf) FilterBatch(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	nodes *libsched.Nodes, verdicts *libsched.Verdicts) *libsched.Status {
	rejectOdd(nodes.Rows(), verdicts.Codes)
	return nil
}
func (scoreEach) Score(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) (int64,
	*libsched.Status) {
	return 1, nil
}
func (scoreNone) ScoreBatch(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.Nodes,
	[]int64) *libsched.Status {
	return nil
}

func rejectOdd(rows []libsched.Row, codes []int8) {
	codes = codes[:len(rows)]
	for i, row := range rows {
		codes[i] = int8(row%2) * int8(libsched.Unschedulable)
	}
}

// alone makes a framework with a single plugin, without the others of testdata/plugins.c.
func alone(b *testing.B, r *libsched.Registry, plugin string) *libsched.Framework {
	return newFramework(b, libsched.WithRegistry(r), libsched.WithConfigYAML([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      disabled: [{name: "*"}, {name: AcceptAll}, {name: RejectHalf}, {name: ScoreNone}, {name: Signs}]
      enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: `+plugin+`}]
`)))
}

func inGo[P libsched.Plugin](b *testing.B, plugin P) *libsched.Framework {
	r := must(libsched.NewRegistry())(b)
	check(b, libsched.AddPlugin(r, "Mine", func(json.RawMessage) (P, error) { return plugin, nil },
		libsched.Concurrent(), libsched.WithReasons("odd")))
	return alone(b, r, "Mine")
}

// pluginsInC builds the plugins in C.
func pluginsInC(b testing.TB) *libsched.Registry {
	object := filepath.Join(b.TempDir(), "plugins.so")
	if out, err := exec.Command("cc", "-O2", "-shared", "-fPIC", "-I", filepath.Join("..", "capi", "include"),
		"-o", object, filepath.Join("testdata", "plugins.c")).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	r := must(libsched.NewRegistry())(b)
	check(b, r.Load(object))
	return r
}

// BenchmarkPlugin runs the same plugins in Go and in C. what-go-adds is the difference between the
// fastest of many runs of each, which reduces the influence of other work: at most 1 us for any number
// of nodes. The difference between C and no-plugin is the library's own cost of calling a plugin.
func BenchmarkPlugin(b *testing.B) {
	for _, nodes := range []int{64, 5000} {
		b.Run(fmt.Sprint(nodes, "-nodes"), func(b *testing.B) { benchPlugin(b, nodes) })
	}
}

func benchPlugin(b *testing.B, nodes int) {
	_, cluster, pod := benchCluster(b, nodes)
	c := pluginsInC(b)
	filter := func(b *testing.B, fw *libsched.Framework, found int) func() {
		state, options := preFiltered(b, fw, cluster, pod), libsched.FilterOptions{Into: libsched.NewNodeSet(cluster)}
		return func() {
			if r, err := fw.FilterNodes(ctx, state, cluster, pod, options); err != nil || r.Count != found {
				b.Fatal(r.Count, err)
			}
		}
	}
	score := func(b *testing.B, fw *libsched.Framework, _ int) func() {
		state := preFiltered(b, fw, cluster, pod)
		found := must(fw.FilterNodes(ctx, state, cluster, pod, libsched.FilterOptions{}))(b)
		totals := make([]int64, 64*len(found.Nodes))
		if s := fw.RunPreScorePlugins(ctx, state, cluster, pod, found.Nodes); !s.IsSuccess() {
			b.Fatal(s)
		}
		return func() {
			if s := fw.RunScorePluginTotals(ctx, state, cluster, pod, found.Nodes, totals); !s.IsSuccess() {
				b.Fatal(s)
			}
		}
	}
	type query = func(b *testing.B, fw *libsched.Framework, found int) func()
	row := func(name string, query query, fw *libsched.Framework, found int) {
		b.Run(name, func(b *testing.B) {
			call := query(b, fw, found)
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
	both := func(name string, query query, inGo, inC *libsched.Framework, found int) {
		row(name+"-in-c", query, inC, found)
		row(name+"-in-go", query, inGo, found)
		b.Run(name+"-what-go-adds", func(b *testing.B) {
			calls := []func(){query(b, inGo, found), query(b, inC, found)}
			fastest := []time.Duration{time.Hour, time.Hour}
			const turn = 20
			for b.Loop() {
				for i, call := range calls {
					start := time.Now()
					for range turn {
						call()
					}
					fastest[i] = min(fastest[i], time.Since(start))
				}
			}
			b.ReportMetric(float64(fastest[0]-fastest[1])/turn, "ns-more/op")
			b.ReportMetric(0, "ns/op") // not printed
		})
	}
	row("filter-no-plugin", filter, inGo(b, idle{}), nodes)
	both("filter-accept-all", filter, inGo(b, acceptAll{}), alone(b, c, "AcceptAll"), nodes)
	both("filter-reject-half", filter, inGo(b, rejectHalf{}), alone(b, c, "RejectHalf"), nodes/2)
	b.Run("filter-reject-half-loop-alone-in-go", func(b *testing.B) {
		rows, codes := cluster.Order(), make([]int8, nodes)
		for b.Loop() {
			rejectOdd(rows, codes)
		}
	})
	row("filter-node-by-node-in-go", filter, inGo(b, acceptEach{}), nodes)
	row("score-no-plugin", score, inGo(b, idle{}), nodes)
	both("score-batch", score, inGo(b, scoreNone{}), alone(b, c, "ScoreNone"), nodes)
	row("score-node-by-node-in-go", score, inGo(b, scoreEach{}), nodes)
}
