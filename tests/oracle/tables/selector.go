// The table of selectors: label selectors and node selectors, their parse errors and their matches.

package tables

import (
	"fmt"
	"math/rand/v2"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"libsched.dev/tests/oracle/kube"
)

// LabelSelectorEntry is a label selector with the label sets that it matches.
type LabelSelectorEntry struct {
	Selector any    `json:"selector"`
	Error    string `json:"error,omitempty"`
	// Matches has one character for each label set: 1 or 0.
	Matches string `json:"matches,omitempty"`
}

// NodeSelectorEntry is a required node selector. It is judged as NodeAffinity
// does: a term that cannot be parsed counts only where no other term matches.
type NodeSelectorEntry struct {
	Selector any    `json:"selector"`
	Error    string `json:"error,omitempty"`
	// Matches has one character for each node: 1, 0 or e, an error. LazyError is
	// the error's text.
	Matches   string `json:"matches"`
	LazyError string `json:"lazyError,omitempty"`
}

// PreferredEntry is a list of preferred terms with the score of each node.
type PreferredEntry struct {
	Terms  any     `json:"terms"`
	Error  string  `json:"error,omitempty"`
	Scores []int64 `json:"scores,omitempty"`
}

type selectorMaker struct{ r *rand.Rand }

func selectorTable() (any, error) {
	m := selectorMaker{rand.New(rand.NewPCG(20260103, 4))}
	sets := []labels.Set{nil, {"app": "web"}, {"app": "db", "tier": "back"}, {"app": "", "tier": "front"}, {"env/x": "a", "app": "web", "tier": "front"}, {"App": "web"}, {"tier": "front"}}
	var nodes []*v1.Node
	for i, l := range []labels.Set{nil, {"disk": "ssd", "gen": "3"}, {"disk": "hdd", "gen": "007"}, {"disk": "", "gen": "-1"}, {"gen": "x3"}, {"gen": "99999999999999999999", "disk": "ssd"},
		{"gen": "9223372036854775807", "zone": "a"}, {"gen": "", "zone": "b"}, {"gen": "+5"}, {"gen": "1_0"}} {
		nodes = append(nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i), Labels: l}})
	}

	var labelEntries []LabelSelectorEntry
	for _, s := range m.labelSelectors() {
		e := LabelSelectorEntry{Selector: labelText(s)}
		if sel, err := metav1.LabelSelectorAsSelector(s); err != nil {
			e.Error = err.Error()
		} else {
			for _, set := range sets {
				e.Matches += bit(sel.Matches(set))
			}
		}
		labelEntries = append(labelEntries, e)
	}
	var nodeEntries []NodeSelectorEntry
	for _, s := range m.nodeSelectors() {
		e := NodeSelectorEntry{Selector: map[string]any{"nodeSelectorTerms": termTexts(s.NodeSelectorTerms)}}
		if _, err := nodeaffinity.NewNodeSelector(s); err != nil {
			e.Error = err.Error()
		}
		lazy := nodeaffinity.NewLazyErrorNodeSelector(s)
		for _, n := range nodes {
			ok, err := lazy.Match(n)
			if err != nil {
				e.Matches, e.LazyError = e.Matches+"e", err.Error()
			} else {
				e.Matches += bit(ok)
			}
		}
		nodeEntries = append(nodeEntries, e)
	}
	var preferred []PreferredEntry
	for range 120 {
		var terms []v1.PreferredSchedulingTerm
		for range 1 + m.r.IntN(3) {
			terms = append(terms, v1.PreferredSchedulingTerm{Weight: one(m, int32(0), 1, 2, 10, 100, -5), Preference: m.term()})
		}
		var texts []map[string]any
		for _, t := range terms {
			texts = append(texts, map[string]any{"weight": t.Weight, "preference": termTexts([]v1.NodeSelectorTerm{t.Preference})[0]})
		}
		e := PreferredEntry{Terms: texts}
		if p, err := nodeaffinity.NewPreferredSchedulingTerms(terms); err != nil {
			e.Error = err.Error()
		} else {
			for _, n := range nodes {
				e.Scores = append(e.Scores, p.Score(n))
			}
		}
		preferred = append(preferred, e)
	}
	return map[string]any{"kubernetes": kube.Kubernetes, "labelSets": sets, "labelSelectors": labelEntries,
		"nodes": nodeLabels(nodes), "nodeSelectors": nodeEntries, "preferred": preferred}, nil
}

