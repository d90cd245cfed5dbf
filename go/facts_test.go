package libsched_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"libsched"
)

func TestFacts(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	d := must(fw.CheckPodFits(ctx, cluster, newPod(t, "p", 2000, ""),
		libsched.CheckOptions{Facts: true}))(t)
	facts := d.Facts("small")
	expected := []libsched.Fact{{Reason: "Insufficient cpu", Fields: []libsched.FactField{
		{Name: "resource", Value: "cpu"}, {Name: "requested", Value: int64(2000)},
		{Name: "used", Value: int64(0)}, {Name: "free", Value: int64(1000)},
		{Name: "allocatable", Value: int64(1000)}}}}
	if !reflect.DeepEqual(facts, expected) {
		t.Errorf("facts: %v", facts)
	}
	if facts[0].Get("free") != int64(1000) || facts[0].Get("none") != nil {
		t.Errorf("free: %v, none: %v", facts[0].Get("free"), facts[0].Get("none"))
	}
	if len(d.Facts("big")) != 0 || len(d.Facts("nowhere")) != 0 || len(d.PodFacts()) != 0 {
		t.Error("facts where nothing is rejected")
	}
	var explanation struct {
		Nodes []struct {
			Node  string
			Facts []map[string]any
		}
	}
	check(t, json.Unmarshal(must(d.ExplainJSON())(t), &explanation))
	if got := explanation.Nodes[3].Facts; len(got) != 1 || got[0]["free"] != 1000.0 {
		t.Errorf("JSON: %v", got)
	}

	gated := newPod(t, "p", 100, "nodeName: nowhere\n  schedulingGates: [{name: a}, {name: b}]")
	d = must(fw.CheckPodFits(ctx, cluster, gated, libsched.CheckOptions{Facts: true}))(t)
	if gates := d.PodFacts()[0].Get("gates"); !reflect.DeepEqual(gates, []string{"a", "b"}) {
		t.Errorf("gates: %v", gates)
	}
	last := d.PodFacts()[len(d.PodFacts())-1]
	if missing := last.Get("missing"); !reflect.DeepEqual(missing, []string{"nowhere"}) {
		t.Errorf("a node that does not exist: %v", d.PodFacts())
	}
	d = must(fw.CheckPodFits(ctx, cluster, gated, libsched.CheckOptions{}))(t)
	if len(d.Facts("small")) != 0 || len(d.PodFacts()) != 0 {
		t.Error("facts that were not asked for")
	}
	d.Close()
	if d.Facts("small") != nil || d.PodFacts() != nil {
		t.Error("facts of a closed decision")
	}
}
