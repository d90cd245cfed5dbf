// Package generate makes random cases of several kinds. A case depends on kind, seed and
// options alone; all randomness comes from one generator, so the order of draws must not
// change lest recorded seeds mean other cases.
package generate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched.dev/tests/oracle/cases"
)

// gen holds the state of one generated case. All randomness comes from r.
type gen struct {
	r       *rand.Rand
	kind    string
	seed    uint64
	nodes   []*v1.Node
	objects []any
	pods    []*v1.Pod
	config  map[string]any
	start   time.Time
	seq     int
	nasty   float64
	genFlags
	storage storageState
	dra     draState
	cel     *cases.CELSpec
	draMode bool // the case is of mode dra
	trace   *cases.TraceSpec
	changes []cases.Change
}

var kinds = map[string]func(g *gen, o Options){
	"basic":        func(g *gen, o Options) { g.world(o); g.pending(o, g.shapeResources) },
	"taints":       func(g *gen, o Options) { g.taint = true; g.world(o); g.pending(o, g.shapeTolerations) },
	"nodeaffinity": func(g *gen, o Options) { g.world(o); g.pending(o, g.shapeNodeAffinity) },
	"podaffinity":  func(g *gen, o Options) { g.affinity = 0.5; g.world(o); g.pending(o, g.shapePodAffinity) },
	"spread":       func(g *gen, o Options) { g.taint = true; g.world(o); g.pending(o, g.shapeSpread) },
	"defaultspread": func(g *gen, o Options) {
		g.world(o)
		g.owners()
		g.pending(o, g.shapeOwned)
	},
	"ports":  func(g *gen, o Options) { g.ports = 0.7; g.world(o); g.pending(o, g.shapePorts) },
	"images": func(g *gen, o Options) { g.images = true; g.world(o); g.pending(o, g.shapeImages) },
	"changes": func(g *gen, o Options) {
		g.taint, g.images, g.affinity = true, true, 0.2
		g.world(o)
		g.pending(o, g.shapeImages)
		g.changing()
	},
	"volumes":  func(g *gen, o Options) { g.world(o); g.volumes(o); g.pending(o, g.shapeVolumes) },
	"csilimit": func(g *gen, o Options) { g.world(o); g.csiLimits(o); g.pending(o, g.shapeCSI) },
	"preempt": func(g *gen, o Options) {
		g.full = true
		g.world(o)
		g.disruptionBudgets()
		g.pending(o, g.shapePreemptor)
	},
	"nominated": func(g *gen, o Options) {
		g.full = true
		g.world(o)
		g.nominatedPods(o)
		g.pending(o, g.shapePreemptor)
	},
	"dra": func(g *gen, o Options) { g.world(o); g.draWorld(o); g.pending(o, g.shapeDRA) },
	// Claims, and too little room for the pods that have them.
	"drapreempt": func(g *gen, o Options) {
		g.full = true
		g.world(o)
		g.draWorld(o)
		g.disruptionBudgets()
		g.pending(o, func(p *v1.Pod) {
			g.shapeDRA(p)
			g.shapePreemptor(p)
		})
	},
	"config": func(g *gen, o Options) {
		g.taint = true
		g.images = true
		g.world(o)
		g.randomConfig()
		g.pending(o, g.shapeMixed)
	},
	// Profiles that leave a plugin out at some of its points.
	"points": func(g *gen, o Options) {
		o.Nodes = 2 + o.Nodes%3
		o.Existing %= 2*o.Nodes + 1
		g.taint = true
		g.world(o)
		g.volumes(o)
		g.draWorld(o)
		g.pointsLeftOut(o)
	},
	"mixed": func(g *gen, o Options) {
		g.taint, g.images, g.affinity, g.ports = true, true, 0.3, 0.2
		g.full = g.chance(0.3)
		g.world(o)
		g.volumes(o)
		g.disruptionBudgets()
		g.pending(o, g.shapeMixed)
	},
}

type genFlags struct {
	taint, images, full bool
	affinity, ports     float64
}

// Options are the sizes of a case; 0 (for existing: -1) means random.
type Options struct{ Nodes, Existing, Pods int }

func kindNames() []string {
	var out []string
	for k := range kinds {
		out = append(out, k)
	}
	for k := range scriptKinds {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func newGen(kind string, seed uint64, nasty float64) *gen {
	var h uint64 = 14695981039346656037
	for _, b := range []byte(kind) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return &gen{r: rand.New(rand.NewPCG(seed, h)), kind: kind, seed: seed, nasty: nasty, start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// Generate makes the case of a kind and a seed.
func Generate(kind string, seed uint64, o Options, mode string, nasty float64) (*cases.Case, error) {
	g := newGen(kind, seed, nasty)
	if o.Nodes == 0 {
		o.Nodes = 1 + g.r.IntN(20)
	}
	if o.Existing < 0 {
		o.Existing = g.r.IntN(4*o.Nodes + 1)
	}
	if o.Pods == 0 {
		o.Pods = 1 + g.r.IntN(6)
	}
	if mode == "" {
		mode = pick(g, "evaluate", "schedule")
	}
	kinds[kind](g, o)
	c := &cases.Case{Name: fmt.Sprintf("%s-%d", kind, seed), Mode: mode}
	for _, n := range g.nodes {
		g.objects = append(g.objects, n)
	}
	for _, obj := range g.objects {
		raw, err := clean(obj)
		if err != nil {
			return nil, err
		}
		c.Objects = append(c.Objects, raw)
	}
	for _, p := range g.pods {
		raw, err := clean(p)
		if err != nil {
			return nil, err
		}
		c.Pods = append(c.Pods, raw)
	}
	c.Changes = g.changes
	if g.trace != nil {
		c.Mode, c.TraceSpec = "trace", g.trace
	}
	if g.cel != nil {
		c.Mode, c.CELSpec = "cel", g.cel
	}
	if g.draMode {
		c.Mode = "dra"
	}
	if g.config != nil {
		raw, err := json.Marshal(g.config)
		if err != nil {
			return nil, err
		}
		c.Config = raw
	}
	return c, nil
}

// clean marshals an object without the empty noise of the typed structs.
func clean(obj any) (json.RawMessage, error) {
	raw, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if md, ok := m["metadata"].(map[string]any); ok && md["creationTimestamp"] == nil {
		delete(md, "creationTimestamp")
	}
	if st, ok := m["status"].(map[string]any); ok && len(st) == 0 {
		delete(m, "status")
	}
	return json.Marshal(m)
}

func (g *gen) chance(p float64) bool { return g.r.Float64() < p }

func pick[T any](g *gen, list ...T) T { return list[g.r.IntN(len(list))] }

func ptr[T any](v T) *T { return &v }

func qty(n int64, suffix string) resource.Quantity {
	return resource.MustParse(fmt.Sprintf("%d%s", n, suffix))
}

func typeMeta(version, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: version, Kind: kind}
}
