package libsched

// #include "bridge.h"
import "C"

import "slices"

// Scores holds the scores of each Score plugin for each feasible node. The numbers are copied from the
// library once: they are Go memory, need no Close, and stay valid when the
// cluster changes or closes. The slices of one Scores are parallel.
type Scores struct {
	Nodes []string // the scored nodes
	Rows  []Row    // their rows in the view; nil for the scores of a Decision, which does not keep its view
	// Totals are the sums of the weighted scores.
	Totals []int64
	// Plugins holds the Score plugins in their order, without those that PreScore skipped.
	Plugins []PluginScores
}

// PluginScores is one plugin's column, parallel to Scores.Nodes.
type PluginScores struct {
	Name       string
	Weight     int64
	Raw        []int64 // as returned by the plugin
	Normalized []int64 // 0 to 100
	Weighted   []int64 // normalized times Weight
}

// Plugin returns the column of a plugin; nil if it gave no scores.
func (s *Scores) Plugin(name string) *PluginScores {
	if s == nil {
		return nil
	}
	for i := range s.Plugins {
		if s.Plugins[i].Name == name {
			return &s.Plugins[i]
		}
	}
	return nil
}

// Total returns the total of a node, and whether it was scored.
func (s *Scores) Total(node string) (int64, bool) {
	if s == nil {
		return 0, false
	}
	i := slices.Index(s.Nodes, node)
	if i < 0 {
		return 0, false
	}
	return s.Totals[i], true
}

// Best returns the nodes with the highest total.
func (s *Scores) Best() []string {
	if s == nil || len(s.Totals) == 0 {
		return nil
	}
	var best []string
	top := slices.Max(s.Totals)
	for i, total := range s.Totals {
		if total == top {
			best = append(best, s.Nodes[i])
		}
	}
	return best
}

// takeScores copies a table; `nodes` writes the names of its nodes.
func takeScores(table *C.libsched_score_table, nodes func(out *C.libsched_str)) *Scores {
	rows := C.libsched_score_table_row_count(table)
	columns := int(C.libsched_score_table_column_count(table))
	s := &Scores{}
	if rows == 0 {
		return s
	}
	names := make([]C.libsched_str, rows) // of C memory
	nodes(&names[0])
	s.Nodes = make([]string, rows)
	for i := range s.Nodes {
		s.Nodes[i] = goString(names[i])
	}
	room := make([]int64, 0, int(rows)*(1+3*columns))
	take := func(numbers *C.int64_t) []int64 {
		start := len(room)
		room = append(room, sliceOf[int64](numbers, rows)...)
		return room[start:len(room):len(room)]
	}
	s.Totals = take(C.libsched_score_table_totals(table))
	s.Plugins = make([]PluginScores, columns)
	for i := range s.Plugins {
		column := C.size_t(i)
		s.Plugins[i] = PluginScores{
			Name:       goString(C.libsched_score_table_plugin(table, column)),
			Weight:     int64(C.libsched_score_table_weight(table, column)),
			Raw:        take(C.libsched_score_table_raw(table, column)),
			Normalized: take(C.libsched_score_table_normalized(table, column)),
			Weighted:   take(C.libsched_score_table_weighted(table, column)),
		}
	}
	return s
}

// Scores returns the scores of the feasible nodes, sorted by name; nil if they were not requested
// (CheckOptions.Score), no node fits, or Score failed (ScoreError). Every call copies them.
func (d *Decision) Scores() *Scores {
	ptr, ok := d.h.acquire()
	if !ok {
		return nil
	}
	defer d.h.release()
	table := C.libsched_decision_scores(ptr)
	if table == nil {
		return nil
	}
	return takeScores(table, func(out *C.libsched_str) {
		C.lsgo_decision_score_names(ptr, table, out)
	})
}

// ScoreError returns upstream's text if a Score plugin failed, otherwise "".
func (d *Decision) ScoreError() string {
	return ask(d.h, func(ptr *C.libsched_decision) string { return goString(C.libsched_decision_score_error(ptr)) })
}

// SkipScore returns the plugins whose Score was skipped, sorted.
func (d *Decision) SkipScore() []string {
	return ask(d.h, func(ptr *C.libsched_decision) []string {
		return listed(C.libsched_decision_skip_score_count(ptr), func(i C.size_t) string {
			return goString(C.libsched_decision_skip_score(ptr, i))
		})
	})
}

// Best returns the nodes with the highest total, sorted; nil if there are no scores.
func (d *Decision) Best() []string {
	ptr, ok := d.h.acquire()
	if !ok {
		return nil
	}
	defer d.h.release()
	var n C.size_t
	indexes := C.libsched_decision_best(ptr, &n)
	if indexes == nil {
		return nil
	}
	best := make([]string, n)
	for i, index := range sliceOf[uint32](indexes, n) {
		best[i] = goString(C.libsched_decision_node(ptr, C.size_t(index)))
	}
	return best
}
