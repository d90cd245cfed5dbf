package libsched

// #include "sim_bridge.h"
// #cgo nocallback libsched_sim_verdict_plugin
// #cgo nocallback libsched_sim_verdict_reason_count
// #cgo nocallback libsched_sim_verdict_reason
// #cgo nocallback libsched_sim_verdict_excluder_count
// #cgo nocallback libsched_sim_verdict_excluder
import "C"

// SimStage says how far a pod came in a Sim.
type SimStage uint8

const (
	Passed            SimStage = C.LIBSCHED_STAGE_PASSED
	PreFilterRejected SimStage = C.LIBSCHED_STAGE_PREFILTER_REJECTED // a PreFilter plugin rejected the pod, or failed
	PreFilterExcluded SimStage = C.LIBSCHED_STAGE_PREFILTER_EXCLUDED // PreFilter plugins narrowed the nodes to others
	FilterRejected    SimStage = C.LIBSCHED_STAGE_FILTER_REJECTED    // a Filter plugin rejected the node, or failed
	NoNode            SimStage = C.LIBSCHED_STAGE_NO_NODE            // no node passed the filters
)

func (s SimStage) String() string {
	return nameOf(s, "passed", "rejected by PreFilter", "excluded by PreFilter", "rejected by Filter", "no node")
}

// Verdict says why a pod does not fit. It is never an error. Questions write into it, and its texts are kept by
// the Sim: a verdict with texts that were seen before allocates nothing. The slices must not be changed.
type Verdict struct {
	Stage   SimStage
	Code    Code     // of the plugin's status; Success where there is none
	Plugin  string   // "" for NoNode and PreFilterExcluded
	Plugins []string // of PreFilterExcluded: the plugins that narrowed the nodes, sorted
	Reasons []string
}

// verdictTexts are the texts of a number of C.
type verdictTexts struct {
	plugin           string
	plugins, reasons []string
}

// simTexts holds the texts of verdicts by their number in C, which is never given to other texts.
type simTexts struct {
	by       map[uint32]*verdictTexts
	interned interner
	number   uint32 // the latest one
	latest   *verdictTexts
}

const mostVerdictTexts = 1 << 14

var noTexts verdictTexts

// of returns the texts of a verdict that was given just now.
func (t *simTexts) of(sim *C.libsched_sim, number uint32) *verdictTexts {
	if number == 0 {
		return &noTexts
	}
	if number == t.number {
		return t.latest
	}
	known := t.by[number]
	if known == nil {
		known = t.fetch(sim, C.uint32_t(number))
		if len(t.by) >= mostVerdictTexts {
			clear(t.by)
		}
		t.by[number] = known
	}
	t.number, t.latest = number, known
	return known
}

func (t *simTexts) fetch(sim *C.libsched_sim, number C.uint32_t) *verdictTexts {
	if t.interned == nil {
		t.interned = interner{}
	}
	v := &verdictTexts{plugin: t.interned.string(C.libsched_sim_verdict_plugin(sim, number))}
	for i := range C.libsched_sim_verdict_reason_count(sim, number) {
		v.reasons = append(v.reasons, t.interned.string(C.libsched_sim_verdict_reason(sim, number, i)))
	}
	for i := range C.libsched_sim_verdict_excluder_count(sim, number) {
		v.plugins = append(v.plugins, t.interned.string(C.libsched_sim_verdict_excluder(sim, number, i)))
	}
	return v
}

// tell writes the verdict of the last question; `why` may be nil.
func (k *simCore) tell(why *Verdict) {
	if why == nil {
		return
	}
	v := &k.c.verdict
	texts := k.texts.of(k.c.sim, uint32(v.texts))
	why.Stage, why.Code = SimStage(v.stage), Code(v.code)
	why.Plugin, why.Plugins, why.Reasons = texts.plugin, texts.plugins, texts.reasons
}
