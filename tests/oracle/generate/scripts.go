// The kinds whose cases are scripts in virtual time.

package generate

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
)

var scriptKinds = map[string]func(g *gen, seed uint64) any{
	"queue":     genQueue,
	"schedule":  genCycles,
	"podgroup":  genGroups,
	"workload":  genWorkloads,
	"evictions": genEvictions,
	"placement": genPlacements,
	"composite": genComposites,
	"resize":    genResizes,
}

// Script makes the case of a kind and a seed, a *cases.QueueCase or *cases.CyclesCase.
func Script(kind string, seed uint64, nasty float64) any {
	return scriptKinds[kind](newGen(kind, seed, nasty), seed)
}

func mustJSON(v any) json.RawMessage {
	raw, err := clean(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func key(p *v1.Pod) string { return p.Namespace + "/" + p.Name }

// weighted is a kind of step; heavier ones are more frequent.
type weighted struct {
	weight int
	do     func()
}

// anyOf does one step of a list.
func (g *gen) anyOf(list []weighted) {
	total := 0
	for _, w := range list {
		total += w.weight
	}
	n := g.r.IntN(total)
	for _, w := range list {
		if n -= w.weight; n < 0 {
			w.do()
			return
		}
	}
}