// requirement is written with its values even if they are an empty list: upstream's messages
// distinguish that from a missing list.
type requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitzero"`
}

func labelText(s *metav1.LabelSelector) any {
	if s == nil {
		return nil
	}
	out := map[string]any{}
	if s.MatchLabels != nil {
		out["matchLabels"] = s.MatchLabels
	}
	if s.MatchExpressions != nil {
		list := []requirement{}
		for _, r := range s.MatchExpressions {
			list = append(list, requirement{r.Key, string(r.Operator), r.Values})
		}
		out["matchExpressions"] = list
	}
	return out
}

func termTexts(terms []v1.NodeSelectorTerm) []map[string]any {
	out := []map[string]any{}
	for _, t := range terms {
		m := map[string]any{}
		for name, reqs := range map[string][]v1.NodeSelectorRequirement{"matchExpressions": t.MatchExpressions, "matchFields": t.MatchFields} {
			var list []requirement
			for _, r := range reqs {
				list = append(list, requirement{r.Key, string(r.Operator), r.Values})
			}
			if list != nil {
				m[name] = list
			}
		}
		out = append(out, m)
	}
	return out
}

// nodeLabels leaves out the empty fields of typed objects.
func nodeLabels(nodes []*v1.Node) (out []map[string]any) {
	for _, n := range nodes {
		out = append(out, map[string]any{"name": n.Name, "labels": n.Labels})
	}
	return out
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func one[T any](m selectorMaker, list ...T) T { return list[m.r.IntN(len(list))] }

var (
	// Keys and values that the API server lets through, and others.
	oddKeys = []string{"", "a b", "a/b/c", "/a", "a/", "-a", "a-", "a_b", "A.b", "UPPER/a", "x.y/a", "x_y/a", "x..y/a", ".x/a", "é", "a/é", "kubernetes.io/hostname", strings.Repeat("k", 63),
		strings.Repeat("k", 64), strings.Repeat("p", 253) + "/k", strings.Repeat("p", 254) + "/k", "a\tb", "*", "a/*"}
	oddValues = []string{"", "a b", "-a", "a-", "a_b", "A.b", "é", strings.Repeat("v", 63), strings.Repeat("v", 64), "a/b", "*", "..", "a\n", "1", "-1"}
	integers  = []string{"0", "3", "2", "-1", "-2", "+2", "007", "6", "1_0", "0x1", "1.5", "", " 1", "abc", "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e3"}
)

func (m selectorMaker) labelSelectors() []*metav1.LabelSelector {
	type req = metav1.LabelSelectorRequirement
	list := []*metav1.LabelSelector{nil, {}, {MatchLabels: map[string]string{}}, {MatchExpressions: []req{}},
		{MatchLabels: map[string]string{"app": "web"}}, {MatchLabels: map[string]string{"app": "web", "tier": "front"}}, {MatchLabels: map[string]string{"app": ""}}}
	for _, k := range oddKeys {
		list = append(list, &metav1.LabelSelector{MatchLabels: map[string]string{k: "v"}},
			&metav1.LabelSelector{MatchExpressions: []req{{Key: k, Operator: metav1.LabelSelectorOpExists}}},
			&metav1.LabelSelector{MatchExpressions: []req{{Key: k, Operator: metav1.LabelSelectorOpIn, Values: []string{"b"}}}})
	}
	for _, v := range oddValues {
		list = append(list, &metav1.LabelSelector{MatchLabels: map[string]string{"app": v}},
			&metav1.LabelSelector{MatchExpressions: []req{{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{v}}}},
			&metav1.LabelSelector{MatchExpressions: []req{{Key: "app", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"web", v}}}})
	}
	for _, op := range []metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "", "in", "Gt", "Lt", "Equals", "=", "Bogus"} {
		for _, values := range [][]string{nil, {}, {""}, {"web"}, {"web", "db"}, {"web", "web"}, {"a b", "-"}} {
			list = append(list, &metav1.LabelSelector{MatchExpressions: []req{{Key: "app", Operator: op, Values: values}}})
		}
	}
	for range 250 {
		s := &metav1.LabelSelector{}
		if m.r.IntN(2) == 0 {
			s.MatchLabels = map[string]string{one(m, "app", "tier", "env/x"): one(m, "web", "db", "front", "", "a")}
		}
		for range m.r.IntN(4) {
			r := req{Key: one(m, "app", "tier", "env/x", "none"), Operator: one(m, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)}
			if r.Operator == metav1.LabelSelectorOpIn || r.Operator == metav1.LabelSelectorOpNotIn {
				for range 1 + m.r.IntN(3) {
					r.Values = append(r.Values, one(m, "web", "db", "front", "back", "", "a"))
				}
			}
			s.MatchExpressions = append(s.MatchExpressions, r)
		}
		list = append(list, s)
	}
	return list
}

