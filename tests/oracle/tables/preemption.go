// The table of preemption: the node that is nominated for each offset of the search.

package tables

import (
	"context"
	"encoding/json"
	"fmt"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// PreemptionRow is a cluster, a configuration of DefaultPreemption and its answer at every offset.
type PreemptionRow struct {
	Name    string            `json:"name"`
	Config  string            `json:"config"`
	Objects []json.RawMessage `json:"objects"`
	Pod     json.RawMessage   `json:"pod"`
	Offsets []judge.Preempted `json:"offsets"`
}

const preemptionConfig = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 1
profiles:
- pluginConfig:
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: %d, minCandidateNodesAbsolute: %d}
`

// preemptionShape gives the cost of preemption on each node: the priority of its one victim, and
// whether a budget protects it. A victim of high priority cannot be preempted.
type preemptionShape struct {
	name                 string
	percentage, absolute int
	nodes                int
	victim               func(i int) (priority int, protected bool)
}

var preemptionShapes = []preemptionShape{
	// More nodes than candidates are wanted, and every one violates a budget.
	{"all protected", 10, 100, 150, func(i int) (int, bool) { return 1000 - i, true }},
	{"one unprotected", 10, 100, 150, func(i int) (int, bool) { return 1000 - i, i != 70 }},
	{"every fifth unprotected", 10, 20, 60, func(i int) (int, bool) { return 500 + i*37%60, i%5 != 0 }},
	{"the last of three wanted", 10, 3, 12, func(i int) (int, bool) { return 100 - i, i < 8 }},
	{"nodes without victims", 10, 4, 24, func(i int) (int, bool) {
		if i%3 == 0 {
			return 9000 + i, false
		}
		return 300 - i, i%2 == 0
	}},
	{"no victims at all", 10, 100, 3, func(i int) (int, bool) { return 9000, false }},
	{"none wanted", 1, 0, 1, func(i int) (int, bool) { return 1, false }},
	{"none wanted of five", 10, 0, 5, func(i int) (int, bool) { return 10 + i, i == 2 }},
	{"none wanted, no victims", 10, 0, 2, func(i int) (int, bool) { return 9000, false }},
	{"one of ten percent", 10, 0, 10, func(i int) (int, bool) { return 10 + i, i == 2 }},
}

func preemptionTable() (any, error) {
	var rows []PreemptionRow
	for _, shape := range preemptionShapes {
		row := PreemptionRow{Name: shape.name, Config: fmt.Sprintf(preemptionConfig, shape.percentage, shape.absolute)}
		add := func(format string, args ...any) {
			row.Objects = append(row.Objects, json.RawMessage(fmt.Sprintf(format, args...)))
		}
		add(`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"default"},` +
			`"spec":{"selector":{"matchLabels":{"a":"b"}}},"status":{"disruptionsAllowed":0}}`)
		for i := range shape.nodes {
			priority, protected := shape.victim(i)
			labels := ""
			if protected {
				labels = `,"labels":{"a":"b"}`
			}
			add(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n%d"},"status":{"allocatable":{"cpu":"2","pods":"9"}}}`, i)
			add(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"v%d","namespace":"default"%s},`+
				`"spec":{"nodeName":"n%d","priority":%d,"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]},`+
				`"status":{"startTime":"2026-01-01T00:00:00Z"}}`, i, labels, i, priority)
		}
		row.Pod = json.RawMessage(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},` +
			`"spec":{"schedulerName":"default-scheduler","priority":5000,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}`)
		config, err := json.Marshal(row.Config)
		if err != nil {
			return nil, err
		}
		row.Offsets, err = judge.PreemptAtOffsets(context.Background(),
			&cases.Case{Config: config, Objects: row.Objects, Pods: []json.RawMessage{row.Pod}})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shape.name, err)
		}
		rows = append(rows, row)
	}
	return map[string]any{"rows": rows}, nil
}