func (m selectorMaker) nodeSelectors() (list []*v1.NodeSelector) {
	add := func(terms ...v1.NodeSelectorTerm) {
		list = append(list, &v1.NodeSelector{NodeSelectorTerms: terms})
	}
	expr := func(reqs ...v1.NodeSelectorRequirement) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{MatchExpressions: reqs}
	}
	field := func(reqs ...v1.NodeSelectorRequirement) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{MatchFields: reqs}
	}
	type req = v1.NodeSelectorRequirement
	add()
	add(v1.NodeSelectorTerm{})
	add(v1.NodeSelectorTerm{}, expr(req{Key: "disk", Operator: "Exists"}))
	for _, k := range oddKeys {
		add(expr(req{Key: k, Operator: "Exists"}))
		add(expr(req{Key: k, Operator: "In", Values: []string{"b"}}))
	}
	for _, v := range oddValues {
		add(expr(req{Key: "disk", Operator: "In", Values: []string{v}}))
		add(expr(req{Key: "disk", Operator: "NotIn", Values: []string{"ssd", v}}))
		add(field(req{Key: "metadata.name", Operator: "In", Values: []string{v}}))
	}
	for _, v := range integers {
		add(expr(req{Key: "gen", Operator: "Gt", Values: []string{v}}))
		add(expr(req{Key: "gen", Operator: "Lt", Values: []string{v}}))
	}
	for _, op := range []v1.NodeSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "", "in", "Equals", "Bogus"} {
		for _, values := range [][]string{nil, {}, {""}, {"3"}, {"3", "4"}, {"ssd"}} {
			add(expr(req{Key: "gen", Operator: op, Values: values}))
			add(field(req{Key: "metadata.name", Operator: op, Values: values}))
		}
	}
	for _, k := range []string{"metadata.name", "metadata.namespace", "spec.unschedulable", "", "name"} {
		add(field(req{Key: k, Operator: "In", Values: []string{"n1"}}))
		add(field(req{Key: k, Operator: "NotIn", Values: []string{"n1"}}))
	}
	for range 300 {
		s := &v1.NodeSelector{}
		for range 1 + m.r.IntN(3) {
			s.NodeSelectorTerms = append(s.NodeSelectorTerms, m.term())
		}
		list = append(list, s)
	}
	return list
}

func (m selectorMaker) term() (t v1.NodeSelectorTerm) {
	for range m.r.IntN(3) {
		r := v1.NodeSelectorRequirement{Key: one(m, "disk", "gen", "zone", "none"), Operator: one(m, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt)}
		switch r.Operator {
		case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn:
			for range 1 + m.r.IntN(2) {
				r.Values = append(r.Values, one(m, "ssd", "hdd", "", "3", "a", "b"))
			}
		case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
			r.Values = []string{one(m, integers...)}
		}
		if m.r.IntN(12) == 0 {
			r = v1.NodeSelectorRequirement{Key: one(m, "gen", "bad key!"), Operator: one(m, v1.NodeSelectorOperator("Bogus"), "In", "Exists"), Values: one(m, nil, []string{"a b"})}
		}
		t.MatchExpressions = append(t.MatchExpressions, r)
	}
	if m.r.IntN(4) == 0 {
		t.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: one(m, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn), Values: []string{one(m, "n1", "n2", "n99")}}}
		if m.r.IntN(8) == 0 {
			t.MatchFields[0].Values = nil
		}
	}
	return t
}
